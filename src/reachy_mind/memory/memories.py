"""`Memories`: what is remembered, one sentence each, and whose it is.

What was told before is not kept twice. Where something can have one value only (`key`), the newer one wins: the older
one stays, marked with what took its place, and is not found any more.
"""

from __future__ import annotations

import sqlite3
import time
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args
from uuid import uuid4

from reachy_mind.database import Database
from reachy_mind.errors import InvalidParameter
from reachy_mind.memory.words import plain, tidy

Type = Literal["fact", "preference", "event", "observation", "conversation", "task"]
Source = Literal["told", "heard", "summary"]
TYPES: tuple[str, ...] = get_args(Type)
LONGEST = 2000
COLUMNS = "id, person, type, content, key, source, conversation, turn, created_at, told_at, times, superseded_by"


@dataclass(frozen=True)
class Remembered:
    """One memory. `superseded_by` names the newer one that took its place."""

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
    """Something to remember. `key` and `value` where it can have one value only; `profile` is what to write where in
    the person's profile."""

    content: str
    type: Type = "fact"
    key: str = ""
    value: str = ""
    profile: tuple[str, str] | None = None


@dataclass(frozen=True)
class Stored:
    """What became of it: `new`, `known` already, or `newer` than what it replaced."""

    memory: Remembered
    how: Literal["new", "known", "newer"]
    replaced: tuple[Remembered, ...] = ()


class Memories:
    """All of them, in the mind's database."""

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
        """Raises InvalidParameter for what is no sentence, DatabaseError when it can't be written down."""
        content = tidy(fact.content)
        if not content or len(content) > LONGEST:
            raise InvalidParameter("there is nothing to remember", hint=f"a sentence, at most {LONGEST} characters")
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
        return await self._database.write(lambda db: _stored(db, row, fact.profile))

    async def get(self, memory: str, *, person: str | None = None) -> Remembered:
        """One by its id, of this person if one is named. Raises InvalidParameter when there is none."""
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
        """Newest first, and how many. `history`: those, too, whose place was taken."""
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

    async def forget(self, memory: Remembered) -> set[str]:
        """For good, with what it replaced, the words it was told in, and summaries of them.

        Returns the conversations that have something else to say now.
        """

        def act(db: sqlite3.Connection) -> set[str]:
            changed: set[str] = set()
            gone = db.execute(
                f"SELECT {COLUMNS} FROM memories WHERE id = ? OR (key <> '' AND person = ? AND key = ?)",  # noqa: S608
                (memory.id, memory.person, memory.key),
            ).fetchall()
            for row in gone:
                changed |= _unsay(db, row)
                db.execute("DELETE FROM memories WHERE id = ?", (row["id"],))
            return changed

        return await self._database.write(act)

    async def purge(self, *, everything: bool = False) -> bool:
        """Leave no trace of deleted text in the database's files: in the index, in free pages, in the log of writes.

        `everything`: rewrite the whole file too. False when another process reads it just now, so that its log of
        writes could not be emptied.
        """

        def act(db: sqlite3.Connection) -> bool:
            # The index keeps words of deleted rows until its parts are merged.
            db.execute("INSERT INTO memories_text (memories_text) VALUES ('rebuild')")
            if everything:
                db.execute("VACUUM")
            return not db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]

        return await self._database.read(act)


def _stored(db: sqlite3.Connection, row: dict[str, Any], profile: tuple[str, str] | None) -> Stored:
    person, now = row["person"], row["told_at"]
    current = f"SELECT {COLUMNS}, seq, value FROM memories WHERE person = :person AND superseded_at IS NULL"  # noqa: S608
    same = db.execute(
        f"{current} AND (plain = :plain OR (key <> '' AND key = :key AND value = :value))", row
    ).fetchone()
    if same is not None:
        db.execute("UPDATE memories SET told_at = ?, times = times + 1 WHERE seq = ?", (now, same["seq"]))
        return Stored(_remembered(same), "known")
    older = db.execute(f"{current} AND key = :key", row).fetchall() if row["key"] else []
    names = ", ".join(row)
    seq = db.execute(
        f"INSERT INTO memories ({names}) VALUES ({', '.join(f':{name}' for name in row)})",  # noqa: S608
        row,
    ).lastrowid
    for old in older:
        db.execute(
            "UPDATE memories SET superseded_by = ?, superseded_at = ? WHERE seq = ?", (row["id"], now, old["seq"])
        )
        db.execute("UPDATE profile SET until = ? WHERE memory = ? AND until IS NULL", (now, old["seq"]))
    if profile is not None:
        db.execute(
            "INSERT INTO profile (person, key, value, memory, since) VALUES (?, ?, ?, ?, ?)",
            (person, *profile, seq, now),
        )
    made = db.execute(f"SELECT {COLUMNS} FROM memories WHERE seq = ?", (seq,)).fetchone()  # noqa: S608
    return Stored(_remembered(made), "newer" if older else "new", tuple(_remembered(old) for old in older))


def _unsay(db: sqlite3.Connection, memory: sqlite3.Row) -> set[str]:
    """Else it would come back with the next summary of the conversation, or stand in the audit."""
    if memory["type"] == "conversation":
        return set()
    theirs = {name: memory[name] for name in ("person", "conversation", "content", "turn")}
    unsaid = db.execute(
        "UPDATE turns SET said = '(forgotten)', reply = '', tools = '[]' WHERE person = :person AND state <> 'thinking'"
        " AND (id = :turn OR instr(lower(said), lower(:content)) > 0) RETURNING conversation",
        theirs,
    ).fetchall()
    changed = {str(row["conversation"]) for row in unsaid}
    for conversation in changed:  # a model may have put it in other words, which no search would find
        db.execute(
            "DELETE FROM memories WHERE source = 'summary' AND conversation = ? AND person = ?",
            (conversation, memory["person"]),
        )
    db.execute(
        "DELETE FROM audit_content WHERE conversation = :conversation AND instr(arguments, :content) > 0", theirs
    )
    return changed


def _remembered(row: sqlite3.Row) -> Remembered:
    return Remembered(**{name: row[name] for name in COLUMNS.split(", ")})
