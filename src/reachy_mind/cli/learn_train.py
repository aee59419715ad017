"""`reachy-mind learn train|eval|status|rollback`: practise a task in simulation, and say how good it went."""

from __future__ import annotations

import json
import re
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from reachy_mind.cli import learn
from reachy_mind.cli.learn import Json, tell

if TYPE_CHECKING:
    from reachy_mind.config.configuration import Configuration
    from reachy_mind.learning.policies.policy import Policy
    from reachy_mind.learning.training.plan import TrainingPlan
    from reachy_mind.learning.training.world import PracticeWorld

app = learn.app
Algorithm = Literal["clone", "dagger", "gail", "ppo", "sac", "tamer"]

Run = Annotated[
    str | None, typer.Option("--name", help="Of the run: small letters, digits, - and _; else the task's name.")
]
Task = Annotated[
    str,
    typer.Option(
        "--task", help="look_at, track_face, find_object, beat; or several for one policy, joined by +.", metavar="TASK"
    ),
]


@app.command()
def train(
    name: Run = None,
    task: Task = "look_at",
    algorithm: Annotated[
        Algorithm, typer.Option("--algorithm", help="From demonstrations (clone, dagger, gail) or by practice.")
    ] = "clone",
    episodes: Annotated[
        int | None, typer.Option("--episodes", help="10 demonstrations, or 300 of practice, if none is given.", min=1)
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="The same seed gives the same run.", min=0)] = 0,
    demonstrations: Annotated[
        str, typer.Option("--demonstrations", help="Imitate this dataset of yours, not the scripted expert.")
    ] = "",
    body: Annotated[
        Literal["kinematic", "physics", "gpu", "camera"],
        typer.Option(
            "--body", help="Of the robots that practise: gpu is physics by MuJoCo Warp; camera is for `learn eval`."
        ),
    ] = "kinematic",
    robots: Annotated[int, typer.Option("--robots", help="That practise side by side.", min=1, max=4096)] = 10,
    randomised: Annotated[
        bool, typer.Option("--randomised", help="On robots with another gain, delay and noise.")
    ] = False,
    curriculum: Annotated[bool, typer.Option("--curriculum", help="From easy scenes to hard ones.")] = False,
    workers: Annotated[
        int | None, typer.Option("--workers", help="Share the robots out to so many processes of Ray.", min=1)
    ] = None,
    human: Annotated[
        bool, typer.Option("--human", help="Wait for your feedback after each episode, or a demonstration.")
    ] = False,
    wait: Annotated[
        float, typer.Option("--wait", help="Seconds to wait for feedback; then it goes on.", min=0, max=600)
    ] = 30.0,
    with_parent: Annotated[bool, typer.Option("--with-parent", hidden=True)] = False,
    as_json: Json = False,
) -> None:
    """Train a policy for a task. A run that was interrupted goes on where it was."""
    from reachy_mind.errors import InvalidParameter, MissingExtra

    if body == "camera":
        # A policy sees the same values with any body, here at some ten decisions a second.
        hint = "train with --body kinematic or physics; then: reachy-mind learn eval --body camera"
        raise InvalidParameter("policies are not trained with the camera, only evaluated", hint=hint)
    configuration, world = configured()
    folder = run_folder(configuration, name, task)
    try:
        import torch

        from reachy_mind.cli.training_session import (
            PeopleShow,
            judge_for,
            practising_body,
            reward_weights,
            watching,
        )
        from reachy_mind.learning.training.plan import TrainingPlan, usual_episodes
        from reachy_mind.learning.training.process import end_with_parent
        from reachy_mind.learning.training.run import TrainingRun
    except ImportError as error:
        raise MissingExtra("training a policy", "learning") from error
    if with_parent:
        end_with_parent()
    torch.set_num_threads(1)  # small networks: more threads only wait for one another
    plan = TrainingPlan(
        task=task,
        algorithm=algorithm,
        episodes=episodes or usual_episodes(algorithm),
        seed=seed,
        demonstrations=demonstrations,
        body=body,
        robots=1 if human else robots,
        evaluate_every=1 if human else 50,  # what a person said is not lost, and seen at once
        randomised=randomised,
        curriculum=curriculum,
        human=human,
        weights=reward_weights(configuration),
    )
    datasets = PeopleShow(configuration, plan)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # stopped politely, it says so in its progress
    with practising_body(configuration, plan, world, workers) as robot, watching(plan, quiet=as_json) as watch:
        run = TrainingRun(folder, plan, world, shown=datasets.all(), body=robot)
        figures = run.run(watch, judge_for(configuration, plan, folder, datasets, wait), datasets.new)
    result = {"name": folder.name, "task": task, "algorithm": algorithm, "episodes": plan.episodes}
    _print_figures(result | {"policy": str(folder / "policy.npz")}, vars(figures), as_json=as_json)


