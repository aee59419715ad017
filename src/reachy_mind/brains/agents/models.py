"""Model routing for the team: the models of the server at `openai.url`, or OpenAI's.

Simple requests go to `openai.small_model`, if it is set. A fixed rule decides what is simple, not a model.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Protocol

from agents import Model, ModelSettings, OpenAIChatCompletionsModel, OpenAIResponsesModel
from agents.models import get_default_model_settings

from reachy_mind.brains.agents.endpoint import ModelServer
from reachy_mind.brains.agents.metered_model import MeteredModel
from reachy_mind.config.configuration import Configuration
from reachy_mind.errors import NotReady

MOST_SIMPLE_WORDS = 12
CACHE_KEY = "reachy-mind"

_COMPLEX = re.compile(
    r"\b(?:why|explain|compare|plan|write|think|reason|solve|calculate|translate|summar\w+|story|poem|code|tool|teach"
    r"|how (?:do|does|did|can|could|would|should|come)|what if|then|after that|afterwards|unless|because)\b",
    re.IGNORECASE,
)


def is_simple(text: str) -> bool:
    """Whether it is one short sentence that asks neither for reasoning nor for several steps."""
    one = len(re.findall(r"[.!?](?:\s|$)", text.strip())) <= 1
    return one and len(text.split()) <= MOST_SIMPLE_WORDS and not _COMPLEX.search(text)


@dataclass(frozen=True)
class ModelChoice:
    """A model and its settings."""

    name: str
    model: Model
    settings: ModelSettings


class ModelSource(Protocol):
    """A provider of models."""

    @property
    def host(self) -> str:
        """The name of the provider for error messages."""
        ...

    async def model_for(self, wanted: str | None, *, simple: bool) -> ModelChoice:
        """The model named `wanted`, else the default for a simple or other turn. Raises the server's errors."""
        ...

    async def aclose(self) -> None: ...


class ServerModels:
    """Models of the server at `openai.url`."""

    def __init__(self, configuration: Configuration) -> None:
        self._settings = configuration.settings.openai
        self._endpoint = ModelServer(configuration)
        self._choices: dict[str, ModelChoice] = {}

    @property
    def host(self) -> str:
        return self._endpoint.address.host

    async def model_for(self, wanted: str | None, *, simple: bool) -> ModelChoice:
        small = self._settings.small_model if simple else None
        name = wanted or small or await self._endpoint.default_model()
        if name not in self._choices:
            self._choices[name] = ModelChoice(name, self._model(name), self._model_settings(name))
        return self._choices[name]

    def _model(self, name: str) -> MeteredModel:
        kind = OpenAIChatCompletionsModel if self._settings.api == "chat" else OpenAIResponsesModel
        return MeteredModel(
            kind(name, self._endpoint.client),
            first_token_s=self._settings.first_token_s,
            timeout_s=self._settings.timeout_s,
        )

    def _model_settings(self, name: str) -> ModelSettings:
        most, chat = self._settings.reply_tokens, self._settings.api == "chat"
        if not self._endpoint.address.is_openai:
            return ModelSettings(max_tokens=most, include_usage=True if chat else None, store=None if chat else False)
        # OpenAI's newer chat models call `max_tokens` `max_completion_tokens`, and take a key for the prompt cache.
        args: dict[str, object] = {"prompt_cache_key": CACHE_KEY}
        args |= {"max_completion_tokens": most} if chat else {}
        ours = ModelSettings(
            max_tokens=None if chat else most,
            include_usage=True if chat else None,
            store=False,
            # The server stores nothing, so it gets its reasoning back, encrypted.
            response_include=None if chat else ["reasoning.encrypted_content"],
            extra_args=args,
        )
        return get_default_model_settings(name).resolve(ours)

    async def aclose(self) -> None:
        await self._endpoint.aclose()


def model_source(configuration: Configuration) -> ModelSource:
    """The server of the settings. Raises NotReady when there is none, ConfigError for an invalid URL."""
    settings = configuration.settings.openai
    if settings.url or settings.api_key:
        return ServerModels(configuration)
    raise NotReady("there is no model to think with", hint="set openai.url or openai.api_key; docs/brains.md")
