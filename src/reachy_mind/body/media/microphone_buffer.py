"""`MicrophoneBuffer`: bounded queue between a microphone's thread and its reader; drops the oldest blocks."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections import deque

from reachy_mind.body.media import BLOCK_SAMPLES, MAX_READER_LAG_S, SAMPLE_RATE_HZ
from reachy_mind.errors import LinkLost

BLOCKS_PER_S = SAMPLE_RATE_HZ // BLOCK_SAMPLES
MAX_BLOCKS = int(MAX_READER_LAG_S * BLOCKS_PER_S)
SILENCE_TIMEOUT_S = 3.0
"""A device that delivers nothing for this long counts as lost."""


class MicrophoneBuffer:
    """Passes blocks from any thread to one reader in the event loop. `what` names the microphone in errors."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._loop = asyncio.get_running_loop()
        self._lock = threading.Lock()
        self._blocks: deque[tuple[int, int, bytes]] = deque()
        self._ready = asyncio.Event()
        self._wake_pending = False
        self._gone = ""

    def put(self, block: bytes, samples: int, missed: int = 0) -> None:
        """Add a block; `missed`: samples the device lost before it. Thread-safe."""
        with self._lock:
            self._blocks.append((missed, samples, block))
            while len(self._blocks) > MAX_BLOCKS:
                before, lost, _ = self._blocks.popleft()
                missed, samples, block = self._blocks.popleft()
                self._blocks.appendleft((before + lost + missed, samples, block))
        self._schedule_wake()

    def end(self, reason: str) -> None:
        """Mark the end of the stream. Thread-safe."""
        self._gone = self._gone or reason
        self._schedule_wake()

    async def take(self) -> tuple[int, bytes]:
        """The number of samples lost before the oldest block, and the block. Raises LinkLost at the end."""
        while True:
            self._ready.clear()
            with self._lock:
                if self._blocks:
                    missed, _, block = self._blocks.popleft()
                    return missed, block
            if self._gone:
                raise LinkLost(f"the {self._what} has gone: {self._gone}", hint="is it still there, and switched on?")
            try:
                async with asyncio.timeout(SILENCE_TIMEOUT_S):
                    await self._ready.wait()
            except TimeoutError:
                self.end("it delivers no more sound")

    def _schedule_wake(self) -> None:
        """Schedule at most one pending call, even when the event loop is late."""
        if not self._wake_pending:
            self._wake_pending = True
            with contextlib.suppress(RuntimeError):  # the event loop is closed
                self._loop.call_soon_threadsafe(self._wake)

    def _wake(self) -> None:
        self._wake_pending = False
        self._ready.set()
