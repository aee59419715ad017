"""`AuditAnchor`: the last known row of the audit, in a file of its own beside the database.

Whoever can change `mind.db` alone can't cut off or rewrite the audit up to this row unnoticed. The file is written a
few seconds after a row at the latest, and when the mind ends.
"""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from reachy_mind import log
from reachy_mind.storage.database import IN_MEMORY
from reachy_mind.storage.faults import classify
from reachy_mind.storage.files import write_atomically

NAME = "audit-anchor.json"
INTERVAL_S = 5.0

_log = log.get(__name__)


@dataclass(frozen=True)
class AnchoredRow:
    """The number and hash of a row."""

    seq: int
    hash: str


def anchor_file(database: Path) -> Path | None:
    """Where the anchor of a database is; None for a database that is only in memory."""
    return None if database == IN_MEMORY else database.with_name(NAME)


UNREADABLE = AnchoredRow(0, "")


def read_anchor(file: Path | None) -> AnchoredRow | None:
    """The anchored row; None without a file, `UNREADABLE` for one that makes no sense."""
    try:
        content = json.loads(file.read_text(encoding="utf-8")) if file is not None else None
        return AnchoredRow(int(content["seq"]), str(content["hash"])) if content is not None else None
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, KeyError):
        return UNREADABLE


def write_anchor(file: Path, row: AnchoredRow) -> None:
    """Raises OSError."""
    write_atomically(file, json.dumps(asdict(row)).encode())


class AuditAnchor:
    """Follows the audit, at most every `INTERVAL_S`; `aclose` writes what is left."""

    def __init__(self, database: Path) -> None:
        self.file = anchor_file(database)
        self._newest: AnchoredRow | None = None
        self._written: AnchoredRow | None = None
        self._due = 0.0
        self._writing: asyncio.Future[None] | None = None

    def follow(self, row: AnchoredRow) -> None:
        """Take note of a row that is on disk. Never waits, never raises."""
        if self._newest is None or row.seq > self._newest.seq:
            self._newest = row
        if self.file is None or time.monotonic() < self._due or (self._writing and not self._writing.done()):
            return
        self._due = time.monotonic() + INTERVAL_S
        self._writing = asyncio.get_running_loop().run_in_executor(None, self._write)

    async def aclose(self) -> None:
        """Write the newest row."""
        if self._writing is not None:
            await asyncio.wait([self._writing])
        if self.file is not None and self._newest != self._written:
            await asyncio.to_thread(self._write)

    def _write(self) -> None:
        row = self._newest
        if self.file is None or row is None:
            return
        try:
            write_anchor(self.file, row)
            self._written = row
        except OSError as error:
            fault = classify(error, self.file)
            _log.warning("the anchor of the audit could not be written", reason=fault.cause, hint=fault.hint)
