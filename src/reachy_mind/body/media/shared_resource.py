"""`SharedResource`: a reference-counted context manager: opened for the first user, closed after the last."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Generic, TypeVar

T = TypeVar("T")


class SharedResource(AbstractAsyncContextManager[T], Generic[T]):
    """It can be entered several times at once; `make` creates the resource for the first user."""

    def __init__(self, make: Callable[[], AbstractAsyncContextManager[T]]) -> None:
        self._make = make
        self._lock = asyncio.Lock()
        self._users = 0
        self._open: tuple[AbstractAsyncContextManager[T], T] | None = None

    async def __aenter__(self) -> T:
        async with self._lock:
            if self._open is None:
                thing = self._make()
                self._open = thing, await thing.__aenter__()
            self._users += 1
            return self._open[1]

    async def __aexit__(self, *_: object) -> None:
        async with self._lock:
            self._users -= 1
            if self._users == 0 and self._open is not None:
                (thing, _value), self._open = self._open, None
                await thing.__aexit__(None, None, None)
