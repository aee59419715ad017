"""`Gazing`: the head that follows people: when it may, when it waits, and what it is told.

Following is a stream: one call through the gate opens it, and it lasts until another ends it. Meanwhile it rests while
the robot sleeps, its motors are off, its eyes are closed, and after a stop until the robot is spoken to or moved.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Protocol, Self

from reachy_mind.ending import ended
from reachy_mind.events import Event, RobotMoved, RobotStopped, TurnStarted
from reachy_mind.eyes.follower import Follower

if TYPE_CHECKING:
    from reachy_mind.body.pose import Pose
    from reachy_mind.eyes.faces import FaceDetector
    from reachy_mind.eyes.following import Aim
    from reachy_mind.eyes.health import Health
    from reachy_mind.eyes.pictures import Picture
    from reachy_mind.eyes.rays import Lens
    from reachy_mind.eyes.watch import Watch
    from reachy_mind.mind import Mind


class Eyes(Protocol):
    """What it looks with."""

    lens: Lens
    watch: Watch

    @property
    def on(self) -> bool: ...
    def pose_at(self, moment: float) -> Pose: ...
    def examine(self, picture: Picture) -> Health: ...


class Gazing:
    """One per mind. Use as `async with`."""

    def __init__(self, mind: Mind, eyes: Eyes) -> None:
        self._mind, self._eyes = mind, eyes
        self._follower: Follower | None = None
        self._task: asyncio.Task[None] | None = None
        self._listener: asyncio.Task[None] | None = None
        self._paused = False

    async def start(self, detector: FaceDetector) -> None:
        """Follow who is found. Raises NotReady with the reason why that can't be."""
        body = self._mind.body()
        self._mind.eye()  # says why there is none
        self._paused = False
        body.resume()
        if self._task is None:
            self._follower = Follower(self._eyes.watch, detector, self, lambda: self._eyes.lens, self._eyes.examine)
            self._task = asyncio.create_task(self._follower.run(), name="following")

    async def end(self) -> None:
        """Follow nobody; the head returns."""
        task, self._task, self._follower = self._task, None, None
        if task is not None:
            await ended(task)
            self.look_away()

    def look_away(self) -> None:
        """From whoever was looked at."""
        if self._mind.motion is not None:
            self._mind.motion.look_away()

    # For the follower

    def free(self) -> bool:
        """Whether the head may turn to somebody: awake, motors on, eyes open, and not just stopped."""
        motion = self._mind.motion
        if motion is None or not self._eyes.on or self._paused or motion.status != "connected":
            return False
        return motion.state.engaged and motion.awake

    def pose_at(self, moment: float) -> Pose:
        return self._eyes.pose_at(moment)

    def gaze(self, aim: Aim) -> None:
        if self._mind.motion is not None:
            self._mind.motion.gaze(aim.yaw, aim.pitch, aim.seen_at, aim.rate)

    # After a stop

    async def _listen(self) -> None:
        with self._mind.bus.subscribe(RobotStopped, TurnStarted, RobotMoved) as events:
            async for event in events:
                self._heard(event)

    def _heard(self, event: Event) -> None:
        if isinstance(event, RobotStopped):
            self._paused = True
        elif self._paused:
            self._paused = False
            if self._task is not None and self._mind.motion is not None:
                self._mind.motion.resume()

    def followed(self, moment: float) -> tuple[float, float] | None:
        """In which direction (yaw, pitch) whoever is followed should be then; None when nobody is."""
        follower = self._follower
        if follower is None or not follower.active:
            return None
        people = {track.number: track for track in follower.following.tracks.sure()}
        track = people.get(follower.following.followed or 0)
        return track.expected(moment) if track is not None else None

    def described(self) -> dict[str, Any]:
        """How it stands, for people and programs."""
        follower = self._follower
        active = follower is not None and follower.active
        trouble = follower.trouble if follower is not None else None
        return {
            "following": follower is not None,
            "paused": follower is not None and not active,
            "following_trouble": trouble.message if trouble is not None else "",
            "people": len(follower.following.tracks.sure()) if follower is not None and active else 0,
        }

    async def __aenter__(self) -> Self:
        self._listener = asyncio.create_task(self._listen(), name="gazing")
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.end()
        if self._listener is not None:
            await ended(self._listener)
