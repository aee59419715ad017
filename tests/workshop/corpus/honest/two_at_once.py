"""Asks two things at once."""

import asyncio

from reachy_mind import tools


async def two_at_once() -> dict:
    """Ask for the time in two cities at once."""
    tokyo, paris = await asyncio.gather(tools.call("get_time", place="Tokyo"), tools.call("get_time", place="Paris"))
    return {"tokyo": tokyo["message"], "paris": paris["message"], "differ": tokyo != paris}
