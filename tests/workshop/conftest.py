"""Sandboxes that a module shares, one for each profile of this machine."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from reachy_mind.workshop import isolation
from reachy_mind.workshop.isolation import IsolationProfile
from reachy_mind.workshop.sandbox import Sandbox


@pytest.fixture(scope="session")
def profiles() -> dict[str, IsolationProfile]:
    return {profile.name: profile for profile in isolation.detect()}


@pytest_asyncio.fixture(scope="module", loop_scope="module", params=isolation.NAMES)
async def sandbox(request: pytest.FixtureRequest, profiles: dict[str, IsolationProfile]) -> AsyncIterator[Sandbox]:
    profile = profiles[request.param]
    if not profile.available:
        pytest.skip(profile.reason)
    async with Sandbox(profile) as started:
        yield started
