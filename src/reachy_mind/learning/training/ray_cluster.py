"""Training on many processes and machines, with Ray: the same plans, the same code. Needs the extra `cluster`.

`RayBody` has its robots in actors, each with a part of them; it serves an environment as any body does. `sweep` trains
several plans at a time, by Ray Tune, each in its own folder, and resumes those that were interrupted. Without an
address (`RAY_ADDRESS`), Ray starts workers on this machine. On several machines the data folder has to be shared.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from reachy_mind.errors import InvalidParameter, MissingExtra, NotReady
from reachy_mind.learning.environments.bodies import Array, Mask
from reachy_mind.learning.training.plan import BodyKind, TrainingPlan
from reachy_mind.learning.training.world import PracticeWorld

QUIET = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_AIR_NEW_OUTPUT": "0", "TUNE_DISABLE_AUTO_CALLBACK_LOGGERS": "1"}
"""No usage statistics are sent."""


@contextmanager
def connected(workers: int) -> Iterator[Any]:
    """The module `ray`, connected to the cluster of `RAY_ADDRESS`, else to so many workers of its own on this machine.
    Raises MissingExtra, NotReady."""
    os.environ.update({name: os.environ.get(name, value) for name, value in QUIET.items()})
    try:
        import ray  # noqa: PLC0415 -- slow to load
    except ImportError as error:
        raise MissingExtra("training on several machines", "cluster") from error
    own = {} if os.environ.get("RAY_ADDRESS") else {"num_cpus": workers, "include_dashboard": False}
    try:
        ray.init(log_to_driver=False, logging_level="error", **own)
    except (ConnectionError, RuntimeError, OSError) as error:
        hint = "is RAY_ADDRESS right, and does that cluster run?"
        raise NotReady(f"Ray does not answer: {error}", hint=hint) from error
    try:
        yield ray
    finally:
        ray.shutdown()


class RayBody:
    """`count` robots, shared out to `workers` actors. A worker that dies ends the training with a clear error."""

    def __init__(self, ray: Any, world: PracticeWorld, kind: BodyKind, count: int, workers: int) -> None:
        if not 1 <= workers <= count:
            raise InvalidParameter(f"{workers} workers for {count} robots", hint="at least one robot for each worker")
        self._ray, self.count = ray, count
        self._parts = [part for part in np.array_split(np.arange(count), workers) if len(part)]
        actor = ray.remote(num_cpus=1)(_Robots)
        self._actors = [actor.remote(world, kind, len(part)) for part in self._parts]
        self.poses: Array = np.zeros((count, 9))
        self._gathered([robots.reset.remote(np.ones(len(part), np.bool_)) for robots, part in self._shared()])

    def reset(self, rows: Mask) -> None:
        asked = [(index, part) for index, part in enumerate(self._parts) if rows[part].any()]
        self._gathered(
            [self._actors[index].reset.remote(rows[part]) for index, part in asked], [part for _, part in asked]
        )

    def move(self, targets: Array) -> None:
        self._gathered([robots.move.remote(targets[part]) for robots, part in self._shared()])

    def close(self) -> None:
        for robots in self._actors:
            self._ray.kill(robots)

    def _shared(self) -> Iterator[tuple[Any, Any]]:
        return zip(self._actors, self._parts, strict=True)

    def _gathered(self, promised: Sequence[Any], parts: Sequence[Any] | None = None) -> None:
        try:
            results = self._ray.get(list(promised))
        except self._ray.exceptions.RayActorError as error:
            hint = "the same command goes on from the last evaluation"
            raise NotReady(f"a worker of the training has ended: {_what_ended(str(error))}", hint=hint) from error
        for part, poses in zip(self._parts if parts is None else parts, results, strict=True):
            self.poses[part] = poses


def _what_ended(told: str) -> str:
    """Ray's report of a dead worker, a paragraph of guesses, as one line."""
    about = dict(re.findall(r"^\s*(pid|ip): (\S+)$", told, re.MULTILINE))
    where = f"process {about['pid']} on {about.get('ip', 'this machine')}" if "pid" in about else "its process"
    return f"{where} was killed or crashed"


class _Robots:
    """Some of the robots, in a process of their own."""

    def __init__(self, world: PracticeWorld, kind: BodyKind, count: int) -> None:
        self._body = world.body(kind, count)

    def reset(self, rows: Mask) -> Array:
        self._body.reset(rows)
        return self._body.poses

    def move(self, targets: Array) -> Array:
        self._body.move(targets)
        return self._body.poses


def sweep(
    world: PracticeWorld,
    folder: Path,
    plans: Mapping[str, TrainingPlan],
    told: Callable[[str, float], None] = lambda _name, _success: None,
) -> dict[str, float]:
    """Train every plan in `folder/NAME`, as many at a time as the cluster has workers. Returns the success of each on
    held-out scenes. Raises NotReady naming those that failed."""
    from ray import tune  # noqa: PLC0415

    def trainable(config: dict[str, Any]) -> None:
        import torch  # noqa: PLC0415

        from reachy_mind.learning.training.run import TrainingRun  # noqa: PLC0415

        torch.set_num_threads(1)
        figures = TrainingRun(folder / config["name"], plans[config["name"]], world).run()
        tune.report({"name": config["name"], "success": figures.success})

    tuner = tune.Tuner(
        tune.with_resources(trainable, {"cpu": 1}),
        param_space={"name": tune.grid_search(sorted(plans))},
        run_config=tune.RunConfig(storage_path=str(folder / ".ray"), name="sweep", verbose=0),
    )
    results = tuner.fit()
    found = {result.metrics["name"]: float(result.metrics["success"]) for result in results if result.metrics}
    for name, success in sorted(found.items()):
        told(name, success)
    if missing := sorted(set(plans) - set(found)):
        reasons = "; ".join(str(result.error).splitlines()[-1] for result in results if result.error is not None)
        hint = "the same command trains those that are missing"
        raise NotReady(f"{', '.join(missing)} could not be trained: {reasons or 'no reason given'}", hint=hint)
    return found
