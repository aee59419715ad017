"""`MemorySearch`: hybrid search in a person's memories: full text and embeddings, merged by reciprocal rank fusion.

Without an embedding model, full text alone is used. Only memories of one person are searched.
"""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from reachy_mind.memory import periods
from reachy_mind.memory.embeddings import PATIENCE_S, Embeddings
from reachy_mind.memory.memories import COLUMNS, Remembered
from reachy_mind.memory.normalization import pieces, plain, spellings, stem, terms, tidy
from reachy_mind.memory.vectors import Vectors
from reachy_mind.storage.database import Database

LONGEST_QUERY = 500
MOST_CANDIDATES = 50
"""From each of the two rankings."""
RRF_K = 60
"""The usual constant of reciprocal rank fusion; a larger one makes the first ranks differ less."""
LEAST_SIMILARITY, SURE_SIMILARITY = 0.25, 0.62
"""Cosine similarity for a memory to be found at all, and to count as the answer by itself."""
SUMMARY_WEIGHT = 0.8
"""Factor for summaries: they repeat what a memory of its own says better."""
MOST_TERMS = 24
_FILLERS = frozenset(
    stem(word) for word in ("again", "now", "still", "really", "exactly", "actually", "currently", "ever")
)
"""Words of a question that no answer has."""
ANY_TIME = (0.0, 1e12)


@dataclass(frozen=True)
class SearchHit:
    """A memory and its score (higher is better). `sure`: it has all words of the query, or is similar enough."""

    memory: Remembered
    score: float
    sure: bool
    similarity: float | None = None

    def as_dict(self) -> dict[str, Any]:
        return self.memory.as_dict() | {"score": round(self.score, 4), "sure": self.sure}


class MemorySearch:
    """Searches one person's memories at a time."""

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
        exclude: str = "",
        timeout_s: float = PATIENCE_S,
    ) -> list[SearchHit]:
        """Hits, best first. "What did we talk about yesterday?" finds the conversations of that day, except `exclude`.

        `timeout_s`: how long to wait for the embedding of the query.
        """
        query = tidy(query[:LONGEST_QUERY])
        period = periods.parse_period(plain(query), now if now is not None else time.time())
        if period is not None and not terms(period.rest):
            return await self._conversations(period, person, 1 if period.last else limit, exclude)
        wanted = period.rest if period is not None else query
        vector, by_words = await asyncio.gather(
            self._embeddings.query(wanted, timeout_s), self._database.read(lambda db: _by_text(db, wanted, person))
        )

        def read_hits(db: sqlite3.Connection) -> list[SearchHit]:
            neighbours = self._vectors.nearest(db, vector, person, MOST_CANDIDATES) if vector is not None else []
            time_ranges = [(period.since, period.until)] if period is not None else []
            for time_range in (*time_ranges, ANY_TIME):
                if found := _ranked_hits(db, wanted, person, by_words, neighbours, type, time_range):
                    return found[:limit]
            return []

        return await self._database.read(read_hits)

    async def _conversations(self, period: periods.Period, person: str, limit: int, exclude: str) -> list[SearchHit]:
        sql = (
            f"SELECT {COLUMNS} FROM memories WHERE person = ? AND superseded_at IS NULL"  # noqa: S608
            " AND told_at >= ? AND told_at < ? AND (type = 'conversation') = ? AND (conversation <> ? OR ? = '')"
            " ORDER BY told_at DESC LIMIT ?"
        )
        for summed_up in (True, False):
            rows = await self._database.rows(
                sql, (person, period.since, period.until, summed_up, exclude, exclude, limit)
            )
            if rows:
                return [SearchHit(Remembered(**row), 1.0, sure=True) for row in rows]
        return []


def _by_text(db: sqlite3.Connection, query: str, person: str) -> list[int]:
    return _by_words(db, terms(query), person) or _by_substrings(db, query, person)


def _ranked_hits(
    db: sqlite3.Connection,
    query: str,
    person: str,
    by_words: Sequence[int],
    neighbours: Sequence[tuple[int, float]],
    type: str | None,  # noqa: A002
    time_range: tuple[float, float],
) -> list[SearchHit]:
    similarities = {seq: similarity for seq, similarity in neighbours if similarity >= LEAST_SIMILARITY}
    scores: dict[int, float] = {}
    for ranked in (by_words, list(similarities)):
        for rank, seq in enumerate(ranked):
            scores[seq] = scores.get(seq, 0.0) + 1 / (RRF_K + rank)
    if not scores:
        return []
    marks = ", ".join("?" for _ in scores)
    rows = db.execute(
        f"SELECT seq, about, {COLUMNS} FROM memories WHERE seq IN ({marks}) AND person = ? AND superseded_at IS NULL"  # noqa: S608
        " AND (? IS NULL OR type = ?) AND told_at >= ? AND told_at < ?",
        (*scores, person, type, type, *time_range),
    ).fetchall()
    every = {stem(word) for word in terms(query)}
    stems = (every - _FILLERS) or every
    found = []
    for row in rows:
        memory = Remembered(**{name: row[name] for name in COLUMNS.split(", ")})
        said = {stem(word) for word in terms(f"{memory.content} {row['about']}")}
        similarity = similarities.get(row["seq"])
        sure = (bool(stems) and stems <= said) or (similarity is not None and similarity >= SURE_SIMILARITY)
        weight = SUMMARY_WEIGHT if memory.type == "conversation" else 1.0
        found.append(SearchHit(memory, scores[row["seq"]] * weight, sure, similarity))
    # With equal scores, the one told last comes first.
    return sorted(found, key=lambda hit: (-hit.score, -hit.memory.told_at))


def _by_words(db: sqlite3.Connection, words: Sequence[str], person: str) -> list[int]:
    if not words:
        return []
    # Each word is quoted, so that nothing in it is an operator of the index.
    spelt = [spelling for word in words[:MOST_TERMS] for spelling in spellings(word)]
    wanted = " OR ".join('"' + word.replace('"', '""') + '"' for word in spelt)
    rows = db.execute(
        "SELECT m.seq FROM memories_text t JOIN memories m ON m.seq = t.rowid"
        " WHERE memories_text MATCH ? AND m.person = ? AND m.superseded_at IS NULL ORDER BY rank LIMIT ?",
        (wanted, person, MOST_CANDIDATES),
    ).fetchall()
    return [row["seq"] for row in rows]


def _by_substrings(db: sqlite3.Connection, query: str, person: str) -> list[int]:
    """For scripts without spaces, and symbols, which the index has no words for."""
    stretches = pieces(query)
    if not stretches:
        return []
    hits = " + ".join("(instr(content, ?) > 0)" for _ in stretches)
    rows = db.execute(
        f"SELECT seq, {hits} AS hits FROM memories WHERE person = ? AND superseded_at IS NULL AND hits > 0"  # noqa: S608
        " ORDER BY hits DESC, told_at DESC LIMIT ?",
        (*stretches, person, MOST_CANDIDATES),
    ).fetchall()
    return [row["seq"] for row in rows]
