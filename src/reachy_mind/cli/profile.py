"""`reachy-mind profile`: who the robot can be, being somebody else, and personalities of one's own."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import quote

import typer

if TYPE_CHECKING:
    from reachy_mind.config import Configuration
    from reachy_mind.owner import Owner
    from reachy_mind.profiles.catalogue import Profiles

app = typer.Typer(name="profile", help="Personalities: who the robot can be.", no_args_is_help=True)

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Name = Annotated[str, typer.Argument(help="Name from 'reachy-mind profile list'.")]


@app.command("list")
def list_profiles(as_json: Json = False) -> None:
    """Every personality, and which one is in use (or will be, at the next start)."""
    configuration, profiles, running = _found()
    found = [profile.described() for profile in profiles.all()]
    active = _asked(running, "GET", "profiles?limit=1")["active"] if running else configuration.settings.mind.profile
    if as_json:
        print(json.dumps({"profiles": found, "active": active, "total": len(found), "unusable": profiles.strangers()}))
        return
    for profile in found:
        mark = "*" if profile["name"] == active else " "
        told = f"broken: {profile['broken']}" if profile["broken"] else profile["about"]
        count = len(profile["problems"])
        extra = f"  ({count} problem{'s' * (count != 1)}: reachy-mind profile check {profile['name']})" if count else ""
        print(f"{mark} {profile['name']:16} {profile['source']:8} {told}{extra}")
    for name in profiles.strangers():
        print(f"  {name!r} in {profiles.folder} can't be used: rename it (small letters, digits, - and _)")


@app.command()
def show(name: Name, as_json: Json = False) -> None:
    """All of one: what it is told, its tools, voice and greeting."""
    from reachy_mind.profiles.editing import shown

    _, profiles, _ = _found()
    told = shown(profiles, name)
    if as_json:
        print(json.dumps(told))
        return
    for part in ("name", "about", "source", "folder", "voice", "speed", "greeting"):
        print(f"{part + ':':10} {told[part] if told[part] is not None else ''}")
    print(f"{'moves:':10} {', '.join(told['moves'])}\n{'tools:':10} {', '.join(told['tools'])}")
    if told["own_tools"]:
        print(f"{'own:':10} {', '.join(told['own_tools'])}")
    print(f"\n{told['instructions'] or told['broken']}")
    _tell_problems(told["problems"])


@app.command()
def new(
    name: Annotated[str, typer.Argument(help="Small letters, digits, - and _, such as sea_captain.")],
    instructions: Annotated[
        str | None, typer.Option("--instructions", help="Who it is, in words; or @FILE with them.", metavar="TEXT")
    ] = None,
    like: Annotated[str, typer.Option("--like", help="Another one whose texts it begins with.", metavar="NAME")] = "",
    as_json: Json = False,
) -> None:
    """Make one of your own: a folder of texts to edit, with the tools of the default one. Nothing is overwritten."""
    from reachy_mind.profiles.editing import Editor, shown

    _, profiles, _ = _found()
    content: dict[str, Any] = {}
    if instructions is not None:
        content["instructions"] = _text(instructions)
    elif not like:
        title = name.replace("_", " ").replace("-", " ")
        content["instructions"] = f"You are Reachy, {title}.\n\n[body]\n[speaking]\n[honesty]"
    made = Editor(profiles).create(name, content, like=like)
    if as_json:
        print(json.dumps(shown(profiles, made.name)))
        return
    print(f"{made.name}: {made.folder}\nedit instructions.txt there, then: reachy-mind profile use {made.name}")


@app.command()
def use(
    name: Name,
    keep: Annotated[bool, typer.Option("--keep", help="Also at the next start.")] = False,
    as_json: Json = False,
) -> None:
    """Let the mind that is running be somebody else, at once; with --keep also the next one."""
    from reachy_mind.errors import NotReady
    from reachy_mind.files import replaced

    configuration, profiles, running = _found()
    if running is not None:
        told = _asked(running, "POST", f"profiles/{quote(name, safe='')}/activate", {"keep": keep})
    elif not keep:
        raise NotReady("no mind is running", hint=f"--keep for the next start, or: reachy-mind run --profile {name}")
    else:
        profile = profiles.usable(name)
        replaced(configuration.home.kept_profile_file, f"{profile.name}\n", mode=0o644)
        told = {"active": profile.name, "greeting": "", "kept": True, "problems": profile.described()["problems"]}
    if as_json:
        print(json.dumps(told))
    else:
        print(told["greeting"] or f"{told['active']}, from the next start on")
        _tell_problems(told["problems"])
    origin = configuration.origins.get("mind.profile", "")
    if keep and origin and origin != str(configuration.home.kept_profile_file):
        print(f"note: mind.profile is set by {origin}, which wins at the next start", file=sys.stderr)


@app.command()
def trust(name: Name, as_json: Json = False) -> None:
    """Let the Python files of one of your own run in this program, as they are now. Read them first."""
    _, profiles, _ = _found()
    place = profiles.place(name)
    if place.source == "shipped":
        files: dict[str, str] = {}
    else:
        files = profiles.trust.mark(place.name, place.folder)
    if as_json:
        print(json.dumps({"name": place.name, "folder": str(place.folder), "files": files}))
        return
    for file, digest in files.items():
        print(f"{digest[:12]}  {file}")
    told = "trusted, until one of these files changes" if files else "comes with the program: nothing to trust"
    print(f"{place.name}: {told}")


@app.command()
def check(
    name: Annotated[str | None, typer.Argument(help="One of them; all, if not given.")] = None, as_json: Json = False
) -> None:
    """What is wrong with the files of one, or of all. The exit code is 1 when one can't be used."""
    _, profiles, _ = _found()
    found = [profiles.load(name)] if name else profiles.all()
    if as_json:
        told = [{key: profile.described()[key] for key in ("name", "broken", "problems")} for profile in found]
        print(json.dumps({"profiles": told, "unusable": profiles.strangers()}))
    else:
        for profile in found:
            print(f"{profile.name}: {profile.broken or ('usable' if profile.problems else 'fine')}")
            _tell_problems(profile.described()["problems"])
    if any(profile.broken for profile in found):
        raise typer.Exit(1)


def _found() -> tuple[Configuration, Profiles, Owner | None]:
    from reachy_mind import log, owner
    from reachy_mind.config import load
    from reachy_mind.profiles.catalogue import Profiles

    configuration = load()
    log.configure("error", configuration.settings.log.format, configuration.secrets())
    return configuration, Profiles(configuration.home), owner.find(configuration.home)


def _asked(running: Owner, method: str, route: str, content: dict[str, Any] | None = None) -> dict[str, Any]:
    from reachy_mind.client import Client

    return asyncio.run(Client(running).ask(method, route, content))


def _text(given: str) -> str:
    from reachy_mind.errors import InvalidParameter

    if not given.startswith("@"):
        return given
    try:
        return Path(given[1:]).expanduser().read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidParameter(f"{given[1:]} can't be read: {error}", hint="a text file, UTF-8") from None


def _tell_problems(problems: list[dict[str, Any]]) -> None:
    for problem in problems:
        line = f":{problem['line']}" if problem["line"] else ""
        print(f"  {problem['file']}{line}: {problem['what']}")
