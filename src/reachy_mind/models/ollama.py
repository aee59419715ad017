"""Ollama discovery: probes a running server for its models and their capabilities, within a second."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pydantic import BaseModel, ValidationError

if TYPE_CHECKING:
    import httpx

DEFAULT_URL = "http://127.0.0.1:11434"
PROBE_TIMEOUT_S = 1.0
MAX_MODELS = 12
"""The latest models, whose capabilities are queried."""


@dataclass(frozen=True)
class OllamaModel:
    """A pulled model, and its capabilities: completion, tools, vision."""

    name: str
    abilities: frozenset[str]


@dataclass(frozen=True)
class Ollama:
    """A server and its models, the latest first."""

    url: str
    version: str
    models: Sequence[OllamaModel]

    def model_with(self, ability: str, preferred: str | None = None) -> OllamaModel | None:
        """The preferred model if it has the ability, else the latest that has; None without one."""
        can = [model for model in self.models if ability in model.abilities]
        matching = [
            model for model in can if preferred and preferred in (model.name, model.name.removesuffix(":latest"))
        ]
        return next(iter(matching or can), None)

    def as_dict(self, preferred: str | None = None) -> dict[str, Any]:
        """For people and programs; `used`: the model that thinks, if it is Ollama's turn."""
        used = self.model_with("tools", preferred)
        models = [
            {"name": model.name, "abilities": sorted(model.abilities), "used": model is used} for model in self.models
        ]
        return {"url": self.url, "version": self.version, "models": models}


class _Version(BaseModel):
    version: str


class _Tag(BaseModel):
    name: str
    modified_at: str = ""


class _Tags(BaseModel):
    models: list[_Tag] = []


class _Shown(BaseModel):
    capabilities: list[str] = []


async def probe(url: str = DEFAULT_URL) -> Ollama | None:
    """The Ollama server at `url`; None when there is none."""
    if not await _accepts_connections(url):
        return None
    http = await asyncio.to_thread(_client, url)
    import httpx  # noqa: PLC0415 -- imported in that thread already

    try:
        async with asyncio.timeout(PROBE_TIMEOUT_S), http:
            version = _Version.model_validate_json((await http.get("/api/version")).content)
            tags = _Tags.model_validate_json((await http.get("/api/tags")).content)
            latest = sorted(tags.models, key=lambda tag: tag.modified_at, reverse=True)[:MAX_MODELS]
            models = await asyncio.gather(*(_model(http, tag.name) for tag in latest))
    except (TimeoutError, httpx.HTTPError, ValidationError):
        return None
    return Ollama(url, version.version, models)


async def _accepts_connections(url: str) -> bool:
    address = urlsplit(url)
    try:
        async with asyncio.timeout(PROBE_TIMEOUT_S / 2):
            _, writer = await asyncio.open_connection(address.hostname, address.port)
    except (TimeoutError, OSError):
        return False
    writer.close()
    return True


def _client(url: str) -> httpx.AsyncClient:
    """Importing httpx takes longer than finding that no server is there."""
    import httpx  # noqa: PLC0415

    return httpx.AsyncClient(base_url=url, timeout=PROBE_TIMEOUT_S, trust_env=False)


async def _model(http: httpx.AsyncClient, name: str) -> OllamaModel:
    shown = _Shown.model_validate_json((await http.post("/api/show", json={"model": name})).content)
    return OllamaModel(name, frozenset(shown.capabilities))
