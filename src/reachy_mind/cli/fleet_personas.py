"""`reachy-mind fleet persona`: personalities for devices: stored, rolled out by group in waves, taken back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from urllib.parse import quote

import typer

from reachy_mind.cli.fleet import app
from reachy_mind.cli.fleet_client import Json, Key, Url, connect, when

if TYPE_CHECKING:
    from reachy_mind.cli.fleet_client import Content

persona_app = typer.Typer(name="persona", help="Personalities of devices.", no_args_is_help=True)
app.add_typer(persona_app)

Rollout = Annotated[str, typer.Argument(help="Its id.")]


@persona_app.command("push")
def push(
    profile: Annotated[str, typer.Argument(help="A profile of this computer, or a folder with one.")],
    name: Annotated[str | None, typer.Option(help="What it is called there; else as here.")] = None,
    url: Url = None,
    key: Key = None,
    as_json: Json = False,
) -> None:
    """Store the texts of a profile in the control plane. Devices get it by a rollout."""
    from dataclasses import replace

    from reachy_mind.config.configuration import load
    from reachy_mind.fleet.control import personas
    from reachy_mind.profiles.catalogue import Profiles
    from reachy_mind.profiles.loading import SHIPPED

    if (folder := Path(profile)).is_dir():
        bundle = personas.from_folder(name or folder.resolve().name, folder, (SHIPPED / "prompts",))
    else:
        bundle = personas.from_profile(Profiles(load().home), profile)
    if name is not None:
        bundle = replace(bundle, id=name)
    with connect(url, key) as client:
        stored = client.ask("POST", "personas", {"id": bundle.id, "files": dict(bundle.files)})
    if as_json:
        print(json.dumps(stored))
    else:
        print(f"{stored['id']} {stored['etag'][:12]}{'' if stored['new'] else ' was stored before'}")


@persona_app.command("list")
def list_personas(url: Url = None, key: Key = None, as_json: Json = False) -> None:
    """List the personalities that are stored, with their versions."""
    with connect(url, key) as client:
        found = list(client.items("personas", "after"))
    if as_json:
        print(json.dumps({"personas": found}))
        return
    for persona in found:
        latest = persona["versions"][0]
        stored = f"{when(latest['created_at'])} by {latest['created_by']}"
        print(f"{persona['id']:24} {persona['etag'][:12]}  {stored}, {len(persona['versions'])} version(s)")
    if not found:
        print("none: reachy-mind fleet persona push PROFILE")


@persona_app.command("rollout")
def rollout(
    persona: Annotated[str, typer.Argument(help="Its name there.")],
    group: Annotated[str | None, typer.Option("--group", "-g", help="For all devices of this group.")] = None,
    device: Annotated[list[str] | None, typer.Option("--device", "-d", help="For this one; again for several.")] = None,
    everybody: Annotated[bool, typer.Option("--all", help="For all devices.")] = False,
    etag: Annotated[str | None, typer.Option(help="This version; else the latest.")] = None,
    wave: Annotated[int, typer.Option(help="How many devices get it at the same time.", min=1)] = 10,
    max_failures: Annotated[int, typer.Option(help="More of them pause it.", min=0)] = 0,
    message: Annotated[
        str | None, typer.Option(help="What a device says when it has it; '' for nothing. Else its greeting.")
    ] = None,
    url: Url = None,
    key: Key = None,
    as_json: Json = False,
) -> None:
    """Give devices a personality, wave by wave; it pauses by itself when devices can't apply it."""
    content: Content = {"persona": persona, "wave_size": wave, "max_failures": max_failures, "all": everybody}
    content |= {"group": group} if group is not None else {}
    content |= {"devices": device} if device else {}
    content |= {"etag": etag} if etag is not None else {}
    content |= {"transition_message": message} if message is not None else {}
    with connect(url, key) as client:
        _print_rollout(client.ask("POST", "rollouts", content), as_json=as_json)


