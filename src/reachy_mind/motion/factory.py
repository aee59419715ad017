"""`open_motion`: creates a `Motion` from the settings."""

from __future__ import annotations

import contextlib

from reachy_mind.body.address import Address
from reachy_mind.config.configuration import Configuration
from reachy_mind.events import Bus
from reachy_mind.models.robot_description import description
from reachy_mind.motion.client import Motion


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
        bus=bus,
        log_level=settings.log.level,
    )
    return await stack.enter_async_context(motion)
