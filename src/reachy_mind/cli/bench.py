"""`reachy-mind bench`: benchmarks, each beside a reference from the same run."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer


def bench(
    name: Annotated[str | None, typer.Argument(help="Which one; none lists them.")] = None,
    every: Annotated[bool, typer.Option("--all", help="Run every benchmark.")] = False,
    seconds: Annotated[float | None, typer.Option(help="How long to measure.", min=1, max=3600)] = None,
    brain: Annotated[str | None, typer.Option(help="talk, tasks: which brain; workshop: which author.")] = None,
    collection: Annotated[
        str | None,
        typer.Option(
            "--set",
            "--world",
            help="talk, tasks, workshop: which of its cases; voice: whose voices; corrections: which world.",
        ),
    ] = None,
    seeds: Annotated[int | None, typer.Option(help="corrections: how many robots and people.", min=1, max=1000)] = None,
    rooms: Annotated[str | None, typer.Option(help="voice: which rooms, with commas.")] = None,
    recordings: Annotated[
        Path | None,
        typer.Option(help="speech: a folder of sound files, each with its words in a .txt.", metavar="DIR"),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="endurance: which order of faults.", min=0)] = None,
    report: Annotated[
        Path | None, typer.Option(help="endurance: a Markdown file for the tables.", metavar="FILE.md", dir_okay=False)
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Run a benchmark and print its figures, the reference's and their ratio."""
    import asyncio

    from reachy_mind import log
    from reachy_mind.bench import NAMES, run
    from reachy_mind.config.configuration import load

    configuration = load()
    log.configure("warning")
    if every:
        outcomes = [asyncio.run(run(each, configuration, seconds)) for each in NAMES]
        print(json.dumps({"benches": outcomes}))
        return
    if name is None:
        print(json.dumps({"benches": list(NAMES)}) if as_json else "\n".join(NAMES))
        return
    outcome = asyncio.run(run(name, configuration, seconds, brain, collection, seeds, rooms, recordings, seed, report))
    if as_json:
        print(json.dumps(outcome))
    else:
        _table(outcome)
        for case in outcome.get("failed", ()):
            print(case, file=sys.stderr)


def _table(outcome: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table("figure", "ours", "reference", "ratio", box=None, pad_edge=False)
    for key in dict.fromkeys((*outcome["ours"], *outcome["reference"])):
        table.add_row(key, *(str(outcome[column].get(key, "")) for column in ("ours", "reference", "ratio")))
    Console().print(table)
    for key, note in outcome.get("notes", {}).items():
        print(f"{key}: {note}")
    machine = outcome["machine"]
    print(f"\n{machine['cores']} cores, load {machine['load_before']} to {machine['load_after']}, {machine['system']}")
