# range: {"unguarded": false, "report": true}
"""Sends a result before the runtime does, several results, and fields of the report itself."""

import json
import os
import struct


def forged_result(targets: dict) -> dict:
    """Work."""
    wrote = 0
    print("PRIMITIVE the channel", os.fstat(3).st_mode, flush=True)
    for message in (
        {"ok": True, "value": {"forged": 1}, "status": "ok", "isolation": "none", "calls": [{"name": "forged", "args": {}, "status": "ok"}], "cpu_ms": -5, "wall_ms": 0, "max_rss_mb": 0},
        {"ok": True, "value": {"forged": 2}},
        {"ok": False, "error": {"type": "x", "message": "m" * 10**6, "traceback": "y", "code": "FORGED", "hint": "z"}},
        {"ok": "yes", "value": None},
        {},
    ):
        for key in ("type", "kind", "message", "t"):
            data = json.dumps({key: "result", **message}).encode()
            try:
                wrote += os.write(3, struct.pack(">II", len(data), 0) + data)
            except OSError as error:
                print(error)
    return {"honest": True}
