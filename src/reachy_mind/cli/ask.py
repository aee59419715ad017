"""`reachy-mind ask`: say something to the robot, and see what it answers and does."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from reachy_mind.cli.talk import Talk, Told
    from reachy_mind.config import Configuration

LARGEST_FILE = 64 << 20
SHOWN = ("reply", "tools", "brain", "latency_ms", "duration_ms")


def ask(
    texts: Annotated[
        list[str] | None, typer.Argument(help="What you say; several are one conversation.", metavar="TEXT...")
    ] = None,
    file: Annotated[
        Path | None, typer.Option("--file", help='JSON lines {"text", "after"?}, each its own conversation.')
    ] = None,
    robot: Annotated[
        str | None, typer.Option("--robot", help="sim, none or HOST[:PORT] of a robot.", metavar="WHERE")
    ] = None,
    brain: Annotated[str | None, typer.Option("--brain", help="auto, reflex, agents, claude or realtime.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object (with --file one a line).")] = False,
) -> None:
    """Say something to the robot. Goes to the mind that is running, else to one of its own for a moment."""
    from reachy_mind import log
    from reachy_mind.config import load

    if bool(texts) == (file is not None):
        raise typer.BadParameter("say something, or name a file with --file: reachy-mind ask 'look left'")
    configuration = load(flags={"robot.address": robot, "robot.idle": False, "mind.brain": brain})
    log.configure("error", configuration.settings.log.format, configuration.secrets())
    if file is not None:
        asyncio.run(_lines(configuration, _requests(file), robot))
        return
    asyncio.run(_conversation(configuration, texts or [], robot, as_json=as_json))


def _requests(file: Path) -> list[dict[str, Any]]:
    """Raises InvalidParameter naming the line that is none."""
    from reachy_mind.errors import InvalidParameter

    try:
        if file.stat().st_size > LARGEST_FILE:
            raise InvalidParameter(f"{file} is larger than {LARGEST_FILE >> 20} MiB", hint="split it")
        lines = file.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidParameter(f"{file} can't be read: {error}") from error
    requests = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            request = json.loads(line)
        except ValueError as error:
            raise InvalidParameter(f"{file}:{number}: not JSON: {error}") from None
        if not isinstance(request, dict) or not isinstance(request.get("text"), str):
            raise InvalidParameter(f"{file}:{number}: no 'text'", hint='a line is {"text": "look left"}')
        after = request.get("after") or []
        request["after"] = [after] if isinstance(after, str) else after
        if not isinstance(request["after"], list) or not all(isinstance(turn, str) for turn in request["after"]):
            raise InvalidParameter(f"{file}:{number}: 'after' is no earlier turn", hint="a text, or a list of texts")
        requests.append(request)
    return requests


async def _conversation(configuration: Configuration, texts: list[str], robot: str | None, *, as_json: bool) -> None:
    from reachy_mind.cli.talk import connected

    person = sys.stdin.isatty() and not as_json
    async with connected(configuration, channel=person, robot=robot) as talk:
        await talk.new_conversation()
        events = talk.events()
        done: Told = {}
        for text in texts:
            done = await _turn(talk, text, events, person=person)
    if as_json:
        print(json.dumps(_shown(done)))
    else:
        print(done["reply"] or "(nothing to say)")
        _tools(done)
    if done.get("error"):
        _fail(done["error"])


async def _lines(configuration: Configuration, requests: list[dict[str, Any]], robot: str | None) -> None:
    from reachy_mind.cli.talk import connected

    async with connected(configuration, channel=False, robot=robot) as talk:
        events = talk.events()
        for request in requests:
            await talk.new_conversation()
            for earlier in request["after"]:
                await _turn(talk, earlier, events, person=False)
            print(json.dumps(_shown(await _turn(talk, request["text"], events, person=False))), flush=True)


async def _turn(talk: Talk, text: str, events: AsyncIterator[Told], *, person: bool) -> Told:
    """Until the end of the answer; a person at the terminal is asked when there is something to confirm."""
    from reachy_mind.cli.talk import ended, yes_or_no
    from reachy_mind.errors import MindError, NotReady

    await talk.say(text)
    async for event in events:
        if event["type"] == "confirm" and person:
            try:
                await talk.answer(event["id"], approved=await yes_or_no(event))
            except MindError as error:
                print(error.message, file=sys.stderr)
        elif end := ended(event):
            return end
    raise NotReady("the mind ended in mid-answer", hint="start it again")


def _shown(done: Told) -> Told:
    told = {key: done.get(key) for key in SHOWN}
    return told | {key: done[key] for key in ("agent", "handoffs", "tokens", "error") if done.get(key)}


def _tools(done: Told) -> None:
    for call in done["tools"]:
        arguments = ", ".join(f"{key}={value!r}" for key, value in call["args"].items())
        print(f"  {call['name']}({arguments}): {call['status']}", file=sys.stderr)


def _fail(error: dict[str, str]) -> None:
    print(f"error: {error['message']}", file=sys.stderr)
    if error["hint"]:
        print(f"hint: {error['hint']}", file=sys.stderr)
    raise typer.Exit(1)
