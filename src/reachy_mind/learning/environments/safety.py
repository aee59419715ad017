"""`SafetyFilter`: makes targets safe: each axis in its range and no faster than the motion limits, joints in reach.

The same limits as in the control loop (`motion.limits`, `body.limits`, inverse kinematics), for many robots at once and
for a decision instead of a tick.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from reachy_mind.body.limits import MAX_YAW_DIFFERENCE, RANGES
from reachy_mind.learning.environments.bodies import DECISION_S, Array, Mask
from reachy_mind.motion.limits import BODY_YAW, MOVING, NAMES, YAW
from reachy_mind.motion.shaper import RESERVED_MARGIN

TOLERANCE = 1e-6
HALVINGS = 8


class Reach(Protocol):
    """Inverse kinematics of many poses."""

    def margins(self, poses: Array) -> Array:
        """The smallest distance of a joint to its limit, in radians; negative out of reach."""
        ...


class SafetyFilter:
    """Clamps ranges and speeds, then shortens a step that leaves the reach of the rods."""

    def __init__(self, reach: Reach) -> None:
        self._reach = reach
        self._low = np.array([RANGES[name][0] for name in NAMES])
        self._high = np.array([RANGES[name][1] for name in NAMES])
        self._step = np.array(MOVING.sent().velocity) * DECISION_S

    def safe(self, commanded: Array, targets: Array) -> tuple[Array, Mask]:
        """The nearest safe targets from where the robots were sent last, and the rows that had to be changed."""
        bounded = np.clip(targets, self._low, self._high)
        bounded = np.clip(bounded, commanded - self._step, commanded + self._step)
        turn = np.clip(bounded[:, YAW] - bounded[:, BODY_YAW], -MAX_YAW_DIFFERENCE, MAX_YAW_DIFFERENCE)
        bounded[:, YAW] = bounded[:, BODY_YAW] + turn
        outside = self._reach.margins(bounded) < RESERVED_MARGIN
        if outside.any():
            bounded[outside] = self._shortened(commanded[outside], bounded[outside])
        changed: Mask = np.asarray((np.abs(bounded - targets) > TOLERANCE).any(axis=1))
        return bounded, changed

    def _shortened(self, commanded: Array, targets: Array) -> Array:
        """The largest share of each step that stays in reach; none, if there is no such share."""
        share = np.zeros((len(targets), 1))
        step = 0.5
        for _ in range(HALVINGS):
            trial = share + step
            reached = self._reach.margins(commanded + (targets - commanded) * trial) >= RESERVED_MARGIN
            share = np.where(reached[:, None], trial, share)
            step /= 2
        shortened: Array = commanded + (targets - commanded) * share
        return shortened
