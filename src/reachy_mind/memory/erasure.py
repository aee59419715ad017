"""`Erasure`: export and erase all personal data of a person.

It covers what they said and what was done for them: memories, profile, turns and conversations, the content of audited
tool calls (the digests stay, so that the hash chain remains valid), timers, tasks, services, and the data of other
parts (`stores`, such as photos). What other people told about them belongs to those people, and is only counted.
"""

from __future__ import annotations

import json
import sqlite3
from typing import Any, Protocol

from reachy_mind.errors import MindError
from reachy_mind.memory import fact_extraction, habits
from reachy_mind.memory.memories import COLUMNS, Memories
from reachy_mind.memory.people import People, person_id
from reachy_mind.memory.vectors import Vectors
from reachy_mind.storage.database import Database


class PersonalDataStore(Protocol):
    """A part outside the database that stores personal data. `person` is an id (`person_id`)."""

    async def export(self, person: str) -> list[dict[str, Any]]: ...
    async def erase(self, person: str) -> int:
        """Returns how many entries were erased."""
        ...


_OWN_CONVERSATIONS = """
SELECT c.id FROM conversations c WHERE (folded(c.person) = :person
    OR (c.person = '' AND EXISTS (SELECT 1 FROM turns t WHERE t.conversation = c.id AND folded(t.person) = :person)))
AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.conversation = c.id AND folded(t.person) NOT IN ('', :person))"""
"""Conversations in which nobody else took part; shared ones are kept for the others."""
_IN_OWN_CONVERSATIONS = "conversation IN (SELECT value FROM json_each(:talks))"
_OF_PERSON = f"(folded(person) = :person OR (person = '' AND {_IN_OWN_CONVERSATIONS}))"


class Erasure:
    """Exports and erases one person at a time."""

    def __init__(self, database: Database, memories: Memories, people: People, vectors: Vectors) -> None:
        self._database, self._memories, self._people, self._vectors = database, memories, people, vectors
        self.stores: dict[str, PersonalDataStore] = {}
        """Other stores of personal data, by the name they have in exports."""

    async def export(self, name: str) -> dict[str, Any]:
        """All data of a person. Raises InvalidParameter for an unknown name."""
        known = await self._people.get(name) if name else None
        person = person_id(name)
        rows = await self._database.read(lambda db: _export_rows(db, person))
        profile = await self._people.profile(person)
        patterns = [pattern.as_dict() for pattern in await habits.find_patterns(self._database, person)]
        return {
            "person": known.name if known else "",
            "profile": profile.as_dict(),
            **rows,
            "patterns": patterns,
            **{what: await store.export(person) for what, store in self.stores.items()},
        }

    async def erase(self, name: str, *, call: str = "") -> dict[str, Any]:
        """Erase a person. Returns the counts, and whether the files are free of traces. `call`: the call that asked.

        Raises InvalidParameter for an unknown name, DatabaseError when it failed; nothing is erased then.
        """
        if name:
            await self._people.get(name)
        person = person_id(name)
        erased = await self._database.write(lambda db: _erase_rows(db, person, call))
        self._vectors.clear_cache()
        fact_extraction.clear_cache()
        failed: dict[str, str] = {}
        for what, store in self.stores.items():
            try:
                erased[what] = await store.erase(person)
            except MindError as error:
                failed[what] = error.message
        clean = await self._memories.purge(everything=True)
        mentioned = await self._count_mentions(name)
        return {
            "person": name,
            "erased": erased,
            "failed": failed,
            "complete": clean and not failed,
            "mentioned_by_others": mentioned,
        }

    async def _count_mentions(self, name: str) -> int:
        if not any(c.isalnum() for c in name):
            return 0
        quoted = '"' + name.replace('"', '""') + '"'
        (count,) = await self._database.rows(
            "SELECT count(*) AS n FROM memories_text WHERE memories_text MATCH ?", (quoted,)
        )
        return int(count["n"])


def _export_rows(db: sqlite3.Connection, person: str) -> dict[str, Any]:
    parameters = _parameters(db, person)

    def rows(sql: str) -> list[dict[str, Any]]:
        return [dict(row) for row in db.execute(sql, parameters).fetchall()]

    turns = rows("SELECT * FROM turns WHERE folded(person) = :person ORDER BY started_at")
    return {
        "memories": rows(f"SELECT {COLUMNS} FROM memories WHERE person = :person ORDER BY created_at"),  # noqa: S608
        "profile_history": rows("SELECT key, value, since, until FROM profile WHERE person = :person ORDER BY since"),
        "services": rows("SELECT name, status, updated_at FROM services WHERE person = :person"),
        "conversations": rows("SELECT * FROM conversations WHERE id IN (SELECT value FROM json_each(:talks))"),
        "turns": [turn | {"tools": json.loads(turn["tools"])} for turn in turns],
        "calls": rows(
            "SELECT a.at, a.tool, a.status, c.arguments, c.result FROM audit_content c JOIN audit a"  # noqa: S608
            f" ON a.call_id = c.call_id AND a.step = 'ended' WHERE {_OF_PERSON} ORDER BY a.seq"
        ),
        "timers": rows(f"SELECT * FROM timers WHERE {_OF_PERSON}"),  # noqa: S608
    }


def _erase_rows(db: sqlite3.Connection, person: str, call: str) -> dict[str, int]:
    parameters = _parameters(db, person) | {"call": call}
    counts: dict[str, int] = {}
    for what, sql in {
        "calls": f"DELETE FROM audit_content WHERE {_OF_PERSON} OR call_id = :call",  # noqa: S608
        "timers": f"DELETE FROM timers WHERE {_OF_PERSON}",  # noqa: S608
        "tasks": f"DELETE FROM tasks WHERE {_IN_OWN_CONVERSATIONS}",  # noqa: S608
        "memories": f"DELETE FROM memories WHERE {_OF_PERSON}",  # noqa: S608
        "profile": "DELETE FROM profile WHERE person = :person",
        "services": "DELETE FROM services WHERE person = :person",
        "turns": f"DELETE FROM turns WHERE {_OF_PERSON}",  # noqa: S608
        "conversations": "DELETE FROM conversations WHERE id IN (SELECT value FROM json_each(:talks))",
        "people": "DELETE FROM people WHERE id = :person",
    }.items():
        counts[what] = db.execute(sql, parameters).rowcount
    db.execute("UPDATE conversations SET person = '', introduced = 0 WHERE folded(person) = :person", parameters)
    db.execute("DELETE FROM summaries WHERE person = :person", parameters)
    return counts


def _parameters(db: sqlite3.Connection, person: str) -> dict[str, str]:
    """Parameters of the SQL above: the person, and the conversations that are theirs alone."""
    _add_folding(db)
    talks = [row["id"] for row in db.execute(_OWN_CONVERSATIONS, {"person": person})]
    return {"person": person, "talks": json.dumps(talks)}


def _add_folding(db: sqlite3.Connection) -> None:
    """Add an SQL function for person ids: stored names have any case and spacing."""

    def folded(name: str | None) -> str:
        try:
            return person_id(name or "")
        except MindError:
            return name or ""

    db.create_function("folded", 1, folded, deterministic=True)
