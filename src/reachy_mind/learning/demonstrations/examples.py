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
AHEAD = 2
"""An action is what the person turned in so many decisions: people begin and end a turn slowly, and a policy that did
as little at its beginning would not arrive in time. Its last turns are as small as theirs."""
ELSEWHERE = 8
"""Further places in which each demonstration counts."""
NEAREST_M, FARTHEST_M = 0.35, 2.0

Table = NDArray[np.float64]
Examples = tuple[NDArray[np.float32], NDArray[np.float32]]


def look_at_examples(demonstrations: Iterable[Demonstration], elsewhere: int = ELSEWHERE) -> Examples:
    """Observations (N, 7) and actions (N, 2) of the task `look_at`, ten a second.

    Only demonstrations that say where the target was count: the last approach to it, from where the head began to turn
    (what came before was thinking, or something else) until the camera pointed at it, as in the environment. While it
    is out of sight its bearing is the last one, less the head's own turn since, and its distance is unknown (0). An
    action is the turn that the person made in `AHEAD` decisions; of a slow person, in more, so that a policy has the
    time to do the same.

    People show a thing where it lies: then the head's own direction tells as much as the thing's bearing, and a policy
    that went by it would be wrong about things elsewhere. So each demonstration also counts as if it had been shown in
    so many other directions and distances (`elsewhere`), with the same bearings and the same turns.
    """
    rng = np.random.default_rng(0)
    parts = [part for one in demonstrations for part in _placed(*_examples(one), elsewhere, rng)]
    observations = [found for found, _ in parts] or [np.zeros((0, LookAtTask.observation_size), dtype=np.float32)]
    actions = [done for _, done in parts] or [np.zeros((0, LookAtTask.action_size), dtype=np.float32)]
    return np.concatenate(observations), np.concatenate(actions)


def _placed(
    seen: NDArray[np.float32], done: NDArray[np.float32], count: int, rng: np.random.Generator
) -> list[Examples]:
    """One demonstration as it was, and in so many other places."""
    parts = [(seen, done)]
    for _ in range(count if len(seen) else 0):
        moved = seen.copy()
        least, most = -1.0 - seen[:, 4:6].min(axis=0), 1.0 - seen[:, 4:6].max(axis=0)
        moved[:, 4:6] += rng.uniform(np.minimum(least, 0.0), np.maximum(most, 0.0))
        moved[:, 3] *= rng.uniform(NEAREST_M, FARTHEST_M) / max(float(seen[:, 3].max()), NEAREST_M)
        parts.append((moved, done))
    return parts


def _examples(one: Demonstration) -> Examples:
    decisions: Table = np.arange(int(one.duration / DECISION_S + 1e-6) + 1, dtype=np.float64) * DECISION_S
    times: Table = np.arange(len(one.states), dtype=np.float64) / one.fps
    head = _left_and_up(decisions, times, one.states)
    places = np.minimum(np.round(decisions * one.fps).astype(int), len(times) - 1)
    bearing, visible = _known_bearings(one.targets[places], head)
    part = _approach(bearing, visible, head)
    pace = max(1, math.ceil((part.stop - part.start) / LONGEST_TURN))
    turns = _left_and_up(decisions + AHEAD * pace * DECISION_S, times, one.states) - head
    elapsed = (np.arange(len(decisions)) - part.start) / pace
    observed = np.zeros((len(decisions), LookAtTask.observation_size), dtype=np.float32)
    observed[:, :2] = bearing / BEARING_SCALE
    observed[:, 2] = visible
    observed[:, 3] = np.where(visible, one.targets[places, DISTANCE], 0.0)
    observed[:, 4:6] = head / [MOST_YAW, MOST_PITCH]
    observed[:, 6] = np.clip(1.0 - elapsed / LookAtTask.horizon, 0.0, 1.0)
    return observed[part], np.clip(turns / STEP, -1.0, 1.0).astype(np.float32)[part]


def _approach(bearing: Table, visible: NDArray[np.bool_], head: Table) -> slice:
    """The decisions from the first turn after the head was farthest from the target to the first at which the camera
    points at it, or to the turn that came nearest."""
    known = np.maximum.accumulate(visible)
    turns = np.abs(np.diff(head, axis=0, append=head[-1:])).max(axis=1) > LEAST_TURN
    error = np.hypot(bearing[:, 0], bearing[:, 1])
    farthest = int(np.argmax(np.where(known, error, -1.0)))
    begun = known & turns & (np.arange(len(head)) >= farthest)
    if not begun.any():
        return slice(0, 0)
    first, last = int(np.argmax(begun)), len(begun) - 1 - int(np.argmax(begun[::-1]))
    there = visible[first:] & (error[first:] < SUCCESS)
    return slice(first, 1 + first + int(np.argmax(there) if there.any() else np.argmin(error[first : last + 1])))


def _left_and_up(decisions: Table, times: Table, poses: NDArray[np.float32]) -> Table:
    """The head's angles to the left and up at each decision."""
    return np.stack([np.interp(decisions, times, poses[:, YAW]), -np.interp(decisions, times, poses[:, PITCH])], axis=1)


def _known_bearings(targets: NDArray[np.float32], head: Table) -> tuple[Table, NDArray[np.bool_]]:
    """Bearings to the left and up at each decision, and whether the target was visible then."""
    visible = targets[:, 2] > 0.5
    bearings = targets[:, :2].astype(np.float64) * [1.0, -1.0]
    seen_at = np.maximum.accumulate(np.where(visible, np.arange(len(targets)), 0))
    return bearings[seen_at] - (head - head[seen_at]), visible
