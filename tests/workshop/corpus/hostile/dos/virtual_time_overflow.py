# range: {"timeout": 4, "unguarded": false, "virtual": true}
"""Gives the virtual clock impossible times: infinite, not a number, negative, beyond every date."""

import asyncio
import time


async def virtual_time_overflow(targets: dict) -> dict:
    """Set an alarm."""
    print("PRIMITIVE sleep", flush=True)
    said = []
    for seconds in (-1, float("nan"), float("inf"), -float("inf"), 1e308, 2**63, 10**400, "1", None, 9e15):
        for sleep in (time.sleep, asyncio.sleep):
            try:
                done = sleep(seconds)
                if done is not None:
                    await asyncio.wait_for(done, 0.05)
                said.append("slept")
            except BaseException as error:
                said.append(type(error).__name__)
    return {"said": said, "now": str(time.time())}
