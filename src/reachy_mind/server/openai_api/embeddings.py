"""`/v1/embeddings`: sentences as vectors, by the model of the memory."""

from __future__ import annotations

import base64
from typing import Annotated, Any, Literal

import numpy as np
from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from reachy_mind.errors import InvalidParameter, NotReady
from reachy_mind.memory.embeddings import MODEL, WIDTH
from reachy_mind.mind import Mind

MOST_TEXTS, LONGEST = 256, 20_000
Text = Annotated[str, Field(max_length=LONGEST)]


class EmbeddingRequest(BaseModel):
    """What clients of the OpenAI API send; other fields are ignored."""

    model_config = ConfigDict(extra="ignore")

    input: Text | Annotated[list[Text], Field(min_length=1, max_length=MOST_TEXTS)]
    encoding_format: Literal["float", "base64"] = "float"
    dimensions: int | None = None


def router(mind: Mind) -> APIRouter:
    routes = APIRouter(prefix="/v1", include_in_schema=False)

    @routes.post("/embeddings")
    async def embeddings(wanted: EmbeddingRequest) -> dict[str, Any]:
        if wanted.dimensions not in (None, WIDTH):
            raise InvalidParameter(f"{wanted.dimensions} dimensions", hint=f"{MODEL} has {WIDTH}")
        if mind.memory is None:
            raise NotReady("the memory is off, and its embeddings with it", hint="run without --no-memory")
        texts = [wanted.input] if isinstance(wanted.input, str) else wanted.input
        rows = await mind.memory.embeddings.encode(texts)
        words = sum(len(text.split()) for text in texts)
        return {
            "object": "list",
            "model": MODEL,
            "data": [
                {"object": "embedding", "index": number, "embedding": _encoded(row, wanted.encoding_format)}
                for number, row in enumerate(np.asarray(rows, "<f4"))
            ],
            "usage": {"prompt_tokens": words, "total_tokens": words},
        }

    return routes


def _encoded(row: Any, encoding: str) -> list[float] | str:
    return base64.b64encode(row.tobytes()).decode() if encoding == "base64" else [float(number) for number in row]
