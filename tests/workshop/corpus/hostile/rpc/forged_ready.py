# range: {"unguarded": false, "report": true}
"""Says ready again, with layers that do not hold, to be taken for a fresh worker."""

import json
import os
import struct
import time


def forged_ready(targets: dict) -> dict:
    """Begin."""
    wrote = 0
    for key in ("type", "kind", "message", "t"):
        for layers in ({"forged": "everything holds"}, [], None, "none", {"seccomp": "x" * 10**6}):
            data = json.dumps({key: "ready", "layers": layers, "pid": 1}).encode()
            try:
                wrote += os.write(3, struct.pack(">II", len(data), 0) + data)
            except OSError as error:
                print(error)
    print("PRIMITIVE wrote", wrote)
    time.sleep(0.3)
    return {"honest": True}
