"""`MixedTask`: robots side by side that practise several tasks, for one policy that learns all of them.

    kind = mixed([TASKS["look_at"], TASKS["track_face"]])        # also: task_kind("look_at+track_face")
    kind = mixed(kinds, practised=["look_at"])                   # the same policy, in one of its tasks

An observation is that of the robot's task, padded with zeros, and which task it is (one column each); an action is that
of the task, padded with what is ignored. A policy that goes on learning with the tasks of before does not forget them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reachy_mind.errors import InvalidParameter
from reachy_mind.learning.environments.bodies import Array, Mask
from reachy_mind.learning.environments.kind import TaskKind
from reachy_mind.learning.environments.scenes import Scenes
from reachy_mind.learning.environments.task import Actions, DetectionErrors, Judged, Observations

SEPARATOR = "+"


class MixedTask:
    """The robots take turns: of two tasks every second one has the first."""

    def __init__(
        self, count: int, kinds: Sequence[TaskKind], practised: Sequence[int], difficulty: float, scenes: Scenes
    ) -> None:
        self.name = SEPARATOR.join(kind.name for kind in kinds)
        self._kinds = kinds
        self._padded = max(kind.observation_size for kind in kinds)
        self.observation_size = self._padded + len(kinds)
        self.action_size = max(kind.action_size for kind in kinds)
        self.horizon = max(kind.horizon for kind in kinds)
        self._steps = np.zeros(count, np.int64)
        turns = np.resize(np.asarray(practised), count)
        self._parts = [
            (which, np.flatnonzero(turns == which), kinds[which].make(int((turns == which).sum()), difficulty, scenes))
            for which in sorted(set(practised))
        ]

    def reset(self, rng: np.random.Generator, rows: Mask, poses: Array) -> None:
        self._steps[rows] = 0
        for _, own, task in self._parts:
            task.reset(rng, rows[own], poses[own])

    def target(self, actions: Actions, commanded: Array, poses: Array) -> Array:
        wanted = commanded.copy()
        for which, own, task in self._parts:
            given = actions[own, : self._kinds[which].action_size]
            wanted[own] = task.target(given, commanded[own], poses[own])
        return wanted

    def advance(self, seconds: float) -> None:
        self._steps += 1
        for _, _, task in self._parts:
            task.advance(seconds)

    def perceive(self, rows: Mask, poses: Array, errors: DetectionErrors) -> None:
        for _, own, task in self._parts:
            task.perceive(rows[own], poses[own], DetectionErrors(errors.bearing[own], errors.missed[own]))

    def observe(self, poses: Array, time_left: Array) -> Observations:
        observations = np.zeros((len(poses), self.observation_size), np.float32)
        gone = (1.0 - time_left) * self.horizon
        for which, own, task in self._parts:
            kind = self._kinds[which]
            observations[own, : kind.observation_size] = task.observe(poses[own], 1.0 - gone[own] / kind.horizon)
            observations[own, self._padded + which] = 1.0
        return observations

    def judge(self, poses: Array) -> Judged:
        count = len(poses)
        judged = Judged(np.zeros(count), np.zeros(count, np.bool_), np.zeros(count, np.bool_))
        for which, own, task in self._parts:
            part = task.judge(poses[own])
            judged.reward[own], judged.success[own] = part.reward, part.success
            # Shorter tasks end before the horizon of all.
            judged.done[own] = part.done | (self._steps[own] >= self._kinds[which].horizon)
        return judged

    def expert(self, poses: Array, commanded: Array) -> Actions:
        actions = np.zeros((len(poses), self.action_size), np.float32)
        for which, own, task in self._parts:
            actions[own, : self._kinds[which].action_size] = task.expert(poses[own], commanded[own])
        return actions


@dataclass(frozen=True)
class Mixture:
    """Several tasks whose observations and actions are of the same size. `practised`: indices of those that robots
    have."""

    kinds: Sequence[TaskKind]
    practised: Sequence[int]

    @property
    def padded(self) -> int:
        """Size of an observation without the columns that tell the task."""
        return max(kind.observation_size for kind in self.kinds)

    @property
    def action_size(self) -> int:
        return max(kind.action_size for kind in self.kinds)

    def make(self, count: int, difficulty: float, scenes: Scenes) -> MixedTask:
        return MixedTask(count, self.kinds, self.practised, difficulty, scenes)

    def control(self, observations: Observations) -> Actions:
        """Each row by the controller of its task."""
        actions = np.zeros((len(observations), self.action_size), np.float32)
        for which, kind in enumerate(self.kinds):
            own = self._rows(observations, which)
            actions[own, : kind.action_size] = kind.control(observations[own, : kind.observation_size])
        return actions

    def mirror(self, observations: Observations, actions: Actions) -> tuple[Observations, Actions]:
        """The examples, and those of tasks that have a left and a right with these exchanged."""
        seen, done = [observations], [actions]
        for which, kind in enumerate(self.kinds):
            own = self._rows(observations, which)
            if kind.mirror is None:
                continue
            size, acts = kind.observation_size, kind.action_size
            other, turned = observations[own], actions[own]
            both = kind.mirror(other[:, :size], turned[:, :acts])
            other[:, :size], turned[:, :acts] = both[0][len(own) :], both[1][len(own) :]
            seen.append(other)
            done.append(turned)
        return np.concatenate(seen), np.concatenate(done)

    def _rows(self, observations: Observations, which: int) -> NDArray[np.int64]:
        return np.flatnonzero(observations[:, self.padded :].argmax(axis=1) == which)


def mixed(kinds: Sequence[TaskKind], practised: Sequence[str] = ()) -> TaskKind:
    """The mixture of these tasks, of which the robots practise all, or those named. Raises InvalidParameter for a name
    that is none of them."""
    names = [kind.name for kind in kinds]
    unknown = [name for name in practised if name not in names]
    if unknown:
        raise InvalidParameter(f"not in the mixture: {', '.join(unknown)}", hint=f"some of {', '.join(names)}")
    mixture = Mixture(tuple(kinds), [names.index(name) for name in practised] or list(range(len(kinds))))
    return TaskKind(
        SEPARATOR.join(names),
        ", ".join(kind.purpose for kind in kinds),
        mixture.padded + len(kinds),
        mixture.action_size,
        max(kind.horizon for kind in kinds),
        mixture.make,
        mixture.mirror,
        mixture.control,
    )
