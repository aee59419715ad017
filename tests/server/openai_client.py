"""A mind without a robot, served on this machine, and OpenAI's own client of it."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest_asyncio
from openai import AsyncOpenAI

from reachy_mind.config.configuration import load
from reachy_mind.mind import Mind
from tests.conftest import MODELS
from tests.server.served import serving

FLAGS = {"mind.brain": "reflex", "robot.address": "none", "robot.idle": False, "speech.voice": "flite"}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared(tmp_path_factory) -> AsyncIterator[Mind]:  # type: ignore[no-untyped-def]
    """Speech to text is loaded once."""
    home = tmp_path_factory.mktemp("home")
    environ = {"REACHY_MIND_HOME": str(home), "REACHY_MIND_MODELS__FOLDER": str(MODELS)}
    async with Mind(load(flags=FLAGS, environ=environ, folder=home)).session() as one:
        yield one


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def place(shared: Mind) -> AsyncIterator[str]:
    async with serving(shared) as at:
        yield at


@pytest_asyncio.fixture(loop_scope="module")
async def client(place: str) -> AsyncIterator[AsyncOpenAI]:
    async with AsyncOpenAI(base_url=f"http://{place}/v1", api_key="not-needed", max_retries=0) as one:
        yield one
