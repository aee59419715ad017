"""`reachy-mind config`: the settings in force and where each came from."""

from __future__ import annotations

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
    """Print every setting, its value and its origin. Secrets are masked."""
    from reachy_mind.config import load

    configuration = load(config_file=config)
    if as_json:
        rows = {key: {"value": value, "origin": origin} for key, value, origin in configuration.rows()}
        print(json.dumps({"home": str(configuration.home.folder), "settings": rows}))
        return
    from rich.console import Console
    from rich.table import Table

    table = Table("setting", "value", "from", box=None, pad_edge=False)
    for key, value, origin in configuration.rows():
        table.add_row(key, "" if value is None else str(value), origin, style=None if origin != "default" else "dim")
    console = Console(soft_wrap=True)
    console.print(table)
    console.print(f"\ndata folder: {configuration.home.folder}")


@app.command()
def example() -> None:
    """Print the text of .env.example."""
    from reachy_mind.config import env_example

    print(env_example(), end="")
