"""Visual servoing: turn the head until a place in the picture is in its middle.

One movement is not enough: the neck sags a little, and the camera is not at the head's pivot, so that near objects
shift in the picture. Each next picture corrects both.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from reachy_mind import log
from reachy_mind.body.pose import Pose
from reachy_mind.errors import Cancelled, HardwareError
from reachy_mind.tools.builtin.head import facing
from reachy_mind.tools.builtin.movement import travel_time_s

if TYPE_CHECKING:
    from reachy_mind.eyes.pictures import Picture
    from reachy_mind.motion.client import Motion
    from reachy_mind.tools.context import SightAccess

Place = tuple[float, float]
"""x and y, as shares of the picture's width and height."""

GOOD_ENOUGH_DEGREES = 1.0
"""Close enough to the middle: another correction would make no visible difference."""
CENTRED_DEGREES = 2.0
MAX_CORRECTIONS = 5
CORRECTION_S = 0.4
NECK = math.radians(25)
"""The neck is most precise near the middle of its range: beyond this angle the body turns along."""
STILL_DEGREES, STILL_S, STILL_TIMEOUT_S = 0.15, 0.06, 0.8

AHEAD, ASIDE, BEHIND = 0.0, math.radians(75), math.radians(150)
DOWN, UP = math.radians(18), math.radians(-22)
"""The camera sees 112 degrees across and 80 from top to bottom: these poses cover everything in reach."""

_log = log.get(__name__)


class AimOffset(NamedTuple):
    """How far beside a thing the camera is aimed, in degrees."""

    left: float = 0.0
    up: float = 0.0

    def as_dict(self) -> dict[str, float]:
        return {"yaw": round(self.left, 2), "pitch": round(self.up, 2)}


STRAIGHT = AimOffset()


@dataclass
class Aimed:
    """The result: degrees off the aim, before the first movement and after each."""

    errors: list[float] = field(default_factory=list)
    lost: bool = False
    """Whether it went out of sight."""

    @property
    def centred(self) -> bool:
        return not self.lost and bool(self.errors) and self.errors[-1] < CENTRED_DEGREES


def off_centre(sight: SightAccess, place: Place) -> float:
    """Degrees between the camera's axis and a place."""
    return math.degrees(math.acos(min(1.0, float(sight.lens.ray(*place)[0]))))


def off_aim(sight: SightAccess, picture: Picture, place: Place, offset: AimOffset) -> float:
    """Degrees between where the camera points and where it should: `offset` beside a place of its picture."""
    if offset == STRAIGHT:
        return off_centre(sight, place)
    measured = sight.pose_at(picture.taken_at)
    yaw, pitch = sight.lens.direction(*place, measured)
    across = math.remainder(yaw + math.radians(offset.left) - measured.yaw, math.tau) * math.cos(pitch)
    return math.degrees(math.hypot(across, pitch - math.radians(offset.up) - measured.pitch))


async def aim(
    motion: Motion,
    sight: SightAccess,
    picture: Picture,
    place: Place,
    duration: float,
    offset: AimOffset = STRAIGHT,
) -> None:
    """Turn once towards a place of a picture, or beside it."""
    measured = sight.pose_at(picture.taken_at)
    yaw, pitch = sight.lens.direction(*place, measured)
    # The error is added to the commanded pose, which compensates for the sag of the neck.
    start = motion.state.command
    across = math.remainder(yaw + math.radians(offset.left) - measured.yaw, math.tau)
    down = pitch - math.radians(offset.up) - measured.pitch
    await turn(motion, Pose(yaw=start.yaw + across, pitch=start.pitch + down), duration)


async def turn(motion: Motion, head: Pose, duration: float | None = None) -> None:
    """Turn the head to `head`, with the body if needed, and wait until it is still."""
    start = motion.state.command
    target = facing(start, head, NECK)
    try:
        await motion.goto(target, duration or travel_time_s(start, target, "fast"), clamp=True)
    except Cancelled:
        raise
    except HardwareError as error:  # it went as far as it could; the next picture shows how far
        _log.debug("the head stopped short", error=error.message)
    await wait_still(motion)


async def wait_still(motion: Motion) -> None:
    """Wait until the head is at rest: an earlier picture would show an old view."""
    clock = asyncio.get_running_loop().time
    deadline = clock() + STILL_TIMEOUT_S
    last = motion.state.pose
    while clock() < deadline:
        await asyncio.sleep(STILL_S)
        now = motion.state.pose
        if math.degrees(max(abs(now.yaw - last.yaw), abs(now.pitch - last.pitch))) < STILL_DEGREES:
            return
        last = now


async def centre(
    motion: Motion,
    sight: SightAccess,
    picture: Picture,
    place: Place,
    look: Callable[[], Awaitable[tuple[Picture, Place | None]]],
    duration: float,
    offset: AimOffset = STRAIGHT,
) -> Aimed:
    """Centre a place of the picture, or look beside it. `look` takes the next picture and finds the place in it."""
    aimed = Aimed([off_aim(sight, picture, place, offset)])
    for _ in range(MAX_CORRECTIONS):
        if aimed.errors[-1] < GOOD_ENOUGH_DEGREES:
            break
        await aim(motion, sight, picture, place, duration, offset)
        duration = CORRECTION_S
        picture, found = await look()
        if found is None:
            aimed.lost = True
            break
        place = found
        aimed.errors.append(off_aim(sight, picture, place, offset))
        if len(aimed.errors) > 3 and aimed.errors[-1] > 0.8 * aimed.errors[-3]:
            break  # no improvement: the neck is at its limit, or the object moves
    return aimed


def search_poses(start: Pose) -> Sequence[Pose]:
    """Head poses of a search: the table ahead and at both sides, then all around.

    The side that the head is turned to comes first; the upper poses lie on the way from one end to the other.
    """
    side = 1.0 if start.yaw >= 0 else -1.0
    low = [Pose(yaw=yaw, pitch=DOWN) for yaw in (AHEAD, side * ASIDE, -side * ASIDE, -side * BEHIND)]
    high = [Pose(yaw=yaw, pitch=UP) for yaw in (-side * ASIDE, AHEAD, side * ASIDE)]
    return [*low, *high, Pose(yaw=side * BEHIND, pitch=DOWN)]
