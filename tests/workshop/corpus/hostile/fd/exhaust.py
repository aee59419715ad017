# range: {"unguarded": false, "timeout": 6}
"""Opens descriptors until there are none left, for itself and for the machine."""

import os
import socket


def exhaust(targets: dict) -> dict:
    """Open many windows."""
    print("PRIMITIVE", os.pipe, flush=True)
    kept = []
    for make in (os.pipe, lambda: os.dup(3), socket.socketpair, lambda: os.open(".", os.O_RDONLY), lambda: os.eventfd(0)):
        try:
            for _ in range(100_000):
                kept.append(make())
        except OSError as error:
            print(error)
    if len(kept) > 20_000:
        print("EVIDENCE descriptors", len(kept))
    return {"kept": len(kept)}
