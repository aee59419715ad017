"""`reachy-mind demonstrations`: list, show, replay, trim, delete, import and export what people showed the robot."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from reachy_mind.config.settings import HubSettings
    from reachy_mind.learning.demonstrations.store import DemonstrationStore

app = typer.Typer(
    name="demonstrations", help="What people showed the robot, as LeRobot datasets.", no_args_is_help=True
)

Id = Annotated[str, typer.Argument(metavar="ID", help="As in demonstrations list.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask.")]
HUB = "hub:"


@app.command("list")
def list_demonstrations(
    dataset: Annotated[str | None, typer.Option("--dataset", help="Only of this dataset.")] = None,
    as_json: Json = False,
) -> None:
    """List the demonstrations; datasets that can't be read are named with the reason."""
    found = _store().listing(dataset)
    if as_json:
        broken = [{"dataset": name} | error.as_dict() for name, error in found.broken.items()]
        listed = [one.as_dict() for one in found.demonstrations]
        print(json.dumps({"demonstrations": listed, "total": len(listed), "broken": broken}))
        return
    for one in found.demonstrations:
        print(
            f"{one.id}  {one.dataset:16} {one.episode.duration:6.2f} s  {one.episode.about.source:14}{one.episode.task}"
        )
    for name, error in found.broken.items():
        print(f"{name}: {error.message}")
    if not found.demonstrations and not found.broken:
        print('none yet; reachy-mind moves record NAME --by-hand --task "look at the cup" makes one')


@app.command()
def show(demo_id: Id, as_json: Json = False) -> None:
    """Tell about one demonstration."""
    about = _store().summary(demo_id).as_dict()
    if as_json:
        print(json.dumps(about))
        return
    for name, value in about.items():
        print(f"{name:17}{json.dumps(value) if isinstance(value, list) else value}")


@app.command()
def replay(
    demo_id: Id,
    robot: Annotated[
        str | None, typer.Option("--robot", help="sim, or HOST[:PORT] of a robot.", metavar="WHERE")
    ] = None,
    as_json: Json = False,
) -> None:
    """Do again what was shown. Wakes the robot if it sleeps."""
    from reachy_mind.cli.attach import request

    _store().summary(demo_id)  # raises before a robot is started for it

    outcome = request("POST", f"demonstrations/{demo_id}/replay", None, robot)
    print(json.dumps(outcome) if as_json else f"{demo_id}: {outcome['duration_s']} s")


@app.command()
def trim(
    demo_id: Id,
    start: Annotated[float, typer.Option("--from", help="Seconds to leave out at the beginning.")] = 0.0,
    end: Annotated[float | None, typer.Option("--to", help="Second at which to end.")] = None,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Keep only a part of a demonstration; the rest is deleted."""
    store = _store()
    _confirm(f"Trim '{store.summary(demo_id).episode.task}' for good?", yes=yes)
    kept = store.trim(demo_id, start, end).as_dict()
    print(json.dumps(kept) if as_json else f"{demo_id}: {kept['duration_s']} s")


@app.command()
def delete(
    demo_id: Annotated[str, typer.Argument(metavar="ID", help="A demonstration; or, with --dataset, a dataset.")],
    dataset: Annotated[bool, typer.Option("--dataset", help="A whole dataset, also a broken one.")] = False,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Delete a demonstration, or a dataset."""
    store = _store()
    if dataset:
        store.require(demo_id)
        _confirm(f"Delete the whole dataset {demo_id} for good?", yes=yes)
        store.remove_dataset(demo_id)
    else:
        _confirm(f"Delete '{store.summary(demo_id).episode.task}' for good?", yes=yes)
        store.remove(demo_id)
    print(json.dumps({"deleted": demo_id}) if as_json else f"deleted {demo_id}")


@app.command()
def export(
    dataset: Annotated[str, typer.Argument(help="A dataset.")],
    target: Annotated[str, typer.Argument(help="A new folder, a new .zip file, or hub:ORG/NAME.")],
    public: Annotated[bool, typer.Option("--public", help="On the Hub: for everybody to see.")] = False,
    as_json: Json = False,
) -> None:
    """Write a dataset for LeRobot and other programs; to the Hub without the names of people (needs HF_TOKEN)."""
    from reachy_mind.learning.demonstrations.transfer import export_dataset, push_demonstrations

    store = _store()
    if target.startswith(HUB):
        hub = _hub()
        token = hub.token.get_secret_value() if hub.token else ""
        repository = target.removeprefix(HUB)
        place = asyncio.run(
            push_demonstrations(store, dataset, repository, endpoint=hub.endpoint, token=token, private=not public)
        )
    else:
        export_dataset(store, dataset, Path(target))
        place = target
    print(json.dumps({"dataset": dataset, "exported": place}) if as_json else f"{dataset}: {place}")


@app.command("import")
def import_demonstrations(
    source: Annotated[str, typer.Argument(help="A folder, a .zip file, or hub:ORG/NAME; LeRobot v3.0.")],
    dataset: Annotated[
        str | None, typer.Option("--dataset", help="Where to add them; else a name like its own.")
    ] = None,
    video: Annotated[bool, typer.Option("--video/--no-video", help="Camera frames too.")] = True,
    as_json: Json = False,
) -> None:
    """Take in the demonstrations of a dataset, each one checked."""
    import re

    from reachy_mind.learning.demonstrations.transfer import import_dataset, pull_demonstrations

    store = _store()
    own = re.sub(r"[^A-Za-z0-9_-]+", "-", source.removeprefix(HUB).rstrip("/").rsplit("/", 1)[-1].removesuffix(".zip"))
    name = dataset or own.strip("-_")[:64] or "imported"
    if source.startswith(HUB):
        hub = _hub()
        token = hub.token.get_secret_value() if hub.token else ""
        pulling = pull_demonstrations(
            store, source.removeprefix(HUB), name, endpoint=hub.endpoint, token=token, videos=video
        )
        taken = asyncio.run(pulling)
    else:
        taken = import_dataset(store, Path(source), name, videos=video)
    if as_json:
        print(json.dumps({"dataset": name, "imported": [one.id for one in taken]}))
    else:
        print(f"imported {len(taken)} into {name}")


def _confirm(question: str, *, yes: bool) -> None:
    if not yes:
        typer.confirm(question, abort=True, err=True)


def _store() -> DemonstrationStore:
    from reachy_mind.config.configuration import load
    from reachy_mind.learning.demonstrations.store import DemonstrationStore

    return DemonstrationStore(load().home.datasets_folder)


def _hub() -> HubSettings:
    from reachy_mind.config.configuration import load

    return load().settings.hub
