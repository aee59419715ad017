"""The robot description, fetched with its licence and a progress bar when it is not here yet."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reachy_mind.config import Configuration


async def ensure_description(configuration: Configuration) -> Path:
    """Where the robot description is; downloads it first if need be. Raises AssetError when it can't be had."""
    from reachy_mind.cli.models import PullDisplay
    from reachy_mind.embodiment import DESCRIPTION
    from reachy_mind.models.store import Store

    store = Store(configuration.models_folder)
    if store.status(DESCRIPTION).state == "ready":
        return store.path(DESCRIPTION)
    with PullDisplay(store.asset(DESCRIPTION), quiet=True) as display:
        return await store.pull(DESCRIPTION, display.show)
