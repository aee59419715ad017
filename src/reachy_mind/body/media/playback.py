"""`SoundcardSpeaker`: a loudspeaker of this machine.

PortAudio calls us in a thread of its own for each block. It only takes what is due from the queue, notes when that will
leave the device, and wakes the loop, which keeps the tally.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections import deque
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Self

from reachy_mind.body.media import BLOCK_SAMPLES, SAMPLE_RATE_HZ
from reachy_mind.body.media.soundcard import LATENCY_S, Card, Resampler, running
from reachy_mind.body.media.tally import Tally, parts


class SoundcardSpeaker:
    """Use as `async with`. `hold` is entered before the device is opened and left after it was closed.

    `wanted`: numbers or parts of names, the first that is there. `rate_hz` is what the device is asked for first.
    After a flush the device plays what it was given already: up to 60 ms.
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
        self._stream: Any = None
        self._lock = threading.Lock()
        self._begin(Card(-1, "", SAMPLE_RATE_HZ, 1))

    def _begin(self, card: Card) -> None:
        self._card = card
        self._resampler = Resampler(SAMPLE_RATE_HZ, card.rate)
        self._tally = Tally("loudspeaker")
        self._queue = bytearray()
        self._told = False
        # In samples of the device, since the start: put into the queue, given to the device, and left it.
        self._pushed = self._given = self._left = 0
        self._leaving: deque[tuple[float, int]] = deque()
        self._anchor = (0, 0)
        """A sample of ours and the device's sample that it became: between rates, positions count from here."""

    @property
    def device(self) -> str:
        return str(self._card)

    @property
    def written(self) -> int:
        return self._tally.written

    @property
    def position(self) -> int:
        return self._tally.position

    async def write(self, pcm: bytes) -> None:
        """Play this after what was written before. Waits while more than a second is still to be played."""
        for part in parts(pcm):
            await self._tally.room()
            self._tally.check()
            self._push(self._resampler.feed(part))
            self._tally.written += len(part) // 2

    async def drained(self) -> None:
        """Wait until everything written has been played."""
        self._push(self._resampler.end())
        written, pushed = self._tally.written, self._pushed
        await self._tally.until(lambda: self._left >= pushed)
        self._anchor = (written, pushed)
        self._follow()

    async def flush(self) -> int:
        """Fall silent within a block and what the device holds. The number of written samples nobody will hear."""
        self._tally.check()
        with self._lock:
            self._queue.clear()
            self._pushed = given = self._given
        kept = min(self._tally.written, self._ours(given))
        dropped, self._tally.written = self._tally.written - kept, kept
        self._anchor = (kept, given)
        self._resampler.clear()
        self._follow()
        return dropped

    def _push(self, pcm: bytes) -> None:
        with self._lock:
            self._queue += pcm
            self._pushed += len(pcm) // 2

    def _ours(self, sample: int) -> int:
        """A sample of the device, as one of ours."""
        ours, theirs = self._anchor
        return ours + (sample - theirs) * SAMPLE_RATE_HZ // self._card.rate

    def _follow(self) -> None:
        """What has left the device by now."""
        self._told = False
        if self._stream is None:
            return
        now = self._stream.time
        with self._lock:
            while self._leaving and self._leaving[0][0] <= now:
                self._left = self._leaving.popleft()[1]
        self._tally.position = max(self._tally.position, min(self._tally.written, self._ours(self._left)))
        self._tally.wake()

    # In PortAudio's thread

    def _play(self, out: Any, frames: int, times: Any, _: Any) -> None:
        with self._lock:
            pcm = bytes(self._queue[: 2 * frames])
            del self._queue[: 2 * frames]
            taken = len(pcm) // 2
            if taken:
                self._given += taken
                starts = max(times.outputBufferDacTime, times.currentTime)
                self._leaving.append((starts + taken / self._card.rate, self._given))
        pcm = pcm.ljust(2 * frames, b"\0")
        if self._card.channels > 1:
            import numpy as np  # noqa: PLC0415

            pcm = np.repeat(np.frombuffer(pcm, np.int16), self._card.channels).tobytes()
        out[:] = pcm
        self._tell(self._follow)

    def _stopped(self) -> None:
        self._told = False
        self._tell(self._lose)

    def _lose(self) -> None:
        self._tally.lose("the device stopped")

    def _tell(self, what: Any) -> None:
        """One call waits in the loop at most, however late the loop is."""
        if not self._told and self._loop is not None:
            self._told = True
            with contextlib.suppress(RuntimeError):  # the loop was closed: nobody listens any more
                self._loop.call_soon_threadsafe(what)

    async def __aenter__(self) -> Self:
        async with contextlib.AsyncExitStack() as stack:
            await stack.enter_async_context(self._hold)
            self._loop = asyncio.get_running_loop()

            def made(portaudio: Any, card: Card) -> Any:
                self._begin(card)
                return portaudio.RawOutputStream(
                    device=card.number,
                    samplerate=card.rate,
                    channels=card.channels,
                    dtype="int16",
                    blocksize=card.rate * BLOCK_SAMPLES // SAMPLE_RATE_HZ,
                    latency=LATENCY_S,
                    callback=self._play,
                    finished_callback=self._stopped,
                )

            self._stream = await stack.enter_async_context(running(self._wanted, "output", self._rate_hz, made))
            self._tally.opened()
            self._stack = stack.pop_all()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()
        self._stream = self._loop = None
        self._tally.closed()
