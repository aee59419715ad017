"""What can be tuned in a call: which parameter a correction changes, how much "a bit" is, and within which limits.

    revised("move_head", {"direction": "left"}, "yaw", +1, "small")  ->  {"direction": "left", "degrees": 40.0}

Axes and signs are those of a correction as a person means it: yaw + is left, pitch + is up, roll + leans to its left,
speed + is faster, and so on. Sizes are tiny, small, medium and large.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from reachy_mind.tools import redirection
from reachy_mind.tools.builtin.head import HEIGHTS, SIDES, towards
from reachy_mind.tools.redirection import Args, number, tidy, within

SIZES = ("tiny", "small", "medium", "large")
PACES = ("slow", "normal", "fast")

Steps = Mapping[str, float]


def _steps(tiny: float, small: float, medium: float, large: float) -> Steps:
    return dict(zip(SIZES, (tiny, small, medium, large), strict=True))


AIM, FARTHER, LEAN, TURN = _steps(2, 5, 10, 22), _steps(4, 8, 15, 25), _steps(2, 4, 8, 12), _steps(5, 15, 30, 60)
"""Degrees: aimed beside something, farther in a direction, leaning, a turn of the body."""
ONCE, PACE = _steps(1, 1, 1, 2), _steps(1, 1, 1, 2)
LONGER = _steps(1.15, 1.3, 1.6, 2.2)
"""Factors of a time."""
STRONGER, FASTER_SPEECH, LOUDER = _steps(0.1, 0.2, 0.3, 0.5), _steps(0.1, 0.2, 0.3, 0.5), _steps(5, 10, 15, 30)


@dataclass(frozen=True)
class Tunable:
    """A parameter of a tool on one axis of corrections. Its numbers are in `unit`; of choices, the place in them."""

    parameter: str
    axis: str
    unit: str
    default: float
    least: float
    most: float
    steps: Steps
    sense: int = 1
    """-1: a positive correction lowers the parameter (pitch counts downwards, a faster movement is shorter)."""
    ratio: bool = False
    """Steps are factors."""
    whole: bool = False
    choices: tuple[str, ...] = ()
    only_given: bool = False
    """Only in calls that give the parameter: without it there is nothing to change, or another parameter applies."""
    outwards: bool = False
    """Positive is away from zero, whatever the sign of the number."""

    def read(self, args: Args) -> float | None:
        """The number of a call; None when the call has nothing to change here."""
        given = args.get(self.parameter)
        if given is None:
            return None if self.only_given else self.default
        if self.choices:
            return float(self.choices.index(given)) if given in self.choices else None
        return number(given)

    def stepped(self, value: float, sign: int, size: str) -> float:
        """The number after a correction, within the limits."""
        step, sign = self.steps[size], sign * self.sense
        if self.outwards:
            return math.copysign(within(abs(value) + sign * step, abs(value), redirection.LEAST, self.most), value)
        new = value * step**sign if self.ratio else value + sign * step
        return within(new, value, self.least, self.most)

    def value(self, number: float) -> Any:
        """A number as the tool takes it: within the limits, whole or a choice where it has to be."""
        inside = min(max(number, self.least), self.most)
        if self.choices:
            return self.choices[round(inside)]
        return round(inside) if self.whole else tidy(inside)

    def offset(self, number: float) -> float:
        """How far a number is from the default, in medium steps: the scale that is common to all parameters."""
        medium = self.steps["medium"]
        if self.ratio:
            return math.log(max(number, 1e-6) / self.default) / math.log(medium)
        return (number - self.default) / medium

    def at(self, offset: float) -> Any:
        """The value at so many medium steps from the default."""
        medium = self.steps["medium"]
        bounded = min(max(offset, -100.0), 100.0)
        return self.value(self.default * medium**bounded if self.ratio else self.default + bounded * medium)


def _angle(parameter: str, axis: str, most: float, *, sense: int = 1, steps: Steps = AIM, **more: Any) -> Tunable:
    return Tunable(parameter, axis, "degrees", 0.0, -most, most, steps, sense, **more)


def _lasting(parameter: str, default: float, least: float, most: float, unit: str = "seconds") -> Tunable:
    return Tunable(parameter, "duration", unit, default, least, most, LONGER, ratio=True, whole=unit != "seconds")


def _moving(default: float, least: float, most: float) -> tuple[Tunable, Tunable]:
    """A movement's duration: "slower" and "longer" mean the same."""
    lasting = _lasting("duration", default, least, most)
    return lasting, replace(lasting, axis="speed", sense=-1)


