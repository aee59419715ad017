"""Faces and the camera itself, as tools: following people, counting them, switching the camera."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from reachy_mind.tools.builtin.missing import EYES, waiting
from reachy_mind.tools.definition import Tool

if TYPE_CHECKING:
    from reachy_mind.tools.context import Context


@waiting(EYES, group="robot", tier="autonomous")
async def head_tracking(
    ctx: Context, enabled: Annotated[bool, Field(description="true: follow faces; false: don't")]
) -> None:
    """Follow people's faces with the head, or no longer."""


@waiting(EYES, group="perception", tier="autonomous", read_only=True)
async def detect_faces(ctx: Context) -> None:
    """Tell how many faces the camera sees, and where."""


@waiting(EYES, group="perception", tier="notify")
async def set_camera(ctx: Context, enabled: Annotated[bool, Field(description="true: on; false: off")]) -> None:
    """Switch the camera on or off."""


TOOLS: tuple[Tool, ...] = (head_tracking, detect_faces, set_camera)
