# range: {"unguarded": false, "timeout": 3, "virtual": true}
"""Moves the virtual clock by hand: into the past, to infinity, many times."""

import json
import os
import struct
import time


def endless_clock(targets: dict) -> dict:
    """Travel in time."""
    wrote = 0
    for number, until in enumerate((1e300, -1e300, "now", None, float("inf"), float("nan"), 0, [], 2**100, 1e18)):
        data = json.dumps({"type": "call", "kind": "call", "id": 500 + number, "method": "clock.sleep", "args": {"until": until, "seconds": until}}).encode()
        try:
            wrote += os.write(3, struct.pack(">II", len(data), 0) + data)
        except OSError as error:
            print(error)
    print("PRIMITIVE wrote", wrote)
    time.sleep(1)
    return {"wrote": wrote}
