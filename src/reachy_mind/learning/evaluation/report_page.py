"""`page`: a report as one HTML file that needs nothing else."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from html import escape

from reachy_mind.learning.evaluation.goals import GoalResult, Unit, spelled
from reachy_mind.learning.evaluation.report import Report, ReportRow, ReportSection
from reachy_mind.learning.evaluation.report_plots import curves_svg
from reachy_mind.learning.evaluation.satisfaction import FilledForm, mean_score
from reachy_mind.learning.evaluation.statistics import Estimate
from reachy_mind.learning.training.listing import RunSummary

STYLE = """
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; margin: .5rem 0 1rem; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .3rem .6rem .3rem 0; border-bottom: 1px solid #8885; vertical-align: top; }
td:first-child { width: 45%; }
.scroll { overflow-x: auto; }
svg { max-width: 100%; height: auto; background: #fff; border-radius: .5rem; }
.reached { color: #197a3f; font-weight: 600; } .missed { color: #b3261e; font-weight: 600; }
@media (prefers-color-scheme: dark) { .reached { color: #6fd08c; } .missed { color: #ff8a80; } }
small, .about { opacity: .75; }
"""
METHOD = (
    "Figures are interquartile means over seeds (the mean of the middle half), in brackets the 95 % interval of a "
    "stratified bootstrap. Scenes of evaluations are never those of a training, and the figures at the end are of "
    "other scenes than those that chose the best policy. Robots, experts, people who give feedback and judges are "
    "simulated, unless it says otherwise. A violation is a decision that the safety filter had to change; nothing "
    "unsafe reached a robot. With the fallback, decisions outside a policy's experience are left to geometry."
)


def page(report: Report) -> str:
    """The whole page."""
    parts = [
        "<h1>Learning</h1>",
        f'<p class="about">{escape(METHOD)}</p>',
        _goals(report.goals),
        *(_section(section) for section in report.sections),
        _runs(report.runs),
        _satisfaction(report.forms),
    ]
    head = (
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f"<title>Learning: report</title><style>{STYLE}</style>"
    )
    body = "\n".join(part for part in parts if part)
    return f'<!doctype html>\n<html lang="en"><head>{head}</head>\n<body>{body}</body></html>\n'


def _goals(results: Iterable[GoalResult]) -> str:
    rows = []
    for result in results:
        goal = result.goal
        bound = f"{'at most' if goal.at_most else 'at least'} {spelled(goal.bound, goal.unit)}"
        if goal.worst:
            bound += " in every run"
        found = "" if result.estimate is None else _interval(result.estimate, goal.unit)
        if result.worst is not None:
            found += f"; worst {spelled(result.worst, goal.unit)}"
        if result.missed_seeds:
            found += f" ({result.missed_seeds} runs never)"
        kind = {"reached": "reached", "missed": "missed"}.get(result.state, "")
        state = f'<span class="{kind}">{escape(result.state)}</span>'
        rows.append((escape(goal.title), escape(bound), escape(found.removeprefix("; ")), state))
    return "<h2>Goals</h2>" + _table(("", "goal", "measured", ""), rows)


def _section(section: ReportSection) -> str:
    drawn = curves_svg(section.curves, section.across, logarithmic=section.logarithmic) if section.curves else ""
    rows = [(escape(row.title), _interval(row.estimate, row.unit), _range(row), _runs_of(row)) for row in section.rows]
    table = _table(("", "interquartile mean", "least to most", "runs"), rows)
    origin = f"<small>study {escape(section.name)}, measured with {escape(section.origin)}</small>"
    return f"<h2>{escape(section.title)}</h2>{drawn}{table}{origin}"


def _runs(runs: Iterable[RunSummary]) -> str:
    rows, drawn = [], {}
    for run in runs:
        told = run.as_dict()
        last = "" if told["success_rate"] is None else spelled(told["success_rate"], "percent")
        how = " ".join(str(told[name]) for name in ("task", "algorithm") if told[name])
        rows.append((escape(run.name), escape(how), f"{told['state']}, episode {told['episode']}", last))
        if len(run.points) > 1:
            drawn[run.name] = [(point.episode, _exact(point.success)) for point in run.points]
    if not rows:
        return ""
    curves = curves_svg(drawn, "episodes") if drawn else ""
    return "<h2>Runs in this data folder</h2>" + curves + _table(("run", "", "", "success"), rows)


def _satisfaction(forms: Iterable[FilledForm]) -> str:
    groups: dict[tuple[str, bool], list[FilledForm]] = defaultdict(list)
    for form in forms:
        groups[form.about, form.simulated].append(form)
    if not groups:
        return ""
    rows = [
        (escape(about), "simulated" if simulated else "people", str(len(filled)), spelled(mean_score(filled), "stars"))
        for (about, simulated), filled in sorted(groups.items())
    ]
    return "<h2>Satisfaction</h2>" + _table(("about", "asked", "forms", "mean"), rows)


def _table(heads: Iterable[str], rows: Iterable[tuple[str, ...]]) -> str:
    """Cells are HTML."""
    head = "".join(f"<th>{escape(name)}</th>" for name in heads)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _interval(found: Estimate, unit: Unit) -> str:
    value, low, high = (spelled(each, unit) for each in (found.value, found.low, found.high))
    return f"{value} ({low} to {high})"


def _range(row: ReportRow) -> str:
    return f"{spelled(row.least, row.unit)} to {spelled(row.most, row.unit)}"


def _runs_of(row: ReportRow) -> str:
    return str(row.of) if row.estimate.runs == row.of else f"{row.estimate.runs} of {row.of}"


def _exact(value: float) -> Estimate:
    return Estimate(value, value, value, 1)
