"""From a place in the picture to a look that rests on it: aim, look again, correct, until it is in the middle.

One aim is not enough: the neck sags a little, and the camera sits beside the point about which the head turns, so that
what is near moves in the picture. What the next picture shows corrects both.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from reachy_mind import log
from reachy_mind.body.pose import Pose
from reachy_mind.errors import Cancelled, HardwareError
from reachy_mind.tools.builtin.acting import unhurried
from reachy_mind.tools.builtin.head import facing

if TYPE_CHECKING:
    from reachy_mind.eyes.pictures import Picture
    from reachy_mind.motion.client import Motion
    from reachy_mind.tools.context import Sight

Place = tuple[float, float]
"""Across and down, in shares of the picture."""

ENOUGH_DEGREES = 1.0
"""So close to the middle that another movement would show no difference."""
CENTRED_DEGREES = 2.0
MOST_CORRECTIONS = 5
CORRECTION_S = 0.4
NECK = math.radians(25)
"""The neck is surest near the middle of its range: what is farther to the side has the body turn along."""
STILL_DEGREES, STILL_S, SETTLE_S = 0.15, 0.06, 0.8

AHEAD, ASIDE, BEHIND = 0.0, math.radians(75), math.radians(150)
DOWN, UP = math.radians(18), math.radians(-22)
"""The camera sees 112 degrees across and 80 from top to bottom: these stops leave nothing out that can be reached."""

_log = log.get(__name__)


@dataclass
class Aimed:
    """How it went: degrees from the middle of the picture, before the first movement and after each."""

    errors: list[float] = field(default_factory=list)
    lost: bool = False
    """It was not to be seen any more."""

    @property
    def centred(self) -> bool:
        return not self.lost and bool(self.errors) and self.errors[-1] < CENTRED_DEGREES


def off_centre(sight: Sight, place: Place) -> float:
    """Degrees between where the camera looks and that place."""
    return math.degrees(math.acos(min(1.0, float(sight.lens.ray(*place)[0]))))


async def aim(motion: Motion, sight: Sight, picture: Picture, place: Place, duration: float) -> None:
    """Turn towards what is at that place of a picture, once."""
    measured = sight.pose_at(picture.taken_at)
    yaw, pitch = sight.lens.direction(*place, measured)
    # By how much it is off, added to what was commanded: so the sag of the neck is made up for.
    start = motion.state.command
    across, down = math.remainder(yaw - measured.yaw, math.tau), pitch - measured.pitch
    await turn(motion, Pose(yaw=start.yaw + across, pitch=start.pitch + down), duration)


async def turn(motion: Motion, head: Pose, duration: float | None = None) -> None:
    """The head as in `head`, the body along; until it is still."""
    start = motion.state.command
    target = facing(start, head, NECK)
    try:
        await motion.goto(target, duration or unhurried(start, target, "fast"), clamp=True)
    except Cancelled:
        raise
    except HardwareError as error:  # as far as it could: the next picture shows how far that was
        _log.debug("the head stopped short", error=error.message)
    await settled(motion)


async def settled(motion: Motion) -> None:
    """Until the head has come to rest: a picture taken before shows where it was, not where it is."""
    clock = asyncio.get_running_loop().time
    deadline = clock() + SETTLE_S
    last = motion.state.pose
    while clock() < deadline:
        await asyncio.sleep(STILL_S)
        now = motion.state.pose
        if math.degrees(max(abs(now.yaw - last.yaw), abs(now.pitch - last.pitch))) < STILL_DEGREES:
            return
        last = now


async def centre(
    motion: Motion,
    sight: Sight,
    picture: Picture,
    place: Place,
    look: Callable[[], Awaitable[tuple[Picture, Place | None]]],
    duration: float,
) -> Aimed:
    """Bring what is at that place into the middle; `look` takes another picture and says where it is in that."""
    aimed = Aimed([off_centre(sight, place)])
    for _ in range(MOST_CORRECTIONS):
        if aimed.errors[-1] < ENOUGH_DEGREES:
            break
        await aim(motion, sight, picture, place, duration)
        duration = CORRECTION_S
        picture, found = await look()
        if found is None:
            aimed.lost = True
            break
        place = found
        aimed.errors.append(off_centre(sight, place))
        if len(aimed.errors) > 3 and aimed.errors[-1] > 0.8 * aimed.errors[-3]:
            break  # no better any more: the neck is at its end, or the thing moves
    return aimed


def stops(start: Pose) -> Sequence[Pose]:
    """Where to look for something, one after the other: on the table ahead and at both sides, then round it all.

    The side that the head is turned to comes first; higher up is looked at on the way from one end to the other.
    """
    side = 1.0 if start.yaw >= 0 else -1.0
    low = [Pose(yaw=yaw, pitch=DOWN) for yaw in (AHEAD, side * ASIDE, -side * ASIDE, -side * BEHIND)]
    high = [Pose(yaw=yaw, pitch=UP) for yaw in (-side * ASIDE, AHEAD, side * ASIDE)]
    return [*low, *high, Pose(yaw=side * BEHIND, pitch=DOWN)]
