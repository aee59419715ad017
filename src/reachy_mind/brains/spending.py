"""`Spending`: what thinking has cost today (UTC), kept in a file: a new start is no new day."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime
from pathlib import Path

from reachy_mind import log
from reachy_mind.brains.thought import NoThought
from reachy_mind.errors import ConfigError
from reachy_mind.files import replaced

SPENT = "My budget for thinking is used up for today."

_log = log.get(__name__)


class Spending:
    """`limit_usd` is for a day; 0: there is none."""

    def __init__(self, file: Path, limit_usd: float) -> None:
        self._file, self._limit = file, limit_usd
        self._day, self._usd = "", 0.0
        self._writing = asyncio.Lock()

    @property
    def today(self) -> float:
        """US dollars since midnight UTC. Raises NoThought when that can't be told."""
        today = datetime.now(UTC).date().isoformat()
        if self._day != today:
            self._day, self._usd = today, _kept(self._file, today)
        return self._usd

    @property
    def left(self) -> float | None:
        """None: as much as it takes."""
        return self._limit - self.today if self._limit else None

    def require(self, usd: float, setting: str) -> None:
        """Room for so much more. Raises NoThought, which names the setting."""
        if self._limit and self.today + usd >= self._limit:
            raise NoThought(
                SPENT,
                hint=f"{self._usd:.4f} US dollars are spent, {setting} allows {self._limit:g}; "
                "it begins again at midnight UTC",
            )

    async def add(self, usd: float) -> None:
        """Count it, on disk too. A disk that fails is told in the log, and it counts on in memory."""
        if usd <= 0:
            return
        self._usd = self.today + usd
        async with self._writing:
            told = json.dumps({"day": self._day, "usd": round(self._usd, 8)})
            try:
                await asyncio.to_thread(replaced, self._file, told)
            except ConfigError as error:
                _log.error("what was spent could not be written down", reason=error.message)


def _kept(file: Path, day: str) -> float:
    """What was spent that day. A limit that is not known is not passed."""
    try:
        told = json.loads(file.read_text(encoding="utf-8"))
        return float(told["usd"]) if told["day"] == day else 0.0
    except FileNotFoundError:
        return 0.0
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise NoThought(
            "I can't tell what I have spent on thinking today.", hint=f"{file} can't be read ({error}); remove it"
        ) from error
