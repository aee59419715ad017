"""`Announcements`: what the robot says unasked, such as a reminder, kept on disk until a person was told.

An announcement goes to everybody who is there (`Announced`). Whoever shows it to a person, or says it to one, marks it
as told. The others are missed: the next person who comes is told, over any channel, and they can be listed.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any
from uuid import uuid4

from reachy_mind import log
from reachy_mind.errors import MindError
from reachy_mind.events import Announced, Bus
from reachy_mind.storage.database import Database
from reachy_mind.tools.time_expressions import clock

MOST_SAID = 5
"""Missed announcements said at once; more are counted."""
_COLUMNS = "key, at, text, about, conversation, person, told_at, told_by"

_log = log.get(__name__)


@dataclass(frozen=True)
class Announcement:
    """`at`: when it was due, a Unix time; `about`: such as `reminder 3`; `told_by`: the channel, once it was told."""

    key: str
    at: float
    text: str
    about: str
    conversation: str = ""
    person: str = ""
    told_at: float | None = None
    told_by: str = ""

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    def event(self, text: str = "") -> Announced:
        """It as an event, perhaps in other words."""
        return Announced(text=text or self.text, about=self.about, conversation=self.conversation, key=self.key)

    def late_text(self, now: float) -> str:
        """For a person who was not there in time."""
        return f"Missed, at {clock(self.at, now)}: {self.text}"


class Announcements:
    """In the mind's database. It has no state of its own."""

    def __init__(self, database: Database, bus: Bus) -> None:
        self._database, self._bus = database, bus

    def publish(
        self, text: str, *, about: str, conversation: str = "", person: str = "", at: float | None = None
    ) -> Announcement:
        """Announce to everybody who is there now. The caller stores it then: `insert`, or `store`."""
        made = Announcement(uuid4().hex, time.time() if at is None else at, text, about, conversation, person)
        self._bus.publish(made.event())
        return made

    def insert(self, db: sqlite3.Connection, announcement: Announcement) -> None:
        """Store it, within a transaction of the caller."""
        db.execute(
            f"INSERT OR IGNORE INTO announcements ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",  # noqa: S608
            tuple(announcement.as_dict().values()),
        )

    async def store(self, announcement: Announcement) -> None:
        """Store it. Raises DatabaseError."""
        await self._database.write(lambda db: self.insert(db, announcement))

    async def told(self, announcements: Sequence[Announcement | Announced], channel: str) -> None:
        """A person was told over this channel. When that can't be stored, they are told again another time."""
        keys = [(time.time(), channel, each.key) for each in announcements if each.key]
        if not keys:
            return
        sql = "UPDATE announcements SET told_at = ?, told_by = ? WHERE key = ? AND told_at IS NULL"
        try:
            await self._database.write(lambda db: db.executemany(sql, keys))
        except MindError as error:
            _log.warning("it could not be noted that a person was told", reason=error.message)

    async def missed(self) -> list[Announcement]:
        """Those that nobody was told, the oldest first."""
        rows = await self._database.rows(
            f"SELECT {_COLUMNS} FROM announcements WHERE told_at IS NULL ORDER BY at"  # noqa: S608
        )
        return [Announcement(**row) for row in rows]

    async def listed(
        self, *, missed: bool = False, since: float = 0.0, limit: int = 50, offset: int = 0
    ) -> tuple[list[Announcement], int]:
        """A page of all, newest first, and their number. `missed`: only those that nobody was told."""
        where, values = "at >= ? AND (NOT ? OR told_at IS NULL)", (since, missed)
        rows = await self._database.rows(
            f"SELECT {_COLUMNS} FROM announcements WHERE {where} ORDER BY at DESC, rowid DESC LIMIT ? OFFSET ?",  # noqa: S608
            (*values, limit, offset),
        )
        (count,) = await self._database.rows(f"SELECT count(*) AS n FROM announcements WHERE {where}", values)  # noqa: S608
        return [Announcement(**row) for row in rows], int(count["n"])

    async def prune(self, before: float) -> None:
        """Delete those that were told and are older; what nobody was told stays."""
        await self._database.execute("DELETE FROM announcements WHERE told_at IS NOT NULL AND at < ?", (before,))


def missed_sentence(missed: Sequence[Announcement], now: float) -> str:
    """What somebody who comes now has missed, to be said; empty for nothing."""
    if not missed:
        return ""
    said = [f"At {clock(one.at, now)}: {one.text.rstrip('.')}." for one in missed[:MOST_SAID]]
    more = f" And {len(missed) - MOST_SAID} more: ask me for the timers." if len(missed) > MOST_SAID else ""
    return f"You missed something while nobody was here. {' '.join(said)}{more}"
