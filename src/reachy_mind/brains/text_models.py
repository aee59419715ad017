"""`text_model`: the language model of the thinking brain that the settings select, for whole answers.

Selected as the brain itself is (`selection_rule`); its daily cost counts against the brain's own limit.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

from reachy_mind.brains import selection_rule
from reachy_mind.brains.daily_cost import DailyCost
from reachy_mind.config.configuration import Configuration
from reachy_mind.models.claude_text_model import ClaudeTextModel
from reachy_mind.models.completion import OPENAI
from reachy_mind.models.llama import Llama
from reachy_mind.models.text_model import PulledTextModel, ServerTextModel, TextModel

CLAUDE_MODEL = "claude-sonnet-5-5"
OPENAI_MODEL = "gpt-5-mini"
OPENAI_URL = f"https://{OPENAI}/v1"
BRAINS = ("agents", "local", "claude")
"""Brains whose model can be asked for whole answers; one that speaks and listens itself can not."""
MILLION = 1e6


class DailyMeter:
    """Adds the cost of answers to the cost of the day."""

    def __init__(self, file: Path, limit_usd: float, setting: str, usd_in: float, usd_out: float) -> None:
        self._cost = DailyCost(file, limit_usd)
        self._setting, self._usd_in, self._usd_out = setting, usd_in, usd_out

    def require(self) -> None:
        """Raises BrainUnavailable when nothing is left for today."""
        self._cost.require(0.0, self._setting)

    async def spend(self, tokens_in: int, tokens_out: int) -> None:
        await self._cost.add((tokens_in * self._usd_in + tokens_out * self._usd_out) / MILLION)


async def text_model(configuration: Configuration) -> TextModel | None:
    """The model for these settings; None when there is none. Takes at most a second, for an Ollama to answer.

    Raises AssetError and MissingExtra for a named brain whose model is not there.
    """
    choice = await selection_rule.decide(configuration, BRAINS)
    if choice.thinker == "claude":
        return _claude(choice.configuration)
    openai = choice.configuration.settings.openai
    if choice.thinker in ("agents", "local") and (openai.url or openai.api_key):
        return _server(choice.configuration)
    if choice.thinker in ("agents", "local"):
        return PulledTextModel(await asyncio.to_thread(Llama.of, choice.configuration))
    return None


def _server(configuration: Configuration) -> ServerTextModel:
    openai, origins = configuration.settings.openai, configuration.origins
    url = str(openai.url or OPENAI_URL)
    # The key of OpenAI goes to OpenAI, or to the address that was given with it.
    is_theirs = url.startswith(f"https://{OPENAI}") or origins.get("openai.url", "").endswith("OPENAI_BASE_URL")
    of_openai = origins.get("openai.api_key", "").endswith("OPENAI_API_KEY")
    key = openai.api_key.get_secret_value() if openai.api_key and (is_theirs or not of_openai) else ""
    meter = DailyMeter(
        configuration.home.spending_file,
        openai.usd_per_day,
        "openai.usd_per_day",
        openai.usd_per_million_in,
        openai.usd_per_million_out,
    )
    model = openai.model or (OPENAI_MODEL if openai.url is None else "")
    return ServerTextModel(url, model, key=key, timeout_s=openai.timeout_s, meter=meter)


def _claude(configuration: Configuration) -> ClaudeTextModel:
    settings = configuration.settings.anthropic
    meter = DailyMeter(
        configuration.home.folder / "claude" / "spent.json",
        settings.usd_per_day,
        "anthropic.usd_per_day",
        settings.usd_per_million_in,
        settings.usd_per_million_out,
    )
    key = settings.api_key.get_secret_value() if settings.api_key else "none"
    return ClaudeTextModel(
        settings.model or CLAUDE_MODEL, key, url=settings.url, timeout_s=settings.timeout_s, meter=meter
    )
