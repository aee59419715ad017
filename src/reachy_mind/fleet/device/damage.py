"""`damaged`: the error that says that a device's store holds nonsense, so that it is put aside (`store.py`)."""

from __future__ import annotations

from reachy_mind.storage.database import DatabaseError
from reachy_mind.storage.faults import StorageFault


def damaged(what: str, problem: str) -> DatabaseError:
    """`what`: the file, or what in it."""
    return DatabaseError(f"{what}: {problem}", fault=StorageFault("damaged", problem, "it is put aside"))