@persona_app.command("buttons")
def buttons(
    allowed: Annotated[list[str] | None, typer.Argument(help="What a button may ask for; none: shows it.")] = None,
    group: Annotated[str | None, typer.Option("--group", "-g", help="For the devices of this group.")] = None,
    device: Annotated[str | None, typer.Option("--device", "-d", help="For this device.")] = None,
    nothing: Annotated[bool, typer.Option("--nothing", help="A button may ask for nothing.")] = False,
    usual: Annotated[bool, typer.Option("--usual", help="Take back what was set.")] = False,
    url: Url = None,
    key: Key = None,
    as_json: Json = False,
) -> None:
    """Show or set which personalities the buttons of devices may ask for."""
    from reachy_mind.errors import InvalidParameter

    if bool(allowed) + nothing + usual > 1:
        raise InvalidParameter("names, --nothing and --usual exclude each other", hint="give one of them")
    with connect(url, key) as client:
        if allowed or nothing or usual:
            content: Content = {"personas": None if usual else list(allowed or ())}
            content |= {"group": group} if group is not None else {}
            content |= {"device": device} if device is not None else {}
            found = client.ask("PUT", "persona-policy", content)
        else:
            found = client.ask("GET", "persona-policy")
    if as_json:
        print(json.dumps(found))
        return
    print(f"all devices: {', '.join(found['personas']) or 'nothing'}")
    for kind in ("groups", "devices"):
        for name, personas in found[kind].items():
            print(f"{kind[:-1]} {name}: {', '.join(personas) or 'nothing'}")


@persona_app.command("status")
def status(
    which: Annotated[str | None, typer.Argument(help="The id of a rollout; else the last ones.")] = None,
    url: Url = None,
    key: Key = None,
    as_json: Json = False,
) -> None:
    """Show how far rollouts are, and why devices failed."""
    with connect(url, key) as client:
        if which is None:
            found = client.ask("GET", "rollouts", limit=20)["items"]
            if as_json:
                print(json.dumps({"rollouts": found}))
                return
            for each in found:
                _print_rollout(each, as_json=False)
            return
        one = client.ask("GET", _path(which))
        failed = list(client.items(f"{_path(which)}/devices", "after", state="failed"))
    if as_json:
        print(json.dumps(one | {"failed": failed}))
        return
    _print_rollout(one, as_json=False)
    for each in failed:
        print(f"  {each['name']}: {each['error']}")


@persona_app.command("pause")
def pause(which: Rollout, url: Url = None, key: Key = None, as_json: Json = False) -> None:
    """Send no more waves."""
    _change(which, "pause", url, key, as_json=as_json)


@persona_app.command("resume")
def resume(which: Rollout, url: Url = None, key: Key = None, as_json: Json = False) -> None:
    """Go on, and try again where it failed."""
    _change(which, "resume", url, key, as_json=as_json)


@persona_app.command("end")
def end(which: Rollout, url: Url = None, key: Key = None, as_json: Json = False) -> None:
    """Leave it as it is."""
    _change(which, "end", url, key, as_json=as_json)


@persona_app.command("rollback")
def rollback(which: Rollout, url: Url = None, key: Key = None, as_json: Json = False) -> None:
    """Give every device back the personality that it had before."""
    _change(which, "rollback", url, key, as_json=as_json)


def _change(which: str, action: str, url: str | None, key: str | None, *, as_json: bool) -> None:
    with connect(url, key) as client:
        _print_rollout(client.ask("POST", f"{_path(which)}/{action}"), as_json=as_json)


def _path(which: str) -> str:
    return f"rollouts/{quote(which, safe='')}"


def _print_rollout(found: Content, *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(found))
        return
    counts = ", ".join(f"{count} {state}" for state, count in found["counts"].items() if count)
    reason = f" ({found['reason']})" if found["reason"] else ""
    waves = f"wave {found['wave']} of {found['waves']}"
    print(f"{found['id']}  {found['persona']} {found['etag'][:12]}  {found['state']}{reason}  {waves}  {counts}")
