"""The report: what is read from it has to be what was measured."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from reachy_mind.learning.evaluation.goals import GOALS, Goal, judged
from reachy_mind.learning.evaluation.report import reported
from reachy_mind.learning.evaluation.report_page import page
from reachy_mind.learning.evaluation.satisfaction import FilledForm
from reachy_mind.learning.evaluation.studies import FeedbackStudy, PracticeStudy, Study
from reachy_mind.learning.evaluation.study_results import SeedResult, StudyResults, first_reaching, steady_from
from reachy_mind.learning.training.listing import list_runs


def results(study: Study, *figures: Mapping[str, float | None]) -> StudyResults:
    seeds = (
        SeedResult(seed=seed, figures=each, curves={"success": ((0, 0.0), (10, each.get("usual") or 0.0))})
        for seed, each in enumerate(figures)
    )
    return StudyResults(study=study, seeds=tuple(seeds))


def state(title: str, measured: StudyResults) -> str:
    (found,) = (each.state for each in judged([measured]) if each.goal.title == title)
    return found


def test_a_goal_is_reached_by_enough_runs_only() -> None:
    title = "PPO: episodes until 95 % and no longer below"
    assert state(title, results(PracticeStudy(), *[{"steady_95": 80.0}] * 10)) == "reached"
    assert state(title, results(PracticeStudy(), *[{"steady_95": 80.0}] * 9)) == "too few runs"
    assert state(title, results(PracticeStudy(), *[{"steady_95": 80.0}] * 9, {"steady_95": None})) == "missed"
    assert state(title, results(PracticeStudy(), *[{"steady_95": 310.0}] * 10)) == "missed"
    assert state(title, results(PracticeStudy(algorithm="sac"), *[{"steady_95": 80.0}] * 10)) == "not measured"


def test_the_worst_run_decides_about_safety() -> None:
    title = "PPO: violations in training"
    assert state(title, results(PracticeStudy(), *[{"training_violations": 0.001}] * 10)) == "reached"
    bad = results(PracticeStudy(), *[{"training_violations": 0.001}] * 9, {"training_violations": 0.02})
    assert state(title, bad) == "missed"


def test_an_improvement_is_the_change_of_each_run() -> None:
    title = "by feedback alone: more success"
    assert state(title, results(FeedbackStudy(), *[{"before": 0.7, "usual": 0.91}] * 10)) == "reached"
    assert state(title, results(FeedbackStudy(), *[{"before": 0.8, "usual": 0.91}] * 10)) == "missed"


def test_goals_are_about_studies_and_figures_that_there_are() -> None:
    from reachy_mind.learning.evaluation.studies import STUDIES

    assert {goal.study for goal in GOALS} <= {study.name for study in STUDIES}
    assert Goal("a", "b", "c", 1.0).at_most is False


def test_when_enough_was_reached_and_kept() -> None:
    curve = [(0, 0.1), (10, 0.96), (20, 0.9), (30, 0.97), (40, 0.99)]
    assert (first_reaching(curve, 0.95), steady_from(curve, 0.95)) == (10.0, 30.0)
    assert steady_from([*curve, (50, 0.94)], 0.95) is None
    assert first_reaching(curve, 0.995) is None


def test_the_page_shows_figures_curves_people_and_where_they_come_from(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    measured = results(PracticeStudy(), {"usual": 0.9, "steady_95": None}, {"usual": 0.8, "steady_95": 50.0})
    forms = [
        FilledForm(about="look-at", who="<Ada>", answers={"done": 5, "quick": 4}),
        FilledForm(about="look-at", simulated=True, answers={"done": 2}),
    ]
    (tmp_path / "half").mkdir()
    (tmp_path / "half" / "plan.json").write_text("{")
    html = page(reported([measured], list_runs(tmp_path), forms))
    assert "85.0% (80.0% to 90.0%)" in html and "80.0% to 90.0%" in html
    assert "1 of 2" in html  # runs that got to 95 % and stayed there
    assert "<svg" in html and "Runs in this data folder" in html and "unreadable" in html
    assert "4.50 of 5" in html and "simulated" in html and "2.00 of 5" in html
    assert "<script" not in html and "src=" not in html  # it needs nothing else


def test_an_empty_report_is_a_page_too() -> None:
    html = page(reported([], [], []))
    assert html.count("not measured") == len(GOALS)
