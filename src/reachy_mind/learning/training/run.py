"""`TrainingRun`: practise, evaluate on held-out scenes, save, and go on from there after an interruption.

    <folder>/plan.json          what is trained and how; a run goes on only with the same plan
    <folder>/progress.json      how far it is, and the process that trains
    <folder>/curve.jsonl        a point for every evaluation
    <folder>/checkpoints/       the full state of the learner, see `checkpoints`
    <folder>/policy.npz         the policy of the best evaluation
    <folder>/tensorboard/       the curve for TensorBoard

Everything that a run draws comes from its seed and the saved state, so a run that was killed and resumed has the curve
of one that was not.
"""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

from reachy_mind.errors import AssetError, InvalidParameter
from reachy_mind.learning.algorithms.behaviour_cloning import clone, demonstrated
from reachy_mind.learning.algorithms.practice import Judge, TrainingFigures
from reachy_mind.learning.environments.bodies import BatchBody
from reachy_mind.learning.environments.catalogue import Scenes, task_kind
from reachy_mind.learning.environments.environment import DIVERSE, NOMINAL, BatchEnvironment, Randomisation
from reachy_mind.learning.evaluation.success import PolicyFigures, evaluate
from reachy_mind.learning.policies.experience import Experience
from reachy_mind.learning.policies.policy import Policy
from reachy_mind.learning.training.announced_task import AnnouncedTask
from reachy_mind.learning.training.checkpoints import Checkpoints, LoadedCheckpoint
from reachy_mind.learning.training.curriculum import Curriculum
from reachy_mind.learning.training.curve import CurvePoint, LearningCurve
from reachy_mind.learning.training.human import HumanJudge
from reachy_mind.learning.training.learners import Examples, Learner, learner_for, with_mirrored
from reachy_mind.learning.training.plan import HELD_OUT_SEED, PLAN_FILE, POLICY_FILE, BodyKind, TrainingPlan, read_plan
from reachy_mind.learning.training.progress import ProgressFile
from reachy_mind.learning.training.tensorboard import TensorBoardCurve
from reachy_mind.learning.training.world import PracticeWorld
from reachy_mind.storage.files import make_folder, write_atomically

BLOCK = 10
"""Episodes between two reports of progress."""


@dataclass(frozen=True)
class RunWatch:
    """Who is told of a run. `progressed`: episodes so far; `refused`: a checkpoint that could not be used, and why."""

    told: Callable[[CurvePoint], None] = lambda _: None
    refused: Callable[[str], None] = lambda _: None
    progressed: Callable[[int], None] = lambda _: None


