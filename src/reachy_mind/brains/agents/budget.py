"""`Budget`: what thinking may take, and a hard stop when it is used up.

Tokens are counted for each turn. Money is counted for each day (UTC) by the prices in the settings, and kept in a file,
so that a restart does not begin a new day. What one more answer would take at most has to fit in.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from reachy_mind import log
from reachy_mind.brains.thought import NoThought
from reachy_mind.errors import ConfigError
from reachy_mind.files import replaced
from reachy_mind.settings import OpenAI

LETTERS_PER_TOKEN = 4
MILLION = 1e6

_log = log.get(__name__)


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
        self._settings, self._file = settings, file
        self._day, self._usd = "", 0.0
        self._writing = asyncio.Lock()

    def cost(self, used: Used) -> float:
        """US dollars."""
        prices = self._settings
        fresh = used.read - used.cached
        cached = prices.usd_per_million_cached or prices.usd_per_million_in
        return (
            fresh * prices.usd_per_million_in + used.cached * cached + used.written * prices.usd_per_million_out
        ) / MILLION

    def spent_today(self) -> float:
        """US dollars since midnight UTC."""
        today = datetime.now(UTC).date().isoformat()
        if self._day != today:
            self._day, self._usd = today, _kept(self._file, today)
        return self._usd

    def require(self, so_far: Used, letters: int) -> None:
        """Room for one more answer to so many letters. Raises NoThought with the limit that is reached."""
        settings = self._settings
        next_one = guessed(letters, 0) + Used(written=settings.reply_tokens)
        if settings.tokens_per_turn and so_far.tokens + guessed(letters, 0).tokens >= settings.tokens_per_turn:
            raise NoThought(
                "This takes more thinking than I may do in one go.",
                hint=f"{so_far.tokens} tokens are used, openai.tokens_per_turn allows {settings.tokens_per_turn}",
            )
        if settings.usd_per_day and self.spent_today() + self.cost(next_one) > settings.usd_per_day:
            raise NoThought(
                "My budget for thinking is used up for today.",
                hint=f"{self._usd:.4f} US dollars are spent, openai.usd_per_day allows {settings.usd_per_day:g}; "
                "it begins again at midnight UTC",
            )

    async def spend(self, used: Used) -> None:
        """Count it, and keep the sum of the day where money is counted."""
        cost = self.cost(used)
        if not cost:
            return
        try:
            self._usd = self.spent_today() + cost
        except NoThought as error:  # there is no limit, or it would not have been asked
            _log.error("what was spent before is not known", reason=error.hint)
            self._usd = cost
        async with self._writing:
            told = json.dumps({"day": self._day, "usd": round(self._usd, 8)})
            try:
                await asyncio.to_thread(replaced, self._file, told)
            except ConfigError as error:
                _log.error("what was spent could not be written down", reason=error.message)


def _kept(file: Path, day: str) -> float:
    """What was spent that day. Raises NoThought when that can't be told: a limit that is not known is not passed."""
    try:
        told = json.loads(file.read_text(encoding="utf-8"))
        return float(told["usd"]) if told["day"] == day else 0.0
    except FileNotFoundError:
        return 0.0
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise NoThought(
            "I can't tell what I have spent on thinking today.", hint=f"{file} can't be read ({error}); remove it"
        ) from error
