"""`People`: the people the mind knows, their profiles, and the identification of the speaker.

A person's id is their name in lower case. The speaker is the one the caller names, else the one who introduced
themselves: "my name is Ada" assigns the conversation to Ada. An unidentified speaker is ''; if only one person ever
introduced themselves, it is taken to be them, unless they say that they are not.
"""

from __future__ import annotations

import sqlite3
import time
import unicodedata
from dataclasses import dataclass, field
from typing import Any, Literal

from reachy_mind.errors import InvalidParameter
from reachy_mind.storage.database import Database

LONGEST_NAME = 64
LONGEST_VALUE = 1000
MULTI_VALUED_KEYS = ("likes", "dislikes", "allergies")
"""Profile keys with more than one value."""


@dataclass(frozen=True)
class Person:
    id: str
    name: str
    created_at: float
    seen_at: float


@dataclass(frozen=True)
class PersonProfile:
    """What is known about a person; `MULTI_VALUED_KEYS` have lists."""

    person: str
    name: str
    known: dict[str, str | list[str]] = field(default_factory=dict)
    services: dict[str, str] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        return {"name": self.name, **self.known} | ({"services": self.services} if self.services else {})


def person_id(name: str) -> str:
    """The id for a name. Raises InvalidParameter for an invalid name."""
    folded = " ".join(unicodedata.normalize("NFKC", name.encode("utf-8", "replace").decode()).split()).casefold()
    if len(folded) > LONGEST_NAME or not folded.isprintable():
        raise InvalidParameter("not a person's name", hint=f"at most {LONGEST_NAME} printable characters")
    return folded


class People:
    """In the mind's database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def identify(self, name: str = "", conversation: str | None = None) -> str:
        """The speaker's id: `name`, else the conversation's person, else the only one ever introduced, else ''."""
        person = person_id(name)

        def transaction(db: sqlite3.Connection) -> str:
            if person:
                _record_seen(db, person, name)
                return person
            row = db.execute(
                "SELECT person, introduced FROM conversations WHERE id = ?", (conversation or "",)
            ).fetchone()
            if row is not None and (row["person"] or row["introduced"]):
                return person_id(row["person"])
            known = db.execute("SELECT id FROM people WHERE introduced_at IS NOT NULL LIMIT 2").fetchall()
            return str(known[0]["id"]) if len(known) == 1 else ""

        return await self._database.write(transaction, durable=False)  # when somebody was seen is not acknowledged

    async def attribute_call(self, call: str, person: str) -> None:
        """A tool call that named nobody was this person's: its content is exported and erased with them."""
        await self._database.execute(
            "UPDATE audit_content SET person = ? WHERE call_id = ? AND person = ''", (person, call)
        )

    async def introduce(self, name: str, conversation: str) -> tuple[str, bool]:
        """Record that the speaker gave their name. Returns their id, and whether they are new.

        What was said in this conversation before an introduction becomes theirs.
        """
        person = person_id(name)
        if not person:
            raise InvalidParameter("a name is missing", hint="such as Ada")

        def transaction(db: sqlite3.Connection) -> bool:
            new = _record_seen(db, person, name)
            db.execute(
                "UPDATE people SET introduced_at = coalesce(introduced_at, ?) WHERE id = ?", (time.time(), person)
            )
            before = db.execute("SELECT person, introduced FROM conversations WHERE id = ?", (conversation,)).fetchone()
            if before is not None:
                unnamed = not before["introduced"] or not before["person"]
                if unnamed and person_id(before["person"]) != person:
                    _reassign(db, person_id(before["person"]), person, conversation)
                db.execute("UPDATE conversations SET person = ?, introduced = 1 WHERE id = ?", (person, conversation))
            return new

        return person, await self._database.write(transaction)

    async def correct(self, conversation: str, person: str, *, wrong: str = "", right: str = "") -> str:
        """Record that the speaker of a conversation is not `wrong` (empty: not `person`), but `right` where it is told.

        What was said in the conversation becomes theirs. A person who was known only by it is removed. Returns the
        speaker's id.
        """
        mistaken = person_id(wrong) if wrong else person
        meant = person == mistaken or person.startswith(f"{mistaken} ")
        if person and not meant:
            return (await self.introduce(right, conversation))[0] if right else person
        speaker = person_id(right)

        def transaction(db: sqlite3.Connection) -> str:
            if speaker:
                _record_seen(db, speaker, right)
                db.execute(
                    "UPDATE people SET introduced_at = coalesce(introduced_at, ?) WHERE id = ?", (time.time(), speaker)
                )
            if person != speaker:
                _remove_name(db, person, conversation)
                _reassign(db, person, speaker, conversation)
            db.execute("UPDATE conversations SET person = ?, introduced = 1 WHERE id = ?", (speaker, conversation))
            if person and person != speaker:
                _remove_if_unknown(db, person)
            return speaker

        return await self._database.write(transaction)

    async def profile(self, person: str) -> PersonProfile:
        """The current profile; empty if nothing is known."""
        rows = await self._database.rows(
            "SELECT key, value FROM profile WHERE person = ? AND until IS NULL ORDER BY since, rowid", (person,)
        )
        names = await self._database.rows("SELECT name FROM people WHERE id = ?", (person,))
        services = await self._database.rows(
            "SELECT name, status FROM services WHERE person = ? ORDER BY name", (person,)
        )
        known: dict[str, str | list[str]] = {}
        for row in rows:
            if row["key"] in MULTI_VALUED_KEYS:
                values = known.setdefault(row["key"], [])
                assert isinstance(values, list)
                values += [row["value"]] if row["value"] not in values else []
            else:
                known[row["key"]] = row["value"]
        name = str(known.pop("name", "") or (names[0]["name"] if names else ""))
        return PersonProfile(person, name, known, {row["name"]: row["status"] for row in services})

    async def history(self, person: str, key: str) -> list[dict[str, Any]]:
        """All values of a key over time, newest first."""
        return await self._database.rows(
            "SELECT value, since, until FROM profile WHERE person = ? AND key = ? ORDER BY since DESC", (person, key)
        )

    async def sources(self, person: str, key: str) -> list[str]:
        """The ids of the memories that the values of a key come from."""
        rows = await self._database.rows(
            "SELECT m.id FROM profile p JOIN memories m ON m.seq = p.memory WHERE p.person = ? AND p.key = ?",
            (person, key),
        )
        return [str(row["id"]) for row in rows]

    async def remove(self, person: str, key: str) -> int:
        """Delete a key with all its values and their memories. Returns the number of values."""

        def transaction(db: sqlite3.Connection) -> int:
            told = "SELECT memory FROM profile WHERE person = ? AND key = ? AND memory IS NOT NULL"
            count: int = db.execute(
                "SELECT count(*) FROM profile WHERE person = ? AND key = ?", (person, key)
            ).fetchone()[0]
            db.execute(f"DELETE FROM memories WHERE seq IN ({told})", (person, key))  # noqa: S608
            db.execute("DELETE FROM profile WHERE person = ? AND key = ?", (person, key))
            return count

        return await self._database.write(transaction)

    async def connect(
        self, person: str, service: str, status: Literal["connected", "disconnected", "failed"] = "connected"
    ) -> None:
        """Store the status of a service the person uses with this robot. Credentials are not stored here."""
        await self._database.execute(
            "INSERT INTO services (person, name, status, updated_at) VALUES (?, ?, ?, ?)"
            " ON CONFLICT DO UPDATE SET status = excluded.status, updated_at = excluded.updated_at",
            (person, service[:LONGEST_NAME], status, time.time()),
        )

    async def get(self, name: str) -> Person:
        """Raises InvalidParameter for an unknown name."""
        rows = await self._database.rows(
            "SELECT id, name, created_at, seen_at FROM people WHERE id = ?", (person_id(name),)
        )
        if not rows:
            raise InvalidParameter(
                f"I don't know anybody called {name[:LONGEST_NAME]!r}", hint="reachy-mind memory people"
            )
        return Person(**rows[0])

    async def listed(self, *, limit: int = 50, offset: int = 0) -> tuple[list[Person], int]:
        """People, the last seen first, and the total."""
        rows = await self._database.rows(
            "SELECT id, name, created_at, seen_at FROM people ORDER BY seen_at DESC, id LIMIT ? OFFSET ?",
            (limit, offset),
        )
        (count,) = await self._database.rows("SELECT count(*) AS n FROM people")
        return [Person(**row) for row in rows], int(count["n"])


