"""Training runs as a training leaves them on disk, made without PyTorch."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from reachy_mind.learning.environments.catalogue import task_kind
from reachy_mind.learning.environments.look_at import BEARING_SCALE, EXPERT_GAIN, STEP
from reachy_mind.learning.policies.experience import Experience
from reachy_mind.learning.policies.policy import Policy
from reachy_mind.learning.training.curve import CurvePoint, LearningCurve
from reachy_mind.learning.training.plan import PLAN_FILE, TrainingPlan
from reachy_mind.learning.training.progress import TrainingProgress

SMALL = 0.05
"""The hidden layer stays where tanh is nearly a line."""


def looking() -> Policy:
    """Turns a share of the bearing that is seen, as the controller of look_at does."""
    size = task_kind("look_at").observation_size
    seen = np.random.default_rng(0).uniform(-1.0, 1.0, (500, size))
    first, last = np.zeros((size, 2), np.float32), np.zeros((2, 2), np.float32)
    first[[0, 1], [0, 1]] = SMALL
    last[[0, 1], [0, 1]] = EXPERT_GAIN * np.broadcast_to(BEARING_SCALE / STEP, 2) / SMALL
    layers = [(first, np.zeros(2, np.float32)), (last, np.zeros(2, np.float32))]
    nothing, one = np.zeros(size, np.float32), np.ones(size, np.float32)
    return Policy(layers, nothing, one, {"task": "look_at", "figures": {"success": 0.97}}, Experience.of(seen))


def left_on_disk(
    folder: Path,
    plan: TrainingPlan | None = None,
    progress: TrainingProgress | None = None,
    policy: Policy | None = None,
    curve: tuple[tuple[int, float], ...] = (),
) -> None:
    """A run with what it has come to. `curve`: episodes and the success after them."""
    folder.mkdir(parents=True)
    plan = plan or TrainingPlan(algorithm="ppo", episodes=60)
    (folder / PLAN_FILE).write_text(plan.model_dump_json())
    points = LearningCurve(folder / "curve.jsonl")
    for episode, success in curve:
        points.append(CurvePoint(episode, success, 1.5, 0.01, float(episode)))
    if progress is not None:
        (folder / "progress.json").write_text(json.dumps(progress.as_dict()))
    if policy is not None:
        (folder / "policy.npz").write_bytes(policy.to_bytes())
