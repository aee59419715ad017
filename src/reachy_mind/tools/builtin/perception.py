"""Vision tools: photos, scene questions and object detection."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from reachy_mind.errors import MindError
from reachy_mind.eyes import scene, untrusted_text
from reachy_mind.eyes.object_names import name_matches
from reachy_mind.eyes.questions import asks_for_list, subject
from reachy_mind.tools.definition import Tool, tool

if TYPE_CHECKING:
    from reachy_mind.eyes.answers import SceneAnswer
    from reachy_mind.eyes.objects import DetectedObject
    from reachy_mind.eyes.pictures import Picture
    from reachy_mind.tools.context import Context, SightAccess

Question = Annotated[str, Field(max_length=1000, description="What to find out about the picture")]
WHAT_IS_THERE = "What do you see?"


@tool(group="perception", tier="autonomous")
async def take_photo(
    ctx: Context,
    save: Annotated[bool, Field(description="Keep it in the photo folder")] = True,
    describe: Annotated[bool, Field(description="Also tell what is in it")] = False,
) -> dict[str, Any]:
    """Take a photo with the camera. It is kept on this machine."""
    sight = ctx.sight
    picture = await sight.look()
    answer = await sight.answer(WHAT_IS_THERE, picture) if describe else None
    result: dict[str, Any] = {"width": picture.width, "height": picture.height, "saved": save}
    if save:
        seen = answer.things if answer else await _seen(sight, picture)
        photo = await asyncio.to_thread(sight.photos.save, picture, seen, person=await ctx.speaker())
        result |= {"message": f"I took a photo and kept it as {photo.name}.", "photo": photo.name}
    else:
        result["message"] = "I took a photo and did not keep it."
    if answer:
        result |= _describe(answer) | {"message": f"{result['message']} {answer.text}", "description": answer.text}
    return result


@tool(group="perception", tier="autonomous", timeout_s=60, read_only=True)
async def analyze_scene(ctx: Context, prompt: Question = WHAT_IS_THERE) -> dict[str, Any]:
    """Look through the camera and answer a question about what is there."""
    picture = await ctx.sight.look()
    answer = await ctx.sight.answer(prompt or WHAT_IS_THERE, picture)
    listed = {"description": scene.inventory(answer.things)} if asks_for_list(prompt) else {}
    return _describe(answer) | listed


@tool(group="perception", tier="autonomous", read_only=True)
async def detect_objects(
    ctx: Context,
    names: Annotated[
        list[str] | None, Field(max_length=20, description="Only these things; everything, if not given")
    ] = None,
) -> dict[str, Any]:
    """Tell which things the camera sees, and where."""
    wanted = [name for each in names or () if (name := subject(untrusted_text.sanitize_label(each))[0])]
    picture = await ctx.sight.look()
    there = await ctx.sight.things(picture)
    found = [seen for seen in there if not wanted or any(name_matches(seen.name, name) for name in wanted)]
    message = scene.total(found) if found or not wanted else scene.absent(" or ".join(wanted), there)
    result: dict[str, Any] = {"message": message, "count": len(found), "objects": [seen.as_dict() for seen in found]}
    about = wanted[0] if len(wanted) == 1 else found[0].name if len(found) == 1 else ""
    return result | ({"detector": there[0].detector} if there else {}) | ({"about": about} if about else {})


@tool(group="perception", tier="autonomous", timeout_s=60, read_only=True)
async def describe_image(
    ctx: Context,
    photo: Annotated[
        str, Field(max_length=200, description="Name of a photo that was kept; the newest, if empty")
    ] = "",
    prompt: Question = WHAT_IS_THERE,
) -> dict[str, Any]:
    """Tell what is in a photo that was taken before."""
    photos = ctx.sight.photos
    kept = await asyncio.to_thread(photos.find, photo)
    picture, seen = await asyncio.to_thread(photos.read, kept)
    answer = await ctx.sight.answer(prompt or WHAT_IS_THERE, picture, known=seen or None)
    return {"photo": kept.name} | _describe(answer)


async def _seen(sight: SightAccess, picture: Picture) -> Sequence[DetectedObject]:
    """Objects in the picture; none when no detector is available. The photo is kept anyway."""
    try:
        return await sight.things(picture)
    except MindError:
        return ()


def _describe(answer: SceneAnswer) -> dict[str, Any]:
    """An answer as a tool result. Text read in the picture is marked as untrusted."""
    result: dict[str, Any] = {
        "message": answer.text,
        "by": answer.by,
        "objects": [seen.as_dict() for seen in answer.things],
        "faces": len(answer.faces),
    }
    if answer.things:
        result["detector"] = answer.things[0].detector
    if answer.about:
        result["about"] = answer.about
    return result | untrusted_text.as_untrusted(list(answer.texts))


TOOLS: tuple[Tool, ...] = (take_photo, analyze_scene, detect_objects, describe_image)
