"""`Vectors`: the memories' vectors, and which of a person's are nearest to one.

They are kept in half precision and looked through one person at a time, all of them: at ten thousand that takes a
millisecond. What was read once stays in memory and grows with what is added.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reachy_mind.database import Database

MOST_PEOPLE = 16
"""Whose vectors are kept in memory at once."""


@dataclass
class _Known:
    upto: int
    memories: NDArray[np.int64]
    rows: NDArray[np.float32]


class Vectors:
    """All of them, in the mind's database."""

    def __init__(self, database: Database, model: str, width: int) -> None:
        self._database, self._model, self._width = database, model, width
        self._known: dict[str, _Known] = {}
        self._version = -1

    async def missing(self, limit: int = 64) -> list[tuple[int, str]]:
        """Memories that have none of this model yet, newest first: their numbers and contents."""
        rows = await self._database.rows(
            "SELECT m.seq, m.content FROM memories m LEFT JOIN vectors v ON v.memory = m.seq AND v.model = ?"
            " WHERE v.memory IS NULL AND m.superseded_at IS NULL ORDER BY m.seq DESC LIMIT ?",
            (self._model, limit),
        )
        return [(row["seq"], row["content"]) for row in rows]

    async def add(self, memories: Sequence[int], rows: NDArray[np.float16]) -> None:
        """Those of memories that are gone meanwhile are left out."""
        made = [(self._model, row.astype(np.float16).tobytes(), seq) for seq, row in zip(memories, rows, strict=True)]

        def act(db: sqlite3.Connection) -> None:
            db.executemany(
                "INSERT OR REPLACE INTO vectors (model, vector, memory) SELECT ?, ?, seq FROM memories WHERE seq = ?",
                made,
            )

        await self._database.write(act)

    def drop(self) -> None:
        """Forget what was read, after something was deleted."""
        self._known.clear()

    def nearest(
        self, db: sqlite3.Connection, query: NDArray[np.float32], person: str, count: int
    ) -> list[tuple[int, float]]:
        """Numbers of memories and how near they are (1 is the same), nearest first; some may be gone by now.

        In the database's thread.
        """
        version = db.execute("PRAGMA data_version").fetchone()[0]
        if version != self._version:  # another process has written
            self._known.clear()
            self._version = version
        known = self._grown(db, person)
        if not len(known.memories):
            return []
        nearness = np.einsum("ij,j->i", known.rows, query)  # BLAS would wait for other cores, which are busy
        best = np.argpartition(-nearness, min(count, len(nearness) - 1))[:count]
        best = best[np.argsort(-nearness[best])]
        return [(int(known.memories[at]), float(nearness[at])) for at in best]

    def _grown(self, db: sqlite3.Connection, person: str) -> _Known:
        known = self._known.pop(person, None) or _Known(
            0, np.empty(0, np.int64), np.empty((0, self._width), np.float32)
        )
        self._known[person] = known
        while len(self._known) > MOST_PEOPLE:
            del self._known[next(iter(self._known))]
        rows = db.execute(
            "SELECT v.seq, v.memory, v.vector FROM vectors v JOIN memories m ON m.seq = v.memory"
            " WHERE v.seq > ? AND m.person = ? AND v.model = ? ORDER BY v.seq",
            (known.upto, person, self._model),
        ).fetchall()
        if rows:
            new = np.frombuffer(b"".join(row["vector"] for row in rows), np.float16).reshape(len(rows), self._width)
            known.rows = np.concatenate([known.rows, new.astype(np.float32)])
            known.memories = np.concatenate([known.memories, np.array([row["memory"] for row in rows], np.int64)])
            known.upto = rows[-1]["seq"]
        return known
