"""Voice tools: text to speech, and the volume."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from reachy_mind.tools.definition import Tool, tool

if TYPE_CHECKING:
    from reachy_mind.tools.context import Context

QUOTED_CHARS = 60


@tool(group="voice", tier="autonomous", timeout_s=180)
async def speak(
    ctx: Context,
    text: Annotated[str, Field(min_length=1, max_length=5000, description="What to say")],
    voice: Annotated[str, Field(max_length=100, description="Which voice; the profile's own, if empty")] = "",
    speed: Annotated[
        float | None, Field(ge=0.5, le=2, description="2 is twice as fast; as usual, if not given")
    ] = None,
) -> dict[str, Any]:
    """Say something aloud, to the end."""
    heard = await ctx.voice.speak(text, voice=voice, speed=speed)
    if heard is not None:
        return {"message": f"I was interrupted after {_quoted(heard)}.", "spoken": heard, "interrupted": True}
    return {"message": f"I said {_quoted(text)}.", "spoken": text, "interrupted": False}


@tool(group="voice", tier="autonomous")
async def set_volume(
    ctx: Context, volume: Annotated[int, Field(ge=0, le=100, description="0 is silent, 100 as loud as can be")]
) -> dict[str, Any]:
    """Make the robot's voice louder or quieter."""
    now = await ctx.motion.set_volume(volume)
    return {"message": f"My loudspeaker is at {now} percent.", "volume": now}


def _quoted(text: str) -> str:
    words = " ".join(text.split()).rstrip(".")
    return f'"{words if len(words) <= QUOTED_CHARS else words[:QUOTED_CHARS] + "..."}"'


TOOLS: tuple[Tool, ...] = (speak, set_volume)
