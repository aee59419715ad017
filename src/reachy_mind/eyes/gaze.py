"""`GazeController`: the head follows faces and voices: start, end, and pause.

Following is a stream: one call through the gate opens it, another ends it. It pauses while the robot sleeps, its motors
are off or the camera is off, while a rule forbids it, and after a stop until the next turn or movement.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol, Self

from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.errors import NotReady
from reachy_mind.events import Bus, Event, RobotMoved, RobotStopped, TurnStarted
from reachy_mind.eyes.face_follower import FaceFollower

if TYPE_CHECKING:
    from reachy_mind.body.media.on_demand_camera import OnDemandCamera
    from reachy_mind.body.pose import Pose
    from reachy_mind.eyes.camera_health import CameraHealth
    from reachy_mind.eyes.faces import FaceDetector
    from reachy_mind.eyes.frame_source import FrameSource
    from reachy_mind.eyes.gaze_target import Aim
    from reachy_mind.eyes.lens import Lens
    from reachy_mind.eyes.pictures import Picture
    from reachy_mind.motion.client import Motion


class Eyes(Protocol):
    """The camera that following looks through: see `Sight`."""

    lens: Lens
    frames: FrameSource

    @property
    def on(self) -> bool: ...
    def require_camera(self) -> OnDemandCamera: ...
    def pose_at(self, moment: float) -> Pose: ...
    def examine(self, picture: Picture) -> CameraHealth: ...


class GazeController:
    """One per mind. Use as `async with`. `motion` is None when there is no robot."""

    def __init__(self, motion: Motion | None, eyes: Eyes, bus: Bus) -> None:
        self._motion, self._eyes, self._bus = motion, eyes, bus
        self._follower: FaceFollower | None = None
        self._task: asyncio.Task[None] | None = None
        self._listener: asyncio.Task[None] | None = None
        self._paused = False
        self.allowed: Callable[[], bool] = lambda: True
        """Whether the rules still allow to follow: they may change while it does."""

    async def __aenter__(self) -> Self:
        self._listener = asyncio.create_task(self._listen(), name="gaze events")
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.end()
        if self._listener is not None:
            await cancel_and_wait(self._listener)

    async def start(self, detector: FaceDetector) -> None:
        """Follow the faces that `detector` finds. Raises NotReady without a robot or a camera."""
        if self._motion is None:
            raise NotReady("there is no robot", hint="start with --robot sim or --robot HOST")
        self._eyes.require_camera()
        self._paused = False
        self._motion.resume()
        if self._task is None:
            self._follower = FaceFollower(
                self._eyes.frames, detector, self, lambda: self._eyes.lens, self._eyes.examine
            )
            self._task = asyncio.create_task(self._follower.run(), name="face follower")

    async def end(self) -> None:
        """Stop following; the head returns."""
        task, self._task, self._follower = self._task, None, None
        if task is not None:
            await cancel_and_wait(task)
            self.look_away()

    def look_away(self) -> None:
        """Release the gaze; the head returns."""
        if self._motion is not None:
            self._motion.look_away()

    def hear(self, yaw: float, at: float) -> None:
        """A person's voice came from there, at that monotonic time: look at them, if the head follows people."""
        if self._follower is not None and self.free():
            self._follower.hear(yaw, at)

    # For the follower

    def free(self) -> bool:
        """Whether the head may follow now: robot awake, motors on, camera on, not just stopped, and not forbidden."""
        motion = self._motion
        if motion is None or not self._eyes.on or self._paused or motion.status != "connected" or not self.allowed():
            return False
        return motion.state.engaged and motion.awake

    def pose_at(self, moment: float) -> Pose:
        return self._eyes.pose_at(moment)

    def gaze(self, aim: Aim) -> None:
        if self._motion is not None:
            self._motion.gaze(aim.yaw, aim.pitch, aim.seen_at, aim.rate)

    # After a stop

    async def _listen(self) -> None:
        with self._bus.subscribe(RobotStopped, TurnStarted, RobotMoved) as events:
            async for event in events:
                self._pause_or_resume(event)

    def _pause_or_resume(self, event: Event) -> None:
        if isinstance(event, RobotStopped):
            self._paused = True
        elif self._paused:
            self._paused = False
            if self._task is not None and self._motion is not None:
                self._motion.resume()

    # State

    @property
    def following(self) -> bool:
        """Whether it was started and not ended."""
        return self._follower is not None

    def followed(self, moment: float) -> tuple[float, float] | None:
        """The expected direction (yaw, pitch) of the followed person at a monotonic time; None without one."""
        follower = self._follower
        if follower is None or not follower.active:
            return None
        people = {track.number: track for track in follower.following.tracks.confirmed()}
        track = people.get(follower.following.followed or 0)
        return track.predict(moment) if track is not None else None

    def described(self) -> dict[str, Any]:
        """The state of following, for people and programs."""
        follower = self._follower
        active = follower is not None and follower.active
        trouble = follower.last_error if follower is not None else None
        return {
            "following": follower is not None,
            "paused": follower is not None and not active,
            "following_trouble": trouble.message if trouble is not None else "",
            "people": len(follower.following.tracks.confirmed()) if follower is not None and active else 0,
        }
