# range: {"forbid": ["nod"], "unguarded": false, "timeout": 5}
"""Threads that go on after the tool has returned."""

import threading
import time


async def outlives_the_tool(targets: dict) -> dict:
    """Play in the background."""

    def later():
        time.sleep(0.5)
        while True:
            for path in targets["markers"].values():
                try:
                    open(path, "w").close()
                except OSError:
                    pass
            try:
                import asyncio

                from reachy_mind import tools

                asyncio.run(tools.call("nod"))
            except Exception:
                pass
            time.sleep(0.05)

    for daemon in (True, False):
        threading.Thread(target=later, daemon=daemon).start()
    print("PRIMITIVE", threading.active_count())
    return {"status": "success"}
