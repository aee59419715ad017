"""How a mind gets its body: a simulated robot of its own, the line to it or to a real one, camera and sound."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

from reachy_mind import log
from reachy_mind.config import Configuration
from reachy_mind.events import Bus
from reachy_mind.models.store import Store
from reachy_mind.sim.launch import Simulator

if TYPE_CHECKING:
    from reachy_mind.body.address import Address
    from reachy_mind.body.media import Media
    from reachy_mind.motion.client import Motion

DESCRIPTION = "robot-description"

_log = log.get(__name__)


def compiled_folder(configuration: Configuration) -> Path:
    """Where the simulator keeps what it made of the description."""
    return configuration.models_folder / "compiled"


def description(configuration: Configuration) -> Path:
    """The vendor's description of the robot. Raises AssetError when it was never pulled."""
    return Store(configuration.models_folder).path(DESCRIPTION)


async def start_simulator(configuration: Configuration, stack: contextlib.AsyncExitStack) -> Simulator | None:
    """A simulator that is starting, if the robot is to be simulated."""
    settings = configuration.settings
    if settings.robot.address != "sim":
        return None
    level = "warning" if settings.log.level == "info" else settings.log.level
    cache = compiled_folder(configuration)
    simulator = Simulator(description(configuration), cache, settings.robot.scene, log_level=level)
    return await stack.enter_async_context(simulator)


async def locate(configuration: Configuration, simulator: Simulator | None) -> Address | None:
    """Where the robot is, once it is; None when there is to be none. Raises WorkerError."""
    from reachy_mind.body.address import Address  # noqa: PLC0415

    if simulator is not None:
        return Address("127.0.0.1", await simulator.ready())
    address = configuration.settings.robot.address
    return None if address == "none" else Address.parse(address)


async def open_motion(
    configuration: Configuration, bus: Bus, address: Address, stack: contextlib.AsyncExitStack
) -> Motion:
    """The robot's movements; connecting takes a moment more: `wait_connected`."""
    from reachy_mind.motion.client import Motion  # noqa: PLC0415

    settings = configuration.settings
    motion = Motion(
        address,
        description(configuration),
        app_name=settings.robot.app_name,
        idle=settings.robot.idle,
        bus=bus,
        log_level=settings.log.level,
    )
    return await stack.enter_async_context(motion)


async def choose_media(configuration: Configuration, address: Address | None) -> Media:
    """Who provides camera and sound. Nothing is opened before somebody looks or listens."""
    from reachy_mind.body.media.choice import choose, provide  # noqa: PLC0415

    settings = configuration.settings
    media = provide(await choose(settings, address), settings, address)
    _log.debug("media", provider=media.provider, reason=media.reason)
    return media
