"""`reachy-mind photos`: list and erase the photos stored on this machine."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from reachy_mind.eyes.photos import Photos

app = typer.Typer(name="photos", help="Photos the robot took: list, erase.", no_args_is_help=True)

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


@app.command("list")
def list_photos(as_json: Json = False) -> None:
    """Show every photo that is kept, the newest first."""
    photos = _photos()
    there = photos.all()
    if as_json:
        print(json.dumps({"folder": str(photos.folder), "photos": [photo.as_dict() for photo in there]}))
        return
    for photo in there:
        print(f"{photo.name}  {photo.bytes / 1000:.0f} kB")
    print(f"{len(there)} in {photos.folder}" if there else "no photos are kept")


@app.command()
def erase(
    name: Annotated[str | None, typer.Argument(help="Name from 'reachy-mind photos list'.")] = None,
    every: Annotated[bool, typer.Option("--all", help="Erase all of them.")] = False,
    as_json: Json = False,
) -> None:
    """Erase a photo, or all of them, with what was noted about them. It can't be undone."""
    if (name is None) == (not every):
        raise typer.BadParameter("either the name of a photo, or --all")
    photos = _photos()
    erased = photos.erase_all() if every else len([photos.erase(name or "")])
    if as_json:
        print(json.dumps({"erased": erased}))
    else:
        print(f"erased {erased} photo{'' if erased == 1 else 's'}")


def _photos() -> Photos:
    from reachy_mind.config.configuration import load
    from reachy_mind.eyes.photos import Photos

    configuration = load()
    eyes = configuration.settings.eyes
    return Photos(configuration.home.photos_folder, days=eyes.photo_days, most=eyes.photo_most)
