"""`DemonstrationRecorder`: records what the robot does, whoever moves it, as a demonstration."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from reachy_mind import log
from reachy_mind.body.pose import Pose
from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.errors import InvalidParameter, MindError, NotReady
from reachy_mind.learning.demonstrations.demonstration import (
    FPS,
    DemonstratedCall,
    Demonstration,
    Rows,
    Source,
    resampled,
    unseen,
)
from reachy_mind.motion.moves import MAX_DURATION_S

MAX_CALLS = 200

_log = log.get(__name__)


class RobotState(Protocol):
    """The part of a robot's state that is recorded; `at` in monotonic seconds."""

    @property
    def pose(self) -> Pose: ...
    @property
    def command(self) -> Pose: ...
    @property
    def at(self) -> float: ...


class RecordedRobot(Protocol):
    """A robot that reports its states; `motion.client.Motion` is one."""

    def states(self) -> AsyncIterator[Any]: ...


class DemonstrationRecorder:
    """Records for the duration of an `async with`; then `demonstration` has it.

    `look` takes a JPEG from the camera; without it there are no camera frames.
    """

    def __init__(
        self, robot: RecordedRobot, look: Callable[[], Awaitable[bytes]] | None = None, fps: int = FPS
    ) -> None:
        self._robot, self._look, self._fps = robot, look, fps
        self._states: list[RobotState] = []
        self._targets: list[tuple[float, float, float, float]] = []
        self._calls: list[DemonstratedCall] = []
        self._images: list[tuple[float, bytes]] = []
        self._tasks: list[asyncio.Task[None]] = []
        self._first = asyncio.Event()
        self._started = 0.0

    async def __aenter__(self) -> Self:
        self._started = time.monotonic()
        self._tasks.append(asyncio.create_task(self._sample(), name="demonstration"))
        if self._look is not None:
            self._tasks.append(asyncio.create_task(self._film(self._look), name="demonstration's camera"))
        first = asyncio.create_task(self._first.wait())
        try:
            await asyncio.wait([first, *self._tasks], return_when=asyncio.FIRST_COMPLETED)
        finally:
            await cancel_and_wait(first)
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in self._tasks:
            if not task.done():
                await cancel_and_wait(task)

    def target(self, yaw: float, pitch: float, *, visible: bool = True) -> None:
        """Where the camera sees what the task is about from now on, in radians, with the signs of `Pose`."""
        self._targets.append((time.monotonic(), yaw, pitch, float(visible)))

    def called(self, name: str, args: Mapping[str, Any], status: str, at: float) -> None:
        """A tool call that was made at the monotonic time `at`. Raises InvalidParameter for too many."""
        if len(self._calls) >= MAX_CALLS:
            raise InvalidParameter(f"a demonstration has at most {MAX_CALLS} calls", hint="make two of it")
        self._calls.append(DemonstratedCall(name, args, status, round(at - self._started, 3)))

    def demonstration(self, task: str, source: Source, person: str = "") -> Demonstration:
        """What was recorded. Raises InvalidParameter when it is too short, and what went wrong with the robot."""
        for task_ in self._tasks:
            error = task_.exception() if task_.done() and not task_.cancelled() else None
            if error is not None:
                raise error if isinstance(error, MindError) else NotReady(f"the recording failed: {error}")
        times = np.array([state.at for state in self._states])
        if len(times) < 2:
            raise InvalidParameter("nothing was recorded", hint="show it for longer")
        poses, commands = (
            np.array([getattr(state, name).as_tuple for state in self._states]) for name in ("pose", "command")
        )
        states, actions = resampled(times, poses, self._fps), resampled(times, commands, self._fps)
        ticks = times[0] + np.arange(len(states)) / self._fps
        return Demonstration(
            task,
            states,
            actions,
            self._targets_at(ticks),
            source,
            self._fps,
            person=person,
            tool_calls=tuple(self._calls),
            images=self._images_at(ticks),
        )

    async def _sample(self) -> None:
        async for state in self._robot.states():
            self._states.append(state)
            self._first.set()
            if state.at - self._states[0].at >= MAX_DURATION_S - 1:
                _log.warning("a demonstration is as long as it can be; the rest is not recorded")
                return

    async def _film(self, look: Callable[[], Awaitable[bytes]]) -> None:
        deadline = time.monotonic()
        while True:
            with contextlib.suppress(MindError):  # a frame that is missing is the one before
                self._images.append((time.monotonic(), await look()))
            deadline = max(deadline + 1 / self._fps, time.monotonic())
            await asyncio.sleep(deadline - time.monotonic())

    def _targets_at(self, ticks: NDArray[np.float64]) -> Rows:
        rows = unseen(len(ticks))
        for at, *target in self._targets:
            rows[ticks >= at - 0.5 / self._fps] = target
        return rows

    def _images_at(self, ticks: NDArray[np.float64]) -> tuple[bytes, ...]:
        if self._look is None:
            return ()
        if not self._images:
            raise NotReady("the camera sent no frame", hint="see /vision, or record without the camera")
        at = np.array([moment for moment, _ in self._images])
        places = np.clip(np.searchsorted(at, ticks, side="right") - 1, 0, len(at) - 1)
        return tuple(self._images[place][1] for place in places)
