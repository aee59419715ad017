"""A running Ollama: which models it has, and what they can do, found out within a second."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pydantic import BaseModel, ValidationError

if TYPE_CHECKING:
    import httpx

USUAL = "http://127.0.0.1:11434"
WITHIN_S = 1.0
MOST_ASKED = 12
"""Models whose abilities are asked for: the latest."""


@dataclass(frozen=True)
class Model:
    """One that was pulled there, and its abilities as Ollama calls them: completion, tools, vision."""

    name: str
    abilities: frozenset[str]


@dataclass(frozen=True)
class Ollama:
    """What is served at an address, the latest model first."""

    url: str
    version: str
    models: Sequence[Model]

    def able(self, ability: str, wish: str | None = None) -> Model | None:
        """The model that was wished for if it can, else the latest that can; None when none can."""
        can = [model for model in self.models if ability in model.abilities]
        wished = [model for model in can if wish and wish in (model.name, model.name.removesuffix(":latest"))]
        return next(iter(wished or can), None)


class _Version(BaseModel):
    version: str


class _Tag(BaseModel):
    name: str
    modified_at: str = ""


class _Tags(BaseModel):
    models: list[_Tag] = []


class _Shown(BaseModel):
    capabilities: list[str] = []


async def probe(url: str = USUAL) -> Ollama | None:
    """What answers there; None when nothing does, or something else."""
    if not await _listens(url):
        return None
    http = await asyncio.to_thread(_client, url)
    import httpx  # noqa: PLC0415 -- a moment ago, in that thread

    try:
        async with asyncio.timeout(WITHIN_S), http:
            version = _Version.model_validate_json((await http.get("/api/version")).content)
            tags = _Tags.model_validate_json((await http.get("/api/tags")).content)
            latest = sorted(tags.models, key=lambda tag: tag.modified_at, reverse=True)[:MOST_ASKED]
            models = await asyncio.gather(*(_model(http, tag.name) for tag in latest))
    except (TimeoutError, httpx.HTTPError, ValidationError):
        return None
    return Ollama(url, version.version, models)


async def _listens(url: str) -> bool:
    address = urlsplit(url)
    try:
        async with asyncio.timeout(WITHIN_S / 2):
            _, writer = await asyncio.open_connection(address.hostname, address.port)
    except (TimeoutError, OSError):
        return False
    writer.close()
    return True


def _client(url: str) -> httpx.AsyncClient:
    """Its library takes longer to import than to find that nobody is there."""
    import httpx  # noqa: PLC0415

    return httpx.AsyncClient(base_url=url, timeout=WITHIN_S, trust_env=False)


async def _model(http: httpx.AsyncClient, name: str) -> Model:
    shown = _Shown.model_validate_json((await http.post("/api/show", json={"model": name})).content)
    return Model(name, frozenset(shown.capabilities))
