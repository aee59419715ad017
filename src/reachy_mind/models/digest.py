"""Reading, hashing and copying big files in a thread, so that the event loop keeps turning."""

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


class Stopped(BaseException):
    """Raised in a thread whose caller was cancelled; it never leaves `off_loop`."""


class Stop(threading.Event):
    """Told to a thread to give up; loops over bytes call `check` once per chunk."""

    def check(self) -> None:
        if self.is_set():
            raise Stopped


async def off_loop(function: Callable[Concatenate[Stop, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run `function(stop, ...)` in a thread. A cancelled caller waits for the thread to give up before it goes on,
    so that nothing is written behind its back once it has let go of its lock."""
    stop = Stop()
    task = asyncio.ensure_future(asyncio.to_thread(function, stop, *args, **kwargs))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        stop.set()
        await asyncio.wait([task])
        task.exception()  # read it, or asyncio complains; the cancellation is what counts
        raise


def copy(stop: Stop, source: IO[bytes], target: IO[bytes] | None, digest: hashlib._Hash) -> int:
    """Read `source` to its end into `digest`, and into `target` if there is one: the number of bytes."""
    size = 0
    while chunk := source.read(CHUNK):
        stop.check()
        digest.update(chunk)
        size += len(chunk)
        if target is not None:
            target.write(chunk)
    return size


def sha256_of(stop: Stop, path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        copy(stop, file, None, digest)
    return digest.hexdigest()
