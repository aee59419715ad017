"""`SoundcardMicrophone`: a microphone of this machine.

PortAudio calls us in a thread of its own with each block. It only puts it into a bounded queue and wakes the reader.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections import deque
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Self

from reachy_mind.body.media import BLOCK_BYTES, BLOCK_SAMPLES, LATE_S, SAMPLE_RATE_HZ
from reachy_mind.body.media.soundcard import LATENCY_S, Card, Resampler, find, library, running
from reachy_mind.errors import LinkLost, NotReady

BLOCKS_A_S = SAMPLE_RATE_HZ // BLOCK_SAMPLES
MOST_BLOCKS = int(LATE_S * BLOCKS_A_S)
SILENT_S = 3.0
"""A device that gives nothing for so long has gone, whatever PortAudio says."""


class SoundcardMicrophone:
    """Use as `async with`, then `async for`. `hold` is entered before the device is opened, left after it was closed.

    `wanted`: numbers or parts of names, the first that is there. `rate_hz` is what the device is asked for first.
    Of several channels the first is heard.
    """

    def __init__(
        self,
        wanted: Sequence[str] = ("",),
        *,
        rate_hz: int = SAMPLE_RATE_HZ,
        hold: AbstractAsyncContextManager[object] | None = None,
    ) -> None:
        self._wanted, self._rate_hz = wanted, rate_hz
        self._hold = hold or contextlib.nullcontext()
        self._stack = contextlib.AsyncExitStack()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._lock = threading.Lock()
        self._blocks: deque[tuple[int, bytes]] = deque()
        self._ready = asyncio.Event()
        self._told = False
        self._gone = ""
        self._card = Card(-1, "", SAMPLE_RATE_HZ, 1)
        self.lost = 0
        self.position = 0

    @property
    def device(self) -> str:
        """What was opened, in words."""
        return f"{self._card.name}, {self._card.rate} Hz, {self._card.channels} channel(s)"

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """Raises LinkLost when the device has gone."""
        if self._loop is None:
            raise NotReady("the microphone is not open", hint="use it within `async with`")
        resampler = Resampler(self._card.rate, SAMPLE_RATE_HZ)
        heard = bytearray()
        while True:
            missed, block = await self._next()
            skipped = missed * SAMPLE_RATE_HZ // self._card.rate
            self.lost += skipped
            self.position += skipped
            heard += resampler.feed(self._first_channel(block))
            while len(heard) >= BLOCK_BYTES:
                piece = bytes(heard[:BLOCK_BYTES])
                del heard[:BLOCK_BYTES]
                self.position += BLOCK_SAMPLES
                yield piece

    async def _next(self) -> tuple[int, bytes]:
        """The oldest block, and how many samples are missing before it."""
        while True:
            self._ready.clear()
            with self._lock:
                if self._blocks:
                    return self._blocks.popleft()
            if self._gone:
                raise LinkLost(f"the microphone {self._card.name} has gone: {self._gone}", hint="is it plugged in?")
            try:
                async with asyncio.timeout(SILENT_S):
                    await self._ready.wait()
            except TimeoutError:
                self._gone = "it gives no sound any more"

    def _first_channel(self, block: bytes) -> bytes:
        if self._card.channels == 1:
            return block
        import numpy as np  # noqa: PLC0415

        return np.frombuffer(block, np.int16)[:: self._card.channels].tobytes()

    # In PortAudio's thread

    def _heard(self, data: Any, frames: int, _: Any, status: Any) -> None:
        with self._lock:
            missed = frames if status.input_overflow else 0  # at least: PortAudio does not say how many
            self._blocks.append((missed, bytes(data)))
            while len(self._blocks) > MOST_BLOCKS:
                missed, old = self._blocks.popleft()
                after, kept = self._blocks.popleft()
                missed += after + len(old) // (2 * self._card.channels)
                self._blocks.appendleft((missed, kept))
        self._tell()

    def _stopped(self) -> None:
        self._gone = "the device stopped"
        self._tell()

    def _tell(self) -> None:
        """One call waits in the loop at most, however late the loop is."""
        if not self._told and self._loop is not None:
            self._told = True
            with contextlib.suppress(RuntimeError):  # the loop was closed: nobody listens any more
                self._loop.call_soon_threadsafe(self._wake)

    def _wake(self) -> None:
        self._told = False
        self._ready.set()

    async def __aenter__(self) -> Self:
        async with contextlib.AsyncExitStack() as stack:
            await stack.enter_async_context(self._hold)
            self._card = await asyncio.to_thread(find, self._wanted, "input", self._rate_hz)
            self._blocks.clear()
            self._gone, self._told, self.lost, self.position = "", False, 0, 0
            self._loop = asyncio.get_running_loop()
            portaudio = library()
            try:
                stream = await asyncio.to_thread(
                    portaudio.RawInputStream,
                    device=self._card.number,
                    samplerate=self._card.rate,
                    channels=self._card.channels,
                    dtype="int16",
                    blocksize=self._card.rate // BLOCKS_A_S,
                    latency=LATENCY_S,
                    callback=self._heard,
                    finished_callback=self._stopped,
                )
                await stack.enter_async_context(running(stream))
            except portaudio.PortAudioError as error:
                raise NotReady(f"the microphone {self._card.name} can't be opened: {error}") from error
            self._stack = stack.pop_all()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()
        self._loop = None
