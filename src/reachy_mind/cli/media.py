"""`reachy-mind media`: what camera, microphone and speaker of a wireless robot need on this machine."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(name="media", help="Camera, microphone and speaker of the robot.", no_args_is_help=True)


@app.callback()
def media() -> None:
    """Camera, microphone and speaker of the robot."""


@app.command()
def setup(
    python: Annotated[Path | None, typer.Option(help="A Python that has the vendor's reachy_mini already.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Find the vendor's SDK, or install it in an environment of its own; its media are used from the next start on."""
    from reachy_mind.body.media.vendor_environment import set_up
    from reachy_mind.config.configuration import load
    from reachy_mind.storage.files import make_folder, write_text_atomically

    home = load().home
    make_folder(home.folder)
    found = set_up(home.vendor_environment, python, lambda step: print(step, file=sys.stderr))
    write_text_atomically(home.vendor_python_file, f"{found.python}\n")
    configuration = load()
    kept = configuration.settings.media.vendor_python
    place = configuration.origins["media.vendor_python"]
    outcome = {"python": str(found.python), "sdk": found.version, "set_by": place}
    if kept != found.python:
        print(f"media.vendor_python is {kept} all the same: {place} sets it", file=sys.stderr)
    print(
        json.dumps(outcome)
        if as_json
        else f"reachy_mini {found.version} at {found.python}, used from the next start on"
    )
