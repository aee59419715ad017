"""Measures an `AdaptationStudy` for one seed: two ways to adapt to a robot with another gain and delay."""

from __future__ import annotations

from reachy_mind.learning.algorithms.adaptation import ActionEffect, adapted
from reachy_mind.learning.algorithms.behaviour_cloning import DAgger, demonstrated
from reachy_mind.learning.environments.catalogue import task_kind
from reachy_mind.learning.evaluation.conditions import FRESH_SEED
from reachy_mind.learning.evaluation.demonstration_study import cloned
from reachy_mind.learning.evaluation.studies import AdaptationStudy
from reachy_mind.learning.evaluation.study_results import SeedResult
from reachy_mind.learning.evaluation.success import PolicyFigures, evaluate
from reachy_mind.learning.policies.policy import Actor
from reachy_mind.learning.training.world import PracticeWorld

MODEL_ROBOTS = 30
"""Episodes on the robot of the model, to see what an action does there."""


def measured(study: AdaptationStudy, world: PracticeWorld, seed: int) -> SeedResult:
    """The response estimated from one robot's episodes, and DAgger on as many of them."""
    policy = cloned(world, study.task, study.demonstrations, seed)
    effect = ActionEffect.met(policy, world.environment(study.task, MODEL_ROBOTS, seed=seed))

    def judged(actor: Actor) -> PolicyFigures:
        robots = world.environment(study.task, study.held_out, randomisation=study.robot)
        return evaluate(actor, robots, FRESH_SEED + seed)

    before = judged(policy)
    figures: dict[str, float | None] = {"before": before.success, "before_violations": before.violations}
    for episodes in study.episodes:
        one = world.environment(study.task, 1, seed=seed, randomisation=study.robot)
        adaptive = adapted(policy, effect, one, episodes)
        after = judged(adaptive.settled())
        figures |= {f"after_{episodes}": after.success, f"after_{episodes}_violations": after.violations}
    figures |= {"gain": adaptive.response.gain, "delay": adaptive.response.delay}
    most = study.episodes[-1]
    shown = demonstrated(world.environment(study.task, study.demonstrations, seed=seed), study.demonstrations)
    dagger = DAgger(*shown, seed=seed, mirror=task_kind(study.task).mirror)
    dagger.learn_from(world.environment(study.task, most, seed=seed, randomisation=study.robot), most)
    figures[f"dagger_{most}"] = judged(dagger.policy()).success
    curve = ((0, before.success), *((count, figures[f"after_{count}"] or 0.0) for count in study.episodes))
    return SeedResult(seed=seed, figures=figures, curves={"success": curve})
