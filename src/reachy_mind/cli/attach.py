"""Where a command goes: to the mind that is running, or to one of its own for a moment."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import uuid4

if TYPE_CHECKING:
    from pydantic import BaseModel

    from reachy_mind.config import Configuration
    from reachy_mind.mind import Mind
    from reachy_mind.owner import Owner

    Wish = TypeVar("Wish", bound=BaseModel)

Outcome = dict[str, Any]
PATIENCE_S = 900.0
"""A move lasts ten minutes at most."""


def perform(tool: str, args: dict[str, Any], robot: str | None) -> Outcome:
    """One tool through the gate of the mind that runs, else with a robot of our own that is put away afterwards."""
    configuration, running = _found(robot)
    if running is not None:
        return asyncio.run(_attached(running, robot, tool, args))

    async def alone() -> Outcome:
        from reachy_mind.tools.context import Caller

        async with own(configuration, thinks=False) as mind:
            if tool == "robot.stop":
                return await mind.stop()
            return await mind.act(tool, args, Caller("person", "cli"))

    return asyncio.run(alone())


def state(robot: str | None) -> Outcome:
    """What the robot reports."""
    configuration, running = _found(robot)
    if running is not None:
        return asyncio.run(_attached(running, robot, "", {}))

    async def alone() -> Outcome:
        async with own(configuration, thinks=False) as mind:
            return mind.robot()

    return asyncio.run(alone())


def _found(robot: str | None) -> tuple[Configuration, Owner | None]:
    from reachy_mind import log, owner
    from reachy_mind.config import load

    configuration = load(flags={"robot.address": robot, "robot.idle": False})
    log.configure("error", configuration.settings.log.format, configuration.secrets())
    return configuration, owner.find(configuration.home)


@contextlib.asynccontextmanager
async def own(configuration: Configuration, *, owner: bool = False, thinks: bool = True) -> AsyncIterator[Mind]:
    """A mind in this process, its robot description fetched if need be; `owner` and `thinks` as `Mind` has them."""
    from reachy_mind.cli.assets import ensure_description
    from reachy_mind.mind import Mind

    if configuration.settings.robot.address != "none":
        await ensure_description(configuration)
    async with Mind(configuration, owner=owner, thinks=thinks).session() as mind:
        yield mind


async def require_same(running: Owner, robot: str) -> None:
    """Never move the robot of a running mind when another one was named. Raises AlreadyRunning."""
    from reachy_mind.body.address import Address
    from reachy_mind.client import Client, RemoteError
    from reachy_mind.errors import AlreadyRunning

    try:
        state = await Client(running).ask("GET", "robot/state")
    except RemoteError as error:
        if error.code != "NOT_READY":
            raise
        has, same = "without a robot", robot == "none"
    else:
        has = f"with the robot at {state['address']}"
        same = state["simulated"] if robot == "sim" else str(Address.parse(robot)) == state["address"]
    if not same:
        raise AlreadyRunning(
            f"a mind is running {has}, not {robot}", hint="leave out --robot to use it, or stop it first"
        )


async def _attached(running: Owner, robot: str | None, tool: str, args: dict[str, Any]) -> Outcome:
    from reachy_mind.client import Client
    from reachy_mind.tools.definition import ToolError

    client = Client(running)
    if robot is not None:
        await require_same(running, robot)
    if not tool:
        return await client.ask("GET", "robot/state")
    if tool == "robot.stop":
        return await client.ask("POST", "robot/stop")
    wish = {"tool_name": tool, "parameters": args, "call_id": uuid4().hex}
    try:
        told = await client.ask("POST", "tools/execute", wish, timeout=PATIENCE_S)
    except asyncio.CancelledError:  # Ctrl-C here ends the movement there
        await client.ask("DELETE", f"tools/calls/{wish['call_id']}")
        raise
    if told["error"] is not None:
        raise ToolError(told["error"]["code"], told["error"]["message"], hint=told["error"]["hint"])
    return dict(told["result"])


def checked(wish: type[Wish], content: dict[str, Any], usage: str) -> Wish:
    """What was typed, as what it means. Raises InvalidParameter."""
    from pydantic import ValidationError

    from reachy_mind.errors import InvalidParameter

    try:
        return wish.model_validate(content)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise InvalidParameter(f"{place}: {first['msg']}", hint=f"{usage} --help") from None
