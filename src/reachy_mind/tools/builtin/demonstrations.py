"""Demonstrations behind the gate: record what is shown, keep it, replay, trim, delete it. For page, REST and programs.

The room `learning` has the demonstrations and gives them to these tools as `DemonstrationAccess`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Protocol

from pydantic import Field, FiniteFloat

from reachy_mind.errors import NotReady
from reachy_mind.motion.moves import MAX_DURATION_S, Frames
from reachy_mind.tools.builtin.exact_commands import arrival_result
from reachy_mind.tools.definition import Tool, tool

if TYPE_CHECKING:
    from reachy_mind.tools.context import Context, Parts

KEY = "demonstrations"

DraftId = Annotated[str, Field(max_length=64, description="What is recorded: as its recorder says")]
DemonstrationId = Annotated[str, Field(min_length=1, max_length=40, description="Its demo_id")]


class DemonstrationAccess(Protocol):
    """Stored demonstrations for tools. Each method raises a MindError for what is not there."""

    async def begin(self, draft: str, *, camera: bool) -> dict[str, Any]:
        """Make ready to record under this id, with the camera or without."""

    async def store_draft(self, draft: str, dataset: str) -> dict[str, Any]:
        """Store what was recorded under this id."""

    async def as_move(self, demo_id: str) -> Frames:
        """The commanded poses of a demonstration as a move."""

    async def trim(self, demo_id: str, start: float, end: float | None) -> dict[str, Any]: ...

    async def remove(self, demo_id: str) -> dict[str, Any]: ...


def provide(parts: Parts, access: DemonstrationAccess) -> None:
    """Make demonstrations available to the tools of a toolbox."""
    parts.extra[KEY] = access


def _access(ctx: Context) -> DemonstrationAccess:
    found: DemonstrationAccess | None = ctx.parts.extra.get(KEY)
    if found is None:
        raise NotReady("demonstrations are not available here", hint="use REST or reachy-mind demonstrations")
    return found


@tool(group="robot", tier="autonomous", hidden=True)
async def begin_demonstration(
    ctx: Context,
    draft: DraftId,
    camera: Annotated[bool, Field(description="Keep the camera's frames, and look for what the task names")] = False,
) -> dict[str, Any]:
    """Watch what the robot is shown."""
    return {"message": "I am watching."} | await _access(ctx).begin(draft, camera=camera)


@tool(group="robot", tier="autonomous", hidden=True)
async def keep_demonstration(
    ctx: Context,
    draft: DraftId,
    dataset: Annotated[str, Field(min_length=1, max_length=64, description="The dataset to add it to")],
) -> dict[str, Any]:
    """Keep what was shown to the robot as a demonstration."""
    kept = await _access(ctx).store_draft(draft, dataset)
    message = f"I will remember how to {kept['task_description']}."
    if kept.get("target_seen") == 0:
        message += f" I did not see the {kept['target']}, so this does not teach me where to look."
    return {"message": message} | kept


@tool(group="robot", tier="autonomous", moves=True, hidden=True, timeout_s=MAX_DURATION_S + 60)
async def replay_demonstration(ctx: Context, demo_id: DemonstrationId) -> dict[str, Any]:
    """Do again what was shown in a demonstration."""
    frames = await _access(ctx).as_move(demo_id)
    await ctx.motion.wake()
    result = arrival_result(ctx, "replay", await ctx.motion.play(frames))
    return result | {"demo_id": demo_id, "duration_s": round(frames.duration, 2)}


@tool(group="robot", tier="confirm", hidden=True)
async def trim_demonstration(
    ctx: Context,
    demo_id: DemonstrationId,
    start: Annotated[FiniteFloat, Field(ge=0, le=MAX_DURATION_S, description="Seconds to leave out")] = 0.0,
    end: Annotated[FiniteFloat | None, Field(gt=0, le=MAX_DURATION_S, description="Second at which to end")] = None,
) -> dict[str, Any]:
    """Delete the beginning and the end of a demonstration, for good."""
    return {"message": "I have trimmed it."} | await _access(ctx).trim(demo_id, start, end)


@tool(group="robot", tier="confirm", hidden=True)
async def remove_demonstration(ctx: Context, demo_id: DemonstrationId) -> dict[str, Any]:
    """Delete a demonstration, for good."""
    return {"message": "I have forgotten that demonstration."} | await _access(ctx).remove(demo_id)


TOOLS: tuple[Tool, ...] = (
    begin_demonstration,
    keep_demonstration,
    replay_demonstration,
    trim_demonstration,
    remove_demonstration,
)
