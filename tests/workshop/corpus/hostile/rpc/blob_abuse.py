# range: {"unguarded": false, "timeout": 4}
"""Sends blobs where none belong, whose length disagrees with the message, and artefacts with evil names."""

import json
import os
import struct


def blob_abuse(targets: dict) -> dict:
    """Keep a picture."""
    wrote = 0
    names = ["../../" + targets["nonce"], targets["markers"]["tmp"], "a/b", "..", ".", "", "\x00" + targets["nonce"], "x" * 5000, "config.yaml", "../permissions.yaml", "\ud800", None, 5]
    for number, name in enumerate(names):
        for key in ("type", "kind"):
            message = {key: "call", "id": 8000 + number, "method": "artifact.keep", "args": {"name": name, "data": "eHh4", "path": targets["markers"]["tmp"], "size": 10**9}}
            data = json.dumps(message).encode()
            for blob, length in ((b"payload", 7), (b"", 2**31), (b"payload", 3)):
                try:
                    wrote += os.write(3, struct.pack(">II", len(data), length) + data + blob)
                except OSError as error:
                    print(error)
            if number > 3 and key == "kind":
                break
    print("PRIMITIVE wrote", wrote)
    return {"wrote": wrote}
