"""Counts down aloud."""

import asyncio


async def countdown(start: int = 3) -> dict:
    """Count down to zero, one number a second."""
    spoken = []
    for number in range(start, 0, -1):
        await speak(str(number))
        spoken.append(number)
        await asyncio.sleep(1)
    await speak("Go!")
    return {"spoken": spoken}
