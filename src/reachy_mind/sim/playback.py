"""Where the samples of a sound come from: a `Clip` that is known as a whole, or a `Live` one that is still arriving."""

from __future__ import annotations

import asyncio
from collections import deque

import numpy as np

from reachy_mind.sim.convolution import BLOCK
from reachy_mind.sim.room import Samples

HOLD_BLOCKS = 2
"""A live sound that has no more waits as long before it starts: blocks that come just in time leave no gaps."""


class Clip:
    """A sound that starts at sample `start` of the simulator's time, once or again and again."""

    def __init__(self, samples: Samples, start: int, *, loop: bool = False) -> None:
        self._samples, self._start, self._loop = samples, start, loop

    def take(self, now: int) -> Samples:
        """The block that begins at sample `now`."""
        index = np.arange(now - self._start, now - self._start + BLOCK)
        if self._loop:
            return np.where(index >= 0, self._samples[index % len(self._samples)], np.float32(0))
        inside = (index >= 0) & (index < len(self._samples))
        block = np.zeros(BLOCK, dtype=np.float32)
        block[inside] = self._samples[index[inside]]
        return block

    def over(self, now: int) -> bool:
        return not self._loop and now >= self._start + len(self._samples)


class Live:
    """Samples that somebody feeds as they come. `played` counts those that have been taken."""

    def __init__(self) -> None:
        self.played = 0
        self.queued = 0
        self._parts: deque[Samples] = deque()
        self._held = 0
        self.ended = False
        self._moved = asyncio.Event()

    def feed(self, samples: Samples) -> None:
        if len(samples):
            self._parts.append(samples)
            self.queued += len(samples)

    def end(self) -> None:
        """No more will come: what is there is played out."""
        self.ended = True

    def flush(self) -> int:
        """Forget what has not been played. The number of samples that will not be heard."""
        dropped, self.queued = self.queued, 0
        self._parts.clear()
        self._moved.set()
        return dropped

    async def moved(self) -> None:
        """Wait until something more has been played or forgotten. For one waiter at a time."""
        self._moved.clear()
        await self._moved.wait()

    def take(self, _now: int) -> Samples:
        """The next block, filled up with silence when there is not enough."""
        block = np.zeros(BLOCK, dtype=np.float32)
        if not self.queued:
            self._held = 0
            return block
        self._held += 1
        enough = self.queued > HOLD_BLOCKS * BLOCK
        if self._held <= HOLD_BLOCKS and not enough and not self.ended:
            return block
        self._held = HOLD_BLOCKS + 1
        filled = 0
        while self._parts and filled < BLOCK:
            part = self._parts.popleft()
            used = part[: BLOCK - filled]
            block[filled : filled + len(used)] = used
            filled += len(used)
            if len(used) < len(part):
                self._parts.appendleft(part[len(used) :])
        self.played += filled
        self.queued -= filled
        self._moved.set()
        return block

    def over(self, _now: int) -> bool:
        return self.ended and not self.queued
