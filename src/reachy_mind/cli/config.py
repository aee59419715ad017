"""`reachy-mind config`: the effective settings and the origin of each."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(name="config", help="Settings and where they come from.", no_args_is_help=True)


@app.command()
def show(
    config: Annotated[Path | None, typer.Option("--config", help="YAML file to read.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Print every setting, its value and its origin, and the selected brain. Secrets are masked."""
    from reachy_mind.brains.selection import decide
    from reachy_mind.config.configuration import load

    configuration = load(config_file=config)
    brain = asyncio.run(decide(configuration)).line
    if as_json:
        settings = {key: {"value": value, "origin": origin} for key, value, origin in configuration.rows()}
        print(json.dumps({"home": str(configuration.home.folder), "brain": brain, "settings": settings}))
        return
    rows = [(key, "" if value is None else str(value), origin) for key, value, origin in configuration.rows()]
    wide = [max(len(row[column]) for row in rows) for column in (0, 1)]
    for key, value, origin in rows:
        print(f"{key:{wide[0]}}  {value:{wide[1]}}  {origin}")
    print(f"\ndata folder: {configuration.home.folder}")
    print(f"brain: {brain}")


@app.command()
def example() -> None:
    """Print the text of .env.example."""
    from reachy_mind.config.configuration import env_example

    print(env_example(), end="")
