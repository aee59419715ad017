"""`ModelServer`: the client of an OpenAI-compatible server: OpenAI, Ollama, llama.cpp, vLLM, LM Studio.

It talks to the configured address only: redirects are not followed, and no proxy is used for loopback. An API key
goes only to its own host: OPENAI_API_KEY to OpenAI, or to the address in OPENAI_BASE_URL.
"""

from __future__ import annotations

from dataclasses import dataclass

import httpx2
from agents.models import get_default_model
from openai import AsyncOpenAI

from reachy_mind.access.loopback import is_loopback
from reachy_mind.brains.brain import BrainUnavailable
from reachy_mind.config.configuration import Configuration
from reachy_mind.errors import ConfigError
from reachy_mind.models.completion import OPENAI

OPENAI_URL = f"https://{OPENAI}/v1"
PLACEHOLDER_KEY = "none"
CONNECT_TIMEOUT_S = 5.0
LIST_TIMEOUT_S = 10.0


@dataclass(frozen=True)
class ServerAddress:
    """The address of the model server, and the API key for it (may be empty)."""

    url: str
    host: str
    key: str

    @property
    def is_openai(self) -> bool:
        return self.host == OPENAI and self.url.startswith("https://")

    @classmethod
    def of(cls, configuration: Configuration) -> ServerAddress:
        """From the settings. Raises ConfigError for an invalid URL."""
        settings, origins = configuration.settings.openai, configuration.origins
        url = (settings.url or OPENAI_URL).rstrip("/")
        try:
            host = httpx2.URL(url).host
        except httpx2.InvalidURL as error:
            raise ConfigError(f"openai.url is no address: {error}", hint="such as http://localhost:11434/v1") from None
        found = cls(url, host, "")
        for_openai = origins.get("openai.api_key", "").endswith("OPENAI_API_KEY")
        openai_address = found.is_openai or origins.get("openai.url", "").endswith("OPENAI_BASE_URL")
        if settings.api_key is None or (for_openai and not openai_address):
            return found
        return cls(url, host, settings.api_key.get_secret_value())


class ModelServer:
    """An `AsyncOpenAI` client for the configured address, and its default model."""

    def __init__(self, configuration: Configuration) -> None:
        settings = configuration.settings.openai
        self.address = ServerAddress.of(configuration)
        self.client = AsyncOpenAI(
            base_url=self.address.url,
            api_key=self.address.key or PLACEHOLDER_KEY,
            max_retries=settings.retries,
            timeout=httpx2.Timeout(settings.timeout_s, connect=min(CONNECT_TIMEOUT_S, settings.timeout_s)),
            http_client=httpx2.AsyncClient(follow_redirects=False, trust_env=not is_loopback(self.address.host)),
        )
        if not self.address.is_openai:
            self.client.organization = self.client.project = None  # those in the environment belong to OpenAI
        self._default_model = settings.model or (get_default_model() if self.address.is_openai else "")

    async def default_model(self) -> str:
        """The configured model, else the first one the server lists. Raises BrainUnavailable when it lists none."""
        if not self._default_model:
            listed = await self.client.with_options(max_retries=0, timeout=LIST_TIMEOUT_S).models.list()
            self._default_model = listed.data[0].id if listed.data else ""
        if not self._default_model:
            raise BrainUnavailable(
                f"The server at {self.address.host} has no model.", hint="load one there, or set openai.model"
            )
        return self._default_model

    async def aclose(self) -> None:
        await self.client.close()
