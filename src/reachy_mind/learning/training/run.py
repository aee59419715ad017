"""`TrainingRun`: practise, evaluate on held-out scenes, save, and go on from there after an interruption.

    <folder>/plan.json          what is trained and how; a run goes on only with the same plan
    <folder>/curve.jsonl        a point for every evaluation
    <folder>/checkpoints/       the full state of the learner, see `checkpoints`
    <folder>/policy.npz         the policy of the best evaluation

Everything that a run draws comes from its seed and the saved state, so a run that was killed and resumed has the curve
of one that was not.
"""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Protocol

import torch
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from reachy_mind.errors import AssetError, InvalidParameter
from reachy_mind.learning.algorithms import ppo, sac
from reachy_mind.learning.algorithms.actor_critic import TrainingFigures
from reachy_mind.learning.algorithms.behaviour_cloning import clone, demonstrated
from reachy_mind.learning.environments.bodies import KinematicBody
from reachy_mind.learning.environments.environment import NOMINAL, BatchEnvironment, Randomisation
from reachy_mind.learning.environments.look_at import LookAtTask, mirrored
from reachy_mind.learning.environments.safety import Reach, SafetyFilter
from reachy_mind.learning.evaluation.success import PolicyFigures, evaluate
from reachy_mind.learning.policies.policy import Policy
from reachy_mind.learning.training.checkpoints import Checkpoints
from reachy_mind.learning.training.curve import CurvePoint, LearningCurve
from reachy_mind.storage.files import make_folder, write_atomically

HELD_OUT_SEED = 1_000_000
"""Scenes of evaluations: never those of a training."""


