"""The check of `mind.db` for the command `doctor` and the page: its integrity, and whether it can be written."""

from __future__ import annotations

import asyncio

from reachy_mind.config.checks import Finding
from reachy_mind.config.configuration import Configuration
from reachy_mind.storage.database import DatabaseError
from reachy_mind.storage.faults import classify, probe
from reachy_mind.storage.home import Home
from reachy_mind.storage.snapshot import find_damage, open_for_reading

NAME = "database"
REPAIR = "stop the mind, then run: reachy-mind repair (it saves what can be read and keeps the damaged file)"


async def database(configuration: Configuration) -> Finding:
    """SQLite's own check of all pages, indexes and references."""
    return await asyncio.to_thread(_examine, configuration.home)


def _examine(home: Home) -> Finding:
    file = home.database_file
    if not file.exists():
        return Finding(NAME, ok=True, detail="none yet: the first start creates it")
    try:
        with open_for_reading(file) as db:
            problems = find_damage(db)
    except DatabaseError as error:
        return Finding(NAME, ok=False, detail=error.message, fix=error.hint)
    if problems:
        return Finding(NAME, ok=False, detail=f"{file.name} is damaged: {problems[0]}", fix=REPAIR)
    if (refused := probe(file.parent)) is not None:
        fault = classify(refused, file)
        return Finding(NAME, ok=False, detail=f"{file.name} can't be written: {fault.cause}", fix=fault.hint)
    how = "intact" if problems is not None else "no damage found in the time for it"
    return Finding(NAME, ok=True, detail=f"{file.name}, {file.stat().st_size / 1e6:.1f} MB, {how}")
