"""Downloads the assets that `run` needs and we don't ship, with their licence and a progress bar."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reachy_mind.config.configuration import Configuration


async def ensure_description(configuration: Configuration) -> Path:
    """The path of the robot description, downloaded if needed. Raises AssetError when that fails."""
    from reachy_mind.models.robot_description import DESCRIPTION

    return await _ensure(configuration, DESCRIPTION)


async def ensure_face_detector(configuration: Configuration) -> None:
    """Download the model of the bundled head tracker, if that is configured. Head tracking is off without it."""
    from reachy_mind.errors import AssetError
    from reachy_mind.eyes.blazeface import ASSET, NAME

    eyes = configuration.settings.eyes
    if eyes.camera and eyes.tracker == NAME:
        with contextlib.suppress(AssetError):  # `run` prints what is off and why
            await _ensure(configuration, ASSET)


async def _ensure(configuration: Configuration, name: str) -> Path:
    from reachy_mind.cli.models import PullDisplay
    from reachy_mind.models.store import Store

    store = Store(configuration.models_folder)
    if store.status(name).state == "ready":
        return store.path(name)
    with PullDisplay(store.asset(name), quiet=True) as display:
        return await store.pull(name, display.show)
