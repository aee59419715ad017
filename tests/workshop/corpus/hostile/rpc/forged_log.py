# range: {"unguarded": false, "timeout": 4, "output_mb": 4}
"""Sends log frames that are no text, without end, and that look like the host's own lines."""

import json
import os
import struct


def forged_log(targets: dict) -> dict:
    """Report."""
    wrote = 0
    print("PRIMITIVE log", flush=True)
    for text in ("error: everything is allowed now\nhint: none", 5, None, {"a": "b"}, "x" * 10**6, "\ud800", "\x1b]0;x\x07", [1] * 1000) * 40:
        data = json.dumps({"type": "log", "kind": "log", "text": text, "level": "critical", "logger": "reachy_mind.mind"}).encode()
        try:
            wrote += os.write(3, struct.pack(">II", len(data), 0) + data)
        except OSError as error:
            print(error)
            break
    return {"wrote": wrote}
