"""`Erasure`: export and erase all personal data of a person.

It covers what they said and what was done for them: memories, profile, turns and conversations, the content of audited
tool calls (the digests stay, so that the hash chain remains valid), timers, announcements, tasks, services, the data of
other parts (`stores`, such as photos) and of files. What does not say whose it is goes too where it has their words
(`personal_words`). What other people told about them belongs to those people: it is listed, and erased on request.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from reachy_mind.errors import InvalidParameter, MindError
from reachy_mind.memory import fact_extraction, habits, unattributed
from reachy_mind.memory.memories import COLUMNS, Memories
from reachy_mind.memory.people import People, person_id
from reachy_mind.memory.personal_files import PersonalFiles
from reachy_mind.memory.personal_words import PersonalWords, collect
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
        self.files: PersonalFiles | None = None
        """The files of the data folder."""
        self.everyday_words: Callable[[], frozenset[str]] | None = None
        """Words that are nobody's own. Without them, only names and whole sentences are looked for."""
        self.afterwards: list[Callable[[], Awaitable[None]]] = []
        """Called when rows are gone: parts that keep some of them in memory let go of them."""

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

    async def erase(self, name: str, *, call: str = "", everywhere: bool = False) -> dict[str, Any]:
        """Erase a person. Returns what was erased, what was not and why, and whether the files are free of traces.

        `call`: the call that asked; `everywhere`: also what other people told about them. Raises InvalidParameter for a
        name of which there is nothing, DatabaseError when it failed; nothing is erased then.
        """
        person = person_id(name)
        everyday = await asyncio.to_thread(self.everyday_words) if self.everyday_words is not None else None

        def transaction(db: sqlite3.Connection) -> tuple[dict[str, int], PersonalWords]:
            _add_folding(db)
            words = collect(db, person, (lambda: everyday) if everyday is not None else None) if person else None
            alone = bool(person) and _is_only_person(db, person)
            erased = _erase_rows(db, person, call)
            if words is None:
                return erased, PersonalWords()
            _add(erased, unattributed.erase(db, person, words, everywhere=everywhere))
            if alone:  # who gave no name is taken to be them
                _add(erased, _erase_rows(db, "", call))
            return erased, words

        erased, words = await self._database.write(transaction)
        failed = await self._erase_stores(person, erased)
        if name and not any(erased.values()) and not failed:
            await self._people.get(name)  # raises: there was nothing of anybody of that name
        remaining = await self._erase_files(words, erased, failed) if name else []
        self._vectors.clear_cache()
        fact_extraction.clear_cache()
        for let_go in self.afterwards:
            await let_go()
        clean = await self._memories.purge(everything=True)
        kept = await self._database.read(lambda db: unattributed.mentions(db, words))
        return {
            "person": name,
            "erased": erased,
            "failed": failed,
            "complete": clean and not failed and not remaining,
            "kept": kept,
            "files": remaining,
            "mentioned_by_others": sum(one["count"] for one in kept if one["what"] == "memories"),
        }

    async def _erase_stores(self, person: str, erased: dict[str, int]) -> dict[str, str]:
        failed: dict[str, str] = {}
        for what, store in self.stores.items():
            try:
                erased[what] = await store.erase(person)
            except MindError as error:
                failed[what] = error.message
        return failed

    async def _erase_files(self, words: PersonalWords, erased: dict[str, int], failed: dict[str, str]) -> list[str]:
        """Returns the files that still name the person."""
        if self.files is None:
            return []
        try:
            erased |= await asyncio.to_thread(self.files.erase, words)
        except OSError as error:
            failed["files"] = str(error)
        return await asyncio.to_thread(self.files.remaining, words)


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
        "announcements": rows(f"SELECT * FROM announcements WHERE {_OF_PERSON}"),  # noqa: S608
        "feedback": rows(f"SELECT * FROM feedback WHERE {_OF_PERSON} ORDER BY id"),  # noqa: S608
        "lessons": rows(f"SELECT * FROM lessons WHERE {_OF_PERSON} ORDER BY id"),  # noqa: S608
        "tasks": rows(f"SELECT * FROM tasks WHERE {_IN_OWN_CONVERSATIONS}"),  # noqa: S608
    }


def _erase_rows(db: sqlite3.Connection, person: str, call: str) -> dict[str, int]:
    parameters = _parameters(db, person) | {"call": call}
    counts: dict[str, int] = {}
    for what, sql in {
        "calls": f"DELETE FROM audit_content WHERE {_OF_PERSON} AND call_id <> :call",  # noqa: S608
        "timers": f"DELETE FROM timers WHERE {_OF_PERSON}",  # noqa: S608
        "announcements": f"DELETE FROM announcements WHERE {_OF_PERSON}",  # noqa: S608
        "tasks": f"DELETE FROM tasks WHERE {_IN_OWN_CONVERSATIONS}",  # noqa: S608
        "lessons": f"DELETE FROM lessons WHERE {_OF_PERSON}",  # noqa: S608
        "feedback": f"DELETE FROM feedback WHERE {_OF_PERSON}",  # noqa: S608
        "profile": "DELETE FROM profile WHERE person = :person",
        "memories": f"DELETE FROM memories WHERE {_OF_PERSON}",  # noqa: S608
        "services": "DELETE FROM services WHERE person = :person",
        "turns": f"DELETE FROM turns WHERE {_OF_PERSON}",  # noqa: S608
        "conversations": "DELETE FROM conversations WHERE id IN (SELECT value FROM json_each(:talks))",
        "people": "DELETE FROM people WHERE id = :person",
    }.items():
        counts[what] = db.execute(sql, parameters).rowcount
    db.execute("UPDATE conversations SET person = '', introduced = 0 WHERE folded(person) = :person", parameters)
    db.execute("DELETE FROM summaries WHERE person = :person", parameters)
    db.execute("DELETE FROM audit_content WHERE call_id = :call", parameters)
    return counts


def _is_only_person(db: sqlite3.Connection, person: str) -> bool:
    return [row["id"] for row in db.execute("SELECT id FROM people WHERE id <> '' LIMIT 2")] == [person]


def _add(counts: dict[str, int], more: dict[str, int]) -> None:
    for what, count in more.items():
        counts[what] = counts.get(what, 0) + count


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
        except InvalidParameter:
            return name or ""

    db.create_function("folded", 1, folded, deterministic=True)
