"""Whether a change of memories is what the person said themselves, or replaces something they told.

A model that calls a memory tool may act on a text by somebody else, such as a memory that contains an instruction. So a
call that replaces what a person told counts as their own statement only if their words in the conversation say it.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Sequence

from reachy_mind.memory import fact_extraction
from reachy_mind.memory.memories import Fact
from reachy_mind.memory.normalization import plain
from reachy_mind.storage.database import Database

MOST_TURNS = 20


async def replaced(database: Database, person: str, facts: Sequence[Fact]) -> list[str]:
    """What the person told, by its key, that would be replaced by these facts."""

    def read(db: sqlite3.Connection) -> list[str]:
        found: list[str] = []
        for fact in facts:
            rows = db.execute(
                "SELECT content FROM memories WHERE person = ? AND superseded_at IS NULL AND plain <> ?"
                " AND ((? <> '' AND key = ? AND value <> ?) OR plain IN (SELECT value FROM json_each(?)))",
                (
                    person,
                    plain(fact.content),
                    fact.key,
                    fact.key,
                    plain(fact.value),
                    json.dumps([plain(content) for content in fact.replaces]),
                ),
            )
            found += [str(row["content"]) for row in rows]
        return found

    return await database.read(read)


async def said_in(database: Database, *, turn: str = "", conversation: str = "") -> list[str]:
    """What people said in this turn, or in the latest turns of this conversation, the latest first."""
    rows = await database.rows(
        "SELECT said FROM turns WHERE said <> '' AND ((? <> '' AND id = ?) OR (? <> '' AND conversation = ?))"
        " ORDER BY started_at DESC LIMIT ?",
        (turn, turn, conversation, conversation, MOST_TURNS),
    )
    return [str(row["said"]) for row in rows]


def states(said: Sequence[str], fact: Fact) -> bool:
    """Whether one of these sentences says this fact."""
    content, value = plain(fact.content), plain(fact.value)
    for sentence in said:
        if content in plain(sentence):
            return True
        known = fact_extraction.facts(sentence)
        if any((one.key, plain(one.value)) == (fact.key, value) for one in known if one.key):
            return True
    return False


def asks_for(said: Sequence[str], key: str, value: str) -> bool:
    """Whether one of these sentences names both the key of a profile and its new value."""
    names = rf"\b(?:{re.escape(plain(key))}{'|call me' if key == 'name' else ''})\b"
    meant = rf"\b{re.escape(plain(value))}\b"
    return any(re.search(names, plain(one)) and re.search(meant, plain(one)) for one in said)
