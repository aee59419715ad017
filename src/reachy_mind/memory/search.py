"""`Search`: what of a person's memories a question is about, by words and by meaning.

Words are looked up in the full-text index, meaning among the vectors, where a model for them is there. Both lists are
put together by their ranks. Only memories of one person are ever looked at.
"""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from reachy_mind.database import Database
from reachy_mind.memory import periods
from reachy_mind.memory.embeddings import PATIENCE_S, Embeddings
from reachy_mind.memory.memories import COLUMNS, Remembered
from reachy_mind.memory.vectors import Vectors
from reachy_mind.memory.words import pieces, plain, spellings, stem, terms, tidy

LONGEST_QUERY = 500
DEEP = 50
"""So many of each list are put together."""
SMOOTH = 60
"""The usual constant of reciprocal rank fusion: how little the first places differ."""
NEAR, SURE = 0.25, 0.62
"""How near in meaning a memory must be to be found at all, and to be taken for the answer by that alone."""
AGAIN = 0.8
"""What a summary counts for: it says again what a memory of its own may say better."""
MOST_TERMS = 24
EVER = (0.0, 1e12)


@dataclass(frozen=True)
class Found:
    """A memory, how well it fits (more is better), and whether it says what was asked for: by all words, or by
    meaning."""

    memory: Remembered
    score: float
    sure: bool
    nearness: float | None = None

    def as_dict(self) -> dict[str, Any]:
        return self.memory.as_dict() | {"score": round(self.score, 4), "sure": self.sure}


class Search:
    """Looks through one person's memories at a time."""

    def __init__(self, database: Database, embeddings: Embeddings, vectors: Vectors) -> None:
        self._database, self._embeddings, self._vectors = database, embeddings, vectors

    async def find(
        self,
        query: str,
        *,
        person: str,
        limit: int = 5,
        type: str | None = None,  # noqa: A002 -- what it is called everywhere
        now: float | None = None,
        but: str = "",
        patience_s: float = PATIENCE_S,
    ) -> list[Found]:
        """Best first. "What did we talk about yesterday?" finds the talks of that day, other than the one `but`."""
        query = tidy(query[:LONGEST_QUERY])
        period = periods.asked(plain(query), now if now is not None else time.time())
        if period is not None and not terms(period.rest):
            return await self._talks(period, person, 1 if period.last else limit, but)
        wanted = period.rest if period is not None else query
        vector, by_words = await asyncio.gather(
            self._embeddings.query(wanted, patience_s), self._database.read(lambda db: _worded(db, wanted, person))
        )

        def act(db: sqlite3.Connection) -> list[Found]:
            near = self._vectors.nearest(db, vector, person, DEEP) if vector is not None else []
            spans = [(period.since, period.until)] if period is not None else []
            for span in (*spans, EVER):
                if found := _found(db, wanted, person, by_words, near, type, span):
                    return found[:limit]
            return []

        return await self._database.read(act)

    async def _talks(self, period: periods.Period, person: str, limit: int, but: str) -> list[Found]:
        sql = (
            f"SELECT {COLUMNS} FROM memories WHERE person = ? AND superseded_at IS NULL"  # noqa: S608
            " AND told_at >= ? AND told_at < ? AND (type = 'conversation') = ? AND (conversation <> ? OR ? = '')"
            " ORDER BY told_at DESC LIMIT ?"
        )
        for summed_up in (True, False):
            rows = await self._database.rows(sql, (person, period.since, period.until, summed_up, but, but, limit))
            if rows:
                return [Found(Remembered(**row), 1.0, sure=True) for row in rows]
        return []


def _worded(db: sqlite3.Connection, query: str, person: str) -> list[int]:
    return _by_words(db, terms(query), person) or _by_pieces(db, query, person)


def _found(
    db: sqlite3.Connection,
    query: str,
    person: str,
    by_words: Sequence[int],
    near: Sequence[tuple[int, float]],
    type: str | None,  # noqa: A002
    span: tuple[float, float],
) -> list[Found]:
    nearness = {seq: close for seq, close in near if close >= NEAR}
    scores: dict[int, float] = {}
    for ranked in (by_words, list(nearness)):
        for rank, seq in enumerate(ranked):
            scores[seq] = scores.get(seq, 0.0) + 1 / (SMOOTH + rank)
    if not scores:
        return []
    marks = ", ".join("?" for _ in scores)
    rows = db.execute(
        f"SELECT seq, about, {COLUMNS} FROM memories WHERE seq IN ({marks}) AND person = ? AND superseded_at IS NULL"  # noqa: S608
        " AND (? IS NULL OR type = ?) AND told_at >= ? AND told_at < ?",
        (*scores, person, type, type, *span),
    ).fetchall()
    stems = {stem(word) for word in terms(query)}
    found = []
    for row in rows:
        memory = Remembered(**{name: row[name] for name in COLUMNS.split(", ")})
        said = {stem(word) for word in terms(f"{memory.content} {row['about']}")}
        close = nearness.get(row["seq"])
        sure = (bool(stems) and stems <= said) or (close is not None and close >= SURE)
        weight = AGAIN if memory.type == "conversation" else 1.0
        found.append(Found(memory, scores[row["seq"]] * weight, sure, close))
    # Of two that fit as well, the one that was told last.
    return sorted(found, key=lambda one: (-one.score, -one.memory.told_at))


def _by_words(db: sqlite3.Connection, words: Sequence[str], person: str) -> list[int]:
    if not words:
        return []
    # Each word in quotes: nothing in it can be taken for an operator of the index.
    spelt = [spelling for word in words[:MOST_TERMS] for spelling in spellings(word)]
    wanted = " OR ".join('"' + word.replace('"', '""') + '"' for word in spelt)
    rows = db.execute(
        "SELECT m.seq FROM memories_text t JOIN memories m ON m.seq = t.rowid"
        " WHERE memories_text MATCH ? AND m.person = ? AND m.superseded_at IS NULL ORDER BY rank LIMIT ?",
        (wanted, person, DEEP),
    ).fetchall()
    return [row["seq"] for row in rows]


def _by_pieces(db: sqlite3.Connection, query: str, person: str) -> list[int]:
    """For scripts without spaces, and signs: the index knows no words there."""
    stretches = pieces(query)
    if not stretches:
        return []
    hits = " + ".join("(instr(content, ?) > 0)" for _ in stretches)
    rows = db.execute(
        f"SELECT seq, {hits} AS hits FROM memories WHERE person = ? AND superseded_at IS NULL AND hits > 0"  # noqa: S608
        " ORDER BY hits DESC, told_at DESC LIMIT ?",
        (*stretches, person, DEEP),
    ).fetchall()
    return [row["seq"] for row in rows]
