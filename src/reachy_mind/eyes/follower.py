"""`Follower`: takes pictures, finds faces in them and tells the neck where to look, for as long as it runs.

It looks fast while there is somebody, slowly while nobody is, and slower still while nothing stirs. It takes no
pictures while the neck can't turn.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from reachy_mind import log
from reachy_mind.errors import MindError
from reachy_mind.eyes.following import Aim, Following
from reachy_mind.eyes.health import Health
from reachy_mind.eyes.tracks import Sighting

if TYPE_CHECKING:
    from reachy_mind.body.pose import Pose
    from reachy_mind.eyes.faces import FaceDetector
    from reachy_mind.eyes.pictures import Picture
    from reachy_mind.eyes.rays import Lens
    from reachy_mind.eyes.watch import Watch

FAST_HZ, SLOW_HZ, STILL_HZ = 12.0, 2.0, 1.0
CALM = 5
"""Pictures in a row without a change before it looks less often."""
AGAIN_S = 0.5
"""How often it is asked whether the neck can turn again, and how long after a failure it tries again."""

_log = log.get(__name__)


class Neck(Protocol):
    """What the head is turned by."""

    def free(self) -> bool:
        """Whether it may and can be turned to somebody now."""

    def pose_at(self, moment: float) -> Pose: ...

    def gaze(self, aim: Aim) -> None: ...


class Follower:
    """`run` until cancelled. `seen` is told of every picture, `lens` is asked for each."""

    def __init__(
        self,
        watch: Watch,
        detector: FaceDetector,
        neck: Neck,
        lens: Callable[[], Lens],
        seen: Callable[[Picture], Health],
    ) -> None:
        self._watch, self._detector, self._neck, self._lens, self._seen = watch, detector, neck, lens, seen
        self.following = Following()
        self.active = False
        """Whether it looks for faces just now."""
        self.trouble: MindError | None = None
        """Why the last picture was of no use; None when it was."""
        self._calm = 0

    def pace(self) -> float:
        """Pictures a second."""
        if self.following.anybody:
            return FAST_HZ
        return SLOW_HZ if self._calm < CALM else STILL_HZ

    async def run(self) -> None:
        while True:
            if not self._neck.free():
                await asyncio.sleep(AGAIN_S)
                continue
            self.active, self.following = True, Following()
            try:
                with self._watch.interested(self.pace):
                    await self._follow()
            finally:
                self.active = False

    async def _follow(self) -> None:
        """While the neck is free."""
        last = -math.inf
        while self._neck.free():
            try:
                last = await self._look(last)
            except MindError as error:
                if not self._neck.free():
                    return  # the eyes were closed meanwhile
                if self.trouble is None:
                    _log.warning("nobody can be followed", reason=error.message, hint=error.hint)
                self.trouble = error
                await asyncio.sleep(AGAIN_S)
            else:
                self.trouble = None

    async def _look(self, last: float) -> float:
        shot = await self._watch.next(last)
        picture = await shot.picture()
        self._calm = 0 if self._seen(picture).moving else self._calm + 1
        lens, pose = self._lens(), self._neck.pose_at(picture.taken_at)
        sightings = [Sighting.of(face, lens, pose) for face in await self._detector.detect(picture)]
        aim = self.following.see(sightings, picture.taken_at)
        if aim is not None and self._neck.free():
            self._neck.gaze(aim)
        return picture.taken_at
