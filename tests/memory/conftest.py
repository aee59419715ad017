"""A memory on a database in a file of its own, without the embedding model: full text alone."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from reachy_mind.memory.memory import Memory
from reachy_mind.models.store import Store
from reachy_mind.storage.database import Database


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    async with Database(tmp_path / "mind.db") as opened:
        yield opened


@pytest.fixture
async def memory(database: Database, tmp_path: Path) -> AsyncIterator[Memory]:
    async with Memory(database, Store(tmp_path / "no models")) as opened:
        yield opened
