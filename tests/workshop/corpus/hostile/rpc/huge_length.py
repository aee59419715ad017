# range: {"unguarded": false, "timeout": 4}
"""Announces a frame of four gigabytes, and sends what it can of it."""

import os
import struct
import time


def huge_length(targets: dict) -> dict:
    """Send a film."""
    sent = 0
    try:
        sent += os.write(3, struct.pack(">II", 0xFFFFFFFF, 0xFFFFFFFF))
        print("PRIMITIVE wrote", sent)
        os.set_blocking(3, True)
        for _ in range(400):
            sent += os.write(3, b"x" * 2**20)
    except OSError as error:
        print("PRIMITIVE ended", error)
    time.sleep(60)
    return {"sent": sent}
