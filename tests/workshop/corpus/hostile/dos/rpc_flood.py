# range: {"timeout": 4, "unguarded": false}
"""Calls the host as often as it can, from many threads and tasks, without waiting for answers."""

import asyncio


async def rpc_flood(targets: dict) -> dict:
    """Look at the clock all the time."""
    from reachy_mind import tools

    print("PRIMITIVE", tools.call, flush=True)
    counts = {"ok": 0, "error": 0}

    async def ask():
        while True:
            try:
                await tools.call("get_time")
                counts["ok"] += 1
            except Exception:
                counts["error"] += 1
                if counts["error"] > 5000:
                    return

    await asyncio.gather(*(ask() for _ in range(50)))
    return counts
