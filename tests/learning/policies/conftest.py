"""Policies that are fitted without PyTorch: fixed random features, and a least-squares output."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from reachy_mind.learning.environments.environment import BatchEnvironment
from reachy_mind.learning.environments.look_at import BEARING_SCALE, EXPERT_GAIN, STEP, mirrored
from reachy_mind.learning.policies.experience import Experience
from reachy_mind.learning.policies.policy import Policy

HIDDEN = 64
Fitted = Callable[..., Policy]


def geometric(observations: np.ndarray) -> np.ndarray:
    """The controller of look_at: turns a share of the bearing that is seen."""
    return np.clip(EXPERT_GAIN * observations[:, :2] * BEARING_SCALE / STEP, -1.0, 1.0)


def shown(environment: BatchEnvironment) -> tuple[np.ndarray, np.ndarray]:
    """What the expert saw and did in one episode on each robot."""
    observations, running = environment.reset(), np.ones(environment.count, np.bool_)
    seen, done = [], []
    while running.any():
        actions = environment.expert()
        seen.append(observations[running])
        done.append(actions[running])
        step = environment.step(actions)
        observations, running = step.observations, running & ~step.over
    return mirrored(np.concatenate(seen), np.concatenate(done))


@pytest.fixture
def fitted() -> Fitted:
    """Makes a policy of what the expert of an environment shows, with its experience."""

    def fit(environment: BatchEnvironment, seed: int = 0) -> Policy:
        seen, done = shown(environment)
        rng = np.random.default_rng(seed)
        size = seen.shape[1]
        first = (rng.normal(0.0, 0.7, (size, HIDDEN)), rng.normal(0.0, 0.3, HIDDEN))
        features = np.c_[np.tanh(seen @ first[0] + first[1]), np.ones(len(seen))]
        wanted = np.arctanh(np.clip(done, -0.98, 0.98))
        solved = np.linalg.solve(features.T @ features + 1e-2 * np.eye(HIDDEN + 1), features.T @ wanted)
        layers = [first, (solved[:-1], solved[-1])]
        return Policy(
            [(weights.astype(np.float32), bias.astype(np.float32)) for weights, bias in layers],
            np.zeros(size, np.float32),
            np.ones(size, np.float32),
            {"task": "look_at"},
            Experience.of(seen),
        )

    return fit
