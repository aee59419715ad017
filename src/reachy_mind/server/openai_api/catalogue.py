"""`/v1/models`: the mind, its ears, its voice and its embeddings, as a client of the OpenAI API lists models."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from reachy_mind.errors import MindError
from reachy_mind.memory.embeddings import MODEL
from reachy_mind.mind import Mind
from reachy_mind.models.voice_names import OPENAI_NAMES, VOICES
from reachy_mind.server.not_found import NotFound

MIND = "reachy-mind"
"""The name of the model that is the mind."""
CREATED = 1_700_000_000
"""When it was made: a field that clients want and that means nothing here."""


def router(mind: Mind) -> APIRouter:
    routes = APIRouter(prefix="/v1", include_in_schema=False)

    @routes.get("/models")
    async def models() -> dict[str, Any]:
        return {"object": "list", "data": _listed(mind)}

    @routes.get("/models/{name:path}")
    async def model(name: str) -> dict[str, Any]:
        for one in _listed(mind):
            if one["id"] == name:
                return one
        raise NotFound(f"there is no model {name[:80]!r}", hint="GET /v1/models lists them")

    return routes


def voice_names(voice: str) -> tuple[str, ...]:
    """The voices of the engine of a voice: its own names, and OpenAI's."""
    engine = voice.partition(" ")[0]
    return (*VOICES.get(engine, (voice,)), *OPENAI_NAMES.get(engine, ()))


def _listed(mind: Mind) -> list[dict[str, Any]]:
    voices: tuple[str, ...] = ()
    found = []
    for part in (mind.speech.ears, mind.speech.mouth):
        try:
            name = part().name
        except MindError:
            continue  # GET /api/v1/voice says why there is none
        about = {"voices": list(voice_names(name))} if part == mind.speech.mouth else {}
        voices = tuple(about.get("voices", voices))
        found.append(_model(name.replace(" ", "-")) | about)
    if mind.memory is not None and mind.memory.embeddings.available:
        found.append(_model(MODEL))
    return [_model(MIND) | ({"voices": list(voices)} if voices else {}), *found]


def _model(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": CREATED, "owned_by": MIND}
