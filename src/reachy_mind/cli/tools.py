"""`reachy-mind tools` and `reachy-mind permissions`: list and call tools; show and check permissions."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import TYPE_CHECKING, Annotated, Any
from uuid import uuid4

import typer

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from reachy_mind.cli.chat_connection import ChatConnection

app = typer.Typer(name="tools", help="What the robot can do, and doing it.", no_args_is_help=True)
permissions_app = typer.Typer(
    name="permissions", help="Which tools may be used, and who decides.", no_args_is_help=True
)

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Robot = Annotated[str | None, typer.Option("--robot", help="sim, none or HOST[:PORT] of a robot.", metavar="WHERE")]


@app.command("list")
def list_tools(as_json: Json = False) -> None:
    """Every tool, its tier, and whether it can be used yet."""
    response = request("GET", "tools?limit=500", robot="none")
    if as_json:
        print(json.dumps(response))
        return
    width = max(len(f"{tool['group']}.{tool['name']}") for tool in response["tools"])
    for tool in response["tools"]:
        first = tool["description"].splitlines()[0]
        note = "" if tool["ready"] else f"  (not yet: {tool['hint']})"
        print(f"{tool['group']}.{tool['name']}".ljust(width + 2) + f"{tool['tier_name']:11}{first}{note}")


@app.command()
def call(
    name: Annotated[str, typer.Argument(help="Such as nod, or robot.nod.")],
    args: Annotated[str, typer.Option("--args", help="Its arguments as JSON: '{\"times\": 2}'.")] = "{}",
    yes: Annotated[bool, typer.Option("--yes", help="You say yes now to what it would ask.")] = False,
    robot: Robot = None,
    as_json: Json = False,
) -> None:
    """Call one tool, through the same gate as every other caller."""
    content = {"tool_name": name, "parameters": parse_arguments(args), "call_id": uuid4().hex}
    response = request(
        "POST", "tools/execute", content, robot=robot, required_robot=robot, person=yes or sys.stdin.isatty(), yes=yes
    )
    shown = {
        "status": response["outcome"],
        "data": response["result"],
        "error": response["error"],
        "tier": response["tier"],
        "duration_ms": round(response["execution_time"] * 1000, 2),
        "call_id": response["call_id"],
    }
    if as_json:
        print(json.dumps(shown))
    elif response["error"] is None:
        print(json.dumps(response["result"], indent=2, ensure_ascii=False))
    if response["error"] is not None:
        print(f"error: {response['error']['message']}", file=sys.stderr)
        if response["error"]["hint"]:
            print(f"hint: {response['error']['hint']}", file=sys.stderr)
        raise typer.Exit(1)


@permissions_app.command()
def show(as_json: Json = False) -> None:
    """The rules in force, and the tier each tool has."""
    response = request("GET", "permissions", robot="none")
    if as_json:
        print(json.dumps(response))
        return
    if response["trouble"]:
        print(f"warning: {response['trouble']}", file=sys.stderr)
    print(f"rules: {response['file']}")
    for rule in response["rules"]:
        print(f"  {rule['pattern']:30} {rule['tier']:11} {rule['reason']}")
    if not response["rules"]:
        print("  none: each of our own tools has the tier it declares, any other must be confirmed")
    for name, tier in response["tools"].items():
        print(f"{name:32} {tier}")
        for act in response["acts"]:
            if act["tool"] == name and act["when"]:
                print(f"{'':32}   {act['tier_name']} when {act['when']}: {act['reason']}")


@permissions_app.command()
def check(
    name: Annotated[str, typer.Argument(help="A tool by any of its names.")],
    args: Annotated[str | None, typer.Option("--args", help="The arguments of one call, as JSON.")] = None,
    as_json: Json = False,
) -> None:
    """What the gate would decide about a tool, and why; the file is read again.

    Also lists the acts of the tool that rules are about. With --args: what it would decide about one call; whether the
    robot sleeps is not known here, so a movement counts as one that wakes it.
    """
    from reachy_mind import log
    from reachy_mind.config.configuration import load
    from reachy_mind.motion.repertoire import Repertoire
    from reachy_mind.tools.act_table import acts_of
    from reachy_mind.tools.acts import ActRequest
    from reachy_mind.tools.builtin import ALIASES, TOOLS
    from reachy_mind.tools.decisions import Decisions
    from reachy_mind.tools.permissions import Permissions
    from reachy_mind.tools.registry import Registry

    configuration = load()
    registry = Registry((), ALIASES)
    if configuration.settings.tools.folder is not None:
        from reachy_mind.tools.conversation_app import load_folder

        log.configure("error", configuration.settings.log.format, configuration.secrets())
        for own in load_folder(configuration.settings.tools.folder.expanduser(), source="profile folder").tools:
            registry.add(own)
    for ours in TOOLS:
        registry.add(ours)
    registry.load_entry_points()
    tool, alias = registry.find(name)
    decisions = Decisions(registry, Permissions(configuration.home.permissions_file))
    acts, decision = decisions.possible(tool), decisions.tool(tool)
    if args is not None:
        given = parse_arguments(args)
        checked = tool.check(alias.translated(given) if alias else given)
        request = ActRequest(checked, repertoire=Repertoire(configuration.home.moves_folder))
        decision = decisions.strictest(tool, acts_of(tool).performed(request))
    result = {
        "tool": tool.qualified,
        "tier": int(decision.tier),
        "tier_name": decision.tier.label,
        "reason": decision.reason,
    } | ({"acts": [act.as_dict() for act in acts]} if acts else {})
    if as_json:
        print(json.dumps(result))
        return
    print(f"{tool.qualified}: {decision.tier.label} ({decision.reason})")
    for act in acts if args is None else ():
        print(f"  {act.tier_name} when {act.when}: {act.reason}" if act.when else f"  {act.tier_name}: {act.reason}")


@permissions_app.command()
def reload(as_json: Json = False) -> None:
    """Have the running mind read the changed file; an invalid one is refused and the old rules stay."""
    response = request("POST", "permissions/reload", robot="none")
    print(json.dumps(response) if as_json else f"{response['rules']} rules")


def parse_arguments(args: str) -> dict[str, Any]:
    """The arguments of a tool. Raises InvalidParameter."""
    from reachy_mind.errors import InvalidParameter

    try:
        arguments = json.loads(args)
        json.dumps(arguments, allow_nan=False, ensure_ascii=False).encode()  # no NaN, no lone surrogate
    except (ValueError, RecursionError) as error:
        raise InvalidParameter(f"--args is not JSON: {error}", hint="--args '{\"times\": 2}'") from None
    if not isinstance(arguments, dict):
        raise InvalidParameter("--args is not a JSON object", hint="--args '{\"times\": 2}'")
    return arguments


def request(
    method: str,
    route: str,
    content: dict[str, Any] | None = None,
    *,
    robot: str | None,
    required_robot: str | None = None,
    person: bool = False,
    yes: bool = False,
    nested: bool = False,
    prepare: Callable[[ChatConnection], Awaitable[None]] | None = None,
) -> dict[str, Any]:
    """One API request to the running mind, else to a temporary one with `robot`.

    `required_robot`: the robot that the running mind must have, if any. `person`: confirm at the terminal, or by `yes`.
    `nested`: also confirm what the call itself calls. `prepare`: called before the request with a temporary mind.
    """
    from reachy_mind import log
    from reachy_mind.cli.chat_connection import LocalChat, connect_chat
    from reachy_mind.config.configuration import load

    configuration = load(flags={"robot.address": robot, "robot.idle": False})
    log.configure("error", configuration.settings.log.format, configuration.secrets())

    async def act() -> dict[str, Any]:
        async with connect_chat(configuration, channel=person, thinks=False, robot=required_robot) as chat:
            if prepare is not None and isinstance(chat, LocalChat):
                await prepare(chat)
            call_id = (content or {}).get("call_id", "")
            answering = asyncio.create_task(_answer(chat, call_id, yes=yes, nested=nested)) if person else None
            try:
                return await chat.request(method, route, content)
            except asyncio.CancelledError:  # Ctrl-C here ends the call there
                if call_id:
                    await chat.request("DELETE", f"tools/calls/{call_id}")
                raise
            finally:
                if answering is not None:
                    answering.cancel()
                    await asyncio.gather(answering, return_exceptions=True)

    return asyncio.run(act())


async def _answer(chat: ChatConnection, call_id: str, *, yes: bool, nested: bool) -> None:
    """To the question about this very call: a yes on the command line is a yes to nothing else.

    A question about a call that it makes has an id of its own: with `nested` every question is asked here.
    """
    from reachy_mind.cli.confirmation_prompt import yes_or_no

    async for frame in chat.frames():
        if frame["type"] != "confirm":
            continue
        own = frame["call_id"] == call_id
        if own or nested:
            await chat.answer(frame["id"], approved=(own and yes) or await yes_or_no(frame))
