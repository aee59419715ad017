"""`DailyCost`: the cost of model calls today (UTC) and its limit, kept in a file so that it survives a restart.

Several parts of a process may count in one file: each reads what the others wrote.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
from datetime import UTC, datetime
from pathlib import Path

from reachy_mind import log
from reachy_mind.brains.brain import BrainUnavailable
from reachy_mind.errors import ConfigError
from reachy_mind.storage.faults import classify
from reachy_mind.storage.files import write_text_atomically

BUDGET_SPENT = "My budget for thinking is used up for today."

_log = log.get(__name__)
_writing = threading.Lock()


class DailyCost:
    """`limit_usd`: per day; 0 means no limit."""

    def __init__(self, file: Path, limit_usd: float) -> None:
        self._file, self._limit = file, limit_usd
        self._day, self._usd = "", 0.0
        self._read: tuple[int, int] | None = None
        """Which version of the file was read."""
        self._unsaved = 0.0

    @property
    def today(self) -> float:
        """US dollars since midnight UTC. Raises BrainUnavailable when the file can't be read."""
        today, version = datetime.now(UTC).date().isoformat(), _version(self._file)
        if self._day != today:
            self._unsaved = 0.0
        if self._day != today or version != self._read:
            self._usd = _read_cost(self._file, today)
            self._day, self._read = today, version
        return self._usd + self._unsaved

    @property
    def left(self) -> float | None:
        """US dollars left today; None without a limit."""
        return self._limit - self.today if self._limit else None

    def require(self, usd: float, setting: str) -> None:
        """Check that `usd` more fit. Raises BrainUnavailable, naming the setting that limits it."""
        if self._limit and self.today + usd >= self._limit:
            raise BrainUnavailable(
                BUDGET_SPENT,
                hint=f"{self.today:.4f} US dollars are spent, {setting} allows {self._limit:g}; "
                "it begins again at midnight UTC",
            )

    async def add(self, usd: float) -> None:
        """Add to the day's cost, in memory and on disk. A disk error is only logged."""
        if usd <= 0:
            return
        with contextlib.suppress(BrainUnavailable):  # told when it is saved
            _ = self.today  # a new day begins with nothing unsaved
        self._unsaved += usd
        try:
            await asyncio.to_thread(self._save)
        except (ConfigError, BrainUnavailable) as error:
            _log.error("the cost of today could not be saved", reason=error.message)

    def _save(self) -> None:
        with _writing:
            total = self.today
            saved = total - self._usd
            write_text_atomically(self._file, json.dumps({"day": self._day, "usd": round(total, 8)}))
            self._unsaved -= saved
            self._usd, self._read = total, _version(self._file)


def _version(file: Path) -> tuple[int, int] | None:
    try:
        about = file.stat()
    except OSError:
        return None
    return about.st_mtime_ns, about.st_ino


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
