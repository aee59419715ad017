"""`Erasure`: everything about a person, to take away or to be gone for good.

Erased is what they said and what was done for them: memories, profile, turns and conversations, the words of tool calls
in the audit (their digests stay, so that its chain holds), timers, tasks, services, and what other parts keep of them
(`others`, such as photos). What other people told about them is theirs, and only counted.
"""

from __future__ import annotations

import json
import sqlite3
from typing import Any, Protocol

from reachy_mind.database import Database
from reachy_mind.errors import MindError
from reachy_mind.memory import extraction, patterns
from reachy_mind.memory.memories import COLUMNS, Memories
from reachy_mind.memory.people import People, person_id
from reachy_mind.memory.vectors import Vectors


class Keeper(Protocol):
    """Another part that keeps something of people. `person` is an id (`person_id`)."""

    async def export(self, person: str) -> list[dict[str, Any]]: ...
    async def erase(self, person: str) -> int:
        """How many there were."""
        ...


_THEIRS = """
SELECT c.id FROM conversations c WHERE (folded(c.person) = :person
    OR (c.person = '' AND EXISTS (SELECT 1 FROM turns t WHERE t.conversation = c.id AND folded(t.person) = :person)))
AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.conversation = c.id AND folded(t.person) NOT IN ('', :person))"""
"""Conversations with nobody else; others are kept for who spoke there too."""
_IN_THEM = "conversation IN (SELECT value FROM json_each(:talks))"
_CALLS = f"(folded(person) = :person OR (person = '' AND {_IN_THEM}))"


class Erasure:
    """For one person at a time."""

    def __init__(self, database: Database, memories: Memories, people: People, vectors: Vectors) -> None:
        self._database, self._memories, self._people, self._vectors = database, memories, people, vectors
        self.others: dict[str, Keeper] = {}
        """Other parts that keep something of people, by what they keep."""

    async def export(self, name: str) -> dict[str, Any]:
        """All that is kept of them. Raises InvalidParameter for somebody who is not known."""
        person = await self._people.get(name) if name else None
        chosen = person_id(name)
        told = await self._database.read(lambda db: _told(db, chosen))
        profile = await self._people.profile(chosen)
        usual = [pattern.as_dict() for pattern in await patterns.usual(self._database, chosen)]
        return {
            "person": person.name if person else "",
            "profile": profile.as_dict(),
            **told,
            "patterns": usual,
            **{what: await keeper.export(chosen) for what, keeper in self.others.items()},
        }

    async def erase(self, name: str, *, call: str = "") -> dict[str, Any]:
        """How much was erased of what, and whether no trace is left in the files. `call`: the one that asked for it.

        Raises InvalidParameter for somebody who is not known, DatabaseError when it could not be done (nothing is
        erased then).
        """
        if name:
            await self._people.get(name)
        chosen = person_id(name)
        erased = await self._database.write(lambda db: _erased(db, chosen, call))
        self._vectors.drop()
        extraction.let_go()
        failed: dict[str, str] = {}
        for what, keeper in self.others.items():
            try:
                erased[what] = await keeper.erase(chosen)
            except MindError as error:
                failed[what] = error.message
        clean = await self._memories.purge(everything=True)
        mentioned = await self._mentioned(name)
        return {
            "person": name,
            "erased": erased,
            "failed": failed,
            "complete": clean and not failed,
            "mentioned_by_others": mentioned,
        }

    async def _mentioned(self, name: str) -> int:
        if not any(c.isalnum() for c in name):
            return 0
        quoted = '"' + name.replace('"', '""') + '"'
        (count,) = await self._database.rows(
            "SELECT count(*) AS n FROM memories_text WHERE memories_text MATCH ?", (quoted,)
        )
        return int(count["n"])


def _told(db: sqlite3.Connection, person: str) -> dict[str, Any]:
    about = _about(db, person)

    def rows(sql: str) -> list[dict[str, Any]]:
        return [dict(row) for row in db.execute(sql, about).fetchall()]

    turns = rows("SELECT * FROM turns WHERE folded(person) = :person ORDER BY started_at")
    return {
        "memories": rows(f"SELECT {COLUMNS} FROM memories WHERE person = :person ORDER BY created_at"),  # noqa: S608
        "profile_history": rows("SELECT key, value, since, until FROM profile WHERE person = :person ORDER BY since"),
        "services": rows("SELECT name, status, updated_at FROM services WHERE person = :person"),
        "conversations": rows("SELECT * FROM conversations WHERE id IN (SELECT value FROM json_each(:talks))"),
        "turns": [turn | {"tools": json.loads(turn["tools"])} for turn in turns],
        "calls": rows(
            "SELECT a.at, a.tool, a.status, c.arguments, c.result FROM audit_content c JOIN audit a"  # noqa: S608
            f" ON a.call_id = c.call_id AND a.step = 'ended' WHERE {_CALLS} ORDER BY a.seq"
        ),
        "timers": rows(f"SELECT * FROM timers WHERE {_CALLS}"),  # noqa: S608
    }


def _erased(db: sqlite3.Connection, person: str, call: str) -> dict[str, int]:
    about = _about(db, person) | {"call": call}
    gone: dict[str, int] = {}
    for what, sql in {
        "calls": f"DELETE FROM audit_content WHERE {_CALLS} OR call_id = :call",  # noqa: S608
        "timers": f"DELETE FROM timers WHERE {_CALLS}",  # noqa: S608
        "tasks": f"DELETE FROM tasks WHERE {_IN_THEM}",  # noqa: S608
        "memories": f"DELETE FROM memories WHERE {_CALLS}",  # noqa: S608
        "profile": "DELETE FROM profile WHERE person = :person",
        "services": "DELETE FROM services WHERE person = :person",
        "turns": f"DELETE FROM turns WHERE {_CALLS}",  # noqa: S608
        "conversations": "DELETE FROM conversations WHERE id IN (SELECT value FROM json_each(:talks))",
        "people": "DELETE FROM people WHERE id = :person",
    }.items():
        gone[what] = db.execute(sql, about).rowcount
    db.execute("UPDATE conversations SET person = '', introduced = 0 WHERE folded(person) = :person", about)
    db.execute("DELETE FROM summaries WHERE person = :person", about)
    return gone


def _about(db: sqlite3.Connection, person: str) -> dict[str, str]:
    """What the statements above are about: the person, and the conversations that are theirs alone."""
    _with_folding(db)
    talks = [row["id"] for row in db.execute(_THEIRS, {"person": person})]
    return {"person": person, "talks": json.dumps(talks)}


def _with_folding(db: sqlite3.Connection) -> None:
    """Callers write names as they like."""

    def folded(name: str | None) -> str:
        try:
            return person_id(name or "")
        except MindError:
            return name or ""

    db.create_function("folded", 1, folded, deterministic=True)
