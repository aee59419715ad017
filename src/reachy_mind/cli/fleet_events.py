"""`reachy-mind fleet events|emergencies`: what devices sent, and who needs help."""

from __future__ import annotations

import json
from collections import deque
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Final
from urllib.parse import quote

import typer

from reachy_mind.cli.fleet import app
from reachy_mind.cli.fleet_client import Json, Key, Url, connect, when

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reachy_mind.cli.fleet_client import Content, FleetClient

emergencies_app = typer.Typer(name="emergencies", help="Who needs help, and who takes care.")
app.add_typer(emergencies_app)
REMEMBERED: Final = 2000
"""Events that `--follow` knows it has printed."""


@app.command()
def events(
    device: Annotated[str | None, typer.Option(help="Only of this device.")] = None,
    type_: Annotated[str | None, typer.Option("--type", help="Only these, such as button.pressed.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=5000, help="At most this many.")] = 50,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Wait for new ones until Ctrl-C.")] = False,
    url: Url = None,
    key: Key = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON; with --follow an object a line.")] = False,
) -> None:
    """Print what devices sent, the latest last."""
    with connect(url, key) as client:
        query = {"device": device, "type": type_}
        if follow:
            for event in following(client, query, limit):
                print(json.dumps(event) if as_json else _line(event), flush=True)
            return
        found = [*islice(client.items("events", "before", **query), limit)][::-1]
    if as_json:
        print(json.dumps({"events": found}))
        return
    for event in found:
        print(_line(event))


@emergencies_app.callback(invoke_without_command=True)
def emergencies(
    context: typer.Context,
    everything: Annotated[bool, typer.Option("--all", help="Also those that are over.")] = False,
    url: Url = None,
    key: Key = None,
    as_json: Json = False,
) -> None:
    """List the open emergencies, or: ack, close, test."""
    if context.invoked_subcommand is not None:
        return
    with connect(url, key) as client:
        state = None if everything else "open"
        found = list(client.items("emergencies", "before", state=state))
    if as_json:
        print(json.dumps({"emergencies": found}))
        return
    for each in found:
        print(_emergency(each))
    if not found:
        print("no emergency")


@emergencies_app.command("ack")
def acknowledge(
    emergency: Annotated[str, typer.Argument(help="Its id.")],
    note: Annotated[str, typer.Option(help="The device says it to the person there.")] = "",
    url: Url = None,
    key: Key = None,
    as_json: Json = False,
) -> None:
    """Say that you take care: nobody else is called any more."""
    with connect(url, key) as client:
        found = client.ask("POST", f"emergencies/{quote(emergency, safe='')}/acknowledge", {"note": note})
    print(json.dumps(found) if as_json else _emergency(found))


@emergencies_app.command("close")
def close(
    emergency: Annotated[str, typer.Argument(help="Its id.")], url: Url = None, key: Key = None, as_json: Json = False
) -> None:
    """Say that it is over."""
    with connect(url, key) as client:
        found = client.ask("POST", f"emergencies/{quote(emergency, safe='')}/close")
    print(json.dumps(found) if as_json else _emergency(found))


@emergencies_app.command("test")
def try_alarm(
    device: Annotated[str, typer.Argument(help="The device that it is about.")],
    url: Url = None,
    key: Key = None,
    as_json: Json = False,
) -> None:
    """Try the alarm: a test goes through all channels until somebody acknowledges it."""
    with connect(url, key) as client:
        found = client.ask("POST", "emergencies/test", {"device": device})
    print(json.dumps(found) if as_json else _emergency(found))


def following(client: FleetClient, query: dict[str, str | None], limit: int) -> Iterator[Content]:
    """The last events, then each new one. The stream says that there is something; the list has it."""
    printed: deque[str] = deque(maxlen=REMEMBERED)
    for happened in client.live():
        if happened["kind"] not in ("event", "emergency", "missed", "quiet"):
            continue
        for event in reversed(list(_new(client, query, set(printed), REMEMBERED if printed else limit))):
            printed.append(event["id"])
            yield event


def _new(client: FleetClient, query: dict[str, str | None], known: set[str], limit: int) -> Iterator[Content]:
    """The latest events, down to the first one that is known."""
    for event in islice(client.items("events", "before", **query), limit):
        if event["id"] in known:
            return
        yield event


def _line(event: Content) -> str:
    said = json.dumps(event["payload"], ensure_ascii=False) if event["payload"] else ""
    return f"{when(event['received_at'])}  {event['device_name']:24}  {event['type']:20} {said}".rstrip()


def _emergency(found: Content) -> str:
    name = found.get("device_name", found["device"])
    by = f" by {found['acked_by']}" if found["acked_by"] else ""
    kind = "TEST " if found["test"] else ""
    said = "  ".join(filter(None, (found["message"], f"[{found['note']}]" if found["note"] else "")))
    return f"{found['id']}  {when(found['received_at'])}  {kind}{found['state']}{by}  {name}  {said}".rstrip()
