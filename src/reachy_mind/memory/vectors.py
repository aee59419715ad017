"""`Vectors`: embeddings of memories, with nearest-neighbour search in those of one person.

They are stored in half precision. The search is exhaustive: ten thousand take a millisecond. Vectors are cached per
person and extended with new ones.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reachy_mind.storage.database import Database

MOST_CACHED_PEOPLE = 16
"""The least recently searched person is evicted."""


@dataclass
class _CachedVectors:
    last_seq: int
    memories: NDArray[np.int64]
    rows: NDArray[np.float32]


class Vectors:
    """In the mind's database. `model`: vectors of other models are ignored."""

    def __init__(self, database: Database, model: str, width: int) -> None:
        self._database, self._model, self._width = database, model, width
        self._cache: dict[str, _CachedVectors] = {}
        self._version = -1

    async def missing(self, limit: int = 64) -> list[tuple[int, str]]:
        """Memories without a vector of this model, newest first: row ids and contents."""
        rows = await self._database.rows(
            "SELECT m.seq, m.content FROM memories m LEFT JOIN vectors v ON v.memory = m.seq AND v.model = ?"
            " WHERE v.memory IS NULL AND m.superseded_at IS NULL ORDER BY m.seq DESC LIMIT ?",
            (self._model, limit),
        )
        return [(row["seq"], row["content"]) for row in rows]

    async def add(self, memories: Sequence[int], rows: NDArray[np.float16]) -> None:
        """Store vectors; those of memories deleted meanwhile are left out."""
        made = [(self._model, row.astype(np.float16).tobytes(), seq) for seq, row in zip(memories, rows, strict=True)]

        def act(db: sqlite3.Connection) -> None:
            db.executemany(
                "INSERT OR REPLACE INTO vectors (model, vector, memory) SELECT ?, ?, seq FROM memories WHERE seq = ?",
                made,
            )

        await self._database.write(act, durable=False)  # they can be computed again

    def clear_cache(self) -> None:
        """Clear the cache, after memories were deleted."""
        self._cache.clear()

    def nearest(
        self, db: sqlite3.Connection, query: NDArray[np.float32], person: str, count: int
    ) -> list[tuple[int, float]]:
        """Row ids of memories and their cosine similarity, nearest first; some may be deleted by now.

        Call it in the database's thread.
        """
        version = db.execute("PRAGMA data_version").fetchone()[0]
        if version != self._version:  # another process has written
            self._cache.clear()
            self._version = version
        cached = self._refresh(db, person)
        if not len(cached.memories):
            return []
        similarity = np.einsum("ij,j->i", cached.rows, query)  # not BLAS: it would wait for busy cores
        best = np.argpartition(-similarity, min(count, len(similarity) - 1))[:count]
        best = best[np.argsort(-similarity[best])]
        return [(int(cached.memories[at]), float(similarity[at])) for at in best]

    def _refresh(self, db: sqlite3.Connection, person: str) -> _CachedVectors:
        cached = self._cache.pop(person, None) or _CachedVectors(
            0, np.empty(0, np.int64), np.empty((0, self._width), np.float32)
        )
        self._cache[person] = cached
        while len(self._cache) > MOST_CACHED_PEOPLE:
            del self._cache[next(iter(self._cache))]
        rows = db.execute(
            "SELECT v.seq, v.memory, v.vector FROM vectors v JOIN memories m ON m.seq = v.memory"
            " WHERE v.seq > ? AND m.person = ? AND v.model = ? ORDER BY v.seq",
            (cached.last_seq, person, self._model),
        ).fetchall()
        if rows:
            new = np.frombuffer(b"".join(row["vector"] for row in rows), np.float16).reshape(len(rows), self._width)
            cached.rows = np.concatenate([cached.rows, new.astype(np.float32)])
            cached.memories = np.concatenate([cached.memories, np.array([row["memory"] for row in rows], np.int64)])
            cached.last_seq = rows[-1]["seq"]
        return cached
