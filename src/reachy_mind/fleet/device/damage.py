"""When a device's store holds nonsense: the error that has it put aside (`store.py`)."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from reachy_mind.storage.database import DatabaseError
from reachy_mind.storage.faults import StorageFault


def damaged(what: str, problem: str) -> DatabaseError:
    """`what`: the file, or what in it."""
    return DatabaseError(f"{what}: {problem}", fault=StorageFault("damaged", problem, "it is put aside"))


@contextlib.contextmanager
def making_sense_of(what: str) -> Iterator[None]:
    """Around code that reads rows and does nothing else: rows without sense are damage that SQLite did not notice."""
    try:
        yield
    except (ValueError, TypeError, LookupError) as error:
        raise damaged(what, f"it makes no sense ({type(error).__name__}: {str(error)[:200]})") from error
