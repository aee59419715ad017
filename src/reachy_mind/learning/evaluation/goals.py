"""`GOALS`: what learning should reach, and whether it did: each a figure of a study and its bound."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from reachy_mind.learning.evaluation.satisfaction import GOAL as SATISFIED
from reachy_mind.learning.evaluation.statistics import Estimate
from reachy_mind.learning.evaluation.study_results import StudyResults

Unit = Literal["percent", "points", "episodes", "stars"]
FEWEST_SEEDS = 10
"""Runs that a figure needs to be called reached."""


@dataclass(frozen=True)
class Goal:
    """`worst`: every seed has to keep the bound, not the interquartile mean alone. A seed in which the figure was never
    reached misses the goal."""

    title: str
    study: str
    figure: str
    bound: float
    unit: Unit = "percent"
    at_most: bool = False
    worst: bool = False
    since: str = ""
    """A figure that is subtracted, where the goal is about a change."""


GOALS = (
    Goal("look at a thing, from 10 demonstrations", "demonstrations-look_at", "usual_10", 0.99),
    Goal("the same policy in places outside the training", "demonstrations-look_at", "unseen_10", 0.90),
    Goal("shown in a narrow part, tested in all of it", "demonstrations-look_at-narrow", "usual_10", 0.90),
    Goal(
        "PPO: episodes until 95 % and no longer below",
        "practice-look_at-ppo",
        "steady_95",
        300,
        "episodes",
        at_most=True,
    ),
    Goal(
        "SAC: episodes until 95 % and no longer below",
        "practice-look_at-sac",
        "steady_95",
        300,
        "episodes",
        at_most=True,
    ),
    Goal("PPO: violations in training", "practice-look_at-ppo", "training_violations", 0.01, at_most=True, worst=True),
    Goal("SAC: violations in training", "practice-look_at-sac", "training_violations", 0.01, at_most=True, worst=True),
    Goal("weak and late robot, after 10 episodes", "adaptation-look_at-gain-0.5-delay-3", "after_10", 0.95),
    Goal("strong and late robot, after 10 episodes", "adaptation-look_at-gain-1.8-delay-1", "after_10", 0.95),
    Goal(
        "the old task after a new one, with rehearsal",
        "forgetting-look_at-track_face-sac",
        "lost_rehearsed",
        0.02,
        "points",
        at_most=True,
    ),
    Goal("by feedback alone: more success", "feedback-look_at-tamer", "usual", 0.20, "points", since="before"),
    Goal("satisfaction, of simulated judges", "feedback-look_at-tamer", "satisfaction_after", SATISFIED, "stars"),
)


@dataclass(frozen=True)
class GoalResult:
    """`estimate` is None where the study was not measured, or no seed has the figure. `missed_seeds`: those that never
    reached it."""

    goal: Goal
    estimate: Estimate | None
    worst: float | None
    missed_seeds: int = 0

    @property
    def state(self) -> Literal["reached", "missed", "too few runs", "not measured"]:
        if self.estimate is None or self.worst is None:
            return "missed" if self.missed_seeds else "not measured"
        value = self.worst if self.goal.worst else self.estimate.value
        kept = value <= self.goal.bound if self.goal.at_most else value >= self.goal.bound
        if not kept or self.missed_seeds:
            return "missed"
        return "reached" if self.estimate.runs >= FEWEST_SEEDS else "too few runs"

    def as_dict(self) -> dict[str, Any]:
        goal = self.goal
        return {
            "goal": goal.title,
            "study": goal.study,
            "figure": goal.figure,
            "bound": goal.bound,
            "at_most": goal.at_most,
            "unit": goal.unit,
            "estimate": self.estimate.as_dict() if self.estimate else None,
            "worst": self.worst,
            "missed_seeds": self.missed_seeds,
            "state": self.state,
        }


def judged(results: Sequence[StudyResults]) -> list[GoalResult]:
    """Every goal, by what was measured."""
    by_name = {each.study.name: each for each in results}
    return [_judged(goal, by_name) for goal in GOALS]


def _judged(goal: Goal, by_name: Mapping[str, StudyResults]) -> GoalResult:
    results = by_name.get(goal.study)
    if results is None:
        return GoalResult(goal, None, None)
    values = results.values(goal.figure, goal.since)
    missed = len(results.seeds) - len(values)
    if not values:
        return GoalResult(goal, None, None, missed)
    worst = max(values) if goal.at_most else min(values)
    return GoalResult(goal, results.estimate(goal.figure, goal.since), worst, missed)


def spelled(value: float, unit: Unit) -> str:
    """A figure with its unit."""
    match unit:
        case "percent":
            return f"{value:.2%}" if abs(value) < 0.1 else f"{value:.1%}"
        case "points":
            return f"{100 * value:.1f} points"
        case "episodes":
            return f"{value:.0f} episodes"
        case "stars":
            return f"{value:.2f} of 5"
