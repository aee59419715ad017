"""`reachy-mind learn study|report`: measure what learning can do, with several seeds, and show it on a page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from reachy_mind.cli import learn
from reachy_mind.cli.learn import Json, tell
from reachy_mind.cli.learn_train import configured

if TYPE_CHECKING:
    from reachy_mind.learning.evaluation.goals import GoalResult
    from reachy_mind.learning.evaluation.studies import Study
    from reachy_mind.learning.evaluation.study_results import SeedResult

app = learn.app
REPORT_FILE = "report.html"


@app.command()
def study(
    names: Annotated[
        list[str] | None, typer.Argument(help="Studies, or the beginning of their names; all, if none.", metavar="NAME")
    ] = None,
    seeds: Annotated[int, typer.Option("--seeds", help="How many: 0, 1, 2 and so on.", min=1, max=100)] = 10,
    workers: Annotated[int, typer.Option("--workers", help="Processes at a time.", min=1, max=256)] = 2,
    listed: Annotated[bool, typer.Option("--list", help="List the studies, measure nothing.")] = False,
    as_json: Json = False,
) -> None:
    """Measure what learning can do: each study with several seeds, each kept when it is done. Takes minutes to an hour;
    interrupted, the same command goes on."""
    from reachy_mind.errors import InvalidParameter
    from reachy_mind.learning.evaluation.studies import STUDIES
    from reachy_mind.learning.evaluation.study_runner import measure
    from reachy_mind.learning.training.process import require_torch

    if unknown := [name for name in names or () if not any(each.name.startswith(name) for each in STUDIES)]:
        hint = f"one of {', '.join(each.name for each in STUDIES)}"
        raise InvalidParameter(f"no study called {unknown[0]!r}", hint=hint)
    chosen = [each for each in STUDIES if not names or any(each.name.startswith(name) for name in names)]
    if listed:
        print(
            json.dumps({"studies": [each.name for each in chosen]})
            if as_json
            else "\n".join(each.name for each in chosen)
        )
        return
    require_torch()
    configuration, world = configured()

    def told(asked: Study, result: SeedResult, left: int) -> None:
        tell(f"{asked.name}, seed {result.seed}: {result.seconds:.0f} s; {left} left")

    results = measure(chosen, range(seeds), world, configuration.home.studies_folder, workers, told)
    if as_json:
        print(json.dumps({"studies": [each.model_dump(mode="json") for each in results]}))
        return
    print(f"{len(results)} studies, {seeds} seeds each, in {configuration.home.studies_folder}")
    print("Show them: reachy-mind learn report")


@app.command()
def report(
    file: Annotated[
        Path | None, typer.Option("--file", help="Where to write the page; else in the data folder.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Write a page with goals, studies, training runs and satisfaction: figures with intervals, and curves."""
    from reachy_mind.errors import AssetError
    from reachy_mind.learning.evaluation.report import reported
    from reachy_mind.learning.evaluation.report_page import page
    from reachy_mind.learning.evaluation.satisfaction import SatisfactionFile
    from reachy_mind.learning.evaluation.study_runner import all_stored
    from reachy_mind.learning.training.listing import list_runs
    from reachy_mind.storage.faults import classify
    from reachy_mind.storage.files import make_folder, write_atomically

    home = configured()[0].home
    runs, forms = list_runs(home.training_folder), SatisfactionFile(home.satisfaction_file).forms()
    found = reported(all_stored(home.studies_folder), runs, forms)
    target = file or home.studies_folder / REPORT_FILE
    try:
        make_folder(target.parent)
        write_atomically(target, page(found).encode())
    except OSError as error:
        fault = classify(error, target)
        raise AssetError(f"{target} can't be written: {fault.cause}", hint=fault.hint) from error
    if as_json:
        goals = [each.as_dict() for each in found.goals]
        print(json.dumps({"file": str(target), "goals": goals, "studies": [each.name for each in found.sections]}))
        return
    for result in found.goals:
        print(_line(result))
    if not found.sections:
        tell("No study was measured yet: reachy-mind learn study")
    print(target)


def _line(result: GoalResult) -> str:
    from reachy_mind.learning.evaluation.goals import spelled

    goal = result.goal
    bound = f"{'at most' if goal.at_most else 'at least'} {spelled(goal.bound, goal.unit)}"
    measured = "" if result.estimate is None else f", {spelled(result.estimate.value, goal.unit)}"
    return f"{result.state:<13} {goal.title}: {bound}{measured}"
