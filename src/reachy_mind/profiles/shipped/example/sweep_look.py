"""A tool that comes with a profile: a look from one side of the room to the other.

Every tool that is listed in `tools.txt` and made in a Python file of the same folder belongs to the profile. It goes
through the same gate as all others: `ctx.call` asks for what the robot can do, and says how it ended.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from reachy_mind.tools.context import Context
from reachy_mind.tools.definition import ToolError, tool

DEGREES_PER_S = 30.0


@tool(group="profile", tier="autonomous", moves=True, timeout_s=60)
async def sweep_look(
    ctx: Context,
    degrees: Annotated[float, Field(ge=10, le=120, description="How far to each side")] = 60.0,
) -> dict[str, Any]:
    """Look slowly from one side of the room to the other, and back to the front."""
    sides = ((degrees, degrees), (-degrees, 2 * degrees), (0.0, degrees))
    for number, (yaw, way) in enumerate(sides):
        outcome = await ctx.call("robot.look_at", yaw=yaw, duration=max(way / DEGREES_PER_S, 1.0))
        if outcome.error is not None:
            raise ToolError(outcome.error["code"], outcome.error["message"], hint=outcome.error["hint"])
        ctx.progress((number + 1) / len(sides))
    return {"message": f"I had a look around, {degrees:.0f} degrees to each side."}
