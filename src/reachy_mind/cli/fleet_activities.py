"""`reachy-mind fleet activity`: a story, music, exercise or dance on several devices in time together."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from urllib.parse import quote

import typer

from reachy_mind.cli.fleet import app
from reachy_mind.cli.fleet_client import Json, Key, Url, connect, when

if TYPE_CHECKING:
    from reachy_mind.cli.fleet_client import Content, FleetClient

activity_app = typer.Typer(
    name="activity", help="Stories, music, exercise and dance on several devices together.", no_args_is_help=True
)
app.add_typer(activity_app)

Activity = Annotated[str, typer.Argument(help="Its id.")]
MAX_TEXT_BYTES = 100_000
POLL_S = 0.3


@activity_app.command("start")
def start(
    kind: Annotated[str, typer.Argument(help="story, music, exercise or dance.")],
    group: Annotated[str | None, typer.Option("--group", "-g", help="For all devices of this group.")] = None,
    device: Annotated[list[str] | None, typer.Option("--device", "-d", help="For this one; again for several.")] = None,
    text: Annotated[
        str | None, typer.Option(help="What the devices tell in their own voices; @FILE reads a file.", metavar="TEXT")
    ] = None,
    audio: Annotated[
        str | None, typer.Option(help="A WAV file (16 bit, mono, at most 1 MiB), or the id of a clip.", metavar="FILE")
    ] = None,
    parts: Annotated[
        str | None,
        typer.Option(
            help='JSON list: [{"text": "Arms up", "at_s": 0}, {"beep": "high", "at_s": 3}]; @FILE reads one.',
            metavar="JSON",
        ),
    ] = None,
    beat: Annotated[
        str | None, typer.Option(help="Clicks for a dance: BPM for 30 seconds, or BPM,SECONDS.", metavar="BPM[,S]")
    ] = None,
    move: Annotated[str | None, typer.Option(help="What Reachy Minis do.", metavar="NAME")] = None,
    move_every: Annotated[float | None, typer.Option(help="They do it every so many seconds.", min=1)] = None,
    language: Annotated[str, typer.Option(help="Of the texts.")] = "en",
    quorum: Annotated[int | None, typer.Option(help="Start when so many are ready; else all online.", min=1)] = None,
    deadline: Annotated[float | None, typer.Option(help="Seconds; then with those that are ready.", min=1)] = None,
    on_emergency: Annotated[str | None, typer.Option(help="end, pause or ignore: at an emergency of one.")] = None,
    wait: Annotated[float, typer.Option(help="Wait at most so many seconds until it has begun.", min=0)] = 0.0,
    url: Url = None,
    key: Key = None,
    as_json: Json = False,
) -> None:
    """Ask devices to get ready; they begin together when they are."""
    content: Content = {"language": language}
    content |= {"text": _given(text)} if text is not None else {}
    content |= {"parts": _list(_given(parts))} if parts is not None else {}
    content |= {"beat": _beat(beat)} if beat is not None else {}
    content |= {"move": move} if move is not None else {}
    content |= {"move_every_s": move_every} if move_every is not None else {}
    given: Content = {"kind": kind, "content": content}
    optional = {"group": group, "devices": device or None, "quorum": quorum, "deadline_s": deadline}
    given |= {name: value for name, value in (optional | {"on_emergency": on_emergency}).items() if value is not None}
    with connect(url, key) as client:
        if audio is not None:
            content["audio"] = _upload(client, audio)
        found = client.ask("POST", "activities", given)
        if wait:
            found = _until_begun(client, found, wait)
    _print(found, as_json=as_json)


@activity_app.command("list")
def list_activities(
    limit: Annotated[int, typer.Option(help="How many, the latest ones.", min=1, max=500)] = 20,
    url: Url = None,
    key: Key = None,
    as_json: Json = False,
) -> None:
    """List activities, the latest first."""
    with connect(url, key) as client:
        found = client.ask("GET", "activities", limit=limit)["items"]
    if as_json:
        print(json.dumps({"activities": found}))
        return
    for each in found:
        print(_line(each))
    if not found:
        print("none: reachy-mind fleet activity start story --group GROUP --text TEXT")


@activity_app.command("show")
def show(which: Activity, url: Url = None, key: Key = None, as_json: Json = False) -> None:
    """Show an activity with its devices: who takes part, who was left out, and why."""
    with connect(url, key) as client:
        _print(client.ask("GET", _path(which)), as_json=as_json)


@activity_app.command("pause")
def pause(which: Activity, url: Url = None, key: Key = None, as_json: Json = False) -> None:
    """Let all devices fall silent at the same time."""
    with connect(url, key) as client:
        _print(client.ask("POST", f"{_path(which)}/pause"), as_json=as_json)


@activity_app.command("resume")
def resume(which: Activity, url: Url = None, key: Key = None, as_json: Json = False) -> None:
    """Let all go on together, where they stopped."""
    with connect(url, key) as client:
        _print(client.ask("POST", f"{_path(which)}/resume"), as_json=as_json)


@activity_app.command("end")
def end(
    which: Activity,
    device: Annotated[list[str] | None, typer.Option("--device", "-d", help="Only for this one; or several.")] = None,
    url: Url = None,
    key: Key = None,
    as_json: Json = False,
) -> None:
    """End it for all, or let some devices leave; the others go on."""
    with connect(url, key) as client:
        _print(client.ask("POST", f"{_path(which)}/end", {"devices": device} if device else None), as_json=as_json)


def _path(which: str) -> str:
    return f"activities/{quote(which, safe='')}"


def _given(text: str) -> str:
    """The text, or that of the file it names. Raises InvalidParameter."""
    from reachy_mind.errors import InvalidParameter

    if not text.startswith("@"):
        return text
    file = Path(text[1:])
    try:
        if file.stat().st_size > MAX_TEXT_BYTES:
            raise InvalidParameter(f"{file} is larger than {MAX_TEXT_BYTES // 1000} kB", hint="use a shorter one")
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidParameter(f"{file} can't be read: {error}", hint="a text file, after @") from error


def _list(text: str) -> list[Content]:
    from reachy_mind.errors import InvalidParameter

    hint = 'such as \'[{"text": "Arms up", "at_s": 0}]\''
    try:
        found = json.loads(text)
    except ValueError as error:
        raise InvalidParameter(f"--parts is no JSON: {error}", hint=hint) from error
    if not isinstance(found, list):
        raise InvalidParameter("--parts is a list", hint=hint)
    return found


def _beat(text: str) -> Content:
    from reachy_mind.errors import InvalidParameter

    bpm, _, seconds = text.partition(",")
    try:
        return {"bpm": int(bpm), "seconds": float(seconds or 30)}
    except ValueError as error:
        raise InvalidParameter("a beat is BPM or BPM,SECONDS", hint="such as 120,30") from error


def _upload(client: FleetClient, audio: str) -> str:
    """The id of a clip; a file is stored first."""
    file = Path(audio)
    if not file.is_file():
        return audio
    stored: str = client.send_file("audio", file.read_bytes(), "audio/wav")["audio"]
    return stored


def _until_begun(client: FleetClient, found: Content, seconds: float) -> Content:
    deadline = time.monotonic() + seconds
    while found["state"] in ("preparing", "ready") and time.monotonic() < deadline:
        time.sleep(POLL_S)
        found = client.ask("GET", _path(found["id"]))
    return found


def _line(found: Content) -> str:
    counts = ", ".join(f"{count} {state}" for state, count in found["counts"].items() if count)
    reason = f" ({found['reason']})" if found["reason"] else ""
    begun = f"  at {when(found['at'])}" if found["at"] else ""
    length = f"  {found['duration_ms'] / 1000:g} s" if found["duration_ms"] is not None else ""
    return f"{found['id']}  {found['kind']:8}  {found['state']}{reason}{begun}{length}  {counts}"


def _print(found: Content, *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(found))
        return
    print(_line(found))
    for each in found["devices"]:
        offline = "" if each["online"] else " (offline)"
        print(f"  {each['name']:24} {each['state']}{offline}  {each['reason']}".rstrip())
