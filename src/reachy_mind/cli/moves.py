"""`reachy-mind moves`: list, play, record, plot, import and export moves."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from reachy_mind.cli.move_options import Performance, with_move_options

app = typer.Typer(name="moves", help="Emotions, dances, gestures, recorded moves.", no_args_is_help=True)

Robot = Annotated[str | None, typer.Option("--robot", help="sim, or HOST[:PORT] of a robot.", metavar="WHERE")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace a file that is there.")]
VENDOR_EMOTIONS = "emotions"


@app.command("list")
def list_moves(
    kind: Annotated[
        Literal["emotion", "dance", "gesture", "recorded"] | None, typer.Option("--kind", help="Only these.")
    ] = None,
    as_json: Json = False,
) -> None:
    """List the moves and their parameters."""
    from dataclasses import asdict

    from reachy_mind.motion.repertoire import Repertoire

    entries = [entry for entry in Repertoire(_folder()).entries() if kind in (None, entry.kind)]
    if as_json:
        print(json.dumps({"moves": [asdict(entry) for entry in entries], "total": len(entries)}))
        return
    width = max((len(entry.name) for entry in entries), default=0)
    for entry in entries:
        takes = f" ({', '.join(entry.parameters)})" if entry.parameters else ""
        print(f"{entry.kind:9}{entry.name:{width + 2}}{entry.description}{takes}".rstrip())
    if kind == "recorded" and not entries:
        print("none yet; reachy-mind moves record NAME makes one, moves import FILE brings one in")


@app.command()
@with_move_options
def play(
    performance: Performance,
    robot: Robot = None,
    as_json: Json = False,
) -> None:
    """Play a move. Wakes the robot if it sleeps."""
    from reachy_mind.cli.attach import perform

    performance.clip(_folder())  # raises for an invalid move before a robot is started for it
    arguments = {"name": performance.name, "parameters": performance.parameters, "edit": performance.edit.model_dump()}
    outcome = perform("robot.perform", arguments, robot)
    if as_json:
        print(json.dumps(outcome))
        return
    print(f"{outcome['move']}: {outcome['duration_s']} s")
    if outcome["sound"] != "none":
        print(f"sound: {outcome['sound']}")
    if outcome["clamped"]:
        print(f"kept within the robot's reach: {', '.join(clamp['axis'] for clamp in outcome['clamped'])}")


@app.command()
def record(
    name: Annotated[str, typer.Argument(help="What to call it: letters, digits, - and _.")],
    seconds: Annotated[float, typer.Option("--seconds", help="How long.")] = 10.0,
    by_hand: Annotated[bool, typer.Option("--by-hand", help="Let the motors yield, so that you can pose it.")] = False,
    description: Annotated[str, typer.Option("--description", help="What it looks like.")] = "",
    overwrite: Overwrite = False,
    task: Annotated[str, typer.Option("--task", help="Keep it also as a demonstration of this task.")] = "",
    dataset: Annotated[str, typer.Option("--dataset", help="Where the demonstration goes.")] = "",
    camera: Annotated[
        bool, typer.Option("--camera", help="With --task: the camera's frames too, and where they show what it names.")
    ] = False,
    robot: Robot = None,
    as_json: Json = False,
) -> None:
    """Record the robot's movement as a move, whether you move it by hand, by a command or by another program."""
    from reachy_mind.cli.attach import perform, request

    arguments = {
        "name": name,
        "seconds": seconds,
        "by_hand": by_hand,
        "description": description,
        "overwrite": overwrite,
    }
    print(f"recording {seconds:g} s as soon as the robot is there{', by hand' if by_hand else ''}", file=sys.stderr)
    if task:
        shown = {
            "task_description": task,
            "actions": [{"name": "robot.record_move", "args": arguments}],
            "source": "by_hand" if by_hand else "teleoperation",
            "dataset": dataset,
            "camera": camera,
        }
        kept = request("POST", "demonstration", shown, robot)
        named = ("demo_id", "dataset", "target", "target_seen")
        outcome = kept["results"][0] | {name: kept[name] for name in named if name in kept}
    else:
        outcome = perform("robot.record_move", arguments, robot)
    if as_json:
        print(json.dumps(outcome))
        return
    print(f"{outcome['move']}: {outcome['duration_s']} s, in {outcome['file']}")
    if task:
        print(f"demonstration {outcome['demo_id']} of '{task}', in the dataset {outcome['dataset']}")
        if outcome.get("target_seen") == 0:
            print(f"the camera did not see the {outcome['target']}: it does not teach where to look", file=sys.stderr)


