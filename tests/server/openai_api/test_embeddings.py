"""Embeddings for programs of the OpenAI API."""

from __future__ import annotations

import base64

import numpy as np
import pytest
from openai import APIStatusError, AsyncOpenAI, BadRequestError

from reachy_mind.memory.embeddings import Embeddings
from reachy_mind.mind import Mind

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.process]


async def test_without_the_model_it_says_what_to_pull(
    client: AsyncOpenAI, shared: Mind, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert shared.memory is not None
    monkeypatch.setattr(Embeddings, "_folder", lambda self: None)
    with pytest.raises(APIStatusError, match="models pull embeddings") as raised:
        await client.embeddings.create(model="text-embedding-3-small", input="hello")
    assert raised.value.status_code == 503 and raised.value.type == "server_error"


async def test_other_widths_and_other_input_are_refused(client: AsyncOpenAI) -> None:
    with pytest.raises(BadRequestError, match="has 384"):
        await client.embeddings.create(model="text-embedding-3-small", input="hello", dimensions=1536)
    with pytest.raises(BadRequestError, match="input"):
        await client.embeddings.create(model="text-embedding-3-small", input=[[1, 2, 3]])


async def test_alike_sentences_are_near(client: AsyncOpenAI, shared: Mind) -> None:
    if shared.memory is None or not shared.memory.embeddings.available:
        pytest.skip("the model of embeddings is not pulled: make test-models")
    texts = ["The cat sleeps on the sofa.", "A kitten naps on the couch.", "Taxes are due in April."]
    for encoding in ("float", "base64"):
        found = await client.embeddings.create(model="x", input=texts, encoding_format=encoding)  # type: ignore[arg-type]
        rows = [
            np.frombuffer(base64.b64decode(row), "<f4") if isinstance(row, str) else np.asarray(row)
            for row in (each.embedding for each in found.data)
        ]
        assert rows[0] @ rows[1] > rows[0] @ rows[2] + 0.2 and len(rows[0]) == 384
