"""`open_motion`: creates a `Motion` from the settings."""

from __future__ import annotations

import contextlib
import math

from reachy_mind.body.address import Address
from reachy_mind.config.configuration import Configuration
from reachy_mind.events import Bus
from reachy_mind.models.robot_description import description
from reachy_mind.motion.client import Motion
from reachy_mind.motion.idle import IdleLooks


async def open_motion(
    configuration: Configuration, bus: Bus, address: Address, stack: contextlib.AsyncExitStack
) -> Motion:
    """Start the motion process for the robot at `address`; it ends with `stack`.

    Call `wait_connected` before the first move. Raises AssetError when the robot description is not downloaded.
    """
    settings = configuration.settings
    motion = Motion(
        address,
        description(configuration),
        app_name=settings.robot.app_name,
        idle=settings.robot.idle,
        idle_looks=IdleLooks(settings.robot.idle_interval_s, math.radians(settings.robot.idle_range_deg)),
        bus=bus,
        log_level=settings.log.level,
    )
    return await stack.enter_async_context(motion)
