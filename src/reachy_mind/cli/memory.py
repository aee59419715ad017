"""`reachy-mind memory`: what the robot remembers of people: to look for, to forget, to take away, to erase."""

from __future__ import annotations

import asyncio
import json
import re
import sys
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote, urlencode
from uuid import uuid4

import typer

app = typer.Typer(name="memory", help="What the robot remembers of people.", no_args_is_help=True)

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Person = Annotated[
    str, typer.Option("--person", "-p", help="Whose; without, of the only one it knows, else of who gave no name.")
]
Yes = Annotated[bool, typer.Option("--yes", help="You say yes now to what it would ask.")]
ID = re.compile(r"[0-9a-f]{16}")
"""Of a memory."""


@app.command()
def search(
    query: Annotated[str, typer.Argument(help="What to look for: words, or a question.")],
    person: Person = "",
    kind: Annotated[str | None, typer.Option("--type", help="fact, preference, event, conversation ...")] = None,
    limit: Annotated[int, typer.Option(min=1, max=500, help="At most so many.")] = 5,
    as_json: Json = False,
) -> None:
    """What is remembered about something, best first."""
    whose, others = _whose(person)
    told = _asked("GET", "memory", query=query, person=whose, type=kind, limit=limit)
    _show(told, others, as_json=as_json)


@app.command("list")
def list_memories(
    person: Person = "",
    kind: Annotated[str | None, typer.Option("--type", help="fact, preference, event, conversation ...")] = None,
    history: Annotated[bool, typer.Option("--history", help="Those, too, that something newer replaced.")] = False,
    limit: Annotated[int, typer.Option(min=1, max=500, help="At most so many.")] = 50,
    offset: Annotated[int, typer.Option(min=0, help="After so many.")] = 0,
    as_json: Json = False,
) -> None:
    """All that is remembered of somebody, newest first."""
    whose, others = _whose(person)
    told = _asked("GET", "memory", person=whose, type=kind, history=str(history).lower(), limit=limit, offset=offset)
    _show(told, others, as_json=as_json)


@app.command()
def people(as_json: Json = False) -> None:
    """Everybody the robot knows."""
    told = _asked("GET", "people", limit=500)
    if as_json:
        print(json.dumps(told))
        return
    for person in told["people"]:
        print(person["name"])


@app.command()
def forget(
    what: Annotated[str, typer.Argument(help="The id of a memory, or what to forget.")],
    person: Person = "",
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Forget one memory by its id, or all of somebody's that say this."""
    key = "memory_id" if ID.fullmatch(what) else "query"
    told = called("memory.forget_memory", {key: what}, person=person, yes=yes)
    print(json.dumps(told) if as_json else told["message"])


@app.command()
def export(
    person: Annotated[str, typer.Argument(help="Their name.")],
    file: Annotated[Path | None, typer.Option("--file", help="Write it there instead of printing it.")] = None,
    as_json: Json = False,  # noqa: ARG001 -- it is JSON anyway
) -> None:
    """Everything that is kept of somebody, as JSON."""
    from reachy_mind.errors import InvalidParameter

    content = json.dumps(_asked("GET", f"people/{quote(person, safe='')}/export"), indent=2, ensure_ascii=False)
    if file is None:
        print(content)
        return
    try:
        file.touch(mode=0o600)
        file.write_text(content, encoding="utf-8")
    except OSError as error:
        raise InvalidParameter(f"{file} can't be written: {error}", hint="choose another file") from None
    print(f"written to {file}")


@app.command()
def erase(person: Annotated[str, typer.Argument(help="Their name.")], yes: Yes = False, as_json: Json = False) -> None:
    """Erase everything that is kept of somebody: memories, conversations, words of tool calls."""
    told = called("memory.erase_person", {"name": person}, yes=yes, person=person)
    if as_json:
        print(json.dumps(told))
        return
    print(", ".join(f"{count} {what}" for what, count in told["erased"].items() if count) or "nothing was kept")
    for what, reason in told["failed"].items():
        print(f"not erased: {what}: {reason}")
    if not told["complete"]:
        print("some traces may be left in the files until no other program reads them: run it again then")
    if told["mentioned_by_others"]:
        print(f"{told['mentioned_by_others']} memories of other people mention this name; they are theirs")


@app.command()
def status(as_json: Json = False) -> None:
    """How much is remembered, and how it is searched."""
    told = _asked("GET", "memory/status")
    if as_json:
        print(json.dumps(told))
        return
    print(f"{told['memories']} memories of {told['people']} people, {told['summaries']} conversations summed up")
    print(f"searched by {told['search']}", end="")
    model = told["embeddings"]
    print(f" ({model['hint']} adds meaning)" if model["state"] == "absent" else f" ({model['model']})")


def _whose(person: str) -> tuple[str, list[str]]:
    """Who is meant, as in a conversation: the only one who is known, if nobody is named; and who else there is."""
    if person:
        return person, []
    names = [one["name"] for one in _asked("GET", "people", limit=500)["people"]]
    return (names[0], []) if len(names) == 1 else ("", names)


def _show(told: dict[str, Any], others: list[str], *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(told))
        return
    for memory in told["memories"]:
        print(f"{memory['id']}  {memory['type']:12} {memory['content']}")
    if not told["memories"]:
        print(f"nothing; --person names somebody: {', '.join(others)}" if others else "nothing")


def called(tool: str, args: dict[str, Any], *, yes: bool, person: str = "") -> dict[str, Any]:
    """One tool through the gate; a person at the terminal is asked. Raises ToolError for what it said."""
    from reachy_mind.cli.tools import asked
    from reachy_mind.tools.definition import ToolError

    content = {"tool_name": tool, "parameters": args, "person": person, "call_id": uuid4().hex}
    told = asked("POST", "tools/execute", content, robot="none", person=yes or sys.stdin.isatty(), yes=yes)
    if (error := told["error"]) is not None:
        raise ToolError(error["code"], error["message"], hint=error["hint"] or "--yes")
    return dict(told["result"])


def _asked(method: str, route: str, **query: Any) -> dict[str, Any]:
    """One call of the API of the mind that runs, or of one for a moment without a robot."""
    from reachy_mind import log, owner
    from reachy_mind.cli.attach import own
    from reachy_mind.cli.talk import over_api
    from reachy_mind.client import Client
    from reachy_mind.config import load

    configuration = load(flags={"robot.address": "none", "robot.idle": False})
    log.configure("error", configuration.settings.log.format, configuration.secrets())
    asked = {key: value for key, value in query.items() if value is not None}
    place = f"{route}?{urlencode(asked)}" if asked else route

    async def act() -> dict[str, Any]:
        running = owner.find(configuration.home)
        if running is not None:
            return await Client(running).ask(method, place)
        async with own(configuration, thinks=False) as mind:
            return await over_api(mind, method, place)

    return asyncio.run(act())
