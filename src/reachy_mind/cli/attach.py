"""One robot command: through the mind that is running, or with a mind of its own for a moment."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import uuid4

if TYPE_CHECKING:
    from pydantic import BaseModel

    from reachy_mind.cli.connection import RemoteConnection
    from reachy_mind.config.configuration import Configuration

    Options = TypeVar("Options", bound=BaseModel)

Outcome = dict[str, Any]


def perform(tool: str, args: dict[str, Any], robot: str | None) -> Outcome:
    """One tool through the gate of the running mind, else with a robot of our own that is put away afterwards."""

    async def act() -> Outcome:
        from reachy_mind.cli.connection import RemoteConnection, connect
        from reachy_mind.tools.context import Caller

        async with connect(_configuration(robot), robot=robot, thinks=False) as connection:
            if isinstance(connection, RemoteConnection):
                return await _perform_remotely(connection, tool, args)
            if tool == "robot.stop":
                return await connection.mind.stop()
            return await connection.mind.act(tool, args, Caller("person", "cli"))

    return asyncio.run(act())


def request(method: str, route: str, content: dict[str, Any] | None, robot: str | None) -> Outcome:
    """One call of the REST API of the running mind, else of one with a robot that is put away afterwards."""

    async def ask() -> Outcome:
        from reachy_mind.cli.connection import connect

        async with connect(_configuration(robot), robot=robot, thinks=False) as connection:
            return await connection.request(method, route, content)

    return asyncio.run(ask())


def state(robot: str | None) -> Outcome:
    """What the robot reports."""

    async def ask() -> Outcome:
        from reachy_mind.cli.connection import RemoteConnection, connect

        async with connect(_configuration(robot), robot=robot, thinks=False) as connection:
            if isinstance(connection, RemoteConnection):
                return await connection.request("GET", "robot/state")
            return connection.mind.robot()

    return asyncio.run(ask())


def _configuration(robot: str | None) -> Configuration:
    from reachy_mind import log
    from reachy_mind.config.configuration import load

    configuration = load(flags={"robot.address": robot, "robot.idle": False})
    log.configure("error", configuration.settings.log.format, configuration.secrets())
    return configuration


async def _perform_remotely(connection: RemoteConnection, tool: str, args: dict[str, Any]) -> Outcome:
    from reachy_mind.tools.definition import ToolError

    if tool == "robot.stop":
        return await connection.request("POST", "robot/stop")
    call = {"tool_name": tool, "parameters": args, "call_id": uuid4().hex}
    try:
        answer = await connection.request("POST", "tools/execute", call)
    except asyncio.CancelledError:  # Ctrl-C here ends the movement there
        await connection.request("DELETE", f"tools/calls/{call['call_id']}")
        raise
    if answer["error"] is not None:
        raise ToolError(answer["error"]["code"], answer["error"]["message"], hint=answer["error"]["hint"])
    return dict(answer["result"])


def checked(options: type[Options], content: dict[str, Any], usage: str) -> Options:
    """What was typed, validated. Raises InvalidParameter."""
    from pydantic import ValidationError

    from reachy_mind.errors import InvalidParameter

    try:
        return options.model_validate(content)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise InvalidParameter(f"{place}: {first['msg']}", hint=f"{usage} --help") from None