def _far(parameter: str, most: float, steps: Steps = FARTHER) -> Tunable:
    return _angle(parameter, "amplitude", most, steps=steps, only_given=True, outwards=True)


def _times(parameter: str, default: float, most: float) -> Tunable:
    return Tunable(parameter, "count", "times", default, 1, most, ONCE, whole=True)


SIZE = Tunable("intensity", "amplitude", "share", 1.0, 0.3, 1, STRONGER)
SPEED = Tunable("speed", "speed", "pace", 1, 0, 2, PACE, whole=True, choices=PACES)
_HEAD = (_angle("yaw", "yaw", 45), _angle("pitch", "pitch", 45, sense=-1), _angle("roll", "roll", 30, sense=-1))
_HEAD_FAR = (_far("yaw", 45), _far("pitch", 45), _far("roll", 30, LEAN))
_POSE = (_angle("yaw", "yaw", 160), _angle("pitch", "pitch", 45, sense=-1), _angle("roll", "roll", 45, sense=-1))
_POSE_FAR = (_far("yaw", 160), _far("pitch", 45), _far("roll", 45, LEAN))
_ANTENNAS = tuple(
    Tunable(side, axis, "degrees", 0.0, least, 180, FARTHER, sense, only_given=True, outwards=axis == "amplitude")
    for side in SIDES
    for axis, sense, least in (("pitch", -1, 0.0), ("amplitude", 1, 0.0))
)
_GIVEN_POSE = tuple(replace(each, only_given=True) for each in _POSE)

TABLE: dict[str, tuple[Tunable, ...]] = {
    "move_head": (*_HEAD, *_HEAD_FAR, SPEED, *(replace(each, only_given=True) for each in _moving(1.0, 0.1, 10))),
    "look_at": (*_POSE, *_POSE_FAR, *_moving(1.0, 0.1, 10)),
    "look": (*_POSE, *_POSE_FAR, *_moving(1.0, 0.1, 10)),
    "goto": (*_GIVEN_POSE, *_POSE_FAR, *_moving(1.0, 0.1, 10)),
    "look_at_world": _moving(1.0, 0.1, 10),
    "look_at_pixel": _moving(1.0, 0.1, 10),
    "look_at_object": (
        _angle("yaw_offset", "yaw", 25),
        _angle("pitch_offset", "pitch", 25),
        *_moving(1.0, 0.1, 10),
    ),
    "look_at_sound": (_lasting("timeout_ms", 2000, 100, 30000, "milliseconds"),),
    "rotate": (Tunable("degrees", "amplitude", "degrees", 90, 1, 320, TURN), SPEED),
    "set_antennas": (*_ANTENNAS, *_moving(0.5, 0.1, 10)),
    "rest": (SPEED,),
    "nod": (_times("times", 2, 5), SPEED),
    "shake": (_times("times", 2, 5), SPEED),
    "wave": (_times("times", 3, 5), SPEED),
    "express_emotion": (Tunable("intensity", "amplitude", "share", 0.7, 0.1, 1, STRONGER),),
    "dance": (_times("repeat", 1, 20), replace(_times("repeat", 1, 20), axis="duration"), SPEED, SIZE),
    "speak": (Tunable("speed", "speed", "factor", 1.0, 0.5, 2, FASTER_SPEECH),),
    "set_volume": (Tunable("volume", "volume", "percent", 50, 0, 100, LOUDER, whole=True),),
    "listen": (_lasting("duration_seconds", 3.0, 0.5, 60),),
    "background_demo": (_lasting("seconds", 5, 0.5, 20),),
}
"""By bare name. A timer is not here: the call with a longer time would set a second one."""


