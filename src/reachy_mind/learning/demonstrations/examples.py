"""Demonstrations as training examples: what the policy of a task would have observed, and what the person did."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from reachy_mind.learning.demonstrations.demonstration import POSE_NAMES, TARGET_NAMES, Demonstration
from reachy_mind.learning.environments.bodies import DECISION_S
from reachy_mind.learning.environments.gaze import BEARING_SCALE, STEP
from reachy_mind.learning.environments.look_at import MOST_PITCH, MOST_YAW, SUCCESS, LookAtTask

YAW, PITCH = POSE_NAMES.index("yaw"), POSE_NAMES.index("pitch")
DISTANCE = TARGET_NAMES.index("distance")
LEAST_TURN = math.radians(1.0)
"""In a decision; what is less is settling, noise or breathing."""
LONGEST_TURN = 8
"""Decisions that a turn may take: two thirds of an episode."""

Table = NDArray[np.float64]
Examples = tuple[NDArray[np.float32], NDArray[np.float32]]


def look_at_examples(demonstrations: Iterable[Demonstration]) -> Examples:
    """Observations (N, 7) and actions (N, 2) of the task `look_at`, ten a second.

    Only demonstrations that say where the target was count: from the moment it was seen and the head began to turn
    (what came before was thinking) until the camera pointed at it, as in the environment. While it is out of sight its
    bearing is the last one, less the head's own turn since, and its distance is unknown (0). An action is the turn that
    the person made in one decision; of a slow person, in several, so that a policy has the time to do the same.
    """
    parts = [_examples(one) for one in demonstrations]
    observations = [found for found, _ in parts] or [np.zeros((0, LookAtTask.observation_size), dtype=np.float32)]
    actions = [done for _, done in parts] or [np.zeros((0, LookAtTask.action_size), dtype=np.float32)]
    return np.concatenate(observations), np.concatenate(actions)


def _examples(one: Demonstration) -> Examples:
    decisions: Table = np.arange(int(one.duration / DECISION_S + 1e-6) + 1, dtype=np.float64) * DECISION_S
    times: Table = np.arange(len(one.states), dtype=np.float64) / one.fps
    head = _left_and_up(decisions, times, one.states)
    places = np.minimum(np.round(decisions * one.fps).astype(int), len(times) - 1)
    bearing, visible = _known_bearings(one.targets[places], head)
    part = _turning(bearing, visible, head)
    pace = max(1, math.ceil((part.stop - part.start) / LONGEST_TURN))
    turns = _left_and_up(decisions + pace * DECISION_S, times, one.states) - head
    elapsed = (np.arange(len(decisions)) - part.start) / pace
    observed = np.zeros((len(decisions), LookAtTask.observation_size), dtype=np.float32)
    observed[:, :2] = bearing / BEARING_SCALE
    observed[:, 2] = visible
    observed[:, 3] = np.where(visible, one.targets[places, DISTANCE], 0.0)
    observed[:, 4:6] = head / [MOST_YAW, MOST_PITCH]
    observed[:, 6] = np.clip(1.0 - elapsed / LookAtTask.horizon, 0.0, 1.0)
    return observed[part], np.clip(turns / STEP, -1.0, 1.0).astype(np.float32)[part]


def _turning(bearing: Table, visible: NDArray[np.bool_], head: Table) -> slice:
    """The decisions from the first turn after the target was seen to the first at which the camera points at it, or to
    the last turn."""
    turns = np.abs(np.diff(head, axis=0, append=head[-1:])).max(axis=1) > LEAST_TURN
    begun = np.maximum.accumulate(visible) & turns
    if not begun.any():
        return slice(0, 0)
    first, last = int(np.argmax(begun)), len(begun) - 1 - int(np.argmax(begun[::-1]))
    there = visible[first:] & (np.hypot(bearing[first:, 0], bearing[first:, 1]) < SUCCESS)
    return slice(first, 1 + (first + int(np.argmax(there)) if there.any() else last))


def _left_and_up(decisions: Table, times: Table, poses: NDArray[np.float32]) -> Table:
    """The head's angles to the left and up at each decision."""
    return np.stack([np.interp(decisions, times, poses[:, YAW]), -np.interp(decisions, times, poses[:, PITCH])], axis=1)


def _known_bearings(targets: NDArray[np.float32], head: Table) -> tuple[Table, NDArray[np.bool_]]:
    """Bearings to the left and up at each decision, and whether the target was visible then."""
    visible = targets[:, 2] > 0.5
    bearings = targets[:, :2].astype(np.float64) * [1.0, -1.0]
    seen_at = np.maximum.accumulate(np.where(visible, np.arange(len(targets)), 0))
    return bearings[seen_at] - (head - head[seen_at]), visible
