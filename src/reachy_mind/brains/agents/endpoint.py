"""`Endpoint`: the model server of the owner's choice: OpenAI, Ollama, llama.cpp, vLLM, LM Studio.

One address and nowhere else: redirects are not followed, proxies are left aside for this machine. A key goes to the
host it is for: one that was set as OPENAI_API_KEY to OpenAI, or to where OPENAI_BASE_URL says.
"""

from __future__ import annotations

from dataclasses import dataclass

import httpx2
from agents.models import get_default_model
from openai import AsyncOpenAI

from reachy_mind.brains.thought import NoThought
from reachy_mind.config import Configuration
from reachy_mind.errors import ConfigError
from reachy_mind.loopback import is_loopback
from reachy_mind.models.completion import OPENAI

OPENAI_URL = f"https://{OPENAI}/v1"
NO_KEY = "none"
CONNECT_S = 5.0
LIST_S = 10.0


@dataclass(frozen=True)
class Address:
    """Where the model is, and the key for it."""

    url: str
    host: str
    key: str

    @property
    def is_openai(self) -> bool:
        return self.host == OPENAI and self.url.startswith("https://")

    @classmethod
    def of(cls, configuration: Configuration) -> Address:
        """Raises ConfigError when the address is none."""
        settings, origins = configuration.settings.openai, configuration.origins
        url = (settings.url or OPENAI_URL).rstrip("/")
        try:
            host = httpx2.URL(url).host
        except httpx2.InvalidURL as error:
            raise ConfigError(f"openai.url is no address: {error}", hint="such as http://localhost:11434/v1") from None
        found = cls(url, host, "")
        for_openai = origins.get("openai.api_key", "").endswith("OPENAI_API_KEY")
        its_place = found.is_openai or origins.get("openai.url", "").endswith("OPENAI_BASE_URL")
        if settings.api_key is None or (for_openai and not its_place):
            return found
        return cls(url, host, settings.api_key.get_secret_value())


class Endpoint:
    """A client for one address, and the names of its models."""

    def __init__(self, configuration: Configuration) -> None:
        settings = configuration.settings.openai
        self.address = Address.of(configuration)
        self.client = AsyncOpenAI(
            base_url=self.address.url,
            api_key=self.address.key or NO_KEY,
            max_retries=settings.retries,
            timeout=httpx2.Timeout(settings.timeout_s, connect=min(CONNECT_S, settings.timeout_s)),
            http_client=httpx2.AsyncClient(follow_redirects=False, trust_env=not is_loopback(self.address.host)),
        )
        if not self.address.is_openai:
            self.client.organization = self.client.project = None  # the environment's are for OpenAI
        self._usual = settings.model or (get_default_model() if self.address.is_openai else "")

    async def usual(self) -> str:
        """The model that is asked for: the one that was set, else the first that the server has. Raises NoThought."""
        if not self._usual:
            listed = await self.client.with_options(max_retries=0, timeout=LIST_S).models.list()
            self._usual = listed.data[0].id if listed.data else ""
        if not self._usual:
            raise NoThought(
                f"The server at {self.address.host} has no model.", hint="load one there, or set openai.model"
            )
        return self._usual

    async def aclose(self) -> None:
        await self.client.close()