@app.command()
@with_move_options
def plot(
    performance: Performance,
    file: Annotated[Path, typer.Argument(help="Picture to write: .png, .svg or .pdf.")],
    as_json: Json = False,
) -> None:
    """A picture of head, antennas and body over time, with the limits drawn in, and what limits leave of the move."""
    from reachy_mind.cli.assets import ensure_description
    from reachy_mind.config.configuration import load
    from reachy_mind.motion.plot import draw

    clip = performance.clip(_folder())
    description = asyncio.run(ensure_description(load()))
    draw(clip, file, description / "kinematics_data.json")
    outcome = {"move": clip.name, "duration_s": round(clip.duration, 2), "file": str(file)}
    print(json.dumps(outcome) if as_json else f"{clip.name}: {file}")


@app.command()
@with_move_options
def export(
    performance: Performance,
    file: Annotated[Path, typer.Argument(help="Where to write it, ending in .json; a sound goes beside it.")],
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Write a move as a file that the vendor's programs read too, changed as you say."""
    from reachy_mind.motion.clips import write

    clip = performance.clip(_folder())
    write(clip, file, overwrite=overwrite)
    outcome = {"move": clip.name, "duration_s": round(clip.duration, 2), "file": str(file)}
    print(json.dumps(outcome) if as_json else f"{clip.name}: {file}, {clip.duration:.2f} s")


@app.command("import")
def import_moves(
    source: Annotated[
        str, typer.Argument(help="A .json file, a folder of them, hub:ORG/NAME, or 'emotions': the vendor's.")
    ],
    name: Annotated[str | None, typer.Option("--name", help="Another name for a single file.")] = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Take recorded moves into the data folder, each one checked; what is broken is named and left out."""
    from reachy_mind.errors import InvalidParameter
    from reachy_mind.motion.hub_download import EMOTIONS

    if not source:
        raise InvalidParameter("nothing to import", hint="a .json file, a folder, hub:ORG/NAME, or 'emotions'")
    if source == VENDOR_EMOTIONS:
        source = f"hub:{EMOTIONS}"
    if source.startswith("hub:"):
        imported, refused = _import_dataset(source.removeprefix("hub:"))
    else:
        imported, refused = _import_files(Path(source), name, overwrite=overwrite)
    if as_json:
        print(json.dumps({"imported": imported, "refused": [{"name": name, "reason": why} for name, why in refused]}))
    else:
        for left_out, why in refused:
            print(f"left out: {left_out}: {why}", file=sys.stderr)
        print(
            f"imported {len(imported)}: {', '.join(imported[:8])}{', ...' if len(imported) > 8 else ''}"
            if imported
            else "nothing"
        )
    if refused and not imported:
        raise typer.Exit(1)


def _import_dataset(dataset: str) -> tuple[list[str], list[tuple[str, str]]]:
    from reachy_mind.config.configuration import load
    from reachy_mind.motion.hub_download import default_cache, pull_dataset

    hub = load().settings.hub
    folder = dataset.replace("/", "--")
    pulled = asyncio.run(
        pull_dataset(
            dataset,
            _folder() / folder,
            endpoint=hub.endpoint,
            token=hub.token.get_secret_value() if hub.token else "",
            cache=hub.folder or default_cache(),
            report=_print_progress if sys.stderr.isatty() else None,
        )
    )
    return [f"{folder}/{name}" for name in pulled.names], pulled.refused


def _print_progress(name: str, done: int, total: int) -> None:
    print(f"\r{done}/{total} {name[:40]:40}", end="\n" if done == total else "", file=sys.stderr, flush=True)


def _import_files(source: Path, name: str | None, *, overwrite: bool) -> tuple[list[str], list[tuple[str, str]]]:
    from reachy_mind.errors import InvalidParameter, MindError
    from reachy_mind.motion.clips import read
    from reachy_mind.motion.repertoire import Repertoire

    repertoire = Repertoire(_folder())
    if not source.is_dir():
        clip = read(source, name)
        repertoire.save(clip, overwrite=overwrite)
        return [clip.name], []
    if name:
        raise InvalidParameter("--name is for a single file", hint="leave it out")
    imported, refused = [], []
    for file in sorted(source.glob("*.json")):
        try:
            repertoire.save(read(file), overwrite=overwrite)
            imported.append(file.stem)
        except MindError as error:
            refused.append((file.stem, error.message))
    if not imported and not refused:
        raise InvalidParameter(f"there are no .json files in {source}", hint="name the folder that holds them")
    return imported, refused


def _folder() -> Path:
    from reachy_mind.config.configuration import load

    return load().home.moves_folder
