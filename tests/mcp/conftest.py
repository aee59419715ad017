"""One house for the tests of a module, which spares each of them starting a mind."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.conftest import MODELS
from tests.mcp.house import House, opened


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def house(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[House]:
    home = tmp_path_factory.mktemp("house")
    async with opened(home, REACHY_MIND_MODELS__FOLDER=str(MODELS)) as made:
        yield made
