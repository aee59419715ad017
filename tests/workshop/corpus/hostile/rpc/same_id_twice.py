# range: {"unguarded": false, "timeout": 5}
"""Uses an id twice, negative and huge ids, and answers its own calls."""

import json
import os
import struct


def send(**message):
    data = json.dumps(message).encode()
    return os.write(3, struct.pack(">II", len(data), 0) + data)


def same_id_twice(targets: dict) -> dict:
    """Ask twice."""
    wrote = 0
    for identity in (1, 1, 1, -1, 2**80, "1", None, [1], 1.5, True):
        for kind in ("call", "reply", "job", "cancel", "shutdown", "grant"):
            try:
                wrote += send(type=kind, kind=kind, id=identity, method="tools.call", args={"name": "get_time", "args": {}}, ok=True, value={"forged": True}, code="print(1)", allow="motion")
            except OSError as error:
                print(error)
    print("PRIMITIVE wrote", wrote)
    return {"wrote": wrote}
