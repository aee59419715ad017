"""`Sight`: a mind's eyes: whether they are open, what they see now, and where the head was then."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

from reachy_mind.body.pose import AWAKE, Pose
from reachy_mind.eyes import pictures, rays

if TYPE_CHECKING:
    from reachy_mind.eyes.pictures import Picture
    from reachy_mind.mind import Mind


class Sight:
    """One per mind, for everybody who looks."""

    def __init__(self, mind: Mind) -> None:
        self._mind = mind
        self.lens = rays.SIMULATED

    async def look(self) -> Picture:
        """What there is to be seen now. Raises NotReady when the camera is off, LinkLost or HardwareError."""
        taken_at = time.monotonic()
        data = await self._mind.eye().frame()
        return await asyncio.to_thread(pictures.from_camera, data, taken_at)

    def pose_at(self, moment: float) -> Pose:  # noqa: ARG002
        """Where the head was at a monotonic time not long ago; where it rests when there is no robot."""
        motion = self._mind.motion
        return motion.state.pose if motion is not None else AWAKE
