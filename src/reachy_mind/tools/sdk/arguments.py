"""Checks of the values that others pass to the robot. Each raises InvalidParameter with what is wrong.

Everything is hostile: wrong types, bools for numbers, NaN, huge arrays, matrices that are no rotation.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from reachy_mind.body.pose import Pose, wrap_angle
from reachy_mind.errors import InvalidParameter

ROTATION_TOLERANCE = 1e-2
MAX_METRES, MAX_RADIANS = 100.0, 100.0
POSE_HINT = "a 4x4 head transform, two antennas (right, left), a body yaw in radians"
HEAD_AXES = ("x", "y", "z", "roll", "pitch", "yaw")
ANTENNA_AXES = ("antenna_right", "antenna_left")
MIN_DURATION_S, MAX_DURATION_S = 0.05, 60.0

Arguments = Mapping[str, Any]


def number(name: str, value: Any, low: float, high: float) -> float:
    """A finite number from `low` to `high`."""
    plain = value.item() if isinstance(value, np.generic) else value
    if isinstance(plain, bool) or not isinstance(plain, int | float):
        raise InvalidParameter(f"{name} is a number, not {type(value).__name__}")
    if not low <= plain <= high:  # false for NaN
        raise InvalidParameter(f"{name} is out of range", hint=f"from {low:g} to {high:g}")
    return float(plain)


def whole(name: str, value: Any, low: int, high: int) -> int:
    """A whole number from `low` to `high`."""
    found = number(name, value, low, high)
    if found != int(found):
        raise InvalidParameter(f"{name} is {found:g}", hint="a whole number")
    return int(found)


def flag(name: str, value: Any) -> bool:
    """True or false."""
    if not isinstance(value, bool | np.bool_):
        raise InvalidParameter(f"{name} is true or false, not {type(value).__name__}")
    return bool(value)


def choice(name: str, value: Any, allowed: Collection[str]) -> str:
    """One of some texts."""
    if not isinstance(value, str) or value not in allowed:
        raise InvalidParameter(f"{name} is none that there is", hint=f"one of {', '.join(allowed)}")
    return value


def text(name: str, value: Any, most: int) -> str:
    """A string of at most `most` characters."""
    if not isinstance(value, str) or len(value) > most:
        raise InvalidParameter(f"{name} is a text of at most {most} characters")
    return value


def duration(value: Any) -> float:
    """Seconds of a movement: more than 0, at most a minute; at least a twentieth of a second is taken."""
    found = number("duration", value, 0.0, MAX_DURATION_S)
    if found == 0.0:
        raise InvalidParameter("a duration of 0 s", hint="set_target follows a target at once")
    return max(found, MIN_DURATION_S)


def numbers(name: str, value: Any, size: int) -> list[float]:
    """Exactly `size` finite numbers: a list, nested or not, or an array."""
    if isinstance(value, np.ndarray):
        if value.size != size or value.dtype.kind not in "fiu":
            raise InvalidParameter(f"{name} is an array of {size} numbers", hint=POSE_HINT)
        flat: list[Any] = value.reshape(size).tolist()
    else:
        flat = _flat(name, value, size)
    return [number(name, one, -MAX_METRES, MAX_METRES) for one in flat]


def _flat(name: str, value: Any, size: int) -> list[Any]:
    """The elements of a list, or of lists in a list."""
    if not isinstance(value, list | tuple) or len(value) > size:
        raise InvalidParameter(f"{name} is {size} numbers, not {type(value).__name__}", hint=POSE_HINT)
    found: list[Any] = []
    for row in value:
        if isinstance(row, list | tuple | np.ndarray) and len(row) <= size:
            found.extend(row)
        else:
            found.append(row)
        if len(found) > size:
            break
    if len(found) != size:
        raise InvalidParameter(f"{name} is {size} numbers", hint=POSE_HINT)
    return found


def head_pose(value: Any) -> Pose:
    """The head's pose of a 4x4 transform."""
    flat = numbers("head", value, 16)
    matrix = np.array(flat).reshape(4, 4)
    rotation = matrix[:3, :3]
    proper = np.abs(rotation @ rotation.T - np.eye(3)).max() < ROTATION_TOLERANCE and np.linalg.det(rotation) > 0
    if not proper or np.abs(matrix[3] - (0.0, 0.0, 0.0, 1.0)).max() > ROTATION_TOLERANCE:
        raise InvalidParameter("head is no transform: its rotation is none", hint="create_head_pose makes one")
    return Pose.from_head_matrix(flat)


def target(before: Pose, args: Arguments) -> tuple[Pose, tuple[str, ...]]:
    """The target pose of `head`, `antennas` and `body_yaw`, and the axes that are given. Angles take the short way."""
    values: dict[str, float] = {}
    if args.get("head") is not None:
        new = head_pose(args["head"])
        values |= {name: getattr(new, name) for name in ("x", "y", "z")}
        for name in ("roll", "pitch", "yaw"):
            now = getattr(before, name)
            values[name] = now + wrap_angle(getattr(new, name) - now)
    if args.get("antennas") is not None:
        values |= dict(zip(ANTENNA_AXES, numbers("antennas", args["antennas"], 2), strict=True))
    if args.get("body_yaw") is not None:
        values["body_yaw"] = number("body_yaw", args["body_yaw"], -MAX_RADIANS, MAX_RADIANS)
    if not values:
        raise InvalidParameter("no target is given", hint=POSE_HINT)
    pose = {name: getattr(before, name) for name in (*HEAD_AXES, "body_yaw", *ANTENNA_AXES)} | values
    return Pose(**pose), tuple(values)


def finite_frames(value: Any, most: int) -> Any:
    """Rows of 16 head values, two antennas and a body yaw; NaN where a part is left out."""
    width = 19
    if not isinstance(value, np.ndarray) or value.ndim != 2 or value.shape[1] != width or value.dtype.kind != "f":
        raise InvalidParameter("frames are an array of 19 numbers a row", hint="play_move makes them of a move")
    if not 1 <= value.shape[0] <= most:
        raise InvalidParameter(f"a move of {value.shape[0]} frames", hint=f"from 1 to {most}, at 100 a second")
    if np.isinf(value).any() or np.abs(np.nan_to_num(value)).max() > MAX_METRES:
        raise InvalidParameter("frames with a value out of range", hint="metres and radians")
    return value
