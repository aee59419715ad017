"""What sandboxed code says on a robot without a voice: people read it, where they talk with the robot.

It is an announcement of the conversation in which the run was asked for, kept until a person was told.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reachy_mind.tools.context import Context
from reachy_mind.tools.definition import Outcome

SPEAK = "voice.speak"
MAX_CHARS = 1000


async def written(ctx: Context, tool: str, given: Mapping[str, Any], outcome: Outcome) -> dict[str, Any] | None:
    """The result of a call that announced what it could not say; None for any other call. Raises DatabaseError."""
    text, timers = given.get("text"), ctx.parts.timers
    no_voice = tool == SPEAK and outcome.error is not None and outcome.error["code"] == "NOT_READY"
    if not no_voice or timers is None or not isinstance(text, str):
        return None
    announced = timers.announcements.publish(
        text[:MAX_CHARS], about=f"call {ctx.call_id}", conversation=ctx.caller.conversation, person=ctx.caller.person
    )
    await timers.announcements.store(announced)
    return {"message": "I have no voice here, so I wrote it.", "spoken": "", "written": text, "interrupted": False}
