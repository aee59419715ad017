"""A mind without a robot behind its server, for the tests that need no more."""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx
import pytest

from reachy_mind.mind import Mind
from tests.server.served import calling


@pytest.fixture
async def mind() -> AsyncIterator[Mind]:
    async with Mind(robot="none").session() as awake:
        yield awake


@pytest.fixture
async def http(mind: Mind) -> AsyncIterator[httpx.AsyncClient]:
    async with calling(mind) as client:
        yield client
