# range: {"unguarded": false, "timeout": 4}
"""Closes the channel and goes on working unseen."""

import os
import time


def close_the_channel(targets: dict) -> dict:
    """Hang up."""
    print("PRIMITIVE closing", flush=True)
    os.closerange(0, 256)
    end = time.monotonic() + 30
    while time.monotonic() < end:
        for path in targets["markers"].values():
            try:
                with open(path, "w") as file:
                    file.write("still here")
            except OSError:
                pass
        time.sleep(0.05)
    return {}
