"""`reachy-mind workshop create|trial`: have a tool made, and try one out in simulation."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any
from uuid import uuid4

import typer

from reachy_mind.cli import workshop, workshop_shelf
from reachy_mind.cli.workshop import File, Json

app = workshop.app
Cases = Annotated[Path | None, typer.Option("--cases", help='A JSON file: [{"input": {...}, "expected": {...}}, ...].')]


@app.command()
def create(
    description: Annotated[str, typer.Argument(help="What the tool shall do, in words.", metavar="TEXT")],
    name: Annotated[str, typer.Option(help="What to call it.")] = "",
    cases: Cases = None,
    yes: Annotated[bool, typer.Option("--yes", help="You approve it now, if it passes its trial.")] = False,
    as_json: Json = False,
) -> None:
    """Have a tool written, checked and tried out; you are asked whether it may be used."""
    from reachy_mind.cli.tools import request

    # The question is one about the version that was shown, and --yes answers that question alone.
    content = {"description": description, "name": name, "test_cases": _cases(cases), "call_id": uuid4().hex}
    report = request("POST", "tools/generate", content | {"ask": False}, robot="none")
    if not as_json:
        workshop_shelf.show_version(report["tool_name"], report["version"])
    if yes or (sys.stdin.isatty() and not as_json):
        report |= {"state": workshop_shelf.approve_version(report["tool_name"], report, yes=yes)}
    if as_json:
        print(json.dumps(report))
    else:
        print(f"{report['tool_name']} v{report['version']}: {report['state']}", file=sys.stderr)


@app.command()
def trial(
    file: File,
    cases: Cases = None,
    args: Annotated[str, typer.Option("--args", help="Usual arguments as JSON.")] = "{}",
    allow: Annotated[str, typer.Option(help="What it may use, as in `run`; what it seems to need, if empty.")] = "",
    as_json: Json = False,
) -> None:
    """Try a tool out in simulation on virtual time: your cases, generated ones, and faults."""
    from reachy_mind.cli.tools import parse_arguments, request

    content = {
        "code": workshop.read_code(file),
        "filename": file.name,
        "args": parse_arguments(args),
        "allow": allow,
        "test_cases": _cases(cases),
    }
    verdict = request("POST", "workshop/trial", content, robot="none")
    if as_json:
        print(json.dumps(verdict))
    else:
        for result in verdict["results"]:
            why = f": {result['reason']}" if result["reason"] else ""
            workshop_shelf.print_text(f"{result['status']}: {result['case']}{why}")
        print("passed" if verdict["passed"] else "failed")
    if not verdict["passed"]:
        raise typer.Exit(1)


def _cases(file: Path | None) -> list[Any]:
    """The cases in a file. Raises InvalidParameter."""
    from reachy_mind.errors import InvalidParameter

    if file is None:
        return []
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InvalidParameter(f"{file} can't be read: {error}", hint='[{"input": {}, "expected": {}}]') from None
    if not isinstance(found, list):
        raise InvalidParameter(f"{file} is no list of cases", hint='[{"input": {}, "expected": {}}]')
    return found
