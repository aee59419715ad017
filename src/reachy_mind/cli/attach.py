"""Where a command goes: to the mind that is running, or to one of its own for a moment."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from pydantic import BaseModel

    from reachy_mind.client import Client
    from reachy_mind.mind import Mind

    Wish = TypeVar("Wish", bound=BaseModel)

Outcome = dict[str, Any]


@dataclass(frozen=True)
class Command:
    """One thing a mind can do, from within and from without."""

    within: Callable[[Mind], Awaitable[Outcome]]
    without: Callable[[Client], Awaitable[Outcome]]


def perform(command: Command, robot: str | None) -> Outcome:
    """Through the mind that runs, else with a robot of our own that is put away afterwards."""
    from reachy_mind import log, owner
    from reachy_mind.client import Client
    from reachy_mind.config import load

    configuration = load(flags={"robot.address": robot, "robot.idle": False})
    log.configure("error", configuration.settings.log.format, configuration.secrets())
    running = owner.find(configuration.home)
    if running is not None:
        return asyncio.run(_attached(command, Client(running), robot))

    async def alone() -> Outcome:
        from reachy_mind.cli.assets import ensure_description
        from reachy_mind.mind import compose

        if configuration.settings.robot.address != "none":
            await ensure_description(configuration)
        async with compose(configuration) as mind:
            return await command.within(mind)

    return asyncio.run(alone())


async def _attached(command: Command, client: Client, robot: str | None) -> Outcome:
    """Never move the robot of a running mind when another one was named."""
    from reachy_mind.body.address import Address
    from reachy_mind.errors import AlreadyRunning

    if robot is not None:
        state = await client.ask("GET", "robot/state")
        same = state["simulated"] if robot == "sim" else str(Address.parse(robot)) == state["address"]
        if not same:
            raise AlreadyRunning(
                f"a mind is running with the robot at {state['address']}, not {robot}",
                hint="leave out --robot to use it, or stop it first",
            )
    return await command.without(client)


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
