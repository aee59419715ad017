"""`Conversations`: what was said and done, turn by turn.

A turn is written down when it begins, so that one that a crash cut short is known afterwards.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from reachy_mind.database import Database
from reachy_mind.errors import InvalidParameter

LONGEST_ID = 64
LISTED = """
SELECT c.*, (SELECT count(*) FROM turns t WHERE t.conversation = c.id) AS turns,
    (SELECT brain FROM turns t WHERE t.conversation = c.id ORDER BY started_at DESC LIMIT 1) AS brain
FROM conversations c"""


@dataclass(frozen=True)
class Record:
    """A turn as it is kept."""

    id: str
    conversation: str
    said: str
    reply: str
    brain: str
    tools: list[dict[str, Any]]
    state: str
    error: str
    started_at: float
    ended_at: float | None
    latency_ms: float | None
    person: str = ""


class Conversations:
    """All of them, in the mind's database, or in one that is only in memory."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def recover(self) -> list[Record]:
        """Turns that were under way when the program died; from now on they count as interrupted."""
        rows = await self._database.rows("SELECT * FROM turns WHERE state = 'thinking' ORDER BY started_at")
        await self._database.execute(
            "UPDATE turns SET state = 'interrupted', ended_at = ? WHERE state = 'thinking'", (time.time(),)
        )
        return [_record(row | {"state": "interrupted"}) for row in rows]

    async def open(self, conversation: str | None = None, *, person: str = "", profile: str = "") -> str:
        """The id of a conversation: this one, begun if it is new, or a new one."""
        chosen = conversation or uuid4().hex
        if len(chosen) > LONGEST_ID or not chosen.isprintable():
            raise InvalidParameter("not the id of a conversation", hint=f"at most {LONGEST_ID} printable characters")
        now = time.time()
        await self._database.execute(
            "INSERT INTO conversations (id, person, profile, created_at, updated_at) VALUES (?, ?, ?, ?, ?)"
            " ON CONFLICT (id) DO UPDATE SET updated_at = excluded.updated_at,"
            " person = coalesce(nullif(person, ''), excluded.person),"
            " profile = coalesce(nullif(profile, ''), excluded.profile)",
            (chosen, person, profile, now, now),
        )
        return chosen

    async def began(self, turn: str, conversation: str, said: str, *, person: str = "") -> None:
        await self._database.execute(
            "INSERT INTO turns (id, conversation, said, state, started_at, person) VALUES (?, ?, ?, 'thinking', ?, ?)",
            (turn, conversation, said, time.time(), person),
        )

    async def ended(
        self,
        turn: str,
        *,
        reply: str,
        brain: str,
        tools: Sequence[dict[str, Any]],
        state: str = "done",
        error: str = "",
        latency_ms: float | None = None,
    ) -> None:
        await self._database.execute(
            "UPDATE turns SET reply = ?, brain = ?, tools = ?, state = ?, error = ?, ended_at = ?, latency_ms = ?"
            " WHERE id = ?",
            (reply, brain, json.dumps(list(tools)), state, error, time.time(), latency_ms, turn),
        )

    async def announced(self, conversation: str, text: str) -> None:
        """Something the robot said by itself."""
        now = time.time()
        await self._database.execute(
            "INSERT INTO turns (id, conversation, said, reply, brain, state, started_at, ended_at)"
            " SELECT ?, id, '', ?, 'announcement', 'done', ?, ? FROM conversations WHERE id = ?",
            (uuid4().hex, text, now, now, conversation),
        )

    async def turns(self, conversation: str, *, limit: int = 20, offset: int = 0) -> tuple[list[Record], int]:
        """The latest turns, oldest of them first, and how many there are. Raises InvalidParameter for an unknown id."""
        rows = await self._database.rows(
            "SELECT * FROM turns WHERE conversation = ? ORDER BY started_at DESC, rowid DESC LIMIT ? OFFSET ?",
            (conversation, limit, offset),
        )
        (count,) = await self._database.rows(
            "SELECT (SELECT count(*) FROM turns WHERE conversation = c.id) AS n FROM conversations c WHERE id = ?"
            " UNION ALL SELECT -1 LIMIT 1",
            (conversation,),
        )
        if count["n"] < 0:
            raise InvalidParameter(f"no conversation {conversation[:LONGEST_ID]!r}", hint="they are listed: session")
        return [_record(row) for row in reversed(rows)], int(count["n"])

    async def about(self, conversation: str) -> dict[str, Any]:
        """One conversation, how many turns it has and who answered last. Raises InvalidParameter for an unknown id."""
        rows = await self._database.rows(f"{LISTED} WHERE id = ?", (conversation,))
        if not rows:
            raise InvalidParameter(f"no conversation {conversation[:LONGEST_ID]!r}", hint="they are listed: session")
        return rows[0]

    async def listed(self, *, limit: int = 50, offset: int = 0) -> tuple[list[dict[str, Any]], int]:
        """The conversations, latest first, and how many there are."""
        rows = await self._database.rows(
            f"{LISTED} ORDER BY updated_at DESC LIMIT ? OFFSET ?",
            (limit, offset),
        )
        (count,) = await self._database.rows("SELECT count(*) AS n FROM conversations")
        return rows, int(count["n"])

    async def delete(self, conversation: str) -> bool:
        """Whether there was one."""
        return await self._database.execute("DELETE FROM conversations WHERE id = ?", (conversation,)) > 0


def _record(row: dict[str, Any]) -> Record:
    return Record(**(row | {"tools": json.loads(row["tools"])}))
