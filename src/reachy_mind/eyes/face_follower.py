"""`FaceFollower`: the face tracking loop: takes frames, detects faces and aims the head at one.

The frame rate is high while faces are tracked, low without faces and lowest while nothing moves. It takes no frames
while the head can't turn.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from reachy_mind import log
from reachy_mind.errors import MindError
from reachy_mind.eyes.camera_health import CameraHealth
from reachy_mind.eyes.face_tracks import Sighting
from reachy_mind.eyes.gaze_target import Aim, GazeTarget

if TYPE_CHECKING:
    from reachy_mind.body.pose import Pose
    from reachy_mind.eyes.faces import FaceDetector
    from reachy_mind.eyes.frame_source import FrameSource
    from reachy_mind.eyes.lens import Lens
    from reachy_mind.eyes.pictures import Picture

FAST_HZ, SLOW_HZ, STILL_HZ = 12.0, 2.0, 1.0
STILL_FRAMES = 5
"""Unchanged frames in a row before the frame rate drops."""
RETRY_S = 0.5
"""How often to check whether the head can turn again, and the delay before a retry after a failure."""

_log = log.get(__name__)


class HeadControl(Protocol):
    """Turns the head."""

    def free(self) -> bool:
        """Whether the head may and can turn to a face now."""

    def pose_at(self, moment: float) -> Pose: ...

    def gaze(self, aim: Aim) -> None: ...


class FaceFollower:
    """`run` until cancelled. For each picture it calls `on_picture` and reads `lens`."""

    def __init__(
        self,
        frames: FrameSource,
        detector: FaceDetector,
        head: HeadControl,
        lens: Callable[[], Lens],
        on_picture: Callable[[Picture], CameraHealth],
    ) -> None:
        self._frames, self._detector, self._head = frames, detector, head
        self._lens, self._on_picture = lens, on_picture
        self.following = GazeTarget()
        self.active = False
        """Whether it is looking for faces now."""
        self.last_error: MindError | None = None
        """Why the last picture failed; None when it did not."""
        self._still_frames = 0

    def rate_hz(self) -> float:
        """The frame rate needed now."""
        if self.following.has_tracks or self.following.hears(time.monotonic()):
            return FAST_HZ
        return SLOW_HZ if self._still_frames < STILL_FRAMES else STILL_HZ

    def hear(self, yaw: float, at: float) -> None:
        """A person's voice came from there, at that monotonic time."""
        if self.active:
            self.following.hear(yaw, at)
            self._frames.hurry()

    async def run(self) -> None:
        while True:
            if not self._head.free():
                await asyncio.sleep(RETRY_S)
                continue
            self.active, self.following = True, GazeTarget()
            try:
                with self._frames.subscribe(self.rate_hz):
                    await self._follow()
            finally:
                self.active = False

    async def _follow(self) -> None:
        """Follow faces while the head is free."""
        last = -math.inf
        while self._head.free():
            try:
                last = await self._look(last)
            except MindError as error:
                if not self._head.free():
                    return  # the camera was switched off meanwhile
                if self.last_error is None:
                    _log.warning("face following failed", reason=error.message, hint=error.hint)
                self.last_error = error
                await asyncio.sleep(RETRY_S)
            else:
                self.last_error = None

    async def _look(self, last: float) -> float:
        frame = await self._frames.next(last)
        picture = await frame.picture()
        self._still_frames = 0 if self._on_picture(picture).moving else self._still_frames + 1
        lens, pose = self._lens(), self._head.pose_at(picture.taken_at)
        sightings = [Sighting.of(face, lens, pose) for face in await self._detector.detect(picture)]
        aim = self.following.update(sightings, picture.taken_at)
        if aim is not None and self._head.free():
            self._head.gaze(aim)
        return picture.taken_at
