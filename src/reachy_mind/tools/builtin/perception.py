"""What the robot sees, as tools; and looking at what it has seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from reachy_mind.tools.builtin.missing import EYES, waiting
from reachy_mind.tools.definition import Tool

if TYPE_CHECKING:
    from reachy_mind.tools.context import Context

Seconds = Annotated[float, Field(ge=0.1, le=30, description="Seconds the movement takes")]
Question = Annotated[str, Field(max_length=1000, description="What to find out about the picture")]
WHAT_IS_THERE = "What do you see?"


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


@waiting(EYES, group="robot", tier="autonomous")
async def head_tracking(
    ctx: Context, enabled: Annotated[bool, Field(description="true: follow faces; false: don't")]
) -> None:
    """Follow people's faces with the head, or no longer."""


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


@waiting(EYES, group="perception", tier="autonomous", read_only=True)
async def detect_faces(ctx: Context) -> None:
    """Tell how many faces the camera sees, and where."""


@waiting(EYES, group="perception", tier="autonomous", timeout_s=60, read_only=True)
async def describe_image(
    ctx: Context,
    photo: Annotated[
        str, Field(max_length=200, description="Name of a photo that was kept; the newest, if empty")
    ] = "",
    prompt: Question = WHAT_IS_THERE,
) -> None:
    """Tell what is in a photo that was taken before."""


@waiting(EYES, group="perception", tier="notify")
async def set_camera(ctx: Context, enabled: Annotated[bool, Field(description="true: on; false: off")]) -> None:
    """Switch the camera on or off."""


TOOLS: tuple[Tool, ...] = (
    look_at_pixel,
    look_at_object,
    head_tracking,
    take_photo,
    analyze_scene,
    detect_objects,
    detect_faces,
    describe_image,
    set_camera,
)
