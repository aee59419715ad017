"""`People`: who is who, and what is known about them.

A person's id is their name in small letters. Who is speaking is known from whoever passes their words on, else from
what they said: "my name is Ada" makes a conversation Ada's. Somebody who has said nothing of the kind is '', nobody;
but if only one person ever introduced themselves here, it is taken to be them.
"""

from __future__ import annotations

import sqlite3
import time
import unicodedata
from dataclasses import dataclass, field
from typing import Any, Literal

from reachy_mind.database import Database
from reachy_mind.errors import InvalidParameter

LONGEST_NAME = 64
LONGEST_VALUE = 1000
SEVERAL = ("likes", "dislikes", "allergies")
"""Keys of a profile that can have more than one value."""


@dataclass(frozen=True)
class Person:
    id: str
    name: str
    created_at: float
    seen_at: float


@dataclass(frozen=True)
class Profile:
    """What is known about somebody; `likes` and such are lists."""

    person: str
    name: str
    known: dict[str, str | list[str]] = field(default_factory=dict)
    services: dict[str, str] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        return {"name": self.name, **self.known} | ({"services": self.services} if self.services else {})


def person_id(name: str) -> str:
    """Raises InvalidParameter for what can't be a name."""
    folded = " ".join(unicodedata.normalize("NFKC", name.encode("utf-8", "replace").decode()).split()).casefold()
    if len(folded) > LONGEST_NAME or not folded.isprintable():
        raise InvalidParameter("not a person's name", hint=f"at most {LONGEST_NAME} printable characters")
    return folded


