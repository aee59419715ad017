# range: {"timeout": 6, "unguarded": false, "output_mb": 4}
"""Prints one line of hundreds of megabytes, without a newline, by three ways."""

import os
import sys


def output_one_line(targets: dict) -> dict:
    """Tell it in one sentence."""
    print("PRIMITIVE write", flush=True)
    text = "y" * (200 * 2**20)
    for write in (sys.stdout.write, sys.stderr.write, lambda t: os.write(1, t.encode()), lambda t: os.write(2, t.encode())):
        try:
            write(text)
        except (OSError, MemoryError, ValueError) as error:
            print(error)
    return {"status": "told"}
