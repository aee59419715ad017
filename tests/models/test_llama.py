"""The language model on this machine: its words as they come, and what happens when it or its reader goes away."""

from __future__ import annotations

import asyncio
import contextlib

import pytest

from reachy_mind.errors import BadAnswer, ConfigError, TimedOut, WorkerError
from reachy_mind.models.chat_stream import TokenUsage
from tests.fakes.llamas import log, scripted

pytestmark = pytest.mark.process

__all__ = ["scripted"]
ASKED = [{"role": "user", "content": "hello"}]


async def test_words_come_as_they_are_written_and_the_schema_goes_along(scripted, tmp_path):
    async with scripted("Good morning to you!") as llama:
        *words, usage = [piece async for piece in llama.stream(ASKED, schema={"type": "string"})]
        assert len(words) > 2 and "".join(words) == "Good morning to you!"
        assert isinstance(usage, TokenUsage) and usage.tokens_out and not usage.cut
        assert llama.load_s is not None and llama.status().rss
    (row,) = log(tmp_path)
    assert row["asked"]["response_format"]["json_schema"]["schema"] == {"type": "string"}


async def test_who_stops_listening_ends_the_work_and_the_model_stays(scripted, tmp_path, until):
    async with scripted({"text": "Once upon a time", "hang": True}, "Yes.") as llama:
        async with contextlib.aclosing(llama.stream(ASKED)) as pieces:
            await anext(pieces)
        await until(lambda: {"hung_up": True} in log(tmp_path))
        pid = llama.status().pid
        reading = asyncio.create_task(llama.complete(ASKED))
        assert (await reading).text == "Yes."
        assert llama.status().pid == pid


async def test_one_that_refuses_hangs_or_dies_says_so_and_is_there_for_the_next(scripted):
    refused = {"refuse": [400, "request (9015 tokens) exceeds the available context size"]}
    async with scripted(refused, {"text": "Well", "hang": True}, "Here I am.", {"text": "Well", "die": True}) as llama:
        with pytest.raises(BadAnswer, match="exceeds"):
            await llama.complete(ASKED)
        with pytest.raises(TimedOut):
            await llama.complete(ASKED, timeout_s=0.3)
        assert (await llama.complete(ASKED)).text == "Here I am."
        with pytest.raises(WorkerError) as died:
            await llama.complete(ASKED)
        assert "models verify" in died.value.hint
        with pytest.raises(BadAnswer, match="exceeds"):  # started again, from the beginning
            await llama.complete(ASKED)


async def test_what_it_has_read_once_it_need_not_read_again(scripted, tmp_path):
    folder = tmp_path / "read"
    told = [{"role": "system", "content": "You are a robot."}]
    async with scripted("Hm.", prompt_cache=folder) as llama:
        await llama.prefill(told)
        await llama.prefill(told)
    assert [row.get("slot", "asked") for row in log(tmp_path)] == ["asked", "save"]
    async with scripted("Hm.", prompt_cache=folder) as llama:
        await llama.prefill(told)
    assert [row.get("slot", "asked") for row in log(tmp_path)][2:] == ["restore"]
    (kept,) = folder.iterdir()
    kept.write_text("broken")
    async with scripted("Hm.", prompt_cache=folder) as llama:
        await llama.prefill(told)
        await llama.prefill([{"role": "system", "content": "You are a poet."}])
    assert [row.get("slot", "asked") for row in log(tmp_path)][3:] == ["restore", "asked", "save", "asked", "save"]
    for number in range(9):
        (folder / f"{number}.bin").touch()
    async with scripted("Hm.", prompt_cache=folder) as llama:
        await llama.start()
    assert len(list(folder.iterdir())) < 5


async def test_an_adapter_is_taken_along_and_what_was_read_without_it_is_read_again(scripted, tmp_path):
    adapter, folder = tmp_path / "adapter.gguf", tmp_path / "read"
    with pytest.raises(ConfigError, match="adapter"):
        scripted("Hm.", adapter=adapter)
    adapter.write_bytes(b"x")
    for given in (None, adapter):
        async with scripted("Hm.", prompt_cache=folder, adapter=given) as llama:
            await llama.prefill(ASKED)
            assert bytes(await llama.prompt_tokens(ASKED)) == b"<user>hello<assistant>"
            assert bytes(await llama.tokens("nod")) == b"nod"
    assert [row["slot"] for row in log(tmp_path) if "slot" in row] == ["save", "save"]
    assert {"adapter": str(adapter), "scale": 1.0} in log(tmp_path)
