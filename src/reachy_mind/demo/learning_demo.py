"""Demonstration 3: what people say becomes rewards and corrections, and skills are learned from demonstrations."""

from __future__ import annotations

import asyncio
import math
from itertools import pairwise
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from reachy_mind.demo.stage import Stage
from reachy_mind.errors import MissingExtra
from reachy_mind.events import Event, TrainingChanged
from reachy_mind.feedback.reader import FeedbackReader
from reachy_mind.learning.look_at.experiment import Experiment, LookAtOutcome, LookAtPlan
from reachy_mind.learning.look_at.learners import CorrectionLearner, NoLearner
from reachy_mind.learning.look_at.worlds import KinematicWorld
from reachy_mind.learning.policies.policy import Policy
from reachy_mind.learning.policies.skill_templates import LOOK_AT
from reachy_mind.learning.training.process import require_torch
from reachy_mind.learning.training.service import TrainingService
from reachy_mind.tools.builtin.aiming import wait_still

WORDS = ("That was perfect!", "Good, but a bit slow", "That's not quite right", "No! Stop!")
LOWER_DEGREES = 2.0
"""A correction that anybody sees; the usual "a bit" is five degrees."""
AIM_PLAN = LookAtPlan(every=2)
AIM_SEEDS = (0, 1, 2)
RUN = "demo-look-at"
DEMONSTRATIONS = 10
TRAINING_S = 300.0
HIDDEN = (64, 64)
PLACES = ((0.5, -0.169), (0.42, -0.33), (0.4, 0.33))
"""Of the apple: metres ahead and to the left."""
HIT_DEGREES = 6.0
"""With physics and breathing; without them 4 degrees count."""
SETTLE_S = 0.3


async def show(stage: Stage) -> None:
    await _reward(stage)
    await _correct(stage)
    await _aim_by_words(stage)
    if await _train(stage):
        await _publish(stage)
        await _perform(stage)


async def _reward(stage: Stage) -> None:
    async with stage.step("Words become rewards"):
        await stage.narrate("When you tell me how I did, I turn your words into a number between minus one and one.")
        own = stage.mind.configuration.home.reward_weights_file
        reader = await asyncio.to_thread(FeedbackReader.load, own)
        readings = [await asyncio.to_thread(reader.read, text) for text in WORDS]
        for text, reading in zip(WORDS, readings, strict=True):
            stage.record.add("person", text)
            stage.record.add("tool", f"reward {reading.reward:+.1f}" + (", and a stop" if reading.stop else ""))
        praise, mixed, doubt, stop = (reading.reward for reading in readings)
        stage.require(praise > 0 > doubt and praise > mixed > doubt, "praise counts for more than doubt")
        stage.require(readings[3].stop and stop == -1, "stop is a stop")
        stage.record.figure("reward_of_praise", praise, f"“{WORDS[0]}” is {praise:+.1f}, “{WORDS[3]}” is {stop:+.1f}")


async def _correct(stage: Stage) -> None:
    async with stage.step("Told once, done at once, and kept"):
        if not await stage.recognises_things():
            await stage.narrate("I recognise no things here, so I show it with my head alone.")
            await _correct_gesture(stage)
            return
        await stage.narrate("I look at the apple. Tell me what is wrong, and I do it better at once.")
        await _rest(stage)
        first = await _pitch_after(stage, "look at the apple")
        corrected = await _pitch_after(stage, "a bit lower")
        lower = corrected - first
        stage.require(lower > LOWER_DEGREES, f"it looks lower (it changed by {lower:.1f} degrees)")
        stage.record.figure("corrected_degrees", lower, f"one word: {lower:.1f} degrees lower")
        told = await stage.ask("what did you learn from me?")
        stage.require("lower" in told.text, f"it tells what it learned (it said: {told.text})")
        await _rest(stage)
        again = await _pitch_after(stage, "look at the apple")
        kept = again - first
        stage.require(kept > LOWER_DEGREES, f"it remembers (this time {kept:.1f} degrees lower than the first)")
        stage.record.figure("kept_degrees", kept, f"the next time it looks {kept:.1f} degrees lower by itself")


