"""`Conversations`: the store of conversations and their turns.

A turn is written when it starts, so that a turn cut short by a crash is known afterwards.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from reachy_mind.errors import InvalidParameter
from reachy_mind.storage.database import Database

LONGEST_ID = 64
SELECT_CONVERSATIONS = """
SELECT c.*, (SELECT coalesce(sum(iif(t.said = '', 1, 2)), 0) FROM turns t WHERE t.conversation = c.id) AS messages,
    (SELECT coalesce(nullif(agent, ''), brain) FROM turns t WHERE t.conversation = c.id
        ORDER BY started_at DESC LIMIT 1) AS agent
FROM conversations c"""


@dataclass(frozen=True)
class TurnRecord:
    """A stored turn."""

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
    agent: str = ""
    """The agent that answered, where a brain has several."""


class Conversations:
    """In the mind's database, or in one that exists only in memory."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def recover(self) -> list[TurnRecord]:
        """Mark the turns that ran when the program died as interrupted, and return them."""
        rows = await self._database.rows("SELECT * FROM turns WHERE state = 'thinking' ORDER BY started_at")
        await self._database.execute(
            "UPDATE turns SET state = 'interrupted', ended_at = ? WHERE state = 'thinking'", (time.time(),)
        )
        return [_record(row | {"state": "interrupted"}) for row in rows]

    async def open(self, conversation: str | None = None, *, person: str = "", profile: str = "") -> str:
        """Open this conversation, or a new one, creating it if needed. Returns its id; raises InvalidParameter."""
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
            durable=False,  # of no use without a turn
        )
        return chosen

    async def start_turn(self, turn: str, conversation: str, said: str, *, person: str = "") -> None:
        await self._database.execute(
            "INSERT INTO turns (id, conversation, said, state, started_at, person) VALUES (?, ?, ?, 'thinking', ?, ?)",
            (turn, conversation, said, time.time(), person),
            durable=False,  # its first tool call or its end syncs it
        )

    async def end_turn(
        self,
        turn: str,
        *,
        reply: str,
        brain: str,
        tools: Sequence[dict[str, Any]],
        state: str = "done",
        error: str = "",
        latency_ms: float | None = None,
        agent: str = "",
    ) -> None:
        await self._database.execute(
            "UPDATE turns SET reply = ?, brain = ?, tools = ?, state = ?, error = ?, ended_at = ?, latency_ms = ?,"
            " agent = ? WHERE id = ?",
            (reply, brain, json.dumps(list(tools)), state, error, time.time(), latency_ms, agent, turn),
        )

    async def add_announcement(self, conversation: str, text: str) -> None:
        """Store something the robot said unasked."""
        now = time.time()
        await self._database.execute(
            "INSERT INTO turns (id, conversation, said, reply, brain, state, started_at, ended_at)"
            " SELECT ?, id, '', ?, 'announcement', 'done', ?, ? FROM conversations WHERE id = ?",
            (uuid4().hex, text, now, now, conversation),
        )

    async def turns(self, conversation: str, *, limit: int = 20, offset: int = 0) -> tuple[list[TurnRecord], int]:
        """The latest turns, oldest first, and the total. Raises InvalidParameter for an unknown id."""
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

    async def turn(self, turn: str) -> TurnRecord:
        """One turn. Raises InvalidParameter for an unknown id."""
        rows = await self._database.rows("SELECT * FROM turns WHERE id = ?", (turn,))
        if not rows:
            raise InvalidParameter(f"no turn {turn[:LONGEST_ID]!r}", hint="a turn of a conversation")
        return _record(rows[0])

    async def latest_turns(self, conversation: str = "", *, limit: int = 5) -> list[TurnRecord]:
        """The latest turns that have ended, of a conversation or of all, oldest first."""
        rows = await self._database.rows(
            "SELECT * FROM turns WHERE said <> '' AND state <> 'thinking' AND (conversation = ? OR ? = '')"
            " ORDER BY started_at DESC, rowid DESC LIMIT ?",
            (conversation, conversation, limit),
        )
        return [_record(row) for row in reversed(rows)]

    async def get(self, conversation: str) -> dict[str, Any]:
        """One conversation, with its number of messages and last agent. Raises InvalidParameter for an unknown id."""
        rows = await self._database.rows(f"{SELECT_CONVERSATIONS} WHERE id = ?", (conversation,))
        if not rows:
            raise InvalidParameter(f"no conversation {conversation[:LONGEST_ID]!r}", hint="they are listed: session")
        return rows[0]

    async def listed(self, *, limit: int = 50, offset: int = 0) -> tuple[list[dict[str, Any]], int]:
        """Conversations, latest first, and the total."""
        rows = await self._database.rows(
            f"{SELECT_CONVERSATIONS} ORDER BY updated_at DESC LIMIT ? OFFSET ?",
            (limit, offset),
        )
        (count,) = await self._database.rows("SELECT count(*) AS n FROM conversations")
        return rows, int(count["n"])

    async def delete(self, conversation: str) -> bool:
        """Returns whether it existed."""
        return await self._database.execute("DELETE FROM conversations WHERE id = ?", (conversation,)) > 0


def _record(row: dict[str, Any]) -> TurnRecord:
    return TurnRecord(**(row | {"tools": json.loads(row["tools"])}))
