"""`reachy-mind learn demo`: the robot shows what a run learned, and people say how they liked it."""

from __future__ import annotations

import contextlib
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from reachy_mind.cli import learn
from reachy_mind.cli.learn import Json, tell
from reachy_mind.cli.learn_train import Run, Task, configured, run_folder

if TYPE_CHECKING:
    from reachy_mind.config.configuration import Configuration
    from reachy_mind.learning.environments.bodies import BatchBody

app = learn.app


@app.command()
def demo(
    name: Run = None,
    task: Task = "look_at",
    scenes: Annotated[int, typer.Option("--scenes", help="How many to show.", min=1, max=100)] = 3,
    ask: Annotated[bool, typer.Option("--ask", help="Ask afterwards how it was: five questions, 1 to 5.")] = False,
    who: Annotated[str, typer.Option("--who", help="Who answers, for the report.")] = "",
    as_json: Json = False,
) -> None:
    """Show what a run learned, on the robot of the running mind; without one, in figures only."""
    from reachy_mind.errors import InvalidParameter
    from reachy_mind.learning.environments.bodies import KinematicBody
    from reachy_mind.learning.environments.catalogue import task_kind
    from reachy_mind.learning.evaluation.showing import shown
    from reachy_mind.learning.policies.guarded import GuardedPolicy
    from reachy_mind.learning.policies.policy import Policy
    from reachy_mind.learning.training.announced_task import AnnouncedTask
    from reachy_mind.learning.training.plan import HELD_OUT_SEED, POLICY_FILE, read_plan

    configuration, world = configured()
    folder = run_folder(configuration, name, task)
    plan, file = read_plan(folder), folder / POLICY_FILE
    if plan is None or not file.is_file():
        hint = "reachy-mind learn status lists the runs" if plan is None else "train it to its first evaluation"
        raise InvalidParameter(f"{folder.name} has no policy to show", hint=hint)
    actor = GuardedPolicy(Policy.load(file), task_kind(plan.task).control)
    with _robot(configuration) as robot:
        seed = HELD_OUT_SEED + time.time_ns() % HELD_OUT_SEED
        environment = world.environment(plan.task, 1, body=robot or KinematicBody(1), seed=seed)
        environment.task = AnnouncedTask(environment.task, tell)
        episodes = []
        for episode in shown(actor, environment, scenes):
            episodes.append(episode)
            tell(f"  {'done' if episode.success else 'not done'} after {episode.seconds:.1f} s")
    if told := actor.told():
        tell(told)
    score = _asked(configuration, folder, who) if ask else None
    done = sum(episode.success for episode in episodes)
    if as_json:
        outcome: dict[str, Any] = {"name": folder.name, "scenes": scenes, "done": done, "fallbacks": actor.fallbacks}
        print(json.dumps(outcome | {"decisions": actor.decisions, "satisfaction": score}))
        return
    print(f"{folder.name}: {done} of {scenes} done." + ("" if score is None else f" You gave it {score:.1f} of 5."))


@contextlib.contextmanager
def _robot(configuration: Configuration) -> Iterator[BatchBody | None]:
    from reachy_mind.learning.training.live_body import LiveBody
    from reachy_mind.storage.owner import find

    owner = find(configuration.home)
    if owner is None:
        tell("No mind is running: you see the figures only. `reachy-mind run` in another terminal shows the robot.")
        yield None
        return
    with LiveBody.connected(owner.port, owner.token) as body:
        yield body


def _asked(configuration: Configuration, folder: Path, who: str) -> float | None:
    """The mean of the answers, which are kept; None where nobody answered."""
    from reachy_mind.learning.evaluation.satisfaction import QUESTIONS, FilledForm, SatisfactionFile

    tell("How was it? 1: not at all, 5: fully; Enter leaves one out.")
    answers = {}
    for question, sentence in QUESTIONS.items():
        given = _answer(sentence)
        if given is None:
            break
        if given:
            answers[question] = given
    if not answers:
        return None
    form = FilledForm(about=folder.name, who=who[:80], answers=answers)
    SatisfactionFile(configuration.home.satisfaction_file).append(form)
    return form.score


def _answer(sentence: str) -> int | None:
    """1 to 5, or 0 for none; None when there is nobody to answer."""
    while True:
        print(f"  {sentence} ", end="", file=sys.stderr, flush=True)
        line = sys.stdin.readline()
        if not line:
            print(file=sys.stderr)
            return None
        if not line.strip():
            return 0
        if line.strip() in {"1", "2", "3", "4", "5"}:
            return int(line.strip())
        tell("  a number from 1 to 5")
