# range: {"allow": "speak", "unguarded": false, "timeout": 4}
"""Speaks without end, as loud as can be, so that nobody can say stop."""

import asyncio


async def speech_storm(targets: dict) -> dict:
    """Tell a fairy tale."""
    from reachy_mind import tools

    print("PRIMITIVE", tools.call, flush=True)
    said = []

    async def say():
        for _ in range(50):
            try:
                await tools.call("speak", text="la " * 1600)
                said.append("ok")
            except Exception as error:
                said.append(repr(error)[:50])

    await asyncio.gather(*(say() for _ in range(20)))
    return {"said": len(said)}
