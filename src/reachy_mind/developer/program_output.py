"""`ProgramOutput`: what a program writes, its beginning and its end, within limits."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Callable

HEAD_BYTES, TAIL_BYTES = 8 << 10, 48 << 10
CHUNK = 1 << 16
_PERCENT = re.compile(rb"(?<![\d.])(100|\d{1,2}) ?%")

Heard = Callable[[bytes], None]


class ProgramOutput:
    """Reads a pipe until all writers are gone, or more than `most` bytes came: then `too_much` is set."""

    def __init__(self, pipe: int, most: int, heard: Heard | None = None) -> None:
        self._pipe, self._most, self._heard = pipe, most, heard
        self._head, self._tail = bytearray(), bytearray()
        self._count = 0
        self.too_much = asyncio.Event()
        self._ended = asyncio.Event()
        os.set_blocking(pipe, False)
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(pipe, self._take)

    def _take(self) -> None:
        try:
            data = os.read(self._pipe, CHUNK)
        except BlockingIOError:
            return
        if not data:
            self.close()
            return
        self._count += len(data)
        room = HEAD_BYTES - len(self._head)
        self._head += data[:room]
        self._tail += data[max(room, 0) :]
        del self._tail[:-TAIL_BYTES]
        if self._heard is not None:
            self._heard(data)
        if self._count > self._most:
            self.too_much.set()
            self.close()

    async def ended(self, timeout_s: float) -> None:
        """Wait until the last writer is gone."""
        try:
            async with asyncio.timeout(timeout_s):
                await self._ended.wait()
        except TimeoutError:
            self.close()

    def close(self) -> None:
        if not self._ended.is_set():
            self._loop.remove_reader(self._pipe)
            os.close(self._pipe)
            self._ended.set()

    @property
    def cut(self) -> bool:
        return self._count > len(self._head) + len(self._tail)

    @property
    def data(self) -> bytes:
        return bytes(self._head + (b"\n[...]\n" if self.cut else b"") + self._tail)


def percent(data: bytes) -> float | None:
    """The last share of the work that a program tells in its output, as `[ 45%]`; None for none."""
    found = [*_PERCENT.finditer(data[-2000:])]
    return int(found[-1][1]) / 100 if found else None


def last_line(data: bytes) -> str:
    """The last line with something in it."""
    lines = [line.strip() for line in data[-2000:].replace(b"\r", b"\n").split(b"\n")]
    return next((line for line in reversed(lines) if line), b"").decode("utf-8", "replace")
