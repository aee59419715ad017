"""Does a robot that aims badly learn to look at an apple from what people say?

Each seed is a robot with another error of its aim (gain 0.7 to 1.3 and up to 15 degrees on each axis) and another
person, who names the worse axis, a direction (one in ten is wrong) and a rough size, or says that it is perfect. Ours:
the learner of corrections. Reference: no learning, and the reward of the same words alone. Counted: utterances until
95 % of fresh scenes are hit within 4 degrees at the first look, confirmed on other fresh scenes; at most 60. The worlds
(`--world`): geometry, the physics of the simulator, and physics with the apple found in the camera's picture.
"""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import cast

import numpy as np

from reachy_mind.bench import Figures
from reachy_mind.config.configuration import Configuration
from reachy_mind.learning.look_at.experiment import Experiment, LookAtOutcome, LookAtPlan
from reachy_mind.learning.look_at.learners import AimLearner, CorrectionLearner, NoLearner, RewardLearner
from reachy_mind.learning.look_at.scene import LookAtWorld
from reachy_mind.learning.look_at.worlds import WORLDS, WorldName, open_world
from reachy_mind.models.robot_description import compiled_folder, description

SECONDS = 1800.0
"""No further seed is begun after this."""
SETS = WORLDS
SEEDS = 10
PLANS: dict[WorldName, LookAtPlan] = {
    "kinematic": LookAtPlan(),
    "physics": LookAtPlan(every=2),
    "camera": LookAtPlan(scenes=50, every=2),
}
"""Rendering takes its time: half as many scenes with the camera."""


async def measure(
    configuration: Configuration, seconds: float, collection: str = WORLDS[0], seeds: int = SEEDS
) -> Figures:
    name = cast(WorldName, collection)
    return await asyncio.to_thread(_measured, configuration, name, seeds, time.monotonic() + seconds)


def _measured(configuration: Configuration, name: WorldName, seeds: int, end: float) -> Figures:
    plan = PLANS[name]
    robot = Path() if name == "kinematic" else description(configuration)
    world = open_world(name, robot, compiled_folder(configuration))
    try:
        ours = _run(world, CorrectionLearner, plan, range(seeds), end)
        done = range(len(ours))
        reward = _run(world, RewardLearner, plan, done, end)
        nothing = _run(world, NoLearner, LookAtPlan(utterances=1, scenes=plan.scenes), done, end)
    finally:
        world.close()
    learned, rewarded = _figures(ours), _figures(reward)
    reference = {f"reward_{key}": value for key, value in rewarded.items()}
    reference["untaught_success"] = _success(nothing)
    ratio = {"success": round(learned["success"] / max(rewarded["success"], 0.01), 2)}
    missed = [f"seed {seed}: {each.success:.0%} after 60" for seed, each in enumerate(ours) if each.reached is None]
    notes = {"world": f"{name}, {plan.scenes} scenes in each evaluation"}
    return Figures(learned, reference, ratio, notes, missed)


def _run(
    world: LookAtWorld,
    learner: Callable[[np.random.Generator], AimLearner],
    plan: LookAtPlan,
    seeds: Sequence[int],
    end: float,
) -> list[LookAtOutcome]:
    outcomes: list[LookAtOutcome] = []
    for seed in seeds:
        if outcomes and time.monotonic() > end:
            break
        outcomes.append(Experiment(world, learner, seed, plan).run())
    return outcomes


def _figures(outcomes: Sequence[LookAtOutcome]) -> dict[str, float]:
    reached = [each.reached for each in outcomes if each.reached is not None]
    return {
        "seeds": len(outcomes),
        "reached_in_60": len(reached),
        **({"median_utterances": statistics.median(reached), "most_utterances": max(reached)} if reached else {}),
        "success": _success(outcomes),
    }


def _success(outcomes: Sequence[LookAtOutcome]) -> float:
    """The mean share of fresh scenes that are hit at the first look."""
    return round(statistics.fmean(each.success for each in outcomes), 3)
