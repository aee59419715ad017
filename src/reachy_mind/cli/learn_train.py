"""`reachy-mind learn train|eval|status`: practise a task in simulation, and say how good what was learned is."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from reachy_mind.cli import learn
from reachy_mind.cli.learn import Json, tell

if TYPE_CHECKING:
    from reachy_mind.body.batch_kinematics import BatchKinematics
    from reachy_mind.config.configuration import Configuration
    from reachy_mind.learning.training.curve import CurvePoint

app = learn.app
NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
BAR = 30
Algorithm = Literal["clone", "ppo", "sac"]

Run = Annotated[str, typer.Option("--name", help="Of the run: small letters, digits, - and _.")]


@app.command()
def train(
    name: Run = "look-at",
    algorithm: Annotated[
        Algorithm, typer.Option("--algorithm", help="From demonstrations of an expert, or by practice.")
    ] = "clone",
    episodes: Annotated[
        int | None, typer.Option("--episodes", help="10 demonstrations, or 300 of practice, if none is given.", min=1)
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="The same seed gives the same run.", min=0)] = 0,
    as_json: Json = False,
) -> None:
    """Train a policy for "look at the thing". A run that was interrupted goes on where it was."""
    from reachy_mind.errors import MissingExtra

    configuration, reach = _configured()
    folder = _folder(configuration, name)
    try:
        import torch

        from reachy_mind.learning.training.run import TrainingPlan, TrainingRun
    except ImportError as error:
        raise MissingExtra("training a policy", "learning") from error
    torch.set_num_threads(1)  # small networks: more threads only wait for one another
    count = episodes or (10 if algorithm == "clone" else 300)
    plan = TrainingPlan(algorithm=algorithm, episodes=count, seed=seed)
    figures = TrainingRun(folder, plan, reach).run(lambda point: tell(_line(point, count)), tell)
    result = {"name": name, "algorithm": algorithm, "episodes": count, "policy": str(folder / "policy.npz")}
    _print_figures(result, vars(figures), as_json=as_json)


@app.command("eval")
def evaluate_run(name: Run = "look-at", as_json: Json = False) -> None:
    """Evaluate what a run learned, on held-out scenes: on a robot as in the model, and on others."""
    from reachy_mind.errors import MissingExtra
    from reachy_mind.learning.environments.environment import DIVERSE
    from reachy_mind.learning.policies.policy import Policy

    configuration, reach = _configured()
    folder = _folder(configuration, name)
    try:
        from reachy_mind.learning.training.run import open_run
    except ImportError as error:
        raise MissingExtra("evaluating a training run", "learning") from error
    run = open_run(folder, reach)
    policy = Policy.load(folder / "policy.npz")
    shifted = run.evaluation(policy, DIVERSE)
    result = {"name": name, "shifted_success": shifted.success, "shifted_violations": shifted.violations}
    _print_figures(result, vars(run.evaluation(policy)), as_json=as_json)


@app.command()
def status(as_json: Json = False) -> None:
    """List the training runs and how far they are."""
    from reachy_mind.learning.training.checkpoints import Checkpoints
    from reachy_mind.learning.training.curve import LearningCurve

    folder = _configured()[0].home.training_folder
    runs: list[dict[str, Any]] = []
    for each in sorted(folder.glob("*/plan.json")):
        points = LearningCurve(each.parent / "curve.jsonl").points()
        checkpoints = Checkpoints(each.parent / "checkpoints")
        best = checkpoints.best() if checkpoints.infos() else None
        last = points[-1] if points else None
        runs.append(
            {
                "name": each.parent.name,
                "episode": last.episode if last else 0,
                "success_rate": last.success if last else None,
                "avg_reward": last.reward if last else None,
                "best_checkpoint": best.id if best else None,
                "curve": [[point.episode, point.success] for point in points],
            }
        )
    if as_json:
        print(json.dumps({"runs": runs}))
        return
    for run in runs:
        success = "not evaluated" if run["success_rate"] is None else f"{run['success_rate']:.1%}"
        print(f"{run['name']}: episode {run['episode']}, {success}")
    if not runs:
        print("No training run yet. Begin one: reachy-mind learn train")


def _configured() -> tuple[Configuration, BatchKinematics]:
    from reachy_mind import log
    from reachy_mind.body.batch_kinematics import BatchKinematics
    from reachy_mind.config.configuration import load
    from reachy_mind.models.robot_description import description

    configuration = load()
    log.configure("warning", configuration.settings.log.format)
    return configuration, BatchKinematics(description(configuration) / "kinematics_data.json")


def _folder(configuration: Configuration, name: str) -> Path:
    from reachy_mind.errors import InvalidParameter

    if not NAME.fullmatch(name):
        raise InvalidParameter(f"a run can't be called {name[:80]!r}", hint="small letters, digits, - and _")
    return configuration.home.training_folder / name


def _line(point: CurvePoint, episodes: int) -> str:
    filled = round(BAR * point.success)
    bar = "#" * filled + "." * (BAR - filled)
    return f"episode {point.episode:>5} of {episodes}  [{bar}] {point.success:6.1%}  violations {point.violations:.2%}"


def _print_figures(result: dict[str, Any], figures: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(figures | result))
        return
    print(f"{result['name']}: {figures['success']:.1%} of {figures['episodes']} held-out scenes,")
    print(f"{figures['mean_decisions']:.1f} decisions each, {figures['violations']:.2%} of them unsafe and corrected.")
    if "shifted_success" in result:
        print(f"On robots with another gain, delay and noise: {result['shifted_success']:.1%}.")
