"""`Move`: the protocol of a move (`duration` and `evaluate(t)`), and the built-in moves `Goto` and `Frames`.

Other moves are sampled in the main process (`sampled`), so that no foreign code runs in the 100 Hz loop and an error in
`evaluate` reaches the caller.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from reachy_mind.body.limits import MAX_BODY_YAW
from reachy_mind.body.pose import Pose, PoseTuple
from reachy_mind.errors import InvalidParameter
from reachy_mind.motion.limits import BODY_YAW, NAMES, RATE_HZ, YAW

MAX_DURATION_S = 600.0
MAX_ANCHOR_YAW = 0.5
"""Radians between head and body yaw at the start of an anchored move; beyond, the body turns as well."""


@runtime_checkable
class Move(Protocol):
    """Anything with a duration in seconds and a pose for each time."""

    @property
    def duration(self) -> float: ...

    def evaluate(self, t: float) -> Pose: ...


def min_jerk(share: float) -> float:
    """Minimum-jerk interpolation from 0 to 1: no velocity and no acceleration at either end."""
    s = min(max(share, 0.0), 1.0)
    return s * s * s * (10 - 15 * s + 6 * s * s)


def mix(a: PoseTuple, b: PoseTuple, share: float) -> PoseTuple:
    return tuple(p + (q - p) * share for p, q in zip(a, b, strict=True))  # type: ignore[return-value]


def rotated(x: float, y: float, yaw: float) -> tuple[float, float]:
    """The vector (x, y) rotated by `yaw`."""
    c, s = math.cos(yaw), math.sin(yaw)
    return c * x - s * y, s * x + c * y


@dataclass(frozen=True)
class Goto:
    """Move to a pose in `duration` seconds. `target` has values by axis name; other axes stay."""

    target: dict[str, float]
    duration: float = 1.0
    gazing: bool = False

    @property
    def finite(self) -> bool:
        return all(map(math.isfinite, (*self.target.values(), self.duration))) and self.duration > 0

    @classmethod
    def to(cls, pose: Pose, duration: float = 1.0) -> Goto:
        return cls(dict(zip(NAMES, pose.as_tuple, strict=True)), duration)

    def begin(self, start: PoseTuple) -> Playing:
        target: PoseTuple = tuple(self.target.get(name, now) for name, now in zip(NAMES, start, strict=True))  # type: ignore[assignment]
        return _PlayingGoto(self.duration, start, target)

    def message(self) -> dict[str, Any]:
        return {"kind": "goto", "wish": self.target, "duration": self.duration}


@dataclass(frozen=True)
class Frames:
    """Poses at 100 Hz: a recorded or sampled move. `gazing`: gaze may be added to it.

    `anchored`: its yaws are relative to where the robot faces at the start, so that it does not turn away from the
    person it is looking at.
    """

    frames: Sequence[PoseTuple]
    gazing: bool = False
    anchored: bool = False

    @property
    def duration(self) -> float:
        return max(len(self.frames) - 1, 0) / RATE_HZ

    @property
    def finite(self) -> bool:
        return bool(self.frames) and all(all(map(math.isfinite, frame)) for frame in self.frames)

    def evaluate(self, t: float) -> Pose:
        return Pose(*self.at(t))

    def at(self, t: float) -> PoseTuple:
        place = min(max(t * RATE_HZ, 0.0), len(self.frames) - 1.0)
        index = min(int(place), len(self.frames) - 2) if len(self.frames) > 1 else 0
        following = self.frames[min(index + 1, len(self.frames) - 1)]
        return mix(self.frames[index], following, place - index)

    def begin(self, start: PoseTuple) -> Playing:
        if not self.anchored:
            return _PlayingFrames(self)
        yaw = start[YAW]
        body = min(max(start[BODY_YAW], yaw - MAX_ANCHOR_YAW, -MAX_BODY_YAW), yaw + MAX_ANCHOR_YAW, MAX_BODY_YAW)
        return _PlayingFrames(self, start[YAW] - self.frames[0][YAW], body - self.frames[0][BODY_YAW])


class Playing(Protocol):
    """A move that has started."""

    duration: float
    gazing: bool

    def at(self, t: float) -> PoseTuple: ...


@dataclass
class _PlayingGoto:
    duration: float
    start: PoseTuple
    target: PoseTuple
    gazing: bool = False

    def at(self, t: float) -> PoseTuple:
        return mix(self.start, self.target, min_jerk(t / self.duration))


@dataclass
class _PlayingFrames:
    move: Frames
    yaw: float = 0.0
    body_yaw: float = 0.0
    duration: float = field(init=False)
    gazing: bool = field(init=False)

    def __post_init__(self) -> None:
        self.duration, self.gazing = self.move.duration, self.move.gazing

    def at(self, t: float) -> PoseTuple:
        x, y, z, roll, pitch, yaw, body, left, right = self.move.at(t)
        x, y = rotated(x, y, self.yaw)
        return x, y, z, roll, pitch, yaw + self.yaw, body + self.body_yaw, left, right


def sampled(move: Move) -> Frames:
    """Any move as frames. Raises InvalidParameter with what is wrong."""
    name = type(move).__name__
    try:
        duration = float(move.duration)
    except (TypeError, ValueError) as error:
        raise InvalidParameter(f"{name}.duration is no number: {error}") from error
    if not (math.isfinite(duration) and 0 < duration <= MAX_DURATION_S):
        raise InvalidParameter(f"{name} lasts {duration} s", hint=f"more than 0 and at most {MAX_DURATION_S:g} s")
    frames: list[PoseTuple] = []
    for tick in range(math.ceil(duration * RATE_HZ) + 1):
        t = min(tick / RATE_HZ, duration)
        try:
            frames.append(tuple(map(float, move.evaluate(t).as_tuple)))  # type: ignore[arg-type]
        except Exception as error:
            raise InvalidParameter(f"{name}.evaluate({t:g}) failed: {type(error).__name__}: {error}") from error
        if len(frames[-1]) != 9 or not all(map(math.isfinite, frames[-1])):
            raise InvalidParameter(f"{name}.evaluate({t:g}) is not a finite pose: {frames[-1]}")
    return Frames(frames, gazing=bool(getattr(move, "gazing", False)), anchored=bool(getattr(move, "anchored", False)))
