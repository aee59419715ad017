"""How good readings of feedback are: sign, nearness, stops, and whether the confidence is what it says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from reachy_mind.feedback.reward import ANCHORS, TOLERANCE, RewardModel, decided
from reachy_mind.learning.feedback_examples import FeedbackLine

SIGNED = 0.2
"""Rewards from here on have a sign that counts."""
BUCKETS = 10
TEMPERATURES = tuple(round(0.5 + 0.05 * step, 2) for step in range(51))


def is_near(reward: float, wanted: float) -> bool:
    return abs(reward - wanted) <= TOLERANCE + 1e-6


def calibration_error(confidences: Sequence[float], right: Sequence[bool]) -> float:
    """The expected calibration error: how far confidence is from how often it was right, over ten buckets."""
    sure, hit = np.asarray(confidences, float), np.asarray(right, float)
    bucket = np.minimum((sure * BUCKETS).astype(int), BUCKETS - 1)
    gaps = [
        abs(sure[bucket == at].mean() - hit[bucket == at].mean()) * (bucket == at).sum()
        for at in range(BUCKETS)
        if (bucket == at).any()
    ]
    return float(sum(gaps) / max(1, len(sure)))


def score(model: RewardModel, lines: Sequence[FeedbackLine]) -> dict[str, Any]:
    """The figures of the model alone, without rules, on lines that it was not trained on."""
    scored = [line for line in lines if line.reward_weight > 0]
    estimates = [model.estimate(line.text) for line in scored]
    near = [is_near(found.reward, line.reward) for found, line in zip(estimates, scored, strict=True)]
    signs = [
        (found.reward > 0) == (line.reward > 0)
        for found, line in zip(estimates, scored, strict=True)
        if abs(line.reward) >= SIGNED - 1e-6
    ]
    return {
        "lines": len(scored),
        "families": len({line.family for line in scored}),
        "sign": round(float(np.mean(signs)), 4) if signs else 0.0,
        "near": round(float(np.mean(near)), 4) if near else 0.0,
        "calibration_error": round(calibration_error([found.confidence for found in estimates], near), 4),
    }


def temperature_of(model: RewardModel, lines: Sequence[FeedbackLine]) -> float:
    """The temperature at which the confidence is nearest to how often the reward is near enough."""
    scored = [line for line in lines if line.reward_weight > 0]
    chances = np.array([model.estimate(line.text).distribution for line in scored])
    best, least = 1.0, np.inf
    for temperature in TEMPERATURES:
        warmed = chances ** (1 / temperature)
        warmed /= warmed.sum(1, keepdims=True)
        rewards = [decided(row) for row in warmed]
        within = np.abs(ANCHORS[None] - np.array(rewards)[:, None]) < TOLERANCE + 1e-3
        near = [is_near(reward, line.reward) for reward, line in zip(rewards, scored, strict=True)]
        error = calibration_error((warmed * within).sum(1).clip(0, 1).tolist(), near)
        if error < least:
            best, least = temperature, error
    return best
