# range: {"unguarded": false, "timeout": 6}
"""Starts threads until the machine has none left."""

import threading
import time


def thousands(targets: dict) -> dict:
    """Do many things at once."""
    print("PRIMITIVE", threading.stack_size(32768), flush=True)
    count = 0
    try:
        for _ in range(40_000):
            threading.Thread(target=time.sleep, args=(30,), daemon=True).start()
            count += 1
    except (RuntimeError, MemoryError, OSError) as error:
        print(error)
    if count > 2000:
        print("EVIDENCE threads", count)
    return {"count": count}
