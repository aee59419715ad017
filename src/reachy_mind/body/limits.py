"""Range limits of each pose axis and joint, and clamping to them.

The ranges are the vendor's documented ones, tightened where the head's rods are the limit. They bound each axis by
itself; whether a combination is reachable is a question for `kinematics`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from reachy_mind.body.pose import ANGLES, LENGTHS, Pose
from reachy_mind.errors import InvalidParameter

MAX_BODY_YAW = math.radians(160)
MAX_YAW_DIFFERENCE = math.radians(65)

RANGES: dict[str, tuple[float, float]] = {
    "x": (-0.045, 0.050),
    "y": (-0.047, 0.047),
    "z": (-0.050, 0.023),
    "roll": (-math.radians(40), math.radians(40)),
    "pitch": (-math.radians(40), math.radians(40)),
    "yaw": (-math.pi, math.pi),
    "body_yaw": (-MAX_BODY_YAW, MAX_BODY_YAW),
    "antenna_left": (-math.pi, math.pi),
    "antenna_right": (-math.pi, math.pi),
}

JOINTS = ("yaw_body", "stewart_1", "stewart_2", "stewart_3", "stewart_4", "stewart_5", "stewart_6")
JOINT_RANGES: tuple[tuple[float, float], ...] = (
    (-2.7926, 2.7926),
    (-0.8378, 1.3963),
    (-1.3963, 1.2218),
    (-0.8378, 1.3963),
    (-1.3963, 0.8378),
    (-1.2218, 1.3963),
    (-1.3963, 0.8378),
)


@dataclass(frozen=True, slots=True)
class Clamped:
    """One axis of a pose that was clamped: the requested and the resulting value."""

    axis: str
    asked: float
    given: float

    def as_dict(self) -> dict[str, str | float]:
        """As JSON values, in millimetres or degrees."""
        scale, unit = (1000.0, "mm") if self.axis in LENGTHS else (180 / math.pi, "degrees")
        return {
            "axis": self.axis,
            "asked": round(self.asked * scale, 2),
            "given": round(self.given * scale, 2),
            "unit": unit,
        }


def require_finite(pose: Pose) -> None:
    """Raises InvalidParameter naming the axes that are not finite."""
    bad = [name for name in (*LENGTHS, *ANGLES) if not math.isfinite(getattr(pose, name))]
    if bad:
        raise InvalidParameter(f"not a finite number: {', '.join(bad)}", hint="every part of a pose must be a number")


def clamp_to_ranges(pose: Pose) -> Pose:
    """Each axis clamped to its range, and the body turned so that the neck reaches the head yaw.

    The head yaw has priority: the body follows it as far as needed.
    """
    bounded = replace(pose, **{name: min(max(getattr(pose, name), low), high) for name, (low, high) in RANGES.items()})
    return replace(bounded, body_yaw=reachable_body_yaw(bounded.yaw, bounded.body_yaw))


def reachable_body_yaw(yaw: float, body_yaw: float) -> float:
    """The body yaw nearest to `body_yaw` from which the head can look towards `yaw`."""
    nearest = min(max(body_yaw, yaw - MAX_YAW_DIFFERENCE), yaw + MAX_YAW_DIFFERENCE)
    return min(max(nearest, -MAX_BODY_YAW), MAX_BODY_YAW)


def clamped_axes(asked: Pose, given: Pose) -> tuple[Clamped, ...]:
    """The axes that differ between the requested and the resulting pose."""
    return tuple(
        Clamped(name, getattr(asked, name), getattr(given, name))
        for name in RANGES
        if abs(getattr(asked, name) - getattr(given, name)) > 1e-6
    )
