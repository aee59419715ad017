"""`VoiceDirections`: where the voice of a person comes from, asked of the robot's microphone array while they speak.

The array reports an angle to itself, ten times a second; with the head's pose it becomes a direction in the room. It
can't tell front from back: a voice is taken to be in front of the head. Where it is behind, the head turns towards its
mirror image, which moves on as the head turns, until the head faces the voice.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections import deque
from collections.abc import Callable
from typing import Protocol, Self

from reachy_mind import log
from reachy_mind.body.pose import AWAKE
from reachy_mind.body.pose_history import PoseHistory
from reachy_mind.body.protocol import SoundDirection
from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.errors import MindError

PERIOD_S = 0.1
HISTORY_S = 60.0
RETRY_S, UNABLE_RETRY_S = 0.5, 30.0
"""After an error, and for a robot that does not tell directions."""
STILL_S, STILL_RAD = 0.15, math.radians(3)
"""What is reported while the head turns further than this in that time is not used: the report is late."""

_log = log.get(__name__)


class Array(Protocol):
    """The robot, as far as it hears directions: see `Motion`."""

    pose_history: PoseHistory

    async def sound_direction(self) -> SoundDirection | None: ...


def room_yaw(angle: float, head_yaw: float) -> float:
    """The direction in the room, left positive, of a sound at this angle of the array, if it is in front of it."""
    return math.remainder(head_yaw + math.pi / 2 - angle, math.tau)


class VoiceDirections:
    """One per robot. Use as `async with`."""

    def __init__(self, array: Array) -> None:
        self._array = array
        self._heard: deque[tuple[float, float]] = deque()
        self._tell: Callable[[float, float], None] = _nobody
        self._speaking = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._follow(), name="voice directions")
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._task is not None:
            await cancel_and_wait(self._task)

    def begin(self, tell: Callable[[float, float], None] | None = None) -> None:
        """Somebody speaks: follow where, and `tell` each direction (yaw) with its monotonic time."""
        self._tell = tell or _nobody
        self._speaking.set()

    def end(self) -> None:
        """Nobody speaks any more."""
        self._speaking.clear()
        self._tell = _nobody

    def since(self, moment: float) -> float | None:
        """The direction (yaw) of the voices since a monotonic time; None when nothing was heard."""
        yaws = [yaw for at, yaw in self._heard if at >= moment]
        return middle(yaws) if yaws else None

    async def _follow(self) -> None:
        while True:
            await self._speaking.wait()
            await asyncio.sleep(await self._ask())

    async def _ask(self) -> float:
        """Take one reading. Returns after which time to take the next."""
        at = time.monotonic()
        try:
            reading = await self._array.sound_direction()
        except MindError as error:
            _log.debug("no direction of the voice", reason=error.message)
            return RETRY_S
        if reading is None:
            return UNABLE_RETRY_S
        history = self._array.pose_history
        now, before = history.at(at) or AWAKE, history.at(at - STILL_S) or AWAKE
        turned = abs(math.remainder(now.yaw - before.yaw, math.tau))
        if reading.speech_detected and self._speaking.is_set() and turned <= STILL_RAD:
            yaw = room_yaw(reading.angle, now.yaw)
            self._heard.append((at, yaw))
            while at - self._heard[0][0] > HISTORY_S:
                self._heard.popleft()
            self._tell(yaw, at)
        return PERIOD_S


def middle(yaws: list[float]) -> float:
    """The median of directions that may lie on both sides of the back."""
    first = yaws[0]
    turned = sorted(math.remainder(yaw - first, math.tau) for yaw in yaws)
    return math.remainder(first + turned[len(turned) // 2], math.tau)


def _nobody(yaw: float, at: float) -> None:
    """Nobody wants to know."""
