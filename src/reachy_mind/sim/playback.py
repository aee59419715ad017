"""Sounds to play: a `SoundClip` that is known as a whole, read from a WAV file, or a `LiveSound` that is streamed."""

from __future__ import annotations

import asyncio
from collections import deque

import numpy as np

from reachy_mind.body import wav
from reachy_mind.body.wav import Samples
from reachy_mind.errors import InvalidParameter
from reachy_mind.sim.convolution import BLOCK

HOLD_BLOCKS = 2
"""A live sound that ran out of samples waits this long before it plays again: blocks that come just in time leave no
gaps."""
MAX_CLIP_S = 300


def read_clip(data: bytes) -> Samples:
    """The sound of a WAV file. Raises InvalidParameter, also for one without sound or longer than `MAX_CLIP_S`."""
    samples = wav.read(data, MAX_CLIP_S)
    if not len(samples):
        raise InvalidParameter("the WAV file has no sound in it", hint=wav.HINT)
    return samples


class SoundClip:
    """A sound that starts at sample `start` of the simulator's time, once or in a loop."""

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


class LiveSound:
    """Samples fed as they arrive. `played` counts the samples taken."""

    def __init__(self) -> None:
        self.played = 0
        self.queued = 0
        self._parts: deque[Samples] = deque()
        self._held = 0
        self.ended = False
        self._progressed = asyncio.Event()

    def feed(self, samples: Samples) -> None:
        if len(samples):
            self._parts.append(samples)
            self.queued += len(samples)

    def end(self) -> None:
        """End of input: the queue is played out."""
        self.ended = True

    def flush(self) -> int:
        """Drop the queue. Returns the number of dropped samples."""
        dropped, self.queued = self.queued, 0
        self._parts.clear()
        self._progressed.set()
        return dropped

    async def progressed(self) -> None:
        """Wait until more samples were played or dropped. For one waiter at a time."""
        self._progressed.clear()
        await self._progressed.wait()

    def take(self, _now: int) -> Samples:
        """The next block, padded with silence."""
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
        self._progressed.set()
        return block

    def over(self, _now: int) -> bool:
        return self.ended and not self.queued
