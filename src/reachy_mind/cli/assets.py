"""What `run` needs and does not ship, fetched with its licence and a progress bar when it is not here yet."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reachy_mind.config import Configuration


async def ensure_description(configuration: Configuration) -> Path:
    """Where the robot description is; downloads it first if need be. Raises AssetError when it can't be had."""
    from reachy_mind.embodiment import DESCRIPTION

    return await _ensure(configuration, DESCRIPTION)


async def ensure_face_detector(configuration: Configuration) -> None:
    """The model of the bundled head tracker, if that is the one. Without it nobody is followed, and that is said."""
    from reachy_mind.errors import AssetError
    from reachy_mind.eyes.blazeface import ASSET, NAME

    eyes = configuration.settings.eyes
    if eyes.camera and eyes.tracker == NAME:
        with contextlib.suppress(AssetError):  # `run` tells what is off and why
            await _ensure(configuration, ASSET)


async def _ensure(configuration: Configuration, name: str) -> Path:
    from reachy_mind.cli.models import PullDisplay
    from reachy_mind.models.store import Store

    store = Store(configuration.models_folder)
    if store.status(name).state == "ready":
        return store.path(name)
    with PullDisplay(store.asset(name), quiet=True) as display:
        return await store.pull(name, display.show)
