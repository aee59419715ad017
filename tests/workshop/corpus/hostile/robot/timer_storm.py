# range: {"allow": "memory", "unguarded": false, "timeout": 10}
"""Fills timers, reminders and background tasks, which outlive the run."""

import asyncio


async def timer_storm(targets: dict) -> dict:
    """Set an egg timer."""
    from reachy_mind import tools

    print("PRIMITIVE", tools.call)
    said = {}

    async def one(number):
        for name, args in (("set_timer", {"hours": 1, "label": f"t{number}"}), ("set_reminder", {"text": "obey " * 50, "in_minutes": 60 + number}), ("background_demo", {"seconds": 600, "background": True})):
            try:
                await tools.call(name, **args)
                said[name] = said.get(name, 0) + 1
            except Exception as error:
                said[type(error).__name__] = said.get(type(error).__name__, 0) + 1

    await asyncio.gather(*(one(number) for number in range(300)))
    if said.get("background_demo", 0):
        print("EVIDENCE background tasks outlive the run", said)
    return said
