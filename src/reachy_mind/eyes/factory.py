"""`open_sight`: the eyes of a mind as the settings describe them."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import TYPE_CHECKING

from reachy_mind.body.media.on_demand_camera import OnDemandCamera
from reachy_mind.eyes.sight import Sight

if TYPE_CHECKING:
    from reachy_mind.body.media import Media
    from reachy_mind.config.configuration import Configuration
    from reachy_mind.events import Bus
    from reachy_mind.motion.client import Motion


async def open_sight(
    configuration: Configuration,
    media: Media,
    motion: Motion | None,
    bus: Bus,
    stack: contextlib.AsyncExitStack,
    *,
    busy: Callable[[], bool],
    may_follow: Callable[[], bool],
) -> Sight:
    """Open the eyes until `stack` closes. `busy`: see `Sight`; `may_follow`: whether the rules allow it."""
    camera = None
    if configuration.settings.eyes.camera:
        camera = await stack.enter_async_context(OnDemandCamera(media.camera))
    sight = Sight(configuration, media, bus, camera=camera, motion=motion, busy=busy)
    sight.gaze.allowed = may_follow
    return await stack.enter_async_context(sight)