async def _correct_gesture(stage: Stage) -> None:
    await stage.ask("look left")
    await stage.ask("a bit further")
    told = await stage.ask("what did you learn from me?")
    stage.require("left" in told.text or "further" in told.text, f"it tells what it learned (it said: {told.text})")


async def _aim_by_words(stage: Stage) -> None:
    """A robot with a hidden error of its aim, and a simulated person who only talks: figures, not pictures."""
    async with stage.step("It learns to aim from words alone"):
        await stage.narrate(
            "Now somebody bends my aim, and I don't know how. A simulated person says things like: a touch lower, "
            "further left. That is all I get. I try it as three robots that are bent differently."
        )
        before = [await asyncio.to_thread(_aimed, NoLearner, LookAtPlan(utterances=1), seed) for seed in AIM_SEEDS]
        after = [await asyncio.to_thread(_aimed, CorrectionLearner, AIM_PLAN, seed) for seed in AIM_SEEDS]
        hit_before, hit_after = (fmean(each.success for each in outcomes) for outcomes in (before, after))
        needed = [each.utterances for each in after]
        stage.record.figure("aim_before", hit_before, f"before: {hit_before:.0%} of 300 fresh looks hit")
        stage.record.figure("aim_after", hit_after, f"after the lessons: {hit_after:.0%} of 300 other looks hit")
        stage.record.figure("aim_sentences", max(needed), f"sentences that each robot heard: {_listed(needed)}")
        stage.require(hit_after >= hit_before + 0.2, "its aim becomes at least 20 points better")
        await stage.narrate(
            f"Before, {hit_before:.0%} of my looks hit. After at most {max(needed)} sentences, {hit_after:.0%} do."
        )


def _aimed(learner: Any, plan: LookAtPlan, seed: int) -> LookAtOutcome:
    return Experiment(KinematicWorld(), learner, seed, plan).run()


def _listed(numbers: list[int]) -> str:
    return ", ".join(map(str, numbers))


async def _train(stage: Stage) -> bool:
    """Learn from demonstrations in a process of its own. False where nothing can be trained."""
    async with stage.step("It learns a skill from ten demonstrations"):
        try:
            require_torch()
        except MissingExtra as error:
            await stage.narrate(
                "For this I need PyTorch, which is not installed here. Aiming from words, which you saw, needs nothing."
            )
            stage.record.add("note", f"{error.message}; {error.hint}")
            return False
        await stage.narrate("Now I am shown ten times how to look at a thing, and imitate it. It takes some seconds.")
        TrainingService.of(stage.mind)
        untrained = await asyncio.to_thread(_success, stage, None)
        wanted = {"name": RUN, "task": "look_at", "algorithm": "clone", "episodes": DEMONSTRATIONS, "seed": 0}
        with stage.mind.bus.subscribe(TrainingChanged) as changes:
            await stage.act("learning.start_training", **wanted)
            ended = await stage.first(changes, _over, TRAINING_S)
        assert isinstance(ended, TrainingChanged)
        stage.require(ended.state == "done", f"the training ends ({ended.state}: {ended.reason})")
        trained = await asyncio.to_thread(_success, stage, stage.mind.configuration.home.training_folder / RUN)
        stage.record.figure("skill_before", untrained, f"untrained network: {untrained:.0%} of 200 unseen scenes")
        stage.record.figure("skill_after", trained, f"after {DEMONSTRATIONS} demonstrations: {trained:.0%}")
        stage.require(trained >= untrained + 0.2, "the skill becomes at least 20 points better")
        return True


def _over(event: Event) -> bool:
    return isinstance(event, TrainingChanged) and event.state not in ("starting", "running", "waiting")


