"""`Memories`: the store of memories: one sentence each, of one person.

Duplicates are not stored twice. Where only one value is possible (`key`), the newer one wins: the older one is marked
as superseded and no longer found.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args
from uuid import uuid4

from reachy_mind.errors import InvalidParameter
from reachy_mind.memory.normalization import plain, tidy
from reachy_mind.storage.database import Database

Type = Literal["fact", "preference", "event", "observation", "conversation", "task"]
Source = Literal["told", "heard", "summary"]
TYPES: tuple[str, ...] = get_args(Type)
LONGEST_CONTENT = 2000
COLUMNS = "id, person, type, content, key, source, conversation, turn, created_at, told_at, times, superseded_by"


@dataclass(frozen=True)
class Remembered:
    """One memory. `superseded_by`: the id of the newer one that replaced it."""

    id: str
    person: str
    type: str
    content: str
    key: str
    source: str
    conversation: str
    turn: str
    created_at: float
    told_at: float
    times: int
    superseded_by: str | None = None

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class Fact:
    """Something to remember. `key` and `value`: for facts with a single value; `profile`: key and value to write into
    the person's profile; `replaces`: contents of memories that are no longer true with it."""

    content: str
    type: Type = "fact"
    key: str = ""
    value: str = ""
    profile: tuple[str, str] | None = None
    replaces: tuple[str, ...] = ()


@dataclass(frozen=True)
class Stored:
    """The result of storing: `new`, `known` (a duplicate), or `newer` than the memories it replaced."""

    memory: Remembered
    how: Literal["new", "known", "newer"]
    replaced: tuple[Remembered, ...] = ()


class Memories:
    """The memories of all people, in the mind's database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def store(
        self,
        fact: Fact,
        *,
        person: str = "",
        source: Source = "told",
        conversation: str = "",
        turn: str = "",
        at: float | None = None,
    ) -> Stored:
        """Store a fact. Raises InvalidParameter when it is empty or too long, DatabaseError when writing fails."""
        content = tidy(fact.content)
        if not content or len(content) > LONGEST_CONTENT:
            raise InvalidParameter(
                "there is nothing to remember", hint=f"a sentence, at most {LONGEST_CONTENT} characters"
            )
        now = at if at is not None else time.time()
        row = {
            "id": uuid4().hex[:16],
            "person": person,
            "type": fact.type,
            "content": content,
            "plain": plain(content),
            "key": fact.key,
            "value": plain(fact.value),
            "about": plain(f"{fact.key} {fact.profile[0] if fact.profile else ''}"),
            "source": source,
            "conversation": conversation,
            "turn": turn,
            "created_at": now,
            "told_at": now,
        }
        replaced = [plain(content) for content in fact.replaces if plain(content) != row["plain"]]
        return await self._database.write(lambda db: _store(db, row, fact.profile, replaced))

    async def get(self, memory: str, *, person: str | None = None) -> Remembered:
        """One memory by its id, of this person if given. Raises InvalidParameter when there is none."""
        rows = await self._database.rows(
            f"SELECT {COLUMNS} FROM memories WHERE id = ? AND (? IS NULL OR person = ?)",  # noqa: S608
            (memory, person, person),
        )
        if not rows:
            raise InvalidParameter(f"no memory {memory[:64]!r}", hint="they are listed: reachy-mind memory list")
        return Remembered(**rows[0])

    async def listed(
        self,
        *,
        person: str | None = None,
        type: str | None = None,  # noqa: A002 -- what it is called everywhere
        history: bool = False,
        since: float = 0.0,
        until: float | None = None,
        limit: int = 50,
        offset: int = 0,
    ) -> tuple[list[Remembered], int]:
        """Memories, newest first, and the total. `history`: include superseded ones."""
        where = (
            "(? IS NULL OR person = ?) AND (? IS NULL OR type = ?) AND (? OR superseded_at IS NULL)"
            " AND created_at >= ? AND (? IS NULL OR created_at < ?)"
        )
        values = (person, person, type, type, history, since, until, until)
        rows = await self._database.rows(
            f"SELECT {COLUMNS} FROM memories WHERE {where} ORDER BY created_at DESC, seq DESC LIMIT ? OFFSET ?",  # noqa: S608
            (*values, limit, offset),
        )
        (count,) = await self._database.rows(f"SELECT count(*) AS n FROM memories WHERE {where}", values)  # noqa: S608
        return [Remembered(**row) for row in rows], int(count["n"])

    async def keyed(self, person: str, limit: int = 200) -> list[str]:
        """The person's current memories that have a key, the last told first: what is known about whom."""
        rows = await self._database.rows(
            "SELECT content FROM memories WHERE person = ? AND key <> '' AND superseded_at IS NULL"
            " AND type <> 'conversation' ORDER BY told_at DESC, seq DESC LIMIT ?",
            (person, limit),
        )
        return [str(row["content"]) for row in rows]

    async def forget(self, memory: Remembered) -> set[str]:
        """Delete a memory for good, with those it replaced, the turns it was told in, and their summaries.

        Returns the conversations whose summaries have to be rewritten.
        """

        def transaction(db: sqlite3.Connection) -> set[str]:
            changed: set[str] = set()
            gone = db.execute(
                f"SELECT {COLUMNS} FROM memories WHERE id = ? OR (key <> '' AND person = ? AND key = ?)",  # noqa: S608
                (memory.id, memory.person, memory.key),
            ).fetchall()
            for row in gone:
                changed |= _erase_source(db, row)
                db.execute("DELETE FROM memories WHERE id = ?", (row["id"],))
            return changed

        return await self._database.write(transaction)

    async def purge(self, *, everything: bool = False) -> bool:
        """Remove traces of deleted text from the database files: full-text index and write-ahead log.

        `everything`: rewrite the whole file, too (VACUUM). Returns False when the write-ahead log could not be emptied,
        because another process was reading.
        """

        def transaction(db: sqlite3.Connection) -> bool:
            # The full-text index keeps words of deleted rows until its segments are merged.
            db.execute("INSERT INTO memories_text (memories_text) VALUES ('rebuild')")
            if everything:
                db.execute("VACUUM")
            return not db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]

        return await self._database.read(transaction)


