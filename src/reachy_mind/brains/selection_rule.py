"""The fixed priority by which a model brain is selected, with the reason in one line.

    mind.brain, if it names one
    > a configured model server (openai.url), a key for OpenAI, a key for Claude
    > an Ollama running here, with a model that can use tools, else one that can talk
    > the chat model that was pulled
    > none: reflex alone

A candidate whose extra is not installed is skipped; the reason says so.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass, replace
from functools import partial
from importlib.util import find_spec

from reachy_mind.config.configuration import Configuration
from reachy_mind.models import ollama, tool_ability
from reachy_mind.models.chat_choice import DEFAULT, chosen_chat_model, missing_chat_model

REQUIRED_PACKAGES = {"agents": ("agents",), "local": ("httpx",), "claude": ("claude_agent_sdk", "anthropic")}
"""Each brain needs one of its packages installed."""


@dataclass(frozen=True)
class BrainChoice:
    """The selected thinker ('' for none) and the reason. `configuration`: what to build it with."""

    thinker: str
    why: str
    configuration: Configuration
    first: bool = False
    """Whether it is asked before reflex."""

    @property
    def line(self) -> str:
        """The selection in one line, for people."""
        if not self.thinker:
            return f"reflex ({self.why})"
        return f"{f'{self.thinker}, else reflex' if self.first else f'reflex, then {self.thinker}'} ({self.why})"

    def without(self, reason: str) -> BrainChoice:
        """The choice when this thinker can't be used after all."""
        return replace(self, thinker="", why=f"{self.why}, but {reason}")


Candidate = Callable[[], Awaitable["BrainChoice | str"]]


async def decide(
    configuration: Configuration, known: Collection[str], ollama_url: str = ollama.DEFAULT_URL
) -> BrainChoice:
    """Takes at most a second, the timeout for an Ollama to answer. `known`: the brains that exist."""
    if configuration.settings.mind.brain != "auto":
        return named(configuration)
    candidates: list[Candidate] = [
        partial(_server, configuration),
        partial(_claude, configuration),
        partial(_ollama, configuration, ollama_url),
        partial(_pulled, configuration),
    ]
    rejected = []
    for candidate in candidates:
        found = await candidate()
        if isinstance(found, BrainChoice):
            missing = _missing(found.thinker, known)
            if not missing:
                return found
            found = f"{found.why}, but {missing}"
        rejected.append(found)
    return BrainChoice("", ", ".join(rejected), configuration)


async def by_ability(choice: BrainChoice) -> BrainChoice:
    """The choice for a model server, once it is known what its model can do: one without tool calls is talked with.

    Measured at the first use of a model, which may take a minute; a failure changes nothing.
    """
    openai = choice.configuration.settings.openai
    if choice.thinker != "agents" or choice.first or openai.url is None or choice.why.startswith("Ollama"):
        return choice  # it is named in the settings, is OpenAI's, or its abilities are known
    key = openai.api_key.get_secret_value() if openai.api_key else ""
    kept = choice.configuration.home.model_abilities_file
    served = await tool_ability.served_model(str(openai.url), openai.model, key, kept)
    if served is None or served.calls_tools:
        return choice
    settings = choice.configuration.settings
    settings = settings.model_copy(update={"openai": openai.model_copy(update={"model": served.name})})
    why = f"{choice.why}; {served.name} can't call tools"
    return replace(choice, thinker="local", why=why, configuration=replace(choice.configuration, settings=settings))


def named(configuration: Configuration) -> BrainChoice:
    """The brain that the settings name."""
    wanted, origin = configuration.settings.mind.brain, configuration.origins.get("mind.brain", "default")
    openai = configuration.settings.openai
    if wanted == "agents" and not (openai.url or openai.api_key):
        return BrainChoice("local", f"mind.brain, {origin}; no openai.url or key", configuration, first=True)
    return BrainChoice("" if wanted == "reflex" else wanted, f"mind.brain, {origin}", configuration, first=True)


def _missing(thinker: str, known: Collection[str]) -> str:
    if thinker not in known:
        return f"there is no brain {thinker!r} yet"
    if not any(find_spec(module) for module in REQUIRED_PACKAGES.get(thinker, ())):
        return f"the extra {thinker!r} is not installed"
    return ""


async def _server(configuration: Configuration) -> BrainChoice | str:
    openai = configuration.settings.openai
    if openai.url is not None:
        return BrainChoice("agents", f"openai.url is {openai.url}", configuration)
    if openai.api_key is not None:
        return BrainChoice("agents", "a key for OpenAI is set", configuration)
    return "no openai.url or key for OpenAI"


async def _claude(configuration: Configuration) -> BrainChoice | str:
    if configuration.settings.anthropic.api_key is not None:
        return BrainChoice("claude", "a key for Claude is set", configuration)
    return "no key for Claude"


async def _ollama(configuration: Configuration, url: str) -> BrainChoice | str:
    running = await ollama.probe(url)
    if running is None:
        return "no Ollama running"
    openai = configuration.settings.openai
    model = running.model_with("tools", openai.model)
    thinker = "agents" if model is not None else "local"
    model = model or running.model_with("completion", openai.model)
    if model is None:
        return f"Ollama {running.version} has no model that can talk (ollama pull qwen3)"
    served = openai.model_copy(update={"url": f"{running.url}/v1", "model": model.name})
    settings = configuration.settings.model_copy(update={"openai": served})
    can = ", ".join(sorted(model.abilities & {"tools", "vision"})) or "talk alone"
    why = f"Ollama {running.version} runs here with {model.name}: {can}"
    return BrainChoice(thinker, why, replace(configuration, settings=settings))


async def _pulled(configuration: Configuration) -> BrainChoice | str:
    chosen = await asyncio.to_thread(chosen_chat_model, configuration)
    if chosen is None:
        return f"no chat model (reachy-mind models pull {missing_chat_model(configuration)})"
    if find_spec("xllamacpp") is None:
        return "the chat model was pulled, but the extra 'agents' is not installed"
    name = "" if chosen.name == DEFAULT else f" {chosen.name}"
    return BrainChoice("local", f"the chat model{name} was pulled", configuration)
