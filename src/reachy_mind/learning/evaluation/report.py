"""`Report`: goals, studies, the runs of this data folder and what people say, for a page and for programs.

Each study becomes a section: what was asked, a table of figures with intervals, and curves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from reachy_mind.learning.evaluation.conditions import CONDITIONS
from reachy_mind.learning.evaluation.goals import GoalResult, Unit, judged
from reachy_mind.learning.evaluation.report_plots import Curve
from reachy_mind.learning.evaluation.satisfaction import FilledForm
from reachy_mind.learning.evaluation.statistics import Estimate
from reachy_mind.learning.evaluation.studies import (
    STUDIES,
    AdaptationStudy,
    DemonstrationStudy,
    FeedbackStudy,
    ForgettingStudy,
    PracticeStudy,
)
from reachy_mind.learning.evaluation.study_results import StudyResults
from reachy_mind.learning.training.listing import RunSummary


@dataclass(frozen=True)
class ReportRow:
    """A figure of a study. `runs` of `of` seeds have it."""

    title: str
    estimate: Estimate
    least: float
    most: float
    of: int
    unit: Unit = "percent"


@dataclass(frozen=True)
class ReportSection:
    """One study."""

    name: str
    title: str
    rows: tuple[ReportRow, ...]
    curves: dict[str, Curve] = field(default_factory=dict)
    across: str = "episodes"
    logarithmic: bool = False
    origin: str = ""


@dataclass(frozen=True)
class Report:
    """Everything that the page shows."""

    goals: tuple[GoalResult, ...]
    sections: tuple[ReportSection, ...]
    runs: tuple[RunSummary, ...]
    forms: tuple[FilledForm, ...]


def reported(results: Sequence[StudyResults], runs: Sequence[RunSummary], forms: Sequence[FilledForm]) -> Report:
    """The report of what was measured, in the order of `STUDIES`."""
    order = [study.name for study in STUDIES]
    known = sorted(results, key=lambda each: order.index(each.study.name) if each.study.name in order else len(order))
    sections = tuple(_section(each) for each in known if each.seeds)
    return Report(tuple(judged(results)), sections, tuple(runs), tuple(forms))


def _section(results: StudyResults) -> ReportSection:
    study = results.study
    match study:
        case DemonstrationStudy():
            return _demonstrations(study, results)
        case PracticeStudy():
            titles = {
                "before": "before practice",
                "training_violations": "violations in training",
                **_under_conditions(),
            }
            episodes = {"first_95": "first evaluation at 95 %", "steady_95": "at 95 % and no longer below"}
            title = f"{study.task}: practice with {study.algorithm.upper()}, {study.episodes} episodes"
            rows = (*_rows(results, titles), *_rows(results, episodes, "episodes"))
            return _with_curve(results, title, rows, {study.algorithm.upper(): results.curve()})
        case FeedbackStudy():
            source = "feedback" if study.feedback else "no feedback"
            how = f"{study.algorithm.upper()}, {source}{' and the reward of the task' if study.task_reward else ''}"
            rows = (
                *_rows(results, {"before": "before", **_under_conditions()}),
                *_rows(
                    results, {"satisfaction_before": "simulated judges before", "satisfaction_after": "after"}, "stars"
                ),
            )
            return _with_curve(results, f"{study.task}: {how}, a simulated person", rows, {how: results.curve()})
        case AdaptationStudy():
            titles = {"before": "before", **{f"after_{n}": f"after {n} episode{'s' * (n > 1)}" for n in study.episodes}}
            titles[f"dagger_{study.episodes[-1]}"] = f"for comparison: DAgger with {study.episodes[-1]} episodes"
            title = (
                f"{study.task}: a robot with gain {study.gain:g}, {study.delay} decision{'s' * (study.delay > 1)} late"
            )
            return _with_curve(results, title, _rows(results, titles), {"adapted": results.curve()})
        case ForgettingStudy():
            titles = {
                "first_before": f"{study.first} before",
                "first_alone": f"{study.first} after {study.second} alone",
                "second_alone": f"{study.second}, learned alone",
                "first_rehearsed": f"{study.first} after {study.second} with rehearsal",
                "second_rehearsed": f"{study.second}, learned with rehearsal",
            }
            title = f"one policy for {study.first}, then for {study.second} too ({study.algorithm.upper()})"
            return _with_curve(results, title, _rows(results, titles), {})


def _demonstrations(study: DemonstrationStudy, results: StudyResults) -> ReportSection:
    curves: dict[str, Curve] = {}
    for condition in CONDITIONS:
        points = [(float(count), results.estimate(f"{condition.name}_{count}")) for count in study.counts]
        curves[condition.title] = [(count, found) for count, found in points if found is not None]
    titles = {
        f"{name}_{count}": f"{count} demonstrations, {title}"
        for count in study.counts
        for name, title in _under_conditions().items()
    }
    where = " shown in a narrow part of the scenes" if study.trained_in == "narrow" else ""
    title = f"{study.task}: cloned from demonstrations of the expert{where}"
    section = _with_curve(results, title, _rows(results, titles), curves)
    return ReportSection(
        section.name, title, section.rows, curves, "demonstrations", logarithmic=True, origin=section.origin
    )


def _with_curve(
    results: StudyResults, title: str, rows: Sequence[ReportRow], curves: dict[str, Curve]
) -> ReportSection:
    origins = sorted({f"{each.origin.version} {each.origin.commit}".strip() for each in results.seeds})
    drawn = {label: curve for label, curve in curves.items() if curve}
    return ReportSection(results.study.name, title, tuple(rows), drawn, origin=", ".join(origins))


def _under_conditions() -> dict[str, str]:
    titles = {}
    for condition in CONDITIONS:
        titles[condition.name] = condition.title
        titles[f"{condition.name}_guarded"] = f"{condition.title}, with the fallback"
    titles["usual_violations"] = "violations of the policy, usual scenes"
    return titles


def _rows(results: StudyResults, titles: dict[str, str], unit: Unit = "percent") -> list[ReportRow]:
    rows = []
    for figure, title in titles.items():
        values, found = results.values(figure), results.estimate(figure)
        if found is not None:
            rows.append(ReportRow(title, found, min(values), max(values), len(results.seeds), unit))
    return rows
