"""`Backlog`: what a microphone has heard and nobody has read yet; bounded, the oldest goes first."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections import deque

from reachy_mind.body.media import BLOCK_SAMPLES, LATE_S, SAMPLE_RATE_HZ
from reachy_mind.errors import LinkLost

BLOCKS_A_S = SAMPLE_RATE_HZ // BLOCK_SAMPLES
MOST_BLOCKS = int(LATE_S * BLOCKS_A_S)
SILENT_S = 3.0
"""A device that gives nothing for so long has gone, whatever it says."""


class Backlog:
    """Blocks from any thread to one reader in the event loop. `what` names the microphone in errors."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._loop = asyncio.get_running_loop()
        self._lock = threading.Lock()
        self._blocks: deque[tuple[int, int, bytes]] = deque()
        self._ready = asyncio.Event()
        self._told = False
        self._gone = ""

    def put(self, block: bytes, samples: int, missed: int = 0) -> None:
        """A block, and how many samples the device lost before it. From any thread."""
        with self._lock:
            self._blocks.append((missed, samples, block))
            while len(self._blocks) > MOST_BLOCKS:
                before, lost, _ = self._blocks.popleft()
                missed, samples, block = self._blocks.popleft()
                self._blocks.appendleft((before + lost + missed, samples, block))
        self._tell()

    def end(self, reason: str) -> None:
        """No more will come. From any thread."""
        self._gone = self._gone or reason
        self._tell()

    async def take(self) -> tuple[int, bytes]:
        """How many samples are missing before the oldest block, and the block. Raises LinkLost after the end."""
        while True:
            self._ready.clear()
            with self._lock:
                if self._blocks:
                    missed, _, block = self._blocks.popleft()
                    return missed, block
            if self._gone:
                raise LinkLost(f"the {self._what} has gone: {self._gone}", hint="is it still there, and switched on?")
            try:
                async with asyncio.timeout(SILENT_S):
                    await self._ready.wait()
            except TimeoutError:
                self.end("it gives no sound any more")

    def _tell(self) -> None:
        """One call waits in the loop at most, however late the loop is."""
        if not self._told:
            self._told = True
            with contextlib.suppress(RuntimeError):  # the loop was closed: nobody listens any more
                self._loop.call_soon_threadsafe(self._wake)

    def _wake(self) -> None:
        self._told = False
        self._ready.set()
