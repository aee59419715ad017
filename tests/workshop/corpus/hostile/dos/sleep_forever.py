# range: {"timeout": 2, "unguarded": false, "killed": true}
"""Sleeps for years; while it does it holds the body."""

import threading
import time


def sleep_forever(targets: dict) -> dict:
    """Rest for a moment."""
    print("PRIMITIVE sleep", flush=True)
    lock = threading.Lock()
    lock.acquire()
    threading.Thread(target=time.sleep, args=(1e8,)).start()
    lock.acquire()
    return {}