@app.command("eval")
def evaluate_run(
    name: Run = None,
    task: Task = "look_at",
    body: Annotated[
        Literal["physics", "camera"] | None,
        typer.Option("--body", help="Also with physics; or with physics, seeing only what is in the rendered picture."),
    ] = None,
    scenes: Annotated[
        int, typer.Option("--scenes", help="With the camera, of each kind: one or two seconds each.", min=1, max=1000)
    ] = 20,
    as_json: Json = False,
) -> None:
    """Evaluate what a run learned, on held-out scenes: as in the model, on other robots, in unseen places."""
    from reachy_mind.errors import MissingExtra
    from reachy_mind.learning.environments.environment import DIVERSE
    from reachy_mind.learning.policies.policy import Policy

    configuration, world = configured()
    folder = run_folder(configuration, name, task)
    try:
        from reachy_mind.learning.training.run import open_run
    except ImportError as error:
        raise MissingExtra("evaluating a training run", "learning") from error
    run = open_run(folder, world)
    policy = Policy.load(folder / "policy.npz")
    shifted, unseen = run.evaluation(policy, DIVERSE), run.evaluation(policy, scenes="unseen")
    result = {
        "name": folder.name,
        "shifted_success": shifted.success,
        "shifted_violations": shifted.violations,
        "unseen_success": unseen.success,
    }
    if body == "physics":
        moved = run.evaluation(policy, body=body)
        result |= {"physics_success": moved.success, "physics_violations": moved.violations}
    if body == "camera":
        result |= _with_camera(world, run.plan, policy, scenes)
    _print_figures(result, vars(run.evaluation(policy)), as_json=as_json)


@app.command()
def status(as_json: Json = False) -> None:
    """List the training runs and how far they are."""
    from reachy_mind.learning.training.listing import list_runs

    runs = [run.as_dict() for run in list_runs(configured()[0].home.training_folder)]
    if as_json:
        print(json.dumps({"runs": runs}))
        return
    for run in runs:
        success = "not evaluated" if run["success_rate"] is None else f"{run['success_rate']:.1%}"
        curve = sparkline([success for _, success in run["curve"]])
        about = f"{run['task']}, {run['algorithm']}, {run['state']}, episode {run['episode']}"
        print(f"{run['name']}: {about}, {success} {curve}")
    if not runs:
        print("No training run yet. Begin one: reachy-mind learn train")


@app.command()
def rollback(name: Run = None, task: Task = "look_at", as_json: Json = False) -> None:
    """Discard the latest checkpoint of a run; its policy becomes that of the one before."""
    from reachy_mind.errors import MissingExtra

    configuration, world = configured()
    folder = run_folder(configuration, name, task)
    try:
        from reachy_mind.learning.training.run import open_run
    except ImportError as error:
        raise MissingExtra("rolling a training run back", "learning") from error
    back = open_run(folder, world).rollback()
    for reason in back.refused:
        tell(reason)
    result = {"name": folder.name, "checkpoint": back.info.id, "episode": back.info.episode, **back.info.figures}
    print(json.dumps(result) if as_json else f"{folder.name} is at episode {back.info.episode} again.")


def sparkline(shares: list[float]) -> str:
    """A curve of shares from 0 to 1, a character each."""
    return "".join(" ▁▂▃▄▅▆▇█"[round(8 * min(1.0, max(0.0, share)))] for share in shares[-40:])


def configured() -> tuple[Configuration, PracticeWorld]:
    """The configuration, and the world in which is practised."""
    from reachy_mind import log
    from reachy_mind.config.configuration import load
    from reachy_mind.learning.training.world import PracticeWorld
    from reachy_mind.models.robot_description import compiled_folder, description

    configuration = load()
    log.configure("warning", configuration.settings.log.format)
    return configuration, PracticeWorld(description(configuration), compiled_folder(configuration))


def run_folder(configuration: Configuration, name: str | None, task: str = "") -> Path:
    """Of the run of this name, else of the task's. Raises InvalidParameter for a name that can't be a folder's."""
    from reachy_mind.errors import InvalidParameter
    from reachy_mind.learning.training.plan import RUN_NAME, run_name

    name = name or run_name(task)

    if not re.fullmatch(RUN_NAME, name):
        raise InvalidParameter(f"a run can't be called {name[:80]!r}", hint="small letters, digits, - and _")
    return configuration.home.training_folder / name


def _with_camera(world: PracticeWorld, plan: TrainingPlan, policy: Policy, scenes: int) -> dict[str, Any]:
    """Success by the kind of scenes, and what a decision costs there."""
    from reachy_mind.learning.training.camera_evaluation import CameraEvaluation
    from reachy_mind.learning.training.plan import HELD_OUT_SEED

    with CameraEvaluation(world, plan.task, scenes, 2 * HELD_OUT_SEED + plan.seed) as evaluation:
        found = evaluation.figures(policy)
    shares = {f"camera_{name}_success": each.success for name, each in found.items()}
    usual = found["usual"]
    return shares | {
        "camera_scenes": scenes,
        "camera_decisions": usual.decisions,
        "camera_decision_ms": round(usual.decision_ms, 1),
        "camera_rendering_share": round(usual.camera_share, 3),
    }


def _print_figures(result: dict[str, Any], figures: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(figures | result))
        return
    print(f"{result['name']}: {figures['success']:.1%} of {figures['episodes']} held-out scenes,")
    print(f"{figures['mean_decisions']:.1f} decisions each, {figures['violations']:.2%} of them unsafe and corrected.")
    if "shifted_success" in result:
        print(f"On robots with another gain, delay and noise: {result['shifted_success']:.1%}.")
        print(f"In places outside those of the training: {result['unseen_success']:.1%}.")
    if "physics_success" in result:
        print(
            f"With physics: {result['physics_success']:.1%}, {result['physics_violations']:.2%} unsafe and corrected."
        )
    if "camera_scenes" in result:
        kinds = {"usual": "as in training", "unseen_things": "other things", "unseen_places": "unseen places"}
        shares = [(title, result.get(f"camera_{name}_success")) for name, title in kinds.items()]
        told = ", ".join(f"{title} {share:.1%}" for title, share in shares if share is not None)
        print(f"By the camera alone, {result['camera_scenes']} scenes each: {told}.")
        share = f"{result['camera_rendering_share']:.0%} of it for the picture"
        print(f"A decision takes {result['camera_decision_ms']:.0f} ms there, {share}.")
