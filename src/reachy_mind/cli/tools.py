"""`reachy-mind tools` and `reachy-mind permissions`: what the robot can do, doing it, and who may."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import TYPE_CHECKING, Annotated, Any
from uuid import uuid4

import typer

if TYPE_CHECKING:
    from reachy_mind.cli.talk import Talk

app = typer.Typer(name="tools", help="What the robot can do, and doing it.", no_args_is_help=True)
permissions_app = typer.Typer(
    name="permissions", help="Which tools may be used, and who decides.", no_args_is_help=True
)

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Robot = Annotated[str | None, typer.Option("--robot", help="sim, none or HOST[:PORT] of a robot.", metavar="WHERE")]


@app.command("list")
def list_tools(as_json: Json = False) -> None:
    """Every tool, its tier, and whether it can be used yet."""
    told = asked("GET", "tools?limit=500", robot="none")
    if as_json:
        print(json.dumps(told))
        return
    width = max(len(f"{tool['group']}.{tool['name']}") for tool in told["tools"])
    for tool in told["tools"]:
        first = tool["description"].splitlines()[0]
        later = "" if tool["ready"] else f"  (not yet: {tool['hint']})"
        print(f"{tool['group']}.{tool['name']}".ljust(width + 2) + f"{tool['tier_name']:11}{first}{later}")


@app.command()
def call(
    name: Annotated[str, typer.Argument(help="Such as nod, or robot.nod.")],
    args: Annotated[str, typer.Option("--args", help="Its arguments as JSON: '{\"times\": 2}'.")] = "{}",
    yes: Annotated[bool, typer.Option("--yes", help="You say yes now to what it would ask.")] = False,
    robot: Robot = None,
    as_json: Json = False,
) -> None:
    """Call one tool, through the same gate as everybody."""
    from reachy_mind.errors import InvalidParameter

    try:
        arguments = json.loads(args)
    except ValueError as error:
        raise InvalidParameter(f"--args is not JSON: {error}", hint="--args '{\"times\": 2}'") from None
    if not isinstance(arguments, dict):
        raise InvalidParameter("--args is not a JSON object", hint="--args '{\"times\": 2}'")
    content = {"tool_name": name, "parameters": arguments, "call_id": uuid4().hex}
    told = asked("POST", "tools/execute", content, robot=robot, named=robot, person=yes or sys.stdin.isatty(), yes=yes)
    shown = {
        "status": told["outcome"],
        "data": told["result"],
        "error": told["error"],
        "tier": told["tier"],
        "duration_ms": round(told["execution_time"] * 1000, 2),
        "call_id": told["call_id"],
    }
    if as_json:
        print(json.dumps(shown))
    elif told["error"] is None:
        print(json.dumps(told["result"], indent=2, ensure_ascii=False))
    if told["error"] is not None:
        print(f"error: {told['error']['message']}", file=sys.stderr)
        if told["error"]["hint"]:
            print(f"hint: {told['error']['hint']}", file=sys.stderr)
        raise typer.Exit(1)


@permissions_app.command()
def show(as_json: Json = False) -> None:
    """The rules in force, and the tier each tool has."""
    told = asked("GET", "permissions", robot="none")
    if as_json:
        print(json.dumps(told))
        return
    print(f"rules: {told['file']}")
    for rule in told["rules"]:
        print(f"  {rule['pattern']:30} {rule['tier']:11} {rule['reason']}")
    if not told["rules"]:
        print("  none: each of our own tools has the tier it declares, any other must be confirmed")
    for name, tier in told["tools"].items():
        print(f"{name:32} {tier}")


@permissions_app.command()
def check(name: Annotated[str, typer.Argument(help="A tool by any of its names.")], as_json: Json = False) -> None:
    """What the gate would say to a tool, and why; the file is read anew."""
    from reachy_mind import log
    from reachy_mind.config import load
    from reachy_mind.tools.builtin import ALIASES, TOOLS
    from reachy_mind.tools.permissions import Permissions
    from reachy_mind.tools.registry import Registry

    configuration = load()
    registry = Registry((), ALIASES)
    if configuration.settings.tools.folder is not None:
        from reachy_mind.tools.guests import load_folder

        log.configure("error", configuration.settings.log.format, configuration.secrets())
        for own in load_folder(configuration.settings.tools.folder.expanduser(), source="profile folder").tools:
            registry.add(own)
    for ours in TOOLS:
        registry.add(ours)
    registry.load_entry_points()
    tool, _ = registry.find(name)
    verdict = Permissions(configuration.home.permissions_file).verdict(tool, registry.other_names(tool))
    told = {
        "tool": tool.qualified,
        "tier": int(verdict.tier),
        "tier_name": verdict.tier.label,
        "reason": verdict.reason,
    }
    print(json.dumps(told) if as_json else f"{tool.qualified}: {verdict.tier.label} ({verdict.reason})")


@permissions_app.command()
def reload(as_json: Json = False) -> None:
    """Let the mind that is running take the changed file; a wrong one is refused and the old rules stay."""
    told = asked("POST", "permissions/reload", robot="none")
    print(json.dumps(told) if as_json else f"{told['rules']} rules")


def asked(
    method: str,
    route: str,
    content: dict[str, Any] | None = None,
    *,
    robot: str | None,
    named: str | None = None,
    person: bool = False,
    yes: bool = False,
) -> dict[str, Any]:
    """One call of the API of the mind that runs, or of one for a moment with `robot`.

    `named`: the robot it must be, if any; `yes` answers what is asked meanwhile.
    """
    from reachy_mind import log
    from reachy_mind.cli.talk import connected
    from reachy_mind.config import load

    configuration = load(flags={"robot.address": robot, "robot.idle": False})
    log.configure("error", configuration.settings.log.format, configuration.secrets())

    async def act() -> dict[str, Any]:
        async with connected(configuration, channel=person, thinks=False, robot=named) as talk:
            call_id = (content or {}).get("call_id", "")
            answering = asyncio.create_task(_answer(talk, call_id, yes=yes)) if person else None
            try:
                return await talk.ask(method, route, content)
            except asyncio.CancelledError:  # Ctrl-C here ends the call there
                if call_id:
                    await talk.ask("DELETE", f"tools/calls/{call_id}")
                raise
            finally:
                if answering is not None:
                    answering.cancel()
                    await asyncio.gather(answering, return_exceptions=True)

    return asyncio.run(act())


async def _answer(talk: Talk, call_id: str, *, yes: bool) -> None:
    """To the question about this very call: a yes on the command line is a yes to nothing else."""
    from reachy_mind.cli.talk import yes_or_no

    async for event in talk.events():
        if event["type"] == "confirm" and event["call_id"] == call_id:
            await talk.answer(event["id"], approved=yes or await yes_or_no(event))
