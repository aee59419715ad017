"""Arguments of calls that aim, redirected by some degrees: directions of the head, turns of the body, points.

Angles here are degrees, left and up positive, as people mean them; the tools count pitch downwards.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from reachy_mind.tools.builtin.head import HEIGHTS, SIDES, towards

MOST_PITCH, MOST_YAW, MOST_SIDE = 45.0, 90.0, 45.0
"""How far a direction goes by itself up or down, left or right; and to the side of up or down."""
LEAST = 3.0
"""Degrees that remain of a direction when it becomes less."""
LEAST_TURN, MOST_TURN = 1.0, 320.0
EYES_M = 0.23
"""Height of the eyes above the robot's foot."""
MOST_M = 100.0

Args = Mapping[str, Any]


def number(value: Any) -> float | None:
    """A number, also one in a string, as the tools accept it; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        found = float(value)
    except (ValueError, OverflowError):
        return None
    return found if math.isfinite(found) else None


def tidy(value: float) -> float:
    """Rounded for people, and never minus zero."""
    return round(value, 2) + 0.0


def within(value: float, before: float, least: float, most: float) -> float:
    """`value` between the limits. A value that was beyond them before is not pulled back."""
    return min(max(value, min(least, before)), max(most, before))


def redirected(args: Args, yaw: float, pitch: float) -> dict[str, Any]:
    """A `move_head` in a direction, turned by `yaw` degrees left and `pitch` degrees up."""
    way, degrees = str(args["direction"]), number(args.get("degrees"))
    left0, down0 = towards(way, degrees)
    left0, down0 = number(args.get("yaw")) or left0, number(args.get("pitch")) or down0
    left = within(left0 + yaw, left0, -MOST_YAW, MOST_YAW)
    down = within(down0 - pitch, down0, -MOST_PITCH, MOST_PITCH)
    rest = {key: value for key, value in args.items() if key not in ("direction", "degrees", "yaw", "pitch")}
    upright = way in HEIGHTS and (abs(down) >= 1) and (down > 0) == (way == "down")
    if upright or (abs(left) < 1 <= abs(down)):
        new = {"direction": "down" if down > 0 else "up"}
        return rest | new | _far(new["direction"], way, degrees, down) | _aside("yaw", left, MOST_SIDE)
    if abs(left) < 1:
        return rest | {"direction": "front"}
    new = {"direction": "left" if left > 0 else "right"}
    return rest | new | _far(new["direction"], way, degrees, left) | _aside("pitch", down, MOST_PITCH)


def _far(way: str, before: str, degrees: float | None, angle: float) -> dict[str, float]:
    """How far in that direction; left out as it was where it stays as it was."""
    usual = max(map(abs, towards(way)))
    kept = degrees is None and way == before and math.isclose(abs(angle), usual)
    return {} if kept else {"degrees": tidy(abs(angle))}


def _aside(parameter: str, angle: float, most: float) -> dict[str, float]:
    return {} if abs(angle) < 1 else {parameter: tidy(min(max(angle, -most), most))}


def extended(args: Args, change: float) -> dict[str, Any] | None:
    """A `move_head` in a direction, `change` degrees farther that way; None for straight ahead."""
    way = str(args["direction"])
    if way not in (*SIDES, *HEIGHTS) and "_" not in way:
        return None
    before = number(args.get("degrees")) or max(map(abs, towards(way.partition("_")[0])))
    most = MOST_PITCH if way.startswith(HEIGHTS) else MOST_YAW
    return {**args, "degrees": tidy(within(before + change, before, LEAST, most))}


def turned(args: Args, change: float, usual: float) -> dict[str, Any]:
    """A `rotate` that goes `change` degrees farther left."""
    asked = number(args.get("degrees")) or usual
    left = (asked if args.get("direction") != "right" else -asked) + change
    size = min(max(abs(left), LEAST_TURN), MOST_TURN)
    return {**args, "direction": "right" if left < 0 else "left", "degrees": tidy(size)}


def turned_again(args: Args, change: float) -> dict[str, Any]:
    """The `rotate` that adds `change` degrees left to one that was done: a turn starts from where the body is."""
    return {**args, "direction": "left" if change > 0 else "right", "degrees": tidy(abs(change))}


def moved_point(args: Args, yaw: float, pitch: float, farther: float = 1.0) -> dict[str, Any] | None:
    """A `look_at_world` at a point turned by `yaw` left and `pitch` up around the eyes, `farther` times as far."""
    point = [number(args.get(axis)) for axis in "xyz"]
    if None in point:
        return None
    x, y, z = (value or 0.0 for value in point)
    ahead, up = math.hypot(x, y), z - EYES_M
    far = math.hypot(ahead, up) * farther
    azimuth = math.atan2(y, x) + math.radians(yaw)
    elevation = min(max(math.atan2(up, ahead) + math.radians(pitch), -math.pi / 2), math.pi / 2)
    place = {
        "x": far * math.cos(elevation) * math.cos(azimuth),
        "y": far * math.cos(elevation) * math.sin(azimuth),
        "z": EYES_M + far * math.sin(elevation),
    }
    return {**args} | {axis: round(min(max(value, -MOST_M), MOST_M), 3) for axis, value in place.items()}
