"""`reachy-mind fleet devices|send|config`: which devices there are, commands for them, their configuration."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Annotated, Any, Final
from urllib.parse import quote

import typer

from reachy_mind.cli.fleet import app
from reachy_mind.cli.fleet_client import Json, Key, Url, connect, when

if TYPE_CHECKING:
    from reachy_mind.cli.fleet_client import Content, FleetClient

devices_app = typer.Typer(name="devices", help="Which devices there are, and how they are.")
app.add_typer(devices_app)

Device = Annotated[str, typer.Argument(help="Its name or id.")]
Group = Annotated[str | None, typer.Option("--group", "-g", help="All devices of this group.")]
POLL_S: Final = 0.3


@devices_app.callback(invoke_without_command=True)
def devices(
    context: typer.Context,
    group: Group = None,
    search: Annotated[str | None, typer.Option(help="Part of a name, or the beginning of an id.")] = None,
    state: Annotated[str | None, typer.Option(help="online, offline, or what it does: idle, listening, ...")] = None,
    persona: Annotated[str | None, typer.Option(help="That should have this personality; - for none.")] = None,
    problem: Annotated[
        str | None, typer.Option(help="With this problem: any, emergency, error, battery, hot, behind.")
    ] = None,
    revoked: Annotated[bool, typer.Option("--revoked", help="Revoked ones, too.")] = False,
    url: Url = None,
    key: Key = None,
    as_json: Json = False,
) -> None:
    """List the devices, or: show, rename, groups, revoke, erase."""
    if context.invoked_subcommand is not None:
        return
    with connect(url, key) as client:
        wanted = {"group": group, "search": search, "state": state, "persona": persona, "problem": problem}
        found = list(client.items("devices", "after", **wanted, revoked=str(revoked).lower()))
    if as_json:
        print(json.dumps({"devices": found}))
        return
    for device in found:
        print(_line(device))
    if not found:
        print("none that fits" if any(wanted.values()) else "no devices: reachy-mind fleet enroll NAME")


@devices_app.command("show")
def show(device: Device, url: Url = None, key: Key = None, as_json: Json = False) -> None:
    """All that is known of a device: its state, the one it should have, and the last commands."""
    with connect(url, key) as client:
        found = client.ask("GET", _path(device))
        twin = client.ask("GET", f"{_path(found['id'])}/twin")
        commands = client.ask("GET", f"{_path(found['id'])}/commands", limit=10)["items"]
    if as_json:
        print(json.dumps(found | {"state": twin, "commands": commands}))
        return
    print(_line(found))
    for name, value in (
        ("desired", twin["desired"]),
        ("reported", twin["reported"]),
        ("heartbeat", found["heartbeat"]),
    ):
        print(f"  {name:9} {json.dumps(value, ensure_ascii=False)}")
    for command in commands:
        print(f"  {when(command['ts'])}  {command['type']:16} {command['state']} {command['error']}".rstrip())


@devices_app.command("rename")
def rename(
    device: Device,
    name: Annotated[str, typer.Argument(help="The new name.")],
    url: Url = None,
    key: Key = None,
    as_json: Json = False,
) -> None:
    """Give a device another name."""
    with connect(url, key) as client:
        _print_changed(client.ask("PATCH", _path(device), {"name": name}), as_json=as_json)


@devices_app.command("groups")
def groups(
    device: Device,
    names: Annotated[list[str] | None, typer.Argument(help="All of its groups; none takes it out of all.")] = None,
    url: Url = None,
    key: Key = None,
    as_json: Json = False,
) -> None:
    """Put a device into these groups and no others."""
    with connect(url, key) as client:
        _print_changed(client.ask("PATCH", _path(device), {"groups": names or []}), as_json=as_json)


@devices_app.command("erase")
def erase(
    device: Device,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    url: Url = None,
    key: Key = None,
    as_json: Json = False,
) -> None:
    """Revoke a device and remove what it sent and was sent, its emergencies, sounds and state: for ever."""
    with connect(url, key) as client:
        found = client.ask("GET", _path(device))
        if not yes and not typer.confirm(f"Erase {found['name']} ({found['id']}) for ever?", err=True):
            raise typer.Exit(1)
        erased = client.ask("POST", f"{_path(found['id'])}/erase")
    print(json.dumps(erased) if as_json else f"{found['name']} ({found['id']}) is erased")


@devices_app.command("revoke")
def revoke(device: Device, url: Url = None, key: Key = None, as_json: Json = False) -> None:
    """Refuse a device from now on; it has to be enrolled again."""
    with connect(url, key) as client:
        found = client.ask("DELETE", _path(device))
    print(json.dumps(found) if as_json else f"{found['name']} is revoked")


@app.command()
def send(
    words: Annotated[
        list[str] | None, typer.Argument(help="The device, unless --group is given, and the type of the command.")
    ] = None,
    group: Group = None,
    say: Annotated[str | None, typer.Option(help="Speak this text.", metavar="TEXT")] = None,
    payload: Annotated[str, typer.Option(help="What the command says, a JSON object.", metavar="JSON")] = "{}",
    expires: Annotated[int | None, typer.Option(help="Seconds after which it is not to be done.", min=1)] = None,
    wait: Annotated[float, typer.Option(help="Wait so many seconds until it was carried out.", min=0)] = 0.0,
    url: Url = None,
    key: Key = None,
    as_json: Json = False,
) -> None:
    """Send a command: DEVICE speak, activity.start, restart ...; DEVICE --say TEXT. It waits for a device that is
    offline."""
    from reachy_mind.errors import InvalidParameter

    given = list(words or [])
    target = _path(given.pop(0)) if group is None and given else f"groups/{quote(group, safe='')}" if group else ""
    if not target or len(given) != (say is None):
        raise InvalidParameter(
            "which device, and what?",
            hint="reachy-mind fleet send DEVICE TYPE, send DEVICE --say TEXT, or --group NAME",
        )
    content: Content = {"type": "speak", "payload": {"text": say}} if say is not None else {"type": given[0]}
    content |= {} if say is not None else {"payload": _object(payload)}
    content |= {"expires_in_s": expires} if expires is not None else {}
    with connect(url, key) as client:
        sent = client.ask("POST", f"{target}/commands", content)
        states = _wait(client, sent["id"], wait) if wait else {}
    if as_json:
        print(json.dumps(sent | ({"states": states} if wait else {})))
        return
    many = f" to {sent['queued']} devices, {sent['refused']} refused" if "queued" in sent else ""
    print(f"sent{many}: {sent['id']}")
    for state, count in states.items():
        print(f"  {state}: {count}")


@app.command("config")
def config(
    words: Annotated[
        list[str] | None, typer.Argument(help="The device, unless --group is given, and KEY=VALUE, KEY= ...")
    ] = None,
    group: Group = None,
    volume: Annotated[int | None, typer.Option(help="Volume of its speaker.", min=0, max=100)] = None,
    url: Url = None,
    key: Key = None,
    as_json: Json = False,
) -> None:
    """Change the configuration of devices; they apply it when they are connected. `KEY=` removes a key."""
    from reachy_mind.errors import InvalidParameter

    given = list(words or [])
    if group is None and not given:
        raise InvalidParameter("which device?", hint="reachy-mind fleet config DEVICE KEY=VALUE, or --group NAME")
    target = _path(given.pop(0)) if group is None else f"groups/{quote(group, safe='')}"
    changes: Content = {"volume": volume} if volume is not None else {}
    pairs = [word.partition("=") for word in given]
    if any(not equals for _, equals, _ in pairs):
        raise InvalidParameter("a change is KEY=VALUE", hint="reachy-mind fleet config DEVICE wake_word=reachy")
    if pairs:
        changes["config"] = {name: _value(text) for name, _, text in pairs}
    with connect(url, key) as client:
        changed = client.ask("PATCH", f"{target}/twin", changes)
    if as_json:
        print(json.dumps(changed))
    elif group is not None:
        print(f"{changed['changed']} devices of {group} will have it; {changed['refused']} refused")
    else:
        print(f"version {changed['desired']['version']}: {json.dumps(changed['desired'], ensure_ascii=False)}")


def _path(device: str) -> str:
    return f"devices/{quote(device, safe='')}"


def _line(device: Content) -> str:
    twin = device["twin"]
    doing = (device["heartbeat"] or {}).get("state") or "online"
    how = "revoked" if device["revoked_at"] else doing if device["online"] else "offline"
    state = "in sync" if twin["in_sync"] else f"has {twin['reported_version'] or 0} of {twin['desired_version']}"
    about = [device["persona"] for device in (twin,) if device["persona"]]
    about += [f"{device['waiting']} waiting"] if device["waiting"] else []
    about += device["trouble"]
    about += [f"{part}: {reason}" for part, reason in twin["errors"].items()]
    groups_ = ",".join(device["groups"])
    seen = when(device["last_seen_at"])
    return f"{device['id']}  {how:10} {device['name']:24} {groups_:16} {seen:19}  {state}  {'; '.join(about)}".rstrip()


def _print_changed(device: Content, *, as_json: bool) -> None:
    print(json.dumps(device) if as_json else _line(device))


def _wait(client: FleetClient, command: str, seconds: float) -> dict[str, int]:
    """Until no device has it open, or the time is over."""
    deadline = time.monotonic() + seconds
    while True:
        progress = client.ask("GET", f"commands/{quote(command, safe='')}")
        if not progress["open"] or time.monotonic() > deadline:
            states: dict[str, int] = progress["states"]
            return states
        time.sleep(POLL_S)


def _object(text: str) -> dict[str, Any]:
    from reachy_mind.errors import InvalidParameter

    try:
        content = json.loads(text)
    except ValueError as error:
        raise InvalidParameter(f"--payload is no JSON: {error}", hint='such as {"text": "hello"}') from None
    if not isinstance(content, dict):
        raise InvalidParameter("--payload is no JSON object", hint='such as {"text": "hello"}')
    return content


def _value(text: str) -> Any:
    """JSON, else the text itself; None, which removes a key, for nothing."""
    if not text:
        return None
    try:
        return json.loads(text)
    except ValueError:
        return text
