"""Which model the team thinks with: the one behind `openai.url`, else the one that was pulled and runs here.

Simple requests go to `openai.small_model` where there is one; what is simple is a plain rule, not a model's guess.
"""

from __future__ import annotations

import importlib
import importlib.util
import re
from dataclasses import dataclass
from typing import Any, Protocol

from agents import Agent, Model, ModelSettings, OpenAIChatCompletionsModel, OpenAIResponsesModel
from agents.models import get_default_model_settings

from reachy_mind.brains.agents.endpoint import Endpoint
from reachy_mind.brains.agents.metered import Metered
from reachy_mind.config import Configuration
from reachy_mind.errors import NotReady

MOST_SIMPLE_WORDS = 12
CACHE_KEY = "reachy-mind"
PATIENCE_S = 300.0
"""For a model on this machine: its first prompt takes minutes on one slow core."""
LOCAL = "reachy_mind.brains.agents.local"

_THINKING = re.compile(
    r"\b(?:why|explain|compare|plan|write|think|reason|solve|calculate|translate|summar\w+|story|poem|code|tool|teach"
    r"|how (?:do|does|did|can|could|would|should|come)|what if|then|after that|afterwards|unless|because)\b",
    re.IGNORECASE,
)


def is_simple(text: str) -> bool:
    """One short sentence with nothing in it that asks for thinking or for several steps."""
    one = len(re.findall(r"[.!?](?:\s|$)", text.strip())) <= 1
    return one and len(text.split()) <= MOST_SIMPLE_WORDS and not _THINKING.search(text)


@dataclass(frozen=True)
class Choice:
    """A model, and how it is asked."""

    name: str
    model: Model
    settings: ModelSettings


class Source(Protocol):
    """Where models come from."""

    alone: bool
    """Whether one agent with every tool thinks, in place of a team: a small model that hands on loses its thread."""

    @property
    def host(self) -> str:
        """Where that is, in an error."""
        ...

    async def choice(self, wanted: str | None, *, simple: bool) -> Choice:
        """The model an agent wants, else the one for such a turn. Raises what its server raises."""
        ...

    async def prepare(self, agent: Agent[Any]) -> None:
        """Have the model ready for this agent's requests."""
        ...

    async def aclose(self) -> None: ...


class Hosted:
    """Models behind the owner's address."""

    alone = False

    def __init__(self, configuration: Configuration) -> None:
        self._settings = configuration.settings.openai
        self._endpoint = Endpoint(configuration)
        self._choices: dict[str, Choice] = {}

    @property
    def host(self) -> str:
        return self._endpoint.address.host

    async def choice(self, wanted: str | None, *, simple: bool) -> Choice:
        small = self._settings.small_model if simple else None
        name = wanted or small or await self._endpoint.usual()
        if name not in self._choices:
            self._choices[name] = Choice(name, self._model(name), self._how(name))
        return self._choices[name]

    def _model(self, name: str) -> Metered:
        kind = OpenAIChatCompletionsModel if self._settings.api == "chat" else OpenAIResponsesModel
        return Metered(
            kind(name, self._endpoint.client),
            first_token_s=self._settings.first_token_s,
            timeout_s=self._settings.timeout_s,
        )

    def _how(self, name: str) -> ModelSettings:
        most, chat = self._settings.reply_tokens, self._settings.api == "chat"
        if not self._endpoint.address.is_openai:
            return ModelSettings(max_tokens=most, include_usage=True if chat else None, store=None if chat else False)
        # OpenAI's newer models know `max_tokens` by another name, and find what they read before by a key.
        args: dict[str, object] = {"prompt_cache_key": CACHE_KEY}
        args |= {"max_completion_tokens": most} if chat else {}
        ours = ModelSettings(
            max_tokens=None if chat else most,
            include_usage=True if chat else None,
            store=False,
            # What it only thought is sent back to it sealed, because it keeps nothing.
            response_include=None if chat else ["reasoning.encrypted_content"],
            extra_args=args,
        )
        return get_default_model_settings(name).resolve(ours)

    async def prepare(self, agent: Agent[Any]) -> None:
        """Its server does that when it is asked."""

    async def aclose(self) -> None:
        await self._endpoint.aclose()


class Pulled:
    """The one model that runs on this machine."""

    alone = True
    host = "this machine"

    def __init__(self, configuration: Configuration) -> None:
        """Raises AssetError when it was not pulled, MissingExtra without what runs it."""
        settings = configuration.settings.openai
        self._local = importlib.import_module(LOCAL).LocalModel.of(configuration)
        model = Metered(self._local, first_token_s=PATIENCE_S, timeout_s=PATIENCE_S, counts=True)
        self._choice = Choice("chat", model, ModelSettings(max_tokens=settings.reply_tokens))

    async def choice(self, wanted: str | None, *, simple: bool) -> Choice:  # noqa: ARG002 -- there is only one
        return self._choice

    async def prepare(self, agent: Agent[Any]) -> None:
        """Loads it, and has it read what it is told every time, which takes a minute on two cores."""
        await self._local.read(agent)

    async def aclose(self) -> None:
        await self._local.aclose()


def choose(configuration: Configuration) -> Source:
    """Raises NotReady when there is no model at all, and ConfigError for an address that is none."""
    settings = configuration.settings.openai
    if settings.url or settings.api_key:
        return Hosted(configuration)
    if importlib.util.find_spec(LOCAL) is None:
        raise NotReady("there is no model to think with", hint="set openai.url or openai.api_key; docs/brains.md")
    return Pulled(configuration)
