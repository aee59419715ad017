"""`reachy-mind ask`: send a request to the robot and print its reply and tool calls."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from reachy_mind.cli.chat_connection import ChatConnection
    from reachy_mind.config.configuration import Configuration
    from reachy_mind.conversation.wire import ChatFrame

LARGEST_FILE = 64 << 20
RESULT_KEYS = ("reply", "tools", "brain", "latency_ms", "duration_ms")


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
    """Say something to the robot: to the mind that is running, else to a temporary one."""
    from reachy_mind import log
    from reachy_mind.config.configuration import load

    if bool(texts) == (file is not None):
        raise typer.BadParameter("say something, or name a file with --file: reachy-mind ask 'look left'")
    configuration = load(flags={"robot.address": robot, "robot.idle": False, "mind.brain": brain})
    log.configure("error", configuration.settings.log.format, configuration.secrets())
    if file is not None:
        asyncio.run(_ask_file(configuration, _requests(file), robot))
        return
    asyncio.run(_ask_texts(configuration, texts or [], robot, as_json=as_json))


def _requests(file: Path) -> list[dict[str, Any]]:
    """Read the requests in a file. Raises InvalidParameter naming the invalid line."""
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


async def _ask_texts(configuration: Configuration, texts: list[str], robot: str | None, *, as_json: bool) -> None:
    from reachy_mind.cli.chat_connection import connect_chat

    person = sys.stdin.isatty() and not as_json
    async with connect_chat(configuration, channel=person, robot=robot) as chat:
        await chat.new_conversation()
        frames = chat.frames()
        done: dict[str, Any] = {}
        for text in texts:
            done = await _turn(chat, text, frames, person=person)
    if as_json:
        print(json.dumps(_result_json(done)))
    else:
        print(done["reply"] or "(nothing to say)")
        _print_tools(done)
    if done.get("error"):
        _fail(done["error"])


async def _ask_file(configuration: Configuration, requests: list[dict[str, Any]], robot: str | None) -> None:
    from reachy_mind.cli.chat_connection import connect_chat

    async with connect_chat(configuration, channel=False, robot=robot) as chat:
        frames = chat.frames()
        for request in requests:
            await chat.new_conversation()
            for earlier in request["after"]:
                await _turn(chat, earlier, frames, person=False)
            print(json.dumps(_result_json(await _turn(chat, request["text"], frames, person=False))), flush=True)


async def _turn(chat: ChatConnection, text: str, frames: AsyncIterator[ChatFrame], *, person: bool) -> dict[str, Any]:
    """The `done` frame of the answer; a person at the terminal is asked when there is something to confirm."""
    from reachy_mind.cli.confirmation_prompt import yes_or_no
    from reachy_mind.errors import MindError, NotReady

    await chat.say(text)
    async for frame in frames:
        if frame["type"] == "confirm" and person:
            try:
                await chat.answer(frame["id"], approved=await yes_or_no(frame))
            except MindError as error:
                print(error.message, file=sys.stderr)
        elif frame["type"] == "announced" and person:
            print(f"robot: {frame['text']}", flush=True)
        elif frame["type"] == "done":
            return dict(frame)
        elif frame["type"] == "error" and "id" not in frame:  # with an id it is about a question
            error_fields = {"code": frame["code"], "message": frame["message"], "hint": frame["hint"]}
            return {"reply": "", "tools": [], "error": error_fields}
    raise NotReady("the mind ended in mid-answer", hint="start it again")


def _result_json(done: dict[str, Any]) -> dict[str, Any]:
    result = {key: done.get(key) for key in RESULT_KEYS}
    return result | {key: done[key] for key in ("agent", "handoffs", "tokens", "error") if done.get(key)}


def _print_tools(done: dict[str, Any]) -> None:
    for call in done["tools"]:
        arguments = ", ".join(f"{key}={value!r}" for key, value in call["args"].items())
        print(f"  {call['name']}({arguments}): {call['status']}", file=sys.stderr)


def _fail(error: dict[str, str]) -> None:
    print(f"error: {error['message']}", file=sys.stderr)
    if error["hint"]:
        print(f"hint: {error['hint']}", file=sys.stderr)
    raise typer.Exit(1)
