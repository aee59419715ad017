# range: {"unguarded": false, "timeout": 3, "killed": true}
"""Sends half a header and holds the line."""

import os
import struct
import time


def half_a_frame(targets: dict) -> dict:
    """Think."""
    print("PRIMITIVE", os.write(3, struct.pack(">II", 100, 0)[:5]), flush=True)
    while True:
        time.sleep(1)
