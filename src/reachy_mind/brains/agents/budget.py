"""`Budget`: hard limits on tokens per turn and cost per day, checked before each model call.

Cost is computed from the prices in the settings and summed per day (UTC) in a file, so that a restart does not reset
it. A call is allowed only if the most it can cost still fits.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from reachy_mind.brains.brain import Unanswered
from reachy_mind.brains.daily_cost import DailyCost
from reachy_mind.config.language_model_settings import OpenAISettings

CHARACTERS_PER_TOKEN = 4
MILLION = 1e6


@dataclass(frozen=True)
class TokenCount:
    """Tokens of one model call, or the sum of several."""

    input_tokens: int = 0
    cached_tokens: int = 0
    """Those of the input tokens that came from the server's prompt cache."""
    output_tokens: int = 0

    @property
    def total(self) -> int:
        return self.input_tokens + self.output_tokens

    def __add__(self, other: TokenCount) -> TokenCount:
        return TokenCount(
            self.input_tokens + other.input_tokens,
            self.cached_tokens + other.cached_tokens,
            self.output_tokens + other.output_tokens,
        )


def estimate_usage(characters_in: int, characters_out: int) -> TokenCount:
    """An estimate, for servers that report no usage and for answers that were cut short."""
    return TokenCount(-(-characters_in // CHARACTERS_PER_TOKEN), 0, -(-characters_out // CHARACTERS_PER_TOKEN))


class Budget:
    """Call `require` before each model call and `spend` after it."""

    def __init__(self, settings: OpenAISettings, file: Path) -> None:
        self._settings = settings
        self._daily_cost = DailyCost(file, settings.usd_per_day)

    def cost(self, used: TokenCount) -> float:
        """US dollars."""
        prices = self._settings
        fresh = used.input_tokens - used.cached_tokens
        cached = prices.usd_per_million_cached or prices.usd_per_million_in
        return (
            fresh * prices.usd_per_million_in
            + used.cached_tokens * cached
            + used.output_tokens * prices.usd_per_million_out
        ) / MILLION

    def require(self, used: TokenCount, characters: int) -> None:
        """Check that one more call with this many input characters fits. Raises BrainUnavailable, naming the limit."""
        settings = self._settings
        next_answer = estimate_usage(characters, 0) + TokenCount(output_tokens=settings.reply_tokens)
        if settings.tokens_per_turn and used.total + estimate_usage(characters, 0).total >= settings.tokens_per_turn:
            raise Unanswered(
                "This takes more thinking than I may do in one go.",
                hint=f"{used.total} tokens are used, openai.tokens_per_turn allows {settings.tokens_per_turn}",
            )
        self._daily_cost.require(self.cost(next_answer), "openai.usd_per_day")

    async def spend(self, used: TokenCount) -> None:
        """Add it to the cost of the day."""
        await self._daily_cost.add(self.cost(used))
