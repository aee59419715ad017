"""A device's store in a folder of its own."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from reachy_mind.fleet.device.store import DeviceStore


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "device" / "device.db"


@pytest.fixture
async def store(file: Path) -> AsyncIterator[DeviceStore]:
    async with DeviceStore(file) as store:
        yield store
