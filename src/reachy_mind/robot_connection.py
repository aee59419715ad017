"""The robot of a mind: starts its simulator, finds its address, and connects motion and media."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from reachy_mind import log
from reachy_mind.config.configuration import Configuration
from reachy_mind.events import Bus
from reachy_mind.models.robot_description import compiled_folder, description
from reachy_mind.sim.launch import Simulator

if TYPE_CHECKING:
    from reachy_mind.body.address import Address
    from reachy_mind.body.media import Media
    from reachy_mind.motion.client import Motion

SIMULATOR_TIMEOUT_S = 60.0
"""A simulator of ours answers in the end, on a slow or busy machine too: as long as it may take to start."""

_log = log.get(__name__)


async def start_simulator(configuration: Configuration, stack: contextlib.AsyncExitStack) -> Simulator | None:
    """Begin to start a simulator until `stack` closes; None when the robot is not simulated."""
    settings = configuration.settings
    if settings.robot.address != "sim":
        return None
    level = "warning" if settings.log.level == "info" else settings.log.level
    cache = compiled_folder(configuration)
    simulator = Simulator(description(configuration), cache, settings.robot.scene, log_level=level)
    return await stack.enter_async_context(simulator)


async def connect(
    configuration: Configuration, bus: Bus, simulator: Simulator | None, stack: contextlib.AsyncExitStack
) -> tuple[Motion | None, Media]:
    """Connect the robot until `stack` closes; no motion when there is to be no robot.

    Raises WorkerError when the simulator fails; LinkLost, RobotBusy or VersionMismatch when the robot can't be used.
    """
    from reachy_mind.body.media.providers import choose, provide  # noqa: PLC0415
    from reachy_mind.motion.factory import open_motion  # noqa: PLC0415

    settings = configuration.settings
    address = await _locate(settings.robot.address, simulator)
    motion = None
    if address is not None:
        motion = await open_motion(configuration, bus, address, stack)
        timeout = settings.robot.connect_timeout_s
        await motion.wait_connected(timeout if simulator is None else max(timeout, SIMULATOR_TIMEOUT_S))
    media = provide(await choose(settings, address), settings, address)
    _log.debug("media", provider=media.provider, reason=media.reason)
    return motion, media


async def _locate(wanted: str, simulator: Simulator | None) -> Address | None:
    from reachy_mind.body.address import Address  # noqa: PLC0415

    if simulator is not None:
        return Address("127.0.0.1", await simulator.ready())
    return None if wanted == "none" else Address.parse(wanted)
