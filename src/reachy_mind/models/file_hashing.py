"""Hashing and copying big files in a thread, so that the event loop is not blocked, with cancellation."""

from __future__ import annotations

import asyncio
import hashlib
import threading
from collections.abc import Callable
from pathlib import Path
from typing import IO, Concatenate, ParamSpec, TypeVar

CHUNK = 1 << 20
P = ParamSpec("P")
T = TypeVar("T")


class ThreadCancelled(BaseException):
    """Raised in a thread whose caller was cancelled; it never leaves `run_in_thread`."""


class CancelFlag(threading.Event):
    """Tells a thread to give up; loops over bytes call `check` once per chunk."""

    def check(self) -> None:
        if self.is_set():
            raise ThreadCancelled


async def run_in_thread(function: Callable[Concatenate[CancelFlag, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run `function(stop, ...)` in a thread. A cancelled caller waits for the thread to give up before it goes on,
    so that nothing is written after it has released its lock."""
    stop = CancelFlag()
    task = asyncio.ensure_future(asyncio.to_thread(function, stop, *args, **kwargs))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        stop.set()
        await asyncio.wait([task])
        task.exception()  # retrieve it, else asyncio logs it
        raise


def copy(stop: CancelFlag, source: IO[bytes], target: IO[bytes] | None, digest: hashlib._Hash) -> int:
    """Read `source` to its end into `digest`, and into `target` if there is one: the number of bytes."""
    size = 0
    while chunk := source.read(CHUNK):
        stop.check()
        digest.update(chunk)
        size += len(chunk)
        if target is not None:
            target.write(chunk)
    return size


def sha256_of(stop: CancelFlag, path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        copy(stop, file, None, digest)
    return digest.hexdigest()
