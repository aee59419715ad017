"""Demonstrations as training examples: what the policy of a task would have observed, and what the person did."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from reachy_mind.learning.demonstrations.demonstration import POSE_NAMES, TARGET_NAMES, Demonstration
from reachy_mind.learning.environments.bodies import DECISION_S
from reachy_mind.learning.environments.gaze import BEARING_SCALE, LEAD, STEP
from reachy_mind.learning.environments.look_at import MOST_PITCH, MOST_YAW, LookAtTask

YAW, PITCH = POSE_NAMES.index("yaw"), POSE_NAMES.index("pitch")
DISTANCE = TARGET_NAMES.index("distance")
LEAST_TURN = math.radians(1.0)
"""In a decision; what is less is settling, noise or breathing."""

Table = NDArray[np.float64]
Examples = tuple[NDArray[np.float32], NDArray[np.float32]]


def look_at_examples(demonstrations: Iterable[Demonstration]) -> Examples:
    """Observations (N, 7) and actions (N, 2) of the task `look_at`, one for each decision of 0.1 s.

    Only demonstrations that say where the target was count, from the moment it was seen and the head began to turn:
    what came before was thinking, not turning. While it is out of sight its bearing is the last one, less the head's
    own turn since, and its distance is unknown (0).
    """
    parts = [_examples(one) for one in demonstrations]
    observations = [found for found, _ in parts] or [np.zeros((0, LookAtTask.observation_size), dtype=np.float32)]
    actions = [done for _, done in parts] or [np.zeros((0, LookAtTask.action_size), dtype=np.float32)]
    return np.concatenate(observations), np.concatenate(actions)


def _examples(one: Demonstration) -> Examples:
    decisions: Table = np.arange(int(one.duration / DECISION_S + 1e-6) + 1, dtype=np.float64) * DECISION_S
    times: Table = np.arange(len(one.states), dtype=np.float64) / one.fps
    head, commanded = (_left_and_up(decisions, times, rows) for rows in (one.states, one.actions))
    places = np.minimum(np.round(decisions * one.fps).astype(int), len(times) - 1)
    bearing, visible = _known_bearings(one.targets[places], head)
    count = len(decisions) - 1  # the last one has no next
    observed = np.zeros((count, LookAtTask.observation_size), dtype=np.float32)
    observed[:, :2] = bearing[:count] / BEARING_SCALE
    observed[:, 2] = visible[:count]
    observed[:, 3] = np.where(visible, one.targets[places, DISTANCE], 0.0)[:count]
    observed[:, 4:6] = head[:count] / [MOST_YAW, MOST_PITCH]
    # The action that would have sent the robot of the environment (`gaze.turned`) where the person sent this one.
    turns = commanded[1:] - np.clip(commanded[:-1], head[:-1] - LEAD, head[:-1] + LEAD)
    begun = np.maximum.accumulate(visible[:count]) & (np.abs(turns).max(axis=1) > LEAST_TURN)
    first = int(np.argmax(begun)) if begun.any() else count
    observed[:, 6] = np.clip(1.0 - (np.arange(count) - first) / LookAtTask.horizon, 0.0, 1.0)
    return observed[first:], np.clip(turns / STEP, -1.0, 1.0).astype(np.float32)[first:]


def _left_and_up(decisions: Table, times: Table, poses: NDArray[np.float32]) -> Table:
    """The head's angles to the left and up at each decision."""
    return np.stack([np.interp(decisions, times, poses[:, YAW]), -np.interp(decisions, times, poses[:, PITCH])], axis=1)


def _known_bearings(targets: NDArray[np.float32], head: Table) -> tuple[Table, NDArray[np.bool_]]:
    """Bearings to the left and up at each decision, and whether the target was visible then."""
    visible = targets[:, 2] > 0.5
    bearings = targets[:, :2].astype(np.float64) * [1.0, -1.0]
    seen_at = np.maximum.accumulate(np.where(visible, np.arange(len(targets)), 0))
    return bearings[seen_at] - (head - head[seen_at]), visible
