"""`Purse`: what Claude has cost today. Kept on disk: a new start is no new day."""

from __future__ import annotations

import contextlib
import json
from datetime import UTC, datetime
from pathlib import Path

from reachy_mind import log
from reachy_mind.brains.claude.faults import failed
from reachy_mind.errors import ConfigError
from reachy_mind.files import replaced

_log = log.get(__name__)


class Purse:
    """`limit_usd` is for a day, by the clock of UTC; None: no limit."""

    def __init__(self, file: Path, limit_usd: float | None) -> None:
        self._file, self._limit = file, limit_usd
        self._day, self._spent = "", 0.0
        with contextlib.suppress(OSError, ValueError, TypeError, KeyError):
            kept = json.loads(file.read_text(encoding="utf-8"))
            self._day, self._spent = str(kept["day"]), float(kept["usd"])

    @property
    def spent(self) -> float:
        return self._spent if self._day == _today() else 0.0

    @property
    def left(self) -> float | None:
        return None if self._limit is None else self._limit - self.spent

    def require(self) -> None:
        """Raises NoThought when nothing is left."""
        if self.left is not None and self.left <= 0:
            raise failed("budget", f"{self.spent:.4f} of {self._limit:g} USD")

    def pay(self, usd: float) -> None:
        self._spent, self._day = self.spent + max(usd, 0.0), _today()
        try:
            replaced(self._file, json.dumps({"day": self._day, "usd": round(self._spent, 6)}))
        except ConfigError as error:  # it counts on in memory
            _log.warning("what Claude cost could not be written down", reason=error.message)


def _today() -> str:
    return datetime.now(UTC).date().isoformat()