class People:
    """Everybody the mind knows, in its database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def who(self, given: str = "", conversation: str | None = None) -> str:
        """The id of who speaks: `given`, else whose conversation it is, else the only one ever introduced, else ''."""
        chosen = person_id(given)

        def act(db: sqlite3.Connection) -> str:
            if chosen:
                _seen(db, chosen, given)
                return chosen
            row = db.execute("SELECT person FROM conversations WHERE id = ?", (conversation or "",)).fetchone()
            if row is not None and row["person"]:
                return person_id(row["person"])
            known = db.execute("SELECT id FROM people WHERE introduced_at IS NOT NULL LIMIT 2").fetchall()
            return str(known[0]["id"]) if len(known) == 1 else ""

        return await self._database.write(act)

    async def introduce(self, name: str, conversation: str) -> tuple[str, bool]:
        """Somebody says in a conversation who they are; their id, and whether they are new here.

        What was said in this conversation before anybody was introduced becomes theirs.
        """
        chosen = person_id(name)
        if not chosen:
            raise InvalidParameter("a name is missing", hint="such as Ada")

        def act(db: sqlite3.Connection) -> bool:
            new = _seen(db, chosen, name)
            db.execute(
                "UPDATE people SET introduced_at = coalesce(introduced_at, ?) WHERE id = ?", (time.time(), chosen)
            )
            before = db.execute("SELECT person, introduced FROM conversations WHERE id = ?", (conversation,)).fetchone()
            if before is not None:
                if not before["introduced"] and person_id(before["person"]) != chosen:
                    _claim(db, person_id(before["person"]), chosen, conversation)
                db.execute("UPDATE conversations SET person = ?, introduced = 1 WHERE id = ?", (chosen, conversation))
            return new

        return chosen, await self._database.write(act)

    async def profile(self, person: str) -> Profile:
        """What is known now; empty for somebody who has not told anything."""
        rows = await self._database.rows(
            "SELECT key, value FROM profile WHERE person = ? AND until IS NULL ORDER BY since, rowid", (person,)
        )
        names = await self._database.rows("SELECT name FROM people WHERE id = ?", (person,))
        services = await self._database.rows(
            "SELECT name, status FROM services WHERE person = ? ORDER BY name", (person,)
        )
        known: dict[str, str | list[str]] = {}
        for row in rows:
            if row["key"] in SEVERAL:
                values = known.setdefault(row["key"], [])
                assert isinstance(values, list)
                values += [row["value"]] if row["value"] not in values else []
            else:
                known[row["key"]] = row["value"]
        name = str(known.pop("name", "") or (names[0]["name"] if names else ""))
        return Profile(person, name, known, {row["name"]: row["status"] for row in services})

    async def history(self, person: str, key: str) -> list[dict[str, Any]]:
        """All values a key ever had, newest first."""
        return await self._database.rows(
            "SELECT value, since, until FROM profile WHERE person = ? AND key = ? ORDER BY since DESC", (person, key)
        )

    async def remove(self, person: str, key: str) -> int:
        """A key and all its values, with what they were remembered by; how many values."""

        def act(db: sqlite3.Connection) -> int:
            told = "SELECT memory FROM profile WHERE person = ? AND key = ? AND memory IS NOT NULL"
            count: int = db.execute(
                "SELECT count(*) FROM profile WHERE person = ? AND key = ?", (person, key)
            ).fetchone()[0]
            db.execute(f"DELETE FROM memories WHERE seq IN ({told})", (person, key))  # noqa: S608
            db.execute("DELETE FROM profile WHERE person = ? AND key = ?", (person, key))
            return count

        return await self._database.write(act)

    async def connect(
        self, person: str, service: str, status: Literal["connected", "disconnected", "failed"] = "connected"
    ) -> None:
        """A service somebody uses with this robot; keys and passwords are kept elsewhere, or nowhere."""
        await self._database.execute(
            "INSERT INTO services (person, name, status, updated_at) VALUES (?, ?, ?, ?)"
            " ON CONFLICT DO UPDATE SET status = excluded.status, updated_at = excluded.updated_at",
            (person, service[:LONGEST_NAME], status, time.time()),
        )

    async def get(self, name: str) -> Person:
        """Raises InvalidParameter for somebody who is not known."""
        rows = await self._database.rows(
            "SELECT id, name, created_at, seen_at FROM people WHERE id = ?", (person_id(name),)
        )
        if not rows:
            raise InvalidParameter(
                f"I don't know anybody called {name[:LONGEST_NAME]!r}", hint="reachy-mind memory people"
            )
        return Person(**rows[0])

    async def listed(self, *, limit: int = 50, offset: int = 0) -> tuple[list[Person], int]:
        """Everybody, who was here last first."""
        rows = await self._database.rows(
            "SELECT id, name, created_at, seen_at FROM people ORDER BY seen_at DESC, id LIMIT ? OFFSET ?",
            (limit, offset),
        )
        (count,) = await self._database.rows("SELECT count(*) AS n FROM people")
        return [Person(**row) for row in rows], int(count["n"])


def _seen(db: sqlite3.Connection, person: str, name: str) -> bool:
    """Whether they are new."""
    new = db.execute("SELECT 1 FROM people WHERE id = ?", (person,)).fetchone() is None
    now = time.time()
    db.execute(
        "INSERT INTO people (id, name, created_at, seen_at) VALUES (?, ?, ?, ?)"
        " ON CONFLICT DO UPDATE SET seen_at = excluded.seen_at",
        (person, " ".join(name.split()), now, now),
    )
    return new


def _claim(db: sqlite3.Connection, before: str, now: str, conversation: str) -> None:
    """Give what was done in a conversation by `before` to who it was. All that nobody did, if it can only be theirs."""
    others = db.execute("SELECT count(*) FROM people WHERE id NOT IN ('', ?)", (now,)).fetchone()[0]
    moves = {"before": before, "now": now, "conversation": conversation}
    everything = not before and not others
    db.execute(
        "UPDATE profile SET person = :now WHERE person = :before AND memory IN"
        " (SELECT seq FROM memories WHERE person = :before AND (conversation = :conversation OR :all))",
        moves | {"all": everything},
    )
    for table in ("memories", "turns", "audit_content", "summaries", "timers"):
        db.execute(
            f"UPDATE {table} SET person = :now WHERE person = :before AND (conversation = :conversation OR :all)",  # noqa: S608
            moves | {"all": everything},
        )
    db.execute("UPDATE conversations SET person = :now WHERE person = :before AND :all", moves | {"all": everything})
