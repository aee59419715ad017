"""`reachy-mind memory`: search, list, forget, export and erase what the robot remembers of people."""

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
"""The id of a memory."""


@app.command()
def search(
    query: Annotated[str, typer.Argument(help="What to look for: words, or a question.")],
    person: Person = "",
    kind: Annotated[str | None, typer.Option("--type", help="fact, preference, event, conversation ...")] = None,
    limit: Annotated[int, typer.Option(min=1, max=500, help="At most this many.")] = 5,
    as_json: Json = False,
) -> None:
    """Search the memories of a person, best first."""
    whose, others = _resolve_person(person)
    response = request("GET", "memory", query=query, person=whose, type=kind, limit=limit)
    _print_memories(response, others, as_json=as_json)


@app.command("list")
def list_memories(
    person: Person = "",
    kind: Annotated[str | None, typer.Option("--type", help="fact, preference, event, conversation ...")] = None,
    history: Annotated[bool, typer.Option("--history", help="Those, too, that something newer replaced.")] = False,
    limit: Annotated[int, typer.Option(min=1, max=500, help="At most this many.")] = 50,
    offset: Annotated[int, typer.Option(min=0, help="Skip this many.")] = 0,
    as_json: Json = False,
) -> None:
    """List the memories of a person, newest first."""
    whose, others = _resolve_person(person)
    response = request(
        "GET", "memory", person=whose, type=kind, history=str(history).lower(), limit=limit, offset=offset
    )
    _print_memories(response, others, as_json=as_json)


@app.command()
def people(as_json: Json = False) -> None:
    """List the people the robot knows."""
    response = request("GET", "people", limit=500)
    if as_json:
        print(json.dumps(response))
        return
    for person in response["people"]:
        print(person["name"])


@app.command()
def forget(
    what: Annotated[str, typer.Argument(help="The id of a memory, or what to forget.")],
    person: Person = "",
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Forget one memory by its id, or all memories of a person that say this."""
    key = "memory_id" if ID.fullmatch(what) else "query"
    response = call_tool("memory.forget_memory", {key: what}, person=person, yes=yes)
    print(json.dumps(response) if as_json else response["message"])


@app.command()
def export(
    person: Annotated[str, typer.Argument(help="Their name.")],
    file: Annotated[Path | None, typer.Option("--file", help="Write it there instead of printing it.")] = None,
    as_json: Json = False,  # noqa: ARG001 -- it is JSON anyway
) -> None:
    """Export all data of a person as JSON."""
    from reachy_mind.errors import InvalidParameter

    content = json.dumps(request("GET", f"people/{quote(person, safe='')}/export"), indent=2, ensure_ascii=False)
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
def erase(
    person: Annotated[str, typer.Argument(help="Their name.")],
    everywhere: Annotated[bool, typer.Option("--everywhere", help="Also what other people told about them.")] = False,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Erase all data of a person: memories, conversations, content of tool calls, photos, terminal history, logs."""
    arguments = {"name": person, "everywhere": everywhere}
    response = call_tool("memory.erase_person", arguments, yes=yes, person=person)
    if as_json:
        print(json.dumps(response))
        return
    print(", ".join(f"{count} {what}" for what, count in response["erased"].items() if count) or "nothing was kept")
    for what, reason in response["failed"].items():
        print(f"not erased: {what}: {reason}")
    for file in response["files"]:
        print(f"not erased, the name stands in it: {file}")
    if not response["complete"] and not response["failed"] and not response["files"]:
        print("some traces may be left in the files until no other program reads them: run it again then")
    for one in response["kept"]:
        whose = f" of {one['of']}" if one["of"] else ""
        print(f"kept, they name this person: {one['count']} {one['what']}{whose} ({one['why']})")


@app.command()
def status(as_json: Json = False) -> None:
    """How much is remembered, and how it is searched."""
    response = request("GET", "memory/status")
    if as_json:
        print(json.dumps(response))
        return
    counts = f"{response['memories']} memories of {response['people']} people"
    print(f"{counts}, {response['summaries']} conversations summed up")
    print(f"searched by {response['search']}", end="")
    model = response["embeddings"]
    print(f" ({model['hint']} adds meaning)" if model["state"] == "absent" else f" ({model['model']})")


def _resolve_person(person: str) -> tuple[str, list[str]]:
    """The person meant (the only known one if none is named), and the known names if that is ambiguous."""
    if person:
        return person, []
    names = [one["name"] for one in request("GET", "people", limit=500)["people"]]
    return (names[0], []) if len(names) == 1 else ("", names)


def _print_memories(response: dict[str, Any], others: list[str], *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(response))
        return
    for memory in response["memories"]:
        print(f"{memory['id']}  {memory['type']:12} {memory['content']}")
    if not response["memories"]:
        print(f"nothing; --person names somebody: {', '.join(others)}" if others else "nothing")


def call_tool(tool: str, args: dict[str, Any], *, yes: bool, person: str = "") -> dict[str, Any]:
    """Call a tool through the gate, confirmed at the terminal. Raises ToolError when it fails."""
    from reachy_mind.cli.tools import request as ask
    from reachy_mind.tools.definition import ToolError

    content = {"tool_name": tool, "parameters": args, "person": person, "call_id": uuid4().hex}
    response = ask("POST", "tools/execute", content, robot="none", person=yes or sys.stdin.isatty(), yes=yes)
    if (error := response["error"]) is not None:
        raise ToolError(error["code"], error["message"], hint=error["hint"] or "--yes")
    return dict(response["result"])


def request(method: str, route: str, **query: Any) -> dict[str, Any]:
    """One API request to the running mind, else to a temporary one without a robot."""
    from reachy_mind import log
    from reachy_mind.cli.connection import connect
    from reachy_mind.config.configuration import load

    configuration = load(flags={"robot.address": "none", "robot.idle": False})
    log.configure("error", configuration.settings.log.format, configuration.secrets())
    parameters = {key: value for key, value in query.items() if value is not None}
    place = f"{route}?{urlencode(parameters)}" if parameters else route

    async def act() -> dict[str, Any]:
        async with connect(configuration, thinks=False) as connection:
            return await connection.request(method, place)

    return asyncio.run(act())
