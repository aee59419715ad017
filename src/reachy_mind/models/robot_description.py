"""The vendor's robot description: its folder, its check, and the simulator's cache of compiled scenes."""

from __future__ import annotations

from pathlib import Path

from reachy_mind.config.checks import Finding
from reachy_mind.config.configuration import Configuration
from reachy_mind.errors import MindError
from reachy_mind.models.store import Store

DESCRIPTION = "robot-description"
"""Its name in the catalogue."""


def compiled_folder(configuration: Configuration) -> Path:
    """The simulator's cache of compiled scenes."""
    return configuration.models_folder / "compiled"


def description(configuration: Configuration) -> Path:
    """The folder of the description. Raises AssetError when it was never pulled."""
    return Store(configuration.models_folder).path(DESCRIPTION)


async def check(configuration: Configuration) -> Finding:
    """Check that the description is present and unchanged."""
    store = Store(configuration.models_folder)
    fix = f"reachy-mind models pull {DESCRIPTION}"
    try:
        verified = await store.verify(DESCRIPTION)
    except MindError as error:
        return Finding("robot description", ok=False, detail=error.message, fix=error.hint or fix)
    detail = f"{verified.files} files intact" if verified.intact else "; ".join(verified.differences())
    return Finding("robot description", verified.intact, detail, fix=fix)
