# range: {"unguarded": false, "timeout": 5}
"""Ends the process from a thread, while the result is being sent, and raises in others."""

import ctypes
import os
import threading
import time


def exit_race(targets: dict) -> dict:
    """Stop the clock."""
    print("PRIMITIVE", os._exit, flush=True)

    def leave():
        time.sleep(0.01)
        os._exit(0)

    for ident in list(threading._active):
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(ident), ctypes.py_object(SystemExit))
    threading.Thread(target=leave).start()
    return {"value": "x" * 500_000}
