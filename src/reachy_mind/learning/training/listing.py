"""`list_runs`: the training runs in a folder, for the command line, REST and the page. Needs no PyTorch."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reachy_mind.errors import MindError
from reachy_mind.learning.training.checkpoints import Checkpoints
from reachy_mind.learning.training.curve import CurvePoint, LearningCurve
from reachy_mind.learning.training.plan import PLAN_FILE, POLICY_FILE, TrainingPlan, read_plan
from reachy_mind.learning.training.progress import TrainingProgress, read_progress


@dataclass(frozen=True)
class RunSummary:
    """A run as it is on disk. `error`: why it can't be read."""

    name: str
    plan: TrainingPlan | None = None
    progress: TrainingProgress | None = None
    points: tuple[CurvePoint, ...] = ()
    best_checkpoint: str | None = None
    has_policy: bool = False
    error: str = ""

    @property
    def state(self) -> str:
        return "unreadable" if self.error else self.progress.state if self.progress else "new"

    def as_dict(self) -> dict[str, Any]:
        last = self.points[-1] if self.points else None
        progress = self.progress
        return {
            "name": self.name,
            "task": self.plan.task if self.plan else None,
            "algorithm": self.plan.algorithm if self.plan else None,
            "state": self.state,
            "reason": self.error or (progress.reason if progress else ""),
            "episode_id": progress.episode_id if progress and self.state == "waiting" else "",
            "scene": progress.scene if progress and self.state in ("running", "waiting") else "",
            "episode": max(progress.episode if progress else 0, last.episode if last else 0),
            "episodes": self.plan.episodes if self.plan else 0,
            "human": self.plan.human if self.plan else False,
            "success_rate": last.success if last else None,
            "avg_reward": last.reward if last else None,
            "violations": last.violations if last else None,
            "best_checkpoint": self.best_checkpoint,
            "has_policy": self.has_policy,
            "curve": [[point.episode, point.success] for point in self.points],
        }


def list_runs(folder: Path) -> list[RunSummary]:
    """Every run, by name."""
    return [read_run(plan.parent) for plan in sorted(folder.glob(f"*/{PLAN_FILE}"))]


def read_run(folder: Path) -> RunSummary:
    """A run; one that can't be read says why."""
    try:
        points = LearningCurve(folder / "curve.jsonl").points()
        checkpoints = Checkpoints(folder / "checkpoints")
        best = checkpoints.best() if checkpoints.infos() else None
        return RunSummary(
            folder.name,
            read_plan(folder),
            read_progress(folder),
            points,
            best.id if best else None,
            (folder / POLICY_FILE).is_file(),
        )
    except MindError as error:
        return RunSummary(folder.name, error=error.message)
