"""Demonstrations as training examples: what the policy of a task would have observed, and what the person did."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from reachy_mind.learning.demonstrations.demonstration import POSE_NAMES, Demonstration
from reachy_mind.learning.environments.look_at import BEARING_SCALE, MOST_PITCH, MOST_YAW, STEP, LookAtTask

DECISION_S = 0.1
YAW, PITCH = POSE_NAMES.index("yaw"), POSE_NAMES.index("pitch")

Examples = tuple[NDArray[np.float32], NDArray[np.float32]]


def look_at_examples(demonstrations: Iterable[Demonstration]) -> Examples:
    """Observations (N, 7) and actions (N, 2) of the task `look_at`, one for each decision of 0.1 s.

    Only demonstrations that say where the target was count, from the moment it was first seen. Its distance is unknown
    (0); while it is out of sight its bearing is the last one, less the head's own turn since.
    """
    parts = [_examples(one) for one in demonstrations]
    observations = [found for found, _ in parts] or [np.zeros((0, LookAtTask.observation_size), dtype=np.float32)]
    actions = [done for _, done in parts] or [np.zeros((0, LookAtTask.action_size), dtype=np.float32)]
    return np.concatenate(observations), np.concatenate(actions)


def _examples(one: Demonstration) -> Examples:
    decisions = np.arange(int(one.duration / DECISION_S + 1e-6) + 1) * DECISION_S
    times = np.arange(len(one.states)) / one.fps
    left = np.interp(decisions, times, one.states[:, YAW])
    up = -np.interp(decisions, times, one.states[:, PITCH])
    places = np.minimum(np.round(decisions * one.fps).astype(int), len(times) - 1)
    bearing, visible = _known_bearings(one.targets[places], np.stack([left, up], axis=1))
    count = len(decisions) - 1  # the last one has no next
    observed = np.zeros((count, LookAtTask.observation_size), dtype=np.float32)
    observed[:, :2] = bearing[:count] / BEARING_SCALE
    observed[:, 2] = visible[:count]
    observed[:, 4], observed[:, 5] = left[:count] / MOST_YAW, up[:count] / MOST_PITCH
    first = int(np.argmax(visible)) if visible.any() else count
    observed[:, 6] = np.clip(1.0 - (np.arange(count) - first) / LookAtTask.horizon, 0.0, 1.0)
    done = np.clip(np.stack([np.diff(left), np.diff(up)], axis=1) / STEP, -1.0, 1.0).astype(np.float32)
    return observed[first:], done[first:]


def _known_bearings(
    targets: NDArray[np.float32], head: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Bearings to the left and up at each decision, and whether the target was visible then."""
    visible = targets[:, 2] > 0.5
    bearings = targets[:, :2].astype(np.float64) * [1.0, -1.0]
    seen_at = np.maximum.accumulate(np.where(visible, np.arange(len(targets)), 0))
    return bearings[seen_at] - (head - head[seen_at]), visible
