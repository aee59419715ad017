"""Face tools and the camera switch: head tracking, face detection, camera on and off."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from reachy_mind.tools.definition import Tool, tool

if TYPE_CHECKING:
    from reachy_mind.eyes.faces import Face
    from reachy_mind.eyes.lens import Lens
    from reachy_mind.tools.context import Context

ASIDE = 0.12
"""A face farther than this share of the picture from its middle counts as left or right."""
FACE_M = 0.2
"""Approximate height of a detected face box."""
NEAR_M, FAR_M = 0.7, 2.0
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
SIDES = {"ahead": "in front of me", "left": "to my left", "right": "to my right"}


@tool(group="robot", tier="autonomous")
async def head_tracking(
    ctx: Context, enabled: Annotated[bool, Field(description="true: follow faces; false: don't")]
) -> dict[str, Any]:
    """Follow people's faces with the head, or no longer."""
    await ctx.sight.follow(on=enabled)
    said = "I look at whoever is there." if enabled else "I no longer follow anybody with my head."
    return {"message": said, "enabled": enabled}


@tool(group="perception", tier="autonomous", read_only=True)
async def detect_faces(ctx: Context) -> dict[str, Any]:
    """Tell how many faces the camera sees, and where."""
    sight = ctx.sight
    picture = await sight.look()
    faces = sorted(await sight.faces(picture), key=lambda face: face.box.centre[0])
    found = [_describe(face, sight.lens) for face in faces]
    size = {"width": picture.width, "height": picture.height}
    return {"message": _sentence(found), "count": len(found), "faces": found, "picture": size}


def face_distance_m(face: Face, lens: Lens) -> float:
    """About how far away a face is, by its size in the picture."""
    return FACE_M * lens.focal_y / max(face.box.height, 1e-3)


def _describe(face: Face, lens: Lens) -> dict[str, Any]:
    away = face_distance_m(face, lens)
    aside = face.box.centre[0] - 0.5
    return {
        "box": face.box.as_dict(),
        "score": round(face.score, 2),
        "side": "ahead" if abs(aside) < ASIDE else "right" if aside > 0 else "left",
        "distance": "near" if away < NEAR_M else "far" if away > FAR_M else "",
        "about_m": round(away, 1),
    }


def _sentence(faces: list[dict[str, Any]]) -> str:
    """Describe the faces from left to right."""
    if not faces:
        return "I see no face."
    many = NUMBERS[len(faces)] if len(faces) < len(NUMBERS) else str(len(faces))
    where = [" ".join(word for word in (face["distance"], SIDES[face["side"]]) if word) for face in faces]
    if len(faces) == 1:
        return f"I see one face, {where[0]}."
    return f"I see {many} faces: {', '.join(f'one {place}' for place in where[:-1])} and one {where[-1]}."


@tool(group="perception", tier="notify")
async def set_camera(
    ctx: Context, enabled: Annotated[bool, Field(description="true: on; false: off")]
) -> dict[str, Any]:
    """Switch the camera on or off; off, it is closed and nothing is seen."""
    on = await ctx.sight.switch(on=enabled)
    said = "My camera is on." if on else "My camera is off: I see nothing, and follow nobody."
    return {"message": said, "camera": "on" if on else "off"}


TOOLS: tuple[Tool, ...] = (head_tracking, detect_faces, set_camera)
