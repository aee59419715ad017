"""Runs a plan of several tools, with a summary."""

import asyncio
from dataclasses import dataclass
from typing import Any, Awaitable, Callable

from reachy_mind import tools


@dataclass(slots=True)
class Step:
    name: str
    args: dict[str, Any]


async def with_retry(act: Callable[[], Awaitable[dict]], tries: int = 2) -> dict:
    for number in range(tries):
        try:
            return await act()
        except tools.ToolError:
            if number == tries - 1:
                raise
            await asyncio.sleep(0.01)
    raise AssertionError


async def follow_plan() -> dict:
    """Look left, look ahead, nod, and tell how it went."""
    plan = [Step("move_head", {"direction": "left"}), Step("move_head", {"direction": "front"}), Step("nod", {"times": 1})]
    messages = []
    for step in plan:
        done = await with_retry(lambda step=step: tools.call(step.name, **step.args))
        messages.append(done["message"])
    return {"steps": len(plan), "messages": messages}
