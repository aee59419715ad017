# range: {"unguarded": false, "timeout": 4}
"""Asks for frames and states as fast as it can and never reads an answer, so that the host's buffers grow."""

import json
import os
import struct


def stops_reading(targets: dict) -> dict:
    """Listen carefully."""
    wrote = 0
    os.set_blocking(3, True)
    print("PRIMITIVE channel", flush=True)
    for number in range(2_000_000):
        data = json.dumps({"type": "call", "kind": "call", "id": number, "method": "tools.call", "args": {"name": "get_time", "args": {}}}).encode()
        try:
            wrote += os.write(3, struct.pack(">II", len(data), 0) + data)
        except OSError as error:
            print(error)
            break
    return {"wrote": wrote}
