"""Tools that look at a pixel of the camera picture, or search for an object and look at it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from reachy_mind.body.pose import Pose
from reachy_mind.errors import InvalidParameter
from reachy_mind.eyes import answers, scene
from reachy_mind.eyes.object_names import canonical, listed, with_article
from reachy_mind.eyes.questions import subject
from reachy_mind.eyes.untrusted_text import sanitize_label
from reachy_mind.tools.builtin import aiming
from reachy_mind.tools.builtin.aiming import Aimed, AimOffset, Place
from reachy_mind.tools.builtin.movement import moving, position
from reachy_mind.tools.definition import Tool, tool

if TYPE_CHECKING:
    from reachy_mind.eyes.objects import DetectedObject
    from reachy_mind.eyes.pictures import Picture
    from reachy_mind.motion.client import Motion
    from reachy_mind.tools.context import Context, SightAccess

Seconds = Annotated[float, Field(ge=0.1, le=30, description="Seconds the movement takes")]

SURFACES: dict[str, tuple[float, str]] = {
    "table": (25.0, "down at the table in front of me"),
    "floor": (38.0, "down at the floor in front of me"),
    "ground": (38.0, "down at the ground in front of me"),
    "ceiling": (-35.0, "up at the ceiling"),
    "sky": (-35.0, "up at the sky"),
}
"""Surfaces too large for object detection: degrees down, and the spoken place."""


@tool(group="robot", tier="autonomous", moves=True, timeout_s=60)
async def look_at_pixel(
    ctx: Context,
    u: Annotated[int, Field(ge=0, le=10000, description="Pixels from the left edge of the camera picture")],
    v: Annotated[int, Field(ge=0, le=10000, description="Pixels from its top edge")],
    duration: Seconds = 1.0,
) -> dict[str, Any]:
    """Look at what is at a place in the camera picture."""
    sight = ctx.sight
    async with moving(ctx, "look_at_pixel") as motion:
        picture = await sight.look()
        if u >= picture.width or v >= picture.height:
            raise InvalidParameter(
                f"the picture has no point {u}, {v}", hint=f"it is {picture.width} wide and {picture.height} high"
            )
        place = (u + 0.5) / picture.width, (v + 0.5) / picture.height
        yaw, pitch = sight.lens.direction(*place, sight.pose_at(picture.taken_at))
        await motion.wake()
        await aiming.aim(motion, sight, picture, place, duration)
        pose = motion.state.pose
    off = math.degrees(math.hypot(math.remainder(yaw - pose.yaw, math.tau) * math.cos(pitch), pitch - pose.pitch))
    where = f"at the point {u}, {v} of the picture"
    message = f"I am looking {where}." if off < 5 else f"I turned as far as I can towards it, {off:.0f} degrees short."
    return {"message": message, "error_degrees": round(off, 2), "final_position": position(pose)}


@tool(group="robot", tier="autonomous", moves=True, timeout_s=90)
async def look_at_object(
    ctx: Context,
    name: Annotated[str, Field(min_length=1, max_length=100, description="What to look for, such as apple")],
    duration: Seconds = 1.0,
    yaw_offset: Annotated[float | None, Field(ge=-25, le=25, description="Degrees to look left of it")] = None,
    pitch_offset: Annotated[float | None, Field(ge=-25, le=25, description="Degrees to look above it")] = None,
) -> dict[str, Any]:
    """Find a thing with the camera and look at it; turns around to search for it when it is not in view."""
    wanted, colour = subject(sanitize_label(name))
    if surface := SURFACES.get(canonical(wanted)):
        return await _at_surface(ctx, surface, duration, (yaw_offset, pitch_offset))
    search = ObjectSearch(ctx.sight, wanted, colour)
    async with moving(ctx, "look_at_object") as motion:
        asleep = not motion.awake
        if asleep:
            await motion.wake()
        before = motion.state.command
        picture, found = await search.look()
        looked = 1
        for pose in aiming.search_poses(before):
            if found is not None:
                break
            ctx.progress(looked / 10, f"looking for {search.called}")
            await aiming.turn(motion, pose)
            picture, found = await search.look()
            looked += 1
        if found is None:
            await aiming.turn(motion, Pose(yaw=before.yaw, pitch=before.pitch))
            return _not_found(search, looked, motion)
        situation = Situation.of(ctx.sight, picture, found)
        offset = offset_for((yaw_offset, pitch_offset), _taught(ctx, situation))
        aimed = await aiming.centre(motion, ctx.sight, picture, found.box.centre, search.place, duration, offset)
        return _describe(search, looked, aimed, motion) | _beside(situation, offset, (yaw_offset, pitch_offset))


@dataclass(frozen=True)
class Situation:
    """Where the target is, seen from the middle of the head at rest: degrees left and up, and metres."""

    azimuth: float
    elevation: float
    distance: float | None = None

    @classmethod
    def of(cls, sight: SightAccess, picture: Picture, thing: DetectedObject) -> Situation:
        pose = sight.pose_at(picture.taken_at)
        if thing.distance_m is None:
            yaw, pitch = sight.lens.direction(*thing.box.centre, pose)
            return cls(math.degrees(yaw), -math.degrees(pitch))
        # From the middle of the head, which stays where it is: the camera moves with the head.
        ahead, left, up = sight.lens.place(*thing.box.centre, thing.distance_m, pose)
        flat = math.hypot(ahead, left)
        return cls(math.degrees(math.atan2(left, ahead)), math.degrees(math.atan2(up, flat)), math.hypot(flat, up))

    def as_dict(self) -> dict[str, float | None]:
        distance = None if self.distance is None else round(self.distance, 3)
        return {"azimuth": round(self.azimuth, 2), "elevation": round(self.elevation, 2), "distance": distance}


def offset_for(given: tuple[float | None, float | None], otherwise: AimOffset = aiming.STRAIGHT) -> AimOffset:
    """How far beside the target to look: as given, else as `otherwise` says."""
    left, up = given
    return AimOffset(otherwise.left if left is None else left, otherwise.up if up is None else up)


class ObjectSearch:
    """Searches for one object in a sequence of pictures."""

    def __init__(self, sight: SightAccess, name: str, colour: str) -> None:
        self._sight, self._name, self._colour = sight, name or "thing", colour
        self.last: DetectedObject | None = None
        self.others: dict[str, None] = {}

    @property
    def called(self) -> str:
        return f"{self._colour} {self._name}".strip()

    async def look(self) -> tuple[Picture, DetectedObject | None]:
        """A picture, and the object in it: of several the nearest at first, then the one followed so far."""
        picture = await self._sight.look()
        things = await self._sight.things(picture)
        there = answers.matching(things, self._name, self._colour)
        self.others |= dict.fromkeys(thing.name for thing in things)
        if not there:
            return picture, None
        if self.last is not None and len(there) > 1 and self.last.distance_m is not None:
            followed = self.last.distance_m
            there.sort(key=lambda thing: abs((thing.distance_m or followed) - followed))
        self.last = there[0]
        return picture, self.last

    async def place(self) -> tuple[Picture, Place | None]:
        picture, found = await self.look()
        return picture, None if found is None else found.box.centre


async def _at_surface(
    ctx: Context, surface: tuple[float, str], duration: float, given: tuple[float | None, float | None]
) -> dict[str, Any]:
    degrees, where = surface
    async with moving(ctx, "look_at_object") as motion:
        await motion.wake()
        ahead = motion.state.command.body_yaw
        situation = Situation(math.degrees(ahead), -degrees)
        offset = offset_for(given, _taught(ctx, situation))
        left, down = math.radians(offset.left), math.radians(degrees - offset.up)
        await aiming.turn(motion, Pose(yaw=ahead + left, pitch=down), duration)
        return {
            "message": f"I am looking {where}.",
            "final_position": position(motion.state.pose),
            **_beside(situation, offset, given),
        }


def _taught(ctx: Context, situation: Situation) -> AimOffset:
    """How far beside such a target this person taught the robot to look."""
    if ctx.parts.tuning is None or ctx.caller.kind != "brain":
        return aiming.STRAIGHT
    offsets = ctx.parts.tuning.offsets(ctx.caller.person, situation.as_dict())
    return AimOffset(offsets.get("yaw_offset", 0.0), offsets.get("pitch_offset", 0.0))


def _beside(situation: Situation, offset: AimOffset, given: tuple[float | None, float | None]) -> dict[str, Any]:
    """For the result: where the target is, how far beside it the robot looks, and what of that was learned."""
    names = ("yaw_offset", "pitch_offset")
    learned = {name: value for name, value, own in zip(names, offset, given, strict=True) if own is None and value}
    told = {"situation": situation.as_dict(), "offset": offset.as_dict()}
    return told | {"learned": learned} if learned else told


def _not_found(search: ObjectSearch, looked: int, motion: Motion) -> dict[str, Any]:
    others = [with_article(sanitize_label(name)) for name in search.others]
    saw = f" I saw {listed(others)}." if others else ""
    return {
        "message": f"I looked all around and found no {search.called}.{saw}",
        "found": False,
        "looked": looked,
        "about": search.called,
        "final_position": position(motion.state.pose),
    }


def _describe(search: ObjectSearch, looked: int, aimed: Aimed, motion: Motion) -> dict[str, Any]:
    assert search.last is not None
    seen = search.last
    searched = " I had to search for it." if looked > 1 else ""
    if aimed.centred:
        message = f"I am looking at the {seen.name}.{searched}"
    elif aimed.lost:
        message = f"I saw the {seen.name} {scene.side(seen.box)}, but lost sight of it."
    else:
        message = f"I see the {seen.name}, but I can't turn far enough to have it right in front of me."
    return {
        "message": message,
        "found": True,
        "centred": aimed.centred,
        "object": seen.as_dict(),
        "about": seen.name,
        "looked": looked,
        "error_degrees": [round(error, 2) for error in aimed.errors],
        "detector": seen.detector,
        "final_position": position(motion.state.pose),
    }


TOOLS: tuple[Tool, ...] = (look_at_pixel, look_at_object)
