"""What the robot sees, as tools: photos, and what is in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from reachy_mind.tools.builtin.missing import EYES, waiting
from reachy_mind.tools.definition import Tool

if TYPE_CHECKING:
    from reachy_mind.tools.context import Context

Question = Annotated[str, Field(max_length=1000, description="What to find out about the picture")]
WHAT_IS_THERE = "What do you see?"


@waiting(EYES, group="perception", tier="autonomous")
async def take_photo(
    ctx: Context,
    save: Annotated[bool, Field(description="Keep it in the photo folder")] = True,
    describe: Annotated[bool, Field(description="Also tell what is in it")] = False,
) -> None:
    """Take a photo with the camera."""


@waiting(EYES, group="perception", tier="autonomous", timeout_s=60, read_only=True)
async def analyze_scene(ctx: Context, prompt: Question = WHAT_IS_THERE) -> None:
    """Look through the camera and answer a question about what is there."""


@waiting(EYES, group="perception", tier="autonomous", read_only=True)
async def detect_objects(
    ctx: Context,
    names: Annotated[
        list[str] | None, Field(max_length=20, description="Only these things; everything, if not given")
    ] = None,
) -> None:
    """Tell which things the camera sees, and where."""


@waiting(EYES, group="perception", tier="autonomous", timeout_s=60, read_only=True)
async def describe_image(
    ctx: Context,
    photo: Annotated[
        str, Field(max_length=200, description="Name of a photo that was kept; the newest, if empty")
    ] = "",
    prompt: Question = WHAT_IS_THERE,
) -> None:
    """Tell what is in a photo that was taken before."""


TOOLS: tuple[Tool, ...] = (take_photo, analyze_scene, detect_objects, describe_image)
