"""What `learn train` needs besides the run: progress on the terminal, a person's feedback, a robot to watch."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from reachy_mind.cli.learn import tell
from reachy_mind.cli.typed_feedback import TypedFeedback
from reachy_mind.config.configuration import Configuration
from reachy_mind.errors import InvalidParameter
from reachy_mind.feedback.reader import FeedbackReader
from reachy_mind.learning.demonstrations.examples import look_at_examples
from reachy_mind.learning.demonstrations.store import DEFAULT_DATASET, DemonstrationStore, DemonstrationSummary
from reachy_mind.learning.demonstrations.teaching import FILMED_DATASET
from reachy_mind.learning.environments.environment import RewardWeights
from reachy_mind.learning.training.curve import CurvePoint
from reachy_mind.learning.training.human import HumanJudge
from reachy_mind.learning.training.learners import Examples
from reachy_mind.learning.training.live_body import LiveBody
from reachy_mind.learning.training.plan import TrainingPlan
from reachy_mind.learning.training.ray_cluster import RayBody, connected
from reachy_mind.learning.training.run import RunWatch
from reachy_mind.learning.training.simulated_trainer import SimulatedTrainer
from reachy_mind.learning.training.world import PracticeWorld
from reachy_mind.storage.owner import find

if TYPE_CHECKING:
    from reachy_mind.learning.algorithms.practice import Judge
    from reachy_mind.learning.environments.bodies import BatchBody

BAR = 30


def reward_weights(configuration: Configuration) -> RewardWeights:
    """As in the settings."""
    given = configuration.settings.learning
    return RewardWeights(given.task_weight, given.human_weight, given.safety_weight, given.efficiency_weight)


class PeopleShow:
    """The demonstrations of a plan: all of them, and those that were added since the run began."""

    def __init__(self, configuration: Configuration, plan: TrainingPlan) -> None:
        self._plan = plan
        self._store = DemonstrationStore(configuration.home.datasets_folder)
        usual = (DEFAULT_DATASET, FILMED_DATASET)  # where what is shown goes, without and with the camera
        self._datasets = (plan.demonstrations,) if plan.demonstrations else usual
        self._known = self._ids()

    def all(self) -> Examples | None:
        """None where the plan names no dataset. Raises InvalidParameter for one that shows nothing about the task."""
        if not self._plan.demonstrations:
            return None
        if self._plan.task != "look_at":
            hint = "train without --demonstrations: the scripted expert shows this task"
            raise InvalidParameter(f"people's demonstrations can't teach {self._plan.task} yet", hint=hint)
        examples = look_at_examples(self._store.load(self._plan.demonstrations))
        if not len(examples[0]):
            hint = 'a demonstration teaches when the camera saw its target: see docs/learning.md, "Demonstrations"'
            raise InvalidParameter(f"{self._plan.demonstrations} has no demonstration that shows a target", hint=hint)
        return examples

    def arrived(self) -> bool:
        """Whether there are demonstrations that `new` has not given yet."""
        return self._plan.human and self._plan.task == "look_at" and bool(self._ids() - self._known)

    def new(self) -> Examples | None:
        """What was demonstrated since it was last asked."""
        if not self.arrived():
            return None
        fresh = self._ids() - self._known
        self._known |= fresh
        places = {one.dataset for one in self._listed() if one.id in fresh}
        examples = look_at_examples([one for place in places for one in self._store.load(place) if one.id in fresh])
        if not len(examples[0]):
            tell("A demonstration came that does not show where its target was: it is kept, and teaches nothing here.")
            return None
        tell(f"Learning from {len(fresh)} new demonstrations.")
        return examples

    def _ids(self) -> set[str]:
        return {one.id for one in self._listed()}

    def _listed(self) -> list[DemonstrationSummary]:
        return [one for one in self._store.listing().demonstrations if one.dataset in self._datasets]


@contextlib.contextmanager
def watching(plan: TrainingPlan, *, quiet: bool) -> Iterator[RunWatch]:
    """Tells of a run on stderr: a bar where that is a terminal, and a line for every evaluation."""
    if quiet or plan.human or not sys.stderr.isatty():
        yield RunWatch(told=lambda point: tell(_line(point, plan.episodes)), refused=tell)
        return
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("practising", total=plan.episodes)

        def told(point: CurvePoint) -> None:
            bar.console.print(_line(point, plan.episodes), highlight=False, markup=False)
            bar.update(task, completed=point.episode, description=f"success {point.success:.0%}")

        yield RunWatch(told, tell, lambda episode: bar.update(task, completed=episode))


@contextlib.contextmanager
def practising_body(
    configuration: Configuration, plan: TrainingPlan, world: PracticeWorld, workers: int | None
) -> Iterator[BatchBody | None]:
    """The robots that practise, where they are not those of the plan in this process: in workers of Ray, or, with a
    person, the robot of the running mind, so that there is something to see."""
    if workers is not None:
        if plan.human:
            raise InvalidParameter("a person watches one robot", hint="--workers or --human, not both")
        with connected(workers) as ray:
            yield RayBody(ray, world, plan.body, plan.robots, workers)
        return
    owner = find(configuration.home) if plan.human else None
    if owner is None:
        if plan.human:
            tell("No mind is running: you see the figures only. `reachy-mind run` in another terminal shows the robot.")
        yield None
        return
    with LiveBody.connected(owner.port, owner.token) as body:
        yield body


def judge_for(
    configuration: Configuration, plan: TrainingPlan, folder: Path, shown: PeopleShow, wait_s: float
) -> Judge | None:
    """Who gives feedback in this run: a person, a simulated one for `tamer`, or nobody."""
    if not plan.human:
        return SimulatedTrainer(plan.seed) if plan.algorithm == "tamer" else None
    tell('Say how it was after each episode: type it here ("good", "too slow", 8 of 10), or use the page or REST.')
    judge = HumanJudge(folder, tell=tell, wait_s=wait_s, demonstrated=shown.arrived)
    TypedFeedback(FeedbackReader.load(configuration.home.reward_weights_file), folder).start()
    return judge


def _line(point: CurvePoint, episodes: int) -> str:
    filled = round(BAR * point.success)
    bar = "#" * filled + "." * (BAR - filled)
    return f"episode {point.episode:>5} of {episodes}  [{bar}] {point.success:6.1%}  violations {point.violations:.2%}"
