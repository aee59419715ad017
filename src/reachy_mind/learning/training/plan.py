"""`TrainingPlan`: what is trained and how. A run goes on only with the plan it was begun with."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from reachy_mind.errors import AssetError
from reachy_mind.learning.environments.environment import RewardWeights

HELD_OUT_SEED = 1_000_000
"""Scenes of evaluations: never those of a training."""
PLAN_FILE, POLICY_FILE = "plan.json", "policy.npz"
"""In the folder of a run."""
RUN_NAME, LONGEST_NAME = "[a-z0-9][a-z0-9_-]{0,63}", 64

TaskName = Annotated[str, Field(pattern=r"^[a-z_]{1,40}(\+[a-z_]{1,40}){0,3}$")]
"""One task, or several for one policy, joined by "+"."""
Algorithm = Literal["clone", "dagger", "gail", "ppo", "sac", "tamer"]
BodyKind = Literal["kinematic", "physics", "gpu"]
FEW = {"clone": 10, "dagger": 30}
MANY = 300


def usual_episodes(algorithm: Algorithm) -> int:
    """Enough for the tasks here."""
    return FEW.get(algorithm, MANY)


class TrainingPlan(BaseModel):
    """What to train and how."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    task: TaskName = "look_at"
    algorithm: Algorithm = "clone"
    seed: Annotated[int, Field(ge=0, lt=HELD_OUT_SEED)] = 0
    episodes: Annotated[int, Field(ge=1, le=1_000_000)] = 300
    """Of practice; demonstrations of the expert for `clone`."""
    evaluate_every: Annotated[int, Field(ge=1)] = 50
    evaluation_episodes: Annotated[int, Field(ge=10, le=10_000)] = 200
    robots: Annotated[int, Field(ge=1, le=4096)] = 10
    """That practise side by side."""
    body: BodyKind = "kinematic"
    randomised: bool = False
    """Robots that differ from the model: gain, delay, noise, bias."""
    curriculum: bool = False
    """From easy scenes to the whole task."""
    demonstrations: Annotated[str, Field(max_length=64)] = ""
    """The dataset to imitate; without one, the scripted expert shows what to do."""
    human: bool = False
    """A person watches and gives feedback."""
    weights: RewardWeights = RewardWeights()


def read_plan(folder: Path) -> TrainingPlan | None:
    """The plan of a run; None where there is none. Raises AssetError for one that can't be read."""
    try:
        return TrainingPlan.model_validate_json((folder / PLAN_FILE).read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValidationError) as error:
        raise AssetError(f"{folder / PLAN_FILE} can't be read: {error}", hint="train under another --name") from error


def run_name(task: str) -> str:
    """What a run of this task is called when nobody says."""
    return task.replace("_", "-").replace("+", "-and-")[:LONGEST_NAME]
