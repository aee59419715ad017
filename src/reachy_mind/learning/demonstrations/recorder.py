"""`DemonstrationRecorder`: records what the robot does, whoever moves it, as a demonstration."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from reachy_mind import log
from reachy_mind.body.pose import Pose
from reachy_mind.body.protocol import MotorMode
from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.errors import InvalidParameter, MindError, NotReady
from reachy_mind.eyes.frame_source import CameraFrame
from reachy_mind.learning.demonstrations.demonstration import (
    FPS,
    DemonstratedCall,
    Demonstration,
    Source,
    followed,
    resampled,
)
from reachy_mind.learning.demonstrations.sightings import TargetSighting, target_rows
from reachy_mind.motion.moves import MAX_DURATION_S

MAX_CALLS = 200
MAX_FILMED_S = 120.0
"""Camera frames are held in memory until the demonstration is stored: 100 MB."""

Camera = Callable[[], Awaitable[CameraFrame]]
Find = Callable[[CameraFrame], Awaitable[TargetSighting]]

_log = log.get(__name__)


class RobotState(Protocol):
    """The part of a robot's state that is recorded; `at` in monotonic seconds."""

    @property
    def pose(self) -> Pose: ...
    @property
    def command(self) -> Pose: ...
    @property
    def at(self) -> float: ...
    @property
    def mode(self) -> MotorMode | None: ...


class RecordedRobot(Protocol):
    """A robot that reports its states; `motion.client.Motion` is one."""

    def states(self) -> AsyncIterator[Any]: ...


class DemonstrationRecorder:
    """Records for the duration of an `async with`; then `demonstration` has it.

    `camera` takes a frame; without it there are no camera frames. `find` looks for the task's target in a frame; it
    gets the newest frame whenever it is done with the one before.
    """

    def __init__(
        self, robot: RecordedRobot, camera: Camera | None = None, find: Find | None = None, fps: int = FPS
    ) -> None:
        self._robot, self._camera, self._find, self._fps = robot, camera, find, fps
        self._states: list[RobotState] = []
        self._sightings: list[TargetSighting] = []
        self._calls: list[DemonstratedCall] = []
        self._images: list[tuple[float, bytes]] = []
        self._tasks: list[asyncio.Task[None]] = []
        self._finding: asyncio.Task[None] | None = None
        self._first = asyncio.Event()
        self.trouble: MindError | None = None
        """Why the target could not be looked for, at last."""

    async def __aenter__(self) -> Self:
        self._tasks.append(asyncio.create_task(self._sample(), name="demonstration"))
        if self._camera is not None:
            self._tasks.append(asyncio.create_task(self._film(self._camera), name="demonstration's camera"))
        first = asyncio.create_task(self._first.wait())
        try:
            await asyncio.wait([first, *self._tasks], return_when=asyncio.FIRST_COMPLETED)
        finally:
            await cancel_and_wait(first)
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in (*self._tasks, self._finding):
            if task is not None and not task.done():
                await cancel_and_wait(task)

    def target(self, yaw: float, pitch: float, *, visible: bool = True, distance: float = 0.0) -> None:
        """Where the camera sees what the task is about now, in radians with the signs of `Pose`; metres, 0: unknown."""
        self._sightings.append(TargetSighting(time.monotonic(), yaw, pitch, visible, distance))

    def called(self, name: str, args: Mapping[str, Any], status: str, at: float) -> None:
        """A tool call that was made at the monotonic time `at`. Raises InvalidParameter for too many."""
        if len(self._calls) >= MAX_CALLS:
            raise InvalidParameter(f"a demonstration has at most {MAX_CALLS} calls", hint="make two of it")
        self._calls.append(DemonstratedCall(name, args, status, at))

    def demonstration(self, task: str, source: Source, person: str = "") -> Demonstration:
        """What was recorded; by hand, only while the motors yielded. A person's wait before and after is left out.

        Raises InvalidParameter when it is too short, and what went wrong with the robot.
        """
        for task_ in self._tasks:
            error = task_.exception() if task_.done() and not task_.cancelled() else None
            if error is not None:
                raise error if isinstance(error, MindError) else NotReady(f"the recording failed: {error}")
        shown = _yielding(self._states) if source == "by_hand" else self._states
        if len(shown) < 2:
            raise InvalidParameter("nothing was recorded", hint="show it for longer")
        times = np.array([state.at for state in shown])
        poses, commands = (np.array([getattr(state, name).as_tuple for state in shown]) for name in ("pose", "command"))
        states = resampled(times, poses, self._fps)
        actions = followed(states) if source == "by_hand" else resampled(times, commands, self._fps)
        ticks = times[0] + np.arange(len(states)) / self._fps
        calls = (replace(call, at_s=round(max(call.at_s - times[0], 0.0), 3)) for call in self._calls)
        whole = Demonstration(
            task,
            states,
            actions,
            target_rows(self._sightings, ticks, times, poses),
            source,
            self._fps,
            person=person,
            tool_calls=tuple(calls),
            images=self._images_at(ticks),
        )
        return whole if source == "tools" else whole.without_still_ends()

    async def _sample(self) -> None:
        longest = MAX_DURATION_S - 1 if self._camera is None else MAX_FILMED_S
        async for state in self._robot.states():
            self._states.append(state)
            self._first.set()
            if state.at - self._states[0].at >= longest:
                _log.warning("a demonstration is as long as it can be; the rest is not recorded", seconds=longest)
                return

    async def _film(self, camera: Camera) -> None:
        deadline = time.monotonic()
        while not self._tasks[0].done():
            try:
                frame = await camera()
            except MindError as error:
                self.trouble = error  # a frame that is missing is the one before
            else:
                self._images.append((frame.taken_at, frame.jpeg))
                if self._find is not None and (self._finding is None or self._finding.done()):
                    self._finding = asyncio.create_task(self._sight(self._find, frame), name="demonstration's target")
            deadline = max(deadline + 1 / self._fps, time.monotonic())
            await asyncio.sleep(deadline - time.monotonic())

    async def _sight(self, find: Find, frame: CameraFrame) -> None:
        try:
            self._sightings.append(await find(frame))
        except MindError as error:
            self.trouble = error

    def _images_at(self, ticks: NDArray[np.float64]) -> tuple[bytes, ...]:
        if self._camera is None:
            return ()
        if not self._images:
            raise NotReady("the camera sent no frame", hint="see /vision, or record without the camera")
        at = np.array([moment for moment, _ in self._images])
        places = np.clip(np.searchsorted(at, ticks, side="right") - 1, 0, len(at) - 1)
        return tuple(self._images[place][1] for place in places)


def _yielding(states: Sequence[RobotState]) -> Sequence[RobotState]:
    """From the first to the last state in which the motors yielded. Raises InvalidParameter without one."""
    places = [place for place, state in enumerate(states) if state.mode not in (None, MotorMode.ENABLED)]
    if not places:
        raise InvalidParameter("the motors did not yield", hint="moves record --by-hand, or set_motor_mode")
    return states[places[0] : places[-1] + 1]
