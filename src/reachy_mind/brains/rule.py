"""The rule by which a brain that thinks is chosen: fixed, and told in one line.

    mind.brain, if it names one
    > a model server that was set (openai.url), a key for OpenAI, a key for Claude
    > an Ollama that runs here, with a model that can use tools
    > the chat model that was pulled
    > none: reflex alone

What can't be used, because its extra is not installed, is passed over, and said.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass, replace
from functools import partial
from importlib.util import find_spec

from reachy_mind.config import Configuration
from reachy_mind.models import ollama
from reachy_mind.models.store import Store

CHAT = "chat"
MODULES = {"agents": ("agents",), "claude": ("claude_agent_sdk", "anthropic")}
"""What each brain needs one of, to be installed."""


@dataclass(frozen=True)
class Choice:
    """Who thinks and why; `configuration` is what that one is made with."""

    thinker: str
    why: str
    configuration: Configuration
    first: bool = False
    """Whether it is asked before reflex is."""

    @property
    def line(self) -> str:
        """In one line, for people."""
        if not self.thinker:
            return f"reflex ({self.why})"
        return f"{f'{self.thinker}, else reflex' if self.first else f'reflex, then {self.thinker}'} ({self.why})"

    def without(self, reason: str) -> Choice:
        """The same when the one that was chosen can't be had after all."""
        return replace(self, thinker="", why=f"{self.why}, but {reason}")


Candidate = Callable[[], Awaitable["Choice | str"]]


async def decide(configuration: Configuration, known: Collection[str], ollama_url: str = ollama.USUAL) -> Choice:
    """Takes at most a second: that is how long an Ollama may take to answer. `known`: brains there is code for."""
    if configuration.settings.mind.brain != "auto":
        return named(configuration)
    candidates: list[Candidate] = [
        partial(_server, configuration),
        partial(_claude, configuration),
        partial(_ollama, configuration, ollama_url),
        partial(_pulled, configuration),
    ]
    passed = []
    for candidate in candidates:
        found = await candidate()
        if isinstance(found, Choice):
            lacks = _lacks(found.thinker, known)
            if not lacks:
                return found
            found = f"{found.why}, but {lacks}"
        passed.append(found)
    return Choice("", ", ".join(passed), configuration)


def named(configuration: Configuration) -> Choice:
    """The one that the settings name."""
    wanted, origin = configuration.settings.mind.brain, configuration.origins.get("mind.brain", "default")
    return Choice("" if wanted == "reflex" else wanted, f"mind.brain, {origin}", configuration, first=True)


def _lacks(thinker: str, known: Collection[str]) -> str:
    if thinker not in known:
        return f"there is no brain {thinker!r} yet"
    if not any(find_spec(module) for module in MODULES.get(thinker, ())):
        return f"the extra {thinker!r} is not installed"
    return ""


async def _server(configuration: Configuration) -> Choice | str:
    openai = configuration.settings.openai
    if openai.url is not None:
        return Choice("agents", f"openai.url is {openai.url}", configuration)
    if openai.api_key is not None:
        return Choice("agents", "a key for OpenAI is set", configuration)
    return "no openai.url or key for OpenAI"


async def _claude(configuration: Configuration) -> Choice | str:
    if configuration.settings.anthropic.api_key is not None:
        return Choice("claude", "a key for Claude is set", configuration)
    return "no key for Claude"


async def _ollama(configuration: Configuration, url: str) -> Choice | str:
    running = await ollama.probe(url)
    if running is None:
        return "no Ollama running"
    openai = configuration.settings.openai
    model = running.able("tools", openai.model)
    if model is None:
        return f"Ollama {running.version} has no model that can use tools (ollama pull qwen3)"
    served = openai.model_copy(update={"url": f"{running.url}/v1", "model": model.name})
    settings = configuration.settings.model_copy(update={"openai": served})
    can = ", ".join(sorted(model.abilities & {"tools", "vision"}))
    why = f"Ollama {running.version} runs here with {model.name}: {can}"
    return Choice("agents", why, replace(configuration, settings=settings))


async def _pulled(configuration: Configuration) -> Choice | str:
    status = await asyncio.to_thread(Store(configuration.models_folder).status, CHAT)
    if status.state != "ready":
        return f"no chat model (reachy-mind models pull {CHAT})"
    if find_spec("xllamacpp") is None:
        return "the chat model was pulled, but the extra 'agents' is not installed"
    return Choice("agents", "the chat model was pulled", configuration)
