"""`reachy-mind profile`: list, show, create, use, trust and check profiles (personalities)."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import quote

import typer

if TYPE_CHECKING:
    from reachy_mind.config.configuration import Configuration
    from reachy_mind.profiles.catalogue import Profiles
    from reachy_mind.storage.owner import Owner

app = typer.Typer(name="profile", help="Personalities: who the robot can be.", no_args_is_help=True)

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Name = Annotated[str, typer.Argument(help="Name from 'reachy-mind profile list'.")]


@app.command("list")
def list_profiles(as_json: Json = False) -> None:
    """Every personality, and which one is in use (or will be, at the next start)."""
    configuration, profiles, running = _context()
    found = [profile.described() for profile in profiles.all()]
    active = _request(running, "GET", "profiles?limit=1")["active"] if running else configuration.settings.mind.profile
    if as_json:
        unusable = profiles.invalid_folders()
        print(json.dumps({"profiles": found, "active": active, "total": len(found), "unusable": unusable}))
        return
    for profile in found:
        mark = "*" if profile["name"] == active else " "
        text = f"broken: {profile['broken']}" if profile["broken"] else profile["about"]
        count = len(profile["problems"])
        extra = f"  ({count} problem{'s' * (count != 1)}: reachy-mind profile check {profile['name']})" if count else ""
        print(f"{mark} {profile['name']:16} {profile['source']:8} {text}{extra}")
    for name in profiles.invalid_folders():
        print(f"  {name!r} in {profiles.folder} can't be used: rename it (small letters, digits, - and _)")


@app.command()
def show(name: Name, as_json: Json = False) -> None:
    """One personality in full: instructions, tools, voice and greeting."""
    from reachy_mind.profiles.editing import shown

    _, profiles, _ = _context()
    details = shown(profiles, name)
    if as_json:
        print(json.dumps(details))
        return
    for part in ("name", "about", "source", "folder", "voice", "speed", "greeting"):
        print(f"{part + ':':10} {details[part] if details[part] is not None else ''}")
    print(f"{'moves:':10} {', '.join(details['moves'])}\n{'tools:':10} {', '.join(details['tools'])}")
    if details["own_tools"]:
        print(f"{'own:':10} {', '.join(details['own_tools'])}")
    print(f"\n{details['instructions'] or details['broken']}")
    _print_problems(details["problems"])


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

    _, profiles, _ = _context()
    content: dict[str, Any] = {}
    if instructions is not None:
        content["instructions"] = _read_text(instructions)
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
    """Switch the running mind to another personality, now; with --keep also at the next start."""
    from reachy_mind.errors import NotReady
    from reachy_mind.storage.files import write_text_atomically

    configuration, profiles, running = _context()
    if running is not None:
        result = _request(running, "POST", f"profiles/{quote(name, safe='')}/activate", {"keep": keep})
    elif not keep:
        raise NotReady("no mind is running", hint=f"--keep for the next start, or: reachy-mind run --profile {name}")
    else:
        profile = profiles.usable(name)
        write_text_atomically(configuration.home.kept_profile_file, f"{profile.name}\n", mode=0o644)
        result = {"active": profile.name, "greeting": "", "kept": True, "problems": profile.described()["problems"]}
    if as_json:
        print(json.dumps(result))
    else:
        print(result["greeting"] or f"{result['active']}, from the next start on")
        _print_problems(result["problems"])
    origin = configuration.origins.get("mind.profile", "")
    if keep and origin and origin != str(configuration.home.kept_profile_file):
        print(f"note: mind.profile is set by {origin}, which wins at the next start", file=sys.stderr)


@app.command()
def trust(name: Name, as_json: Json = False) -> None:
    """Let the Python files of a personality of yours run in this program, as they are now. Read them first."""
    _, profiles, _ = _context()
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
    message = "trusted, until one of these files changes" if files else "comes with the program: nothing to trust"
    print(f"{place.name}: {message}")


@app.command()
def check(
    name: Annotated[str | None, typer.Argument(help="One of them; all, if not given.")] = None, as_json: Json = False
) -> None:
    """Check the files of one personality, or of all. The exit code is 1 when one can't be used."""
    _, profiles, _ = _context()
    found = [profiles.load(name)] if name else profiles.all()
    if as_json:
        rows = [{key: profile.described()[key] for key in ("name", "broken", "problems")} for profile in found]
        print(json.dumps({"profiles": rows, "unusable": profiles.invalid_folders()}))
    else:
        for profile in found:
            print(f"{profile.name}: {profile.broken or ('usable' if profile.problems else 'fine')}")
            _print_problems(profile.described()["problems"])
    if any(profile.broken for profile in found):
        raise typer.Exit(1)


def _context() -> tuple[Configuration, Profiles, Owner | None]:
    from reachy_mind import log
    from reachy_mind.config.configuration import load
    from reachy_mind.profiles.catalogue import Profiles
    from reachy_mind.storage import owner

    configuration = load()
    log.configure("error", configuration.settings.log.format, configuration.secrets())
    return configuration, Profiles(configuration.home), owner.find(configuration.home)


def _request(running: Owner, method: str, route: str, content: dict[str, Any] | None = None) -> dict[str, Any]:
    from reachy_mind.client import Client

    return asyncio.run(Client(running).ask(method, route, content))


def _read_text(given: str) -> str:
    from reachy_mind.errors import InvalidParameter

    if not given.startswith("@"):
        return given
    try:
        return Path(given[1:]).expanduser().read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidParameter(f"{given[1:]} can't be read: {error}", hint="a text file, UTF-8") from None


def _print_problems(problems: list[dict[str, Any]]) -> None:
    for problem in problems:
        line = f":{problem['line']}" if problem["line"] else ""
        print(f"  {problem['file']}{line}: {problem['what']}")