def _record_seen(db: sqlite3.Connection, person: str, name: str) -> bool:
    """Insert or update the person. Returns whether they are new."""
    new = db.execute("SELECT 1 FROM people WHERE id = ?", (person,)).fetchone() is None
    now = time.time()
    db.execute(
        "INSERT INTO people (id, name, created_at, seen_at) VALUES (?, ?, ?, ?)"
        " ON CONFLICT DO UPDATE SET seen_at = excluded.seen_at",
        (person, " ".join(name.split()), now, now),
    )
    return new


def _reassign(db: sqlite3.Connection, before: str, now: str, conversation: str) -> None:
    """Reassign a conversation's data from `before` to `now`; all data of '' if nobody else is known."""
    others = db.execute("SELECT count(*) FROM people WHERE id NOT IN ('', ?)", (now,)).fetchone()[0]
    moves = {"before": before, "now": now, "conversation": conversation}
    everything = not before and not others
    db.execute(
        "UPDATE profile SET person = :now WHERE person = :before AND memory IN"
        " (SELECT seq FROM memories WHERE person = :before AND (conversation = :conversation OR :all))",
        moves | {"all": everything},
    )
    for table in ("memories", "turns", "audit_content", "summaries", "timers", "announcements", "feedback", "lessons"):
        db.execute(
            f"UPDATE {table} SET person = :now WHERE person = :before AND (conversation = :conversation OR :all)",  # noqa: S608
            moves | {"all": everything},
        )
    db.execute("UPDATE conversations SET person = :now WHERE person = :before AND :all", moves | {"all": everything})


def _remove_name(db: sqlite3.Connection, person: str, conversation: str) -> None:
    """Remove the name that was wrongly taken from a conversation."""
    named = "SELECT seq FROM memories WHERE person = ? AND conversation = ? AND key = 'name'"
    db.execute(f"DELETE FROM profile WHERE memory IN ({named})", (person, conversation))  # noqa: S608
    db.execute(f"DELETE FROM memories WHERE seq IN ({named})", (person, conversation))  # noqa: S608


def _remove_if_unknown(db: sqlite3.Connection, person: str) -> None:
    """Remove somebody of whom nothing is kept."""
    for table in ("memories", "turns", "profile", "timers", "conversations", "feedback", "lessons"):
        if db.execute(f"SELECT 1 FROM {table} WHERE person = ? LIMIT 1", (person,)).fetchone() is not None:  # noqa: S608
            return
    db.execute("DELETE FROM people WHERE id = ?", (person,))
