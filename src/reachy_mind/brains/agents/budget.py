"""`Budget`: what thinking may take, and a hard stop when it is used up.

Tokens are counted for each turn. Money is counted for each day (UTC) by the prices in the settings, and kept in a file,
so that a restart does not begin a new day. What one more answer would take at most has to fit in.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from reachy_mind.brains.spending import Spending
from reachy_mind.brains.thought import Unanswered
from reachy_mind.settings import OpenAI

LETTERS_PER_TOKEN = 4
MILLION = 1e6


@dataclass(frozen=True)
class Used:
    """Tokens of one answer, or of several."""

    read: int = 0
    cached: int = 0
    """Of those, how many the server had read before."""
    written: int = 0

    @property
    def tokens(self) -> int:
        return self.read + self.written

    def __add__(self, other: Used) -> Used:
        return Used(self.read + other.read, self.cached + other.cached, self.written + other.written)


def guessed(letters_read: int, letters_written: int) -> Used:
    """For an answer whose server did not count, or that was cut short."""
    return Used(-(-letters_read // LETTERS_PER_TOKEN), 0, -(-letters_written // LETTERS_PER_TOKEN))


class Budget:
    """Asked before each call of a model, told after it."""

    def __init__(self, settings: OpenAI, file: Path) -> None:
        self._settings = settings
        self._spending = Spending(file, settings.usd_per_day)

    def cost(self, used: Used) -> float:
        """US dollars."""
        prices = self._settings
        fresh = used.read - used.cached
        cached = prices.usd_per_million_cached or prices.usd_per_million_in
        return (
            fresh * prices.usd_per_million_in + used.cached * cached + used.written * prices.usd_per_million_out
        ) / MILLION

    def require(self, so_far: Used, letters: int) -> None:
        """Room for one more answer to so many letters. Raises NoThought with the limit that is reached."""
        settings = self._settings
        next_one = guessed(letters, 0) + Used(written=settings.reply_tokens)
        if settings.tokens_per_turn and so_far.tokens + guessed(letters, 0).tokens >= settings.tokens_per_turn:
            raise Unanswered(
                "This takes more thinking than I may do in one go.",
                hint=f"{so_far.tokens} tokens are used, openai.tokens_per_turn allows {settings.tokens_per_turn}",
            )
        self._spending.require(self.cost(next_one), "openai.usd_per_day")

    async def spend(self, used: Used) -> None:
        """Count it, and keep the sum of the day where money is counted."""
        await self._spending.add(self.cost(used))
