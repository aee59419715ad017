"""`DailyCost`: the cost of model calls today (UTC) and its limit, kept in a file so that it survives a restart."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime
from pathlib import Path

from reachy_mind import log
from reachy_mind.brains.brain import BrainUnavailable
from reachy_mind.errors import ConfigError
from reachy_mind.storage.faults import classify
from reachy_mind.storage.files import write_text_atomically

BUDGET_SPENT = "My budget for thinking is used up for today."

_log = log.get(__name__)


class DailyCost:
    """`limit_usd`: per day; 0 means no limit."""

    def __init__(self, file: Path, limit_usd: float) -> None:
        self._file, self._limit = file, limit_usd
        self._day, self._usd = "", 0.0
        self._writing = asyncio.Lock()

    @property
    def today(self) -> float:
        """US dollars since midnight UTC. Raises BrainUnavailable when the file can't be read."""
        today = datetime.now(UTC).date().isoformat()
        if self._day != today:
            self._day, self._usd = today, _read_cost(self._file, today)
        return self._usd

    @property
    def left(self) -> float | None:
        """US dollars left today; None without a limit."""
        return self._limit - self.today if self._limit else None

    def require(self, usd: float, setting: str) -> None:
        """Check that `usd` more fit. Raises BrainUnavailable, naming the setting that limits it."""
        if self._limit and self.today + usd >= self._limit:
            raise BrainUnavailable(
                BUDGET_SPENT,
                hint=f"{self._usd:.4f} US dollars are spent, {setting} allows {self._limit:g}; "
                "it begins again at midnight UTC",
            )

    async def add(self, usd: float) -> None:
        """Add to the day's cost, in memory and on disk. A disk error is only logged."""
        if usd <= 0:
            return
        self._usd = self.today + usd
        async with self._writing:
            content = json.dumps({"day": self._day, "usd": round(self._usd, 8)})
            try:
                await asyncio.to_thread(write_text_atomically, self._file, content)
            except ConfigError as error:
                _log.error("the cost of today could not be saved", reason=error.message)


def _read_cost(file: Path, day: str) -> float:
    """The cost saved for that day. Raises BrainUnavailable when it is unknown: the limit must hold."""
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
        return float(content["usd"]) if content["day"] == day else 0.0
    except FileNotFoundError:
        return 0.0
    except OSError as error:
        fault = classify(error, file)
        raise BrainUnavailable(
            "I can't tell what I have spent on thinking today.", hint=f"{file}: {fault.cause}; {fault.hint}"
        ) from error
    except (ValueError, LookupError, TypeError) as error:
        raise BrainUnavailable(
            "I can't tell what I have spent on thinking today.", hint=f"{file} can't be read ({error}); remove it"
        ) from error