def _store(
    db: sqlite3.Connection, row: dict[str, Any], profile: tuple[str, str] | None, replaced: Sequence[str] = ()
) -> Stored:
    person, now = row["person"], row["told_at"]
    current = f"SELECT {COLUMNS}, seq, value FROM memories WHERE person = :person AND superseded_at IS NULL"  # noqa: S608
    same = db.execute(
        f"{current} AND (plain = :plain OR (key <> '' AND key = :key AND value = :value))", row
    ).fetchone()
    older = [old for each in replaced for old in db.execute(f"{current} AND plain = :wrong", row | {"wrong": each})]
    if same is not None:
        db.execute("UPDATE memories SET told_at = ?, times = times + 1 WHERE seq = ?", (now, same["seq"]))
        older = [old for old in older if old["seq"] != same["seq"]]
        _supersede(db, older, same["id"], now)
        return Stored(_remembered(same), "newer" if older else "known", tuple(_remembered(old) for old in older))
    if row["key"]:
        known = {old["seq"] for old in older}
        older += [old for old in db.execute(f"{current} AND key = :key", row) if old["seq"] not in known]
    names = ", ".join(row)
    seq = db.execute(
        f"INSERT INTO memories ({names}) VALUES ({', '.join(f':{name}' for name in row)})",  # noqa: S608
        row,
    ).lastrowid
    _supersede(db, older, row["id"], now)
    if profile is not None:
        db.execute(
            "INSERT INTO profile (person, key, value, memory, since) VALUES (?, ?, ?, ?, ?)",
            (person, *profile, seq, now),
        )
    stored = db.execute(f"SELECT {COLUMNS} FROM memories WHERE seq = ?", (seq,)).fetchone()  # noqa: S608
    return Stored(_remembered(stored), "newer" if older else "new", tuple(_remembered(old) for old in older))


def _supersede(db: sqlite3.Connection, older: Sequence[sqlite3.Row], newer: str, now: float) -> None:
    for old in older:
        db.execute("UPDATE memories SET superseded_by = ?, superseded_at = ? WHERE seq = ?", (newer, now, old["seq"]))
        db.execute("UPDATE profile SET until = ? WHERE memory = ? AND until IS NULL", (now, old["seq"]))


def _erase_source(db: sqlite3.Connection, memory: sqlite3.Row) -> set[str]:
    """Erase the turns and the audited calls a memory came from: a later summary would bring it back."""
    if memory["type"] == "conversation":
        return set()
    values = {name: memory[name] for name in ("person", "conversation", "content", "turn")}
    erased = db.execute(
        "UPDATE turns SET said = '(forgotten)', reply = '', tools = '[]' WHERE person = :person AND state <> 'thinking'"
        " AND (id = :turn OR instr(lower(said), lower(:content)) > 0) RETURNING conversation",
        values,
    ).fetchall()
    changed = {str(row["conversation"]) for row in erased}
    for conversation in changed:  # a model may have reworded it, so no search would find it
        db.execute(
            "DELETE FROM memories WHERE source = 'summary' AND conversation = ? AND person = ?",
            (conversation, memory["person"]),
        )
    db.execute(
        "DELETE FROM audit_content WHERE conversation = :conversation AND instr(arguments, :content) > 0", values
    )
    for table, words in (("feedback", "text"), ("lessons", "words")):
        db.execute(
            f"UPDATE {table} SET {words} = '(forgotten)' WHERE person = :person"  # noqa: S608
            f" AND instr(lower({words}), lower(:content)) > 0",
            values,
        )
    return changed


def _remembered(row: sqlite3.Row) -> Remembered:
    return Remembered(**{name: row[name] for name in COLUMNS.split(", ")})
