"""The pulled chat model for real: talked with, and behind its own HTTP server. `make test-models` brings it."""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from reachy_mind.brains.brain import BrainUnavailable, Done, Past, Turn
from reachy_mind.brains.local.brain import LocalBrain
from reachy_mind.brains.local.server_chat import ServerChat
from reachy_mind.config.configuration import load
from reachy_mind.models.chat_choice import DEFAULT
from reachy_mind.models.llama import Llama
from reachy_mind.models.store import Store
from reachy_mind.models.tool_ability import served_model
from reachy_mind.tools.definition import Outcome
from tests.brains.agents.thinking import Gate, team, think
from tests.conftest import MODELS

PULLED = importlib.util.find_spec("xllamacpp") is not None and Store(MODELS).status(DEFAULT).state == "ready"
pytestmark = [
    pytest.mark.process,
    pytest.mark.timeout(900),
    pytest.mark.skipif(not PULLED, reason="needs xllamacpp and the asset chat: make test-models"),
]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def llama() -> AsyncIterator[Llama]:
    async with Llama.of(load(flags={"models.folder": str(MODELS)})) as model:
        await model.start()
        yield model


async def denied(_name: str, _args: dict[str, Any]) -> Outcome:
    return Outcome("denied")


async def said(brain: LocalBrain, text: str, **about: Any) -> str:
    turn = Turn(text, denied, **about)
    return "".join([piece.text async for piece in brain.talk(turn, text)])


@pytest.mark.asyncio(loop_scope="module")
async def test_it_knows_plain_facts_and_what_was_said_before(llama: Llama) -> None:
    brain = LocalBrain(llama)
    assert "Paris" in await said(brain, "In which city is the Eiffel Tower?")
    told = Past("My sister is called Ines.", "Nice, I'll remember Ines.")
    assert "Ines" in await said(brain, "What is my sister called?", history=(told,))
    assert await brain.choose("could you have a look over to the left", ["look left"]) == 0
    used = brain.take_usage()
    assert used.tokens_in > 0 and used.tokens_out > 0


@pytest.mark.asyncio(loop_scope="module")
async def test_killed_in_mid_sentence_it_says_so_and_is_back_at_the_next_question(llama: Llama) -> None:
    brain = LocalBrain(llama)
    words = brain.talk(Turn("Tell me a long story about the sea.", denied), "Tell me a long story about the sea.")
    await anext(words)
    pid = llama.status().pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    with pytest.raises(BrainUnavailable, match="failed me"):
        async for _ in words:
            pass
    assert "Paris" in await said(brain, "In which city is the Eiffel Tower?")


@pytest.mark.asyncio(loop_scope="module")
async def test_its_own_server_is_a_model_server_as_any_other(llama: Llama, tmp_path: Path) -> None:
    await llama.start()
    address, key = llama._address, llama._key
    found = await served_model(f"{address}/v1", None, key, tmp_path / "abilities.json")
    assert found is not None and not found.calls_tools, "it writes calls as text, so it is talked with"
    chat = ServerChat(found.name, f"{address}/v1", key)
    assert "Paris" in await said(LocalBrain(chat), "In which city is the Eiffel Tower?")
    async with team(f"{address}/v1", api_key=key, model=found.name, first_token_s=300, timeout_s=600) as brain:
        gate = Gate()
        got = await think(brain, "What is the loveliest street in the capital of Italy?", gate, tools=())
        assert got.failed is None and got.reply.strip() and isinstance(got.done, Done)
        assert got.done.tokens_in > 0 and got.done.tokens_out > 0
        thoughts = brain.think(Turn("Tell me a very long story.", gate, ()))
        with contextlib.suppress(StopAsyncIteration):
            await anext(thoughts)
        await asyncio.wait_for(thoughts.aclose(), 30)  # who stops listening stops it
        assert (
            await think(brain, "What is the loveliest street in the capital of Italy?", gate, tools=())
        ).reply.strip()
        pid = llama.status().pid
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        gone = await think(brain, "What is the loveliest street in the capital of Italy?", gate, tools=())
        assert gone.failed is not None and gone.failed.message.endswith(".")
