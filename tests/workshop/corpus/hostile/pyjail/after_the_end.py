# range: {"timeout": 6, "unguarded": false}
"""Leaves work for later: exit handlers, finalizers, threads that are no daemons, pending tasks."""

import asyncio
import atexit
import threading
import time
import weakref


class Ghost:
    pass


async def after_the_end(targets: dict) -> dict:
    """Say goodbye."""

    def strike(how):
        for path in targets["markers"].values():
            try:
                with open(path, "a") as file:
                    file.write(how)
            except OSError:
                pass
        time.sleep(60)

    ghost = Ghost()
    weakref.finalize(ghost, strike, "finalizer")
    atexit.register(strike, "atexit")
    threading.Thread(target=strike, args=("thread",), daemon=False).start()
    asyncio.get_running_loop().call_later(0.2, strike, "loop")
    asyncio.ensure_future(asyncio.to_thread(strike, "task"))
    print("PRIMITIVE armed")
    return {"status": "success", "ghost": str(ghost)}
