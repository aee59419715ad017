"""Measures a `DemonstrationStudy` for one seed: behaviour cloning of the expert, by the number of demonstrations."""

from __future__ import annotations

from dataclasses import replace

from reachy_mind.learning.algorithms.behaviour_cloning import clone, demonstrated
from reachy_mind.learning.environments.scenes import Scenes
from reachy_mind.learning.evaluation.conditions import under_conditions
from reachy_mind.learning.evaluation.studies import DemonstrationStudy
from reachy_mind.learning.evaluation.study_results import SeedResult
from reachy_mind.learning.policies.experience import Experience
from reachy_mind.learning.policies.policy import Policy
from reachy_mind.learning.training.learners import with_mirrored
from reachy_mind.learning.training.world import PracticeWorld


def cloned(world: PracticeWorld, task: str, count: int, seed: int, scenes: Scenes = "usual") -> Policy:
    """A policy that does what the expert showed so many times, as `learn train` makes it."""
    shown = demonstrated(world.environment(task, count, seed=seed, scenes=scenes), count)
    examples = with_mirrored(task, shown)
    return replace(clone(*examples, seed=seed), experience=Experience.of(examples[0]))


def measured(study: DemonstrationStudy, world: PracticeWorld, seed: int) -> SeedResult:
    """Figures are named by condition and number of demonstrations: `unseen_10`."""
    figures: dict[str, float | None] = {}
    for count in study.counts:
        policy = cloned(world, study.task, count, seed, study.trained_in)
        found = under_conditions(world, study.task, policy, seed, study.held_out)
        figures |= {f"{name}_{count}": value for name, value in found.items()}
    curve = tuple((count, figures[f"usual_{count}"] or 0.0) for count in study.counts)
    return SeedResult(seed=seed, figures=figures, curves={"success": curve})