class TrainingPlan(BaseModel):
    """What to train and how."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    task: Literal["look_at"] = "look_at"
    algorithm: Literal["clone", "ppo", "sac"] = "clone"
    seed: Annotated[int, Field(ge=0, lt=HELD_OUT_SEED)] = 0
    episodes: Annotated[int, Field(ge=1, le=1_000_000)] = 300
    """Of practice; demonstrations of the expert for `clone`."""
    evaluate_every: Annotated[int, Field(ge=1)] = 50
    evaluation_episodes: Annotated[int, Field(ge=10, le=10_000)] = 200
    robots: Annotated[int, Field(ge=1, le=4096)] = 10
    """That practise side by side."""


class Learner(Protocol):
    """Learns in an environment; `state` and `restore` keep all that the next step depends on."""

    def learn_from(self, environment: BatchEnvironment, episodes: int) -> TrainingFigures: ...

    def policy(self, meta: Mapping[str, Any] | None = None) -> Policy: ...

    def state(self) -> dict[str, Any]: ...

    def restore(self, state: Mapping[str, Any]) -> None: ...


class TrainingRun:
    """One run in one folder. Raises AssetError for a folder that is another run's."""

    def __init__(self, folder: Path, plan: TrainingPlan, reach: Reach) -> None:
        self.plan, self._reach = plan, reach
        self._began = time.monotonic()
        self._policy_file = folder / "policy.npz"
        self._checkpoints = Checkpoints(folder / "checkpoints")
        self._curve = LearningCurve(folder / "curve.jsonl")
        known = read_plan(folder)
        if known is not None and known != plan:
            hint = "train under another --name, or with the options of before"
            raise AssetError(f"{folder.name} was begun with another plan: {known.model_dump_json()}", hint=hint)
        make_folder(folder)
        write_atomically(folder / "plan.json", plan.model_dump_json(indent=1).encode())

    def run(self, told: Callable[[CurvePoint], None], refused: Callable[[str], None]) -> PolicyFigures:
        """Train to the end of the plan; `refused` is told of each checkpoint that could not be used."""
        if self.plan.algorithm == "clone":
            return self._cloned(told)
        learner, episode = self._resumed(refused)
        self._start_clock()
        while episode < self.plan.episodes:
            count = min(self.plan.evaluate_every, self.plan.episodes - episode)
            trained = learner.learn_from(self.environment(self.plan.robots), count)
            episode += count
            figures = self._evaluated(learner.policy(), episode, trained, told)
            content = io.BytesIO()
            torch.save(learner.state(), content)
            best = self._checkpoints.best()
            # The policy first: killed in between, the resumed run does the same again.
            if best is None or figures["success"] > best.figures["success"]:
                write_atomically(self._policy_file, learner.policy(self._meta(figures)).to_bytes())
            self._checkpoints.save(episode, content.getvalue(), figures)
        return self.evaluation(Policy.load(self._policy_file))

    def environment(self, count: int, randomisation: Randomisation = NOMINAL) -> BatchEnvironment:
        """The task of the plan for so many robots."""
        task, body, safety = LookAtTask(count), KinematicBody(count), SafetyFilter(self._reach)
        return BatchEnvironment(task, body, safety, seed=self.plan.seed, randomisation=randomisation)

    def evaluation(self, policy: Policy, randomisation: Randomisation = NOMINAL) -> PolicyFigures:
        """On other held-out scenes than those that choose the best checkpoint."""
        environment = self.environment(self.plan.evaluation_episodes, randomisation)
        return evaluate(policy, environment, 2 * HELD_OUT_SEED + self.plan.seed)

    def _cloned(self, told: Callable[[CurvePoint], None]) -> PolicyFigures:
        """Behaviour cloning takes seconds: it begins anew each time."""
        shown = mirrored(*demonstrated(self.environment(self.plan.episodes), self.plan.episodes))
        policy = clone(*shown, seed=self.plan.seed)
        self._curve.truncate(0)
        self._start_clock()
        nothing = TrainingFigures(self.plan.episodes, len(shown[0]), 0.0, 1.0, 0.0)
        figures = self._evaluated(policy, self.plan.episodes, nothing, told)
        policy = Policy(policy.layers, policy.mean, policy.scale, self._meta(figures))
        write_atomically(self._policy_file, policy.to_bytes())
        return self.evaluation(policy)

    def _resumed(self, refused: Callable[[str], None]) -> tuple[Learner, int]:
        sizes, seed = (LookAtTask.observation_size, LookAtTask.action_size), self.plan.seed
        learner: Learner = (
            ppo.PPO(*sizes, ppo.DENSE_REWARD, seed)
            if self.plan.algorithm == "ppo"
            else sac.SAC(*sizes, sac.DENSE_REWARD, seed)
        )
        if not self._checkpoints.infos():
            self._curve.truncate(0)
            return learner, 0
        loaded = self._checkpoints.load_latest()
        for reason in loaded.refused:
            refused(reason)
        try:
            learner.restore(torch.load(io.BytesIO(loaded.content), weights_only=True))
        except (RuntimeError, KeyError, ValueError, TypeError) as error:
            hint = "train under another --name: it was written by another version"
            raise AssetError(f"checkpoint {loaded.info.id} can't be used: {error}", hint=hint) from error
        self._curve.truncate(loaded.info.episode)
        return learner, loaded.info.episode

    def _evaluated(
        self, policy: Policy, episode: int, trained: TrainingFigures, told: Callable[[CurvePoint], None]
    ) -> dict[str, float]:
        environment = self.environment(self.plan.evaluation_episodes)
        held_out = evaluate(policy, environment, HELD_OUT_SEED + self.plan.seed)
        point = CurvePoint(
            episode, held_out.success, trained.reward, trained.violations, time.monotonic() - self._began
        )
        self._curve.append(point)
        told(point)
        return {"success": held_out.success, "violations": held_out.violations}

    def _start_clock(self) -> None:
        last = self._curve.last()
        self._began = time.monotonic() - (last.time if last else 0.0)

    def _meta(self, figures: Mapping[str, float]) -> dict[str, Any]:
        return {"plan": self.plan.model_dump(), "figures": dict(figures)}


def read_plan(folder: Path) -> TrainingPlan | None:
    """The plan of a run; None where there is none. Raises AssetError for one that can't be read."""
    try:
        return TrainingPlan.model_validate_json((folder / "plan.json").read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValidationError) as error:
        raise AssetError(f"{folder / 'plan.json'} can't be read: {error}", hint="train under another --name") from error


def open_run(folder: Path, reach: Reach) -> TrainingRun:
    """A run that was begun. Raises InvalidParameter where there is none."""
    plan = read_plan(folder)
    if plan is None:
        raise InvalidParameter(f"no training run called {folder.name!r}", hint="reachy-mind learn status lists them")
    return TrainingRun(folder, plan, reach)
