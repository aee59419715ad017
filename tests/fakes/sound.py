"""A room with one microphone and one loudspeaker, in real time, written against the protocols of `body.media`.

People in it say what a test lets them say; what the loudspeaker plays comes back into the microphone.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any, Self

import numpy as np

from reachy_mind.body.media import BLOCK_SAMPLES, SAMPLE_RATE_HZ, Media, unavailable

ECHO, ECHO_DELAY = 0.5, SAMPLE_RATE_HZ // 25


class Room:
    """Use as `async with`. `heard` and `played` are everything so far; `echo` is how much of the voice comes back,
    `lost` how many samples the microphone lost."""

    def __init__(self, echo: float = ECHO) -> None:
        self.echo, self.lost = echo, 0
        self.played = np.zeros(0, dtype=np.int16)
        self.queue = np.zeros(0, dtype=np.int16)
        self._voice = np.zeros(0, dtype=np.int16)
        self._blocks: asyncio.Queue[bytes] = asyncio.Queue()
        self._silent = asyncio.Event()
        self._noise = np.random.default_rng(1)
        self._clock: asyncio.Task[None] | None = None
        self._past = np.zeros(0, dtype=np.int16)
        """What left the loudspeaker, silence included."""

    @property
    def media(self) -> Media:
        return Media("none", "a test", unavailable("camera", "a test", ""), lambda: Hears(self), lambda: Plays(self))

    async def say(self, pcm: bytes) -> None:
        """Until it has been heard."""
        self._silent.clear()
        self._voice = np.concatenate([self._voice, np.frombuffer(pcm, "<i2")])
        await self._silent.wait()

    async def __aenter__(self) -> Self:
        self._clock = asyncio.create_task(self._run())
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._clock is not None
        self._clock.cancel()
        await asyncio.wait([self._clock])

    async def _run(self) -> None:
        due = asyncio.get_running_loop().time()
        while True:
            due += BLOCK_SAMPLES / SAMPLE_RATE_HZ
            await asyncio.sleep(due - asyncio.get_running_loop().time())
            self._tick()

    def _tick(self) -> None:
        out, self.queue = self.queue[:BLOCK_SAMPLES], self.queue[BLOCK_SAMPLES:]
        self.played = np.concatenate([self.played, out])
        self._past = np.concatenate([self._past, np.pad(out, (0, BLOCK_SAMPLES - len(out)))])
        voice, self._voice = self._voice[:BLOCK_SAMPLES], self._voice[BLOCK_SAMPLES:]
        back = self._past[len(self._past) - BLOCK_SAMPLES - ECHO_DELAY :][:BLOCK_SAMPLES]
        block = self._noise.normal(0, 12, BLOCK_SAMPLES)
        block[: len(voice)] += voice
        block[BLOCK_SAMPLES - len(back) :] += self.echo * back
        self._blocks.put_nowait(np.clip(block, -32768, 32767).astype("<i2").tobytes())
        if not len(self._voice):
            self._silent.set()

    async def block(self) -> bytes:
        return await self._blocks.get()


class Hears:
    """The microphone."""

    device = "a microphone of a test"

    def __init__(self, room: Room) -> None:
        self._room = room
        self.lost = self.position = 0

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while True:
            block = await self._room.block()
            self.lost = self._room.lost
            yield block
            self.position += BLOCK_SAMPLES

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None: ...


class Plays:
    """The loudspeaker."""

    device = "a loudspeaker of a test"

    def __init__(self, room: Room) -> None:
        self._room = room
        self.written = 0

    @property
    def position(self) -> int:
        return self.written - len(self._room.queue)

    async def write(self, pcm: bytes) -> None:
        self._room.queue = np.concatenate([self._room.queue, np.frombuffer(pcm, "<i2")])
        self.written += len(pcm) // 2

    async def drained(self) -> None:
        raise NotImplementedError

    async def flush(self) -> int:
        dropped, self._room.queue = len(self._room.queue), self._room.queue[:0]
        self.written -= dropped
        return dropped

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: Any) -> None: ...