class TrainingRun:
    """One run in one folder. Raises AssetError for a folder that is another run's.

    `shown`: the demonstrations of people that the plan names. `body`: a robot that practises in place of the plan's.
    """

    def __init__(
        self,
        folder: Path,
        plan: TrainingPlan,
        world: PracticeWorld,
        *,
        shown: Examples | None = None,
        body: BatchBody | None = None,
    ) -> None:
        self.plan, self._world, self._shown, self._body = plan, world, shown, body
        task_kind(plan.task)  # a task that there is not leaves no run behind
        self._began = time.monotonic()
        self._folder = folder
        self._policy_file = folder / POLICY_FILE
        self._checkpoints = Checkpoints(folder / "checkpoints")
        self._curve = LearningCurve(folder / "curve.jsonl")
        self._board = TensorBoardCurve(folder / "tensorboard")
        known = read_plan(folder)
        if known is not None and known != plan:
            hint = "train under another --name, or with the options of before"
            raise AssetError(f"{folder.name} was begun with another plan: {known.model_dump_json()}", hint=hint)
        make_folder(folder)
        write_atomically(folder / PLAN_FILE, plan.model_dump_json(indent=1).encode())

    def run(
        self,
        watch: RunWatch = RunWatch(),  # noqa: B008
        judge: Judge | None = None,
        demonstrated: Callable[[], Examples | None] = lambda: None,
    ) -> PolicyFigures:
        """Train to the end of the plan. `judge` gives feedback on episodes; `demonstrated` what was shown since it was
        last asked. Raises Busy while another process trains the same run."""
        with ProgressFile(self._folder).held(self.plan.episodes) as progress:
            if isinstance(judge, HumanJudge):
                judge.reports_to(progress)
            if self.plan.algorithm == "clone":
                return self._cloned(watch)
            environment = self.environment(self.plan.robots, practice=True)
            if isinstance(judge, HumanJudge):
                environment.task = AnnouncedTask(environment.task, judge.announce)
            try:
                self._practise(environment, watch, judge, demonstrated, progress)
            finally:
                environment.close()
                self._board.close()
        return self.evaluation(Policy.load(self._policy_file))

    def environment(
        self,
        count: int,
        randomisation: Randomisation | None = None,
        *,
        scenes: Scenes = "usual",
        practice: bool = False,
        body: BodyKind | None = None,
    ) -> BatchEnvironment:
        """The task of the plan for so many robots; `practice`: on the robot that was given, if there is one. `body`: in
        place of the plan's."""
        plan = self.plan
        drawn = (DIVERSE if plan.randomised else NOMINAL) if randomisation is None else randomisation
        return self._world.environment(
            plan.task,
            count,
            body=self._body if practice and self._body is not None else body or plan.body,
            seed=plan.seed,
            randomisation=drawn,
            weights=plan.weights,
            scenes=scenes,
        )

    def evaluation(
        self,
        policy: Policy,
        randomisation: Randomisation | None = None,
        scenes: Scenes = "usual",
        body: BodyKind | None = None,
    ) -> PolicyFigures:
        """On other held-out scenes than those that choose the best checkpoint."""
        environment = self.environment(self.plan.evaluation_episodes, randomisation, scenes=scenes, body=body)
        try:
            return evaluate(policy, environment, 2 * HELD_OUT_SEED + self.plan.seed)
        finally:
            environment.close()

    def rollback(self) -> LoadedCheckpoint:
        """Discard the latest checkpoint; the policy and the curve become those of the one before. Raises AssetError."""
        self._checkpoints.require_earlier()  # a refusal is no failure of the run
        with ProgressFile(self._folder).held(self.plan.episodes) as progress:
            back = self._checkpoints.rollback()
            learner = self._new_learner()
            self._restore(learner, back)
            write_atomically(self._policy_file, self._exported(learner, back.info.figures).to_bytes())
            self._curve.truncate(back.info.episode)
            progress.went_back(back.info.episode)
        return back

    def _practise(
        self,
        environment: BatchEnvironment,
        watch: RunWatch,
        judge: Judge | None,
        demonstrated: Callable[[], Examples | None],
        progress: ProgressFile,
    ) -> None:
        plan = self.plan
        learner, curriculum, episode = self._resumed(watch)
        self._start_clock()
        while episode < plan.episodes:
            count = min(plan.evaluate_every, plan.episodes - episode)
            if plan.curriculum:
                easier = self._world.task(plan.task, environment.count, curriculum.difficulty)
                environment.task = AnnouncedTask(easier, judge.announce) if isinstance(judge, HumanJudge) else easier
            blocks = []
            for done in range(0, count, BLOCK):
                blocks.append(learner.learn_from(environment, min(BLOCK, count - done), judge))
                if examples := demonstrated():
                    learner.show(*with_mirrored(plan.task, examples))
                progress.reached(episode + min(done + BLOCK, count))
                watch.progressed(episode + min(done + BLOCK, count))
            episode += count
            trained = combined(blocks)
            curriculum = curriculum.after(trained.success)
            figures = self._evaluated(learner.policy(), episode, trained, watch)
            content = io.BytesIO()
            torch.save({"learner": learner.state(), "difficulty": curriculum.difficulty}, content)
            best = self._checkpoints.best()
            # The policy first: killed in between, the resumed run does the same again.
            if best is None or figures["success"] > best.figures["success"]:
                write_atomically(self._policy_file, self._exported(learner, figures).to_bytes())
            self._checkpoints.save(episode, content.getvalue(), figures)

    def _cloned(self, watch: RunWatch) -> PolicyFigures:
        """Behaviour cloning takes seconds: it begins anew each time."""
        shown = self._shown or demonstrated(self.environment(self.plan.episodes), self.plan.episodes)
        examples = with_mirrored(self.plan.task, shown)
        policy = clone(*examples, seed=self.plan.seed)
        self._curve.truncate(0)
        self._start_clock()
        nothing = TrainingFigures(self.plan.episodes, len(examples[0]), 0.0, 1.0, 0.0)
        figures = self._evaluated(policy, self.plan.episodes, nothing, watch)
        policy = replace(policy, meta=self._meta(figures), experience=Experience.of(examples[0]))
        write_atomically(self._policy_file, policy.to_bytes())
        return self.evaluation(policy)

    def _resumed(self, watch: RunWatch) -> tuple[Learner, Curriculum, int]:
        learner = self._new_learner()
        if not self._checkpoints.infos():
            self._curve.truncate(0)
            return learner, Curriculum(), 0
        loaded = self._checkpoints.load_latest()
        for reason in loaded.refused:
            watch.refused(reason)
        difficulty = self._restore(learner, loaded)
        self._curve.truncate(loaded.info.episode)
        return learner, Curriculum(difficulty), loaded.info.episode

    def _new_learner(self) -> Learner:
        return learner_for(self.plan, self.environment(self.plan.robots), self._shown)

    @staticmethod
    def _restore(learner: Learner, loaded: LoadedCheckpoint) -> float:
        """The difficulty that the curriculum had reached."""
        try:
            saved = torch.load(io.BytesIO(loaded.content), weights_only=True)
            learner.restore(saved["learner"])
            return float(saved["difficulty"])
        except (RuntimeError, KeyError, ValueError, TypeError) as error:
            hint = "train under another --name: it was written by another version"
            raise AssetError(f"checkpoint {loaded.info.id} can't be used: {error}", hint=hint) from error

    def _evaluated(self, policy: Policy, episode: int, trained: TrainingFigures, watch: RunWatch) -> dict[str, float]:
        environment = self.environment(self.plan.evaluation_episodes)
        held_out = evaluate(policy, environment, HELD_OUT_SEED + self.plan.seed)
        environment.close()
        spent = time.monotonic() - self._began
        point = CurvePoint(episode, held_out.success, trained.reward, trained.violations, spent)
        self._curve.append(point)
        self._board.add(point)
        watch.told(point)
        return {"success": held_out.success, "violations": held_out.violations}

    def _exported(self, learner: Learner, figures: Mapping[str, float]) -> Policy:
        return replace(learner.policy(self._meta(figures)), experience=Experience.of(learner.experience()))

    def _start_clock(self) -> None:
        last = self._curve.last()
        self._began = time.monotonic() - (last.time if last else 0.0)

    def _meta(self, figures: Mapping[str, float]) -> dict[str, Any]:
        return {"plan": self.plan.model_dump(), "figures": dict(figures)}


def combined(parts: list[TrainingFigures]) -> TrainingFigures:
    """The figures of all of them together."""
    episodes = max(1, sum(part.episodes for part in parts))
    decisions = max(1, sum(part.decisions for part in parts))
    return TrainingFigures(
        sum(part.episodes for part in parts),
        sum(part.decisions for part in parts),
        sum(part.reward * part.episodes for part in parts) / episodes,
        sum(part.success * part.episodes for part in parts) / episodes,
        sum(part.violations * part.decisions for part in parts) / decisions,
    )


def open_run(folder: Path, world: PracticeWorld) -> TrainingRun:
    """A run that was begun. Raises InvalidParameter where there is none."""
    plan = read_plan(folder)
    if plan is None:
        raise InvalidParameter(f"no training run called {folder.name!r}", hint="reachy-mind learn status lists them")
    return TrainingRun(folder, plan, world)