def tunables(tool: str, args: Args | None = None) -> Sequence[Tunable]:
    """What can be tuned in a tool; with `args`, in that call of it. Empty for a tool that has nothing to tune."""
    table: Sequence[Tunable] = TABLE.get(tool, ())
    if args is None:
        return table
    if tool == "rotate":
        left = args.get("direction") != "right"
        return (*table, replace(table[0], axis="yaw", sense=1 if left else -1))
    if tool == "move_head":
        table = _of_head(table, args)
    return [each for each in table if each.read(args) is not None]


def _of_head(table: Sequence[Tunable], args: Args) -> Sequence[Tunable]:
    if args.get("duration") is not None:
        table = [each for each in table if each.parameter != "speed"]
    way = args.get("direction")
    if way is None:
        return table
    usual = towards(str(way))
    beside = {*(("pitch",) if way in SIDES else ()), *(("yaw",) if way in HEIGHTS else ()), "roll", "speed", "duration"}
    table = [each for each in table if each.parameter in beside]
    if not any(usual):
        return table
    upright = way in HEIGHTS or "_" in str(way)
    most = redirection.MOST_PITCH if upright else redirection.MOST_YAW
    far = Tunable("degrees", "amplitude", "degrees", max(map(abs, usual)), redirection.LEAST, most, FARTHER)
    if "_" in str(way):
        return [*table, far]
    axis, sense = ("yaw", 1 if way == "left" else -1) if way in SIDES else ("pitch", 1 if way == "up" else -1)
    return [*table, far, replace(far, axis=axis, sense=sense, steps=AIM)]


def revised(tool: str, args: Args, axis: str, sign: int, size: str) -> dict[str, Any] | None:
    """The arguments of the call to make now so that the correction is carried out. None: nothing on that axis.

    At a limit they are those of before.
    """
    if tool == "rotate" and axis in ("yaw", "amplitude"):
        # A turn starts from where the body is, so only the difference is turned.
        right = axis == "amplitude" and args.get("direction") == "right"
        return redirection.turned_again(args, (-sign if right else sign) * TURN[size])
    return intended(tool, args, axis, sign, size)


def intended(tool: str, args: Args, axis: str, sign: int, size: str) -> dict[str, Any] | None:
    """The arguments with which the call would have been right from the start: what is to be learned.

    They differ from those of `revised` where a call goes on from where the last one ended (`rotate`).
    """
    yaw, pitch = ((sign * AIM[size] if axis == wanted else 0.0) for wanted in ("yaw", "pitch"))
    if tool == "move_head" and args.get("direction") is not None:
        if axis == "amplitude":
            return redirection.extended(args, sign * FARTHER[size])
        if yaw or pitch:
            return redirection.redirected(args, yaw, pitch)
    if tool == "rotate" and axis == "yaw":
        return redirection.turned(args, sign * TURN[size], TABLE["rotate"][0].default)
    if tool == "look_at_world" and axis in ("yaw", "pitch", "distance"):
        return redirection.moved_point(args, yaw, pitch, LONGER[size] ** sign if axis == "distance" else 1.0)
    return _stepped(tool, args, axis, sign, size)


def _stepped(tool: str, args: Args, axis: str, sign: int, size: str) -> dict[str, Any] | None:
    changed: dict[str, Any] = {}
    for each in tunables(tool, args):
        value = each.read(args) if each.axis == axis else None
        if value is None or (each.outwards and value == 0.0):
            continue
        new = each.stepped(value, sign, size)
        changed[each.parameter] = args.get(each.parameter, each.value(new)) if new == value else _as_given(each, new)
    return {**args, **changed} if changed else None


def _as_given(tunable: Tunable, new: float) -> Any:
    if tunable.choices:
        return tunable.choices[round(new)]
    return round(new) if tunable.whole else tidy(new)


def from_position(position: Args, axis: str, sign: int, size: str) -> dict[str, Any] | None:
    """The arguments of `look_at` from a measured position (degrees, as tools report it), corrected.

    For what the robot did without a parameter on that axis: it looked at a pixel, or at a voice.
    """
    head = {name: found for name in ("roll", "pitch", "yaw") if (found := number(position.get(name))) is not None}
    inside = {each.parameter: each.value(head.get(each.parameter, 0.0)) for each in _POSE}
    return _stepped("look_at", inside, axis, sign, size) if axis in ("yaw", "pitch", "roll") and head else None
