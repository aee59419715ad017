"""`open_memory`: the memory as the settings describe it."""

from __future__ import annotations

import contextlib

from reachy_mind.config.configuration import Configuration
from reachy_mind.memory.memory import Memory
from reachy_mind.memory.model_summaries import choose
from reachy_mind.memory.personal_files import PersonalFiles
from reachy_mind.models.store import Store
from reachy_mind.storage.database import Database


async def open_memory(configuration: Configuration, database: Database, stack: contextlib.AsyncExitStack) -> Memory:
    """Open the memory in `database`, until `stack` closes."""
    memory = Memory(database, Store(configuration.models_folder), choose(configuration.settings))
    memory.erasure.files = PersonalFiles(configuration.home.folder, apart=(configuration.models_folder,))
    return await stack.enter_async_context(memory)
