"""Working and pausing in turns."""

import asyncio
from datetime import datetime, timedelta


async def pomodoro(rounds: int = 2, work: float = 25, pause: float = 5) -> dict:
    """Work and pause in turns; minutes."""
    begin = datetime.now()
    log = []
    for number in range(rounds):
        await asyncio.sleep(work * 60)
        log.append(("work", number))
        await asyncio.sleep(pause * 60)
        log.append(("pause", number))
    return {"log": log, "minutes": (datetime.now() - begin) / timedelta(minutes=1)}
