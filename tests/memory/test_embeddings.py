"""Meaning: sentences that say the same in other words. Needs the asset `embeddings` (`make test-models`)."""

from __future__ import annotations

import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest

from reachy_mind.errors import MindError, NotReady
from reachy_mind.memory.embeddings import ASSETS, Embeddings
from reachy_mind.memory.memory import Memory
from reachy_mind.models.store import Store
from reachy_mind.models.wordpiece import WordPiece
from reachy_mind.storage.database import Database
from tests.conftest import MODELS
from tests.waiting import until

PULLED = any(Store(MODELS).status(asset).state == "ready" for asset in ASSETS)
needs_model = pytest.mark.skipif(not PULLED, reason="needs the asset embeddings: make test-models")


@pytest.fixture
async def meaning(database: Database) -> AsyncIterator[Memory]:
    async with Memory(database, Store(MODELS)) as opened:
        assert await opened.embeddings.loaded()
        yield opened


def test_words_are_cut_into_pieces() -> None:
    pieces = WordPiece(["[CLS]", "[SEP]", "[UNK]", "play", "##ing", "cafe", "!", "\u732b"])
    assert pieces.encode("Playing  CAF\u00c9!") == [0, 3, 4, 5, 6, 1]
    assert pieces.encode("\u732b\u732b zzz") == [0, 7, 7, 2, 1]
    assert pieces.encode("play " * 500, most=10) == [0, *[3] * 8, 1]
    assert pieces.encode("") == [0, 1]


async def test_without_the_model_it_is_full_text_and_says_so(tmp_path: Path) -> None:
    embeddings = Embeddings(Store(tmp_path))
    assert not embeddings.available and await embeddings.query("hello") is None and not await embeddings.loaded()
    assert embeddings.status() == {
        "state": "absent",
        "model": "all-MiniLM-L6-v2",
        "hint": "reachy-mind models pull embeddings",
    }
    with pytest.raises(NotReady, match="not on this machine"):
        await embeddings.encode(["hello"])
    await embeddings.aclose()


@needs_model
async def test_vectors_point_where_the_meaning_is(meaning: Memory) -> None:
    texts = ["I own a grey Volvo", "Which vehicle do I drive?", "The soup is too salty", ""]
    rows = (await meaning.embeddings.encode(texts)).astype(np.float32)
    assert rows.shape == (4, 384) and np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-2)
    near = rows @ rows.T
    assert near[0, 1] > near[1, 2] + 0.2


@needs_model
async def test_what_is_said_in_other_words_is_found(meaning: Memory) -> None:
    for said in ("I go running before breakfast", "my car is a grey Volvo", "the soup was too salty"):
        await meaning.store(said, person="ada")
    await meaning.store("I drive a green Skoda", person="bob")
    await until(lambda: meaning.turn_memory.queued == 0)
    while missing := await meaning.vectors.missing():
        await meaning.vectors.add([seq for seq, _ in missing], await meaning.embeddings.encode([t for _, t in missing]))
    found = await meaning.search.find("Which vehicle do I drive?", person="ada", timeout_s=10)
    assert found[0].memory.content == "my car is a grey Volvo" and "Skoda" not in str(found)
    found = await meaning.search.find("When do I do my jogging?", person="ada", timeout_s=10)
    assert found[0].memory.content == "I go running before breakfast"
    await meaning.forget_one(found[0].memory.id)
    found = await meaning.search.find("When do I do my jogging?", person="ada", timeout_s=10)
    assert all("running" not in one.memory.content for one in found)


@needs_model
async def test_a_killed_model_is_full_text_and_comes_back(meaning: Memory) -> None:
    await meaning.store("my car is a grey Volvo", person="ada")
    worker = meaning.embeddings._worker
    assert worker is not None
    pid = worker.status().pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    await until(lambda: worker.status().state == "dead")
    found = await meaning.search.find("car", person="ada")
    assert [one.memory.content for one in found] == ["my car is a grey Volvo"]
    assert await meaning.embeddings.loaded()
    assert (await meaning.embeddings.encode(["hello"])).shape == (1, 384)


@needs_model
async def test_a_model_that_is_damaged_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "damaged"
    folder.mkdir()
    (folder / "model.safetensors").write_bytes(b"not a model")
    (folder / "vocab.txt").write_text("[CLS]\n[SEP]\n[UNK]\n")
    from reachy_mind.models.worker import Worker

    async with Worker("embeddings", "reachy_mind.memory.minilm:Hosted", {"folder": str(folder)}) as worker:
        with pytest.raises(MindError, match="could not start"):
            await worker.call("encode", ["x"])
