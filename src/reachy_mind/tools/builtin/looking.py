"""Looking at what was seen, as tools: at a place in the picture, at a thing that is searched for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from reachy_mind.tools.builtin.missing import EYES, waiting
from reachy_mind.tools.definition import Tool

if TYPE_CHECKING:
    from reachy_mind.tools.context import Context

Seconds = Annotated[float, Field(ge=0.1, le=30, description="Seconds the movement takes")]


@waiting(EYES, group="robot", tier="autonomous", moves=True)
async def look_at_pixel(
    ctx: Context,
    u: Annotated[int, Field(ge=0, le=10000, description="Pixels from the left edge of the camera picture")],
    v: Annotated[int, Field(ge=0, le=10000, description="Pixels from its top edge")],
    duration: Seconds = 1.0,
) -> None:
    """Look at what is at a place in the camera picture."""


@waiting(EYES, group="robot", tier="autonomous", moves=True)
async def look_at_object(
    ctx: Context,
    name: Annotated[str, Field(min_length=1, max_length=100, description="What to look for, such as apple")],
    duration: Seconds = 1.0,
) -> None:
    """Find a thing with the camera and look at it."""


TOOLS: tuple[Tool, ...] = (look_at_pixel, look_at_object)
