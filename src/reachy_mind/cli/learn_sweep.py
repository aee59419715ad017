"""`reachy-mind learn sweep`: the same training with several seeds, on many processes or machines."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from reachy_mind.cli import learn
from reachy_mind.cli.learn import Json, tell
from reachy_mind.cli.learn_train import Algorithm, Task, configured, run_folder

app = learn.app
MOST_SEEDS = 1000


@app.command()
def sweep(
    task: Task = "look_at",
    algorithm: Annotated[Algorithm, typer.Option("--algorithm", help="As for learn train.")] = "ppo",
    seeds: Annotated[int, typer.Option("--seeds", help="How many: 0, 1, 2 and so on.", min=1, max=MOST_SEEDS)] = 10,
    episodes: Annotated[int | None, typer.Option("--episodes", help="As for learn train.", min=1)] = None,
    workers: Annotated[int, typer.Option("--workers", help="Trainings at a time on this machine.", min=1)] = 2,
    as_json: Json = False,
) -> None:
    """Train with several seeds at a time, by Ray: on this machine, or on the cluster of RAY_ADDRESS."""
    from reachy_mind.cli.training_session import reward_weights
    from reachy_mind.errors import MissingExtra
    from reachy_mind.learning.training import ray_cluster
    from reachy_mind.learning.training.plan import TrainingPlan, usual_episodes

    configuration, world = configured()
    try:
        import torch  # noqa: F401
    except ImportError as error:
        raise MissingExtra("training a policy", "learning") from error
    count, weights = episodes or usual_episodes(algorithm), reward_weights(configuration)
    plans = {
        f"{task.replace('_', '-')}-{algorithm}-{seed}": TrainingPlan(
            task=task, algorithm=algorithm, seed=seed, episodes=count, weights=weights
        )
        for seed in range(seeds)
    }
    for name in plans:
        run_folder(configuration, name)
    with ray_cluster.connected(workers):
        found = ray_cluster.sweep(
            world,
            configuration.home.training_folder,
            plans,
            lambda name, success: tell(f"{name}: {success:.1%} of held-out scenes"),
        )
    if as_json:
        print(json.dumps({"runs": found}))
        return
    best = max(found, key=lambda name: found[name])
    print(f"{len(found)} runs, {min(found.values()):.1%} to {found[best]:.1%}; the best is {best}.")
