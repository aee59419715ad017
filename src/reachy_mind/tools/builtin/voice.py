"""The robot's voice, as tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from reachy_mind.tools.builtin.missing import VOICE, waiting
from reachy_mind.tools.definition import Tool

if TYPE_CHECKING:
    from reachy_mind.tools.context import Context


@waiting(VOICE, group="voice", tier="autonomous", timeout_s=180)
async def speak(
    ctx: Context,
    text: Annotated[str, Field(min_length=1, max_length=5000, description="What to say")],
    voice: Annotated[str, Field(max_length=100, description="Which voice; the profile's own, if empty")] = "",
    speed: Annotated[float, Field(ge=0.5, le=2, description="1 is as usual, 2 twice as fast")] = 1.0,
) -> None:
    """Say something aloud."""


@waiting(VOICE, group="voice", tier="autonomous")
async def set_volume(
    ctx: Context, volume: Annotated[int, Field(ge=0, le=100, description="0 is silent, 100 as loud as can be")]
) -> None:
    """Make the robot's voice louder or quieter."""


TOOLS: tuple[Tool, ...] = (speak, set_volume)