def _success(stage: Stage, run: Path | None) -> float:
    """The share of unseen scenes in which a run's policy succeeds; without a run, a network that learned nothing."""
    from reachy_mind.learning.environments.catalogue import task_kind  # noqa: PLC0415 -- numpy alone, but slow to load
    from reachy_mind.learning.evaluation.success import evaluate  # noqa: PLC0415
    from reachy_mind.learning.training.plan import HELD_OUT_SEED, POLICY_FILE  # noqa: PLC0415
    from reachy_mind.learning.training.world import PracticeWorld  # noqa: PLC0415
    from reachy_mind.models.robot_description import compiled_folder, description  # noqa: PLC0415

    configuration = stage.mind.configuration
    world = PracticeWorld(description(configuration), compiled_folder(configuration))
    environment = world.environment("look_at", 200, body="kinematic", seed=1)
    kind = task_kind("look_at")
    policy = _untrained(kind.observation_size, kind.action_size) if run is None else Policy.load(run / POLICY_FILE)
    try:
        return evaluate(policy, environment, 3 * HELD_OUT_SEED).success
    finally:
        environment.close()


def _untrained(observations: int, actions: int) -> Policy:
    """A network of the usual size with random weights."""
    rng = np.random.default_rng(0)
    sizes = (observations, *HIDDEN, actions)
    layers = [
        (rng.normal(0, before**-0.5, (before, after)).astype(np.float32), np.zeros(after, np.float32))
        for before, after in pairwise(sizes)
    ]
    return Policy(layers, np.zeros(observations, np.float32), np.ones(observations, np.float32))


async def _publish(stage: Stage) -> None:
    async with stage.step("The skill becomes a tool"):
        await stage.narrate("What I learned becomes a tool. It is tried in simulation, and you are asked.")
        shelved = await stage.act("learning.publish_training", name=RUN)
        versions = await asyncio.to_thread(stage.mind.generated.shelf.versions, LOOK_AT.tool_name)
        version = versions[-1]
        stage.record.add("note", f"{version.name} v{version.number} passed its trial ({shelved.get('message', '')})")
        given = {"name": version.name, "version": version.number, "sha256": version.sha256}
        await stage.act("workshop.approve_tool", **given, capabilities=list(version.capabilities))
        active = await asyncio.to_thread(stage.mind.generated.shelf.active, version.name)
        stage.require(active is not None, f"{version.name} is in use")


async def _perform(stage: Stage) -> None:
    async with stage.step("It does what it learned"):
        if stage.scene is None or not await stage.recognises_things():
            await stage.narrate("The skill needs things that I recognise.")
            await stage.ask("show me your practised look at")
            return
        await stage.narrate("Now I do it with my own head, with the apple in three places.")
        misses = []
        for place in PLACES:
            await stage.scene.move("apple", place)
            await _rest(stage)
            did = await stage.ask("look at the apple the way you learned it")
            stage.require([call.name for call in did.tool_calls] == [LOOK_AT.tool_name], f"it uses {LOOK_AT.tool_name}")
            misses.append(await stage.scene.off("apple"))
        worst = max(misses)
        stage.require(worst < HIT_DEGREES, f"it looks at the apple in each place (worst: {worst:.1f} degrees past it)")
        stage.record.figure("skill_worst_degrees", worst, f"{len(PLACES)} places, at most {worst:.1f} degrees past it")
        await stage.narrate("I learned that from ten demonstrations. Thank you for watching.")


async def _rest(stage: Stage) -> None:
    await stage.act("robot.rest", speed="fast")
    await wait_still(stage.mind.body())


async def _pitch_after(stage: Stage, request: str) -> float:
    """Degrees that the head looks down after a request."""
    await stage.ask(request)
    await wait_still(stage.mind.body())
    await asyncio.sleep(SETTLE_S)
    return math.degrees(stage.mind.body().state.pose.pitch)
