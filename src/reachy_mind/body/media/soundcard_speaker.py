"""`SoundcardSpeaker`: a loudspeaker of this machine.

PortAudio's thread calls back for each block. The callback only takes samples from the queue, notes when they will be
played, and wakes the event loop, which updates the progress.
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
from reachy_mind.body.media.playback_progress import PlaybackProgress, parts
from reachy_mind.body.media.soundcard import LATENCY_S, Card, Resampler, running


class SoundcardSpeaker:
    """Use as `async with`. `lease` is entered before the device opens and left after it is closed.

    `wanted`: numbers or parts of names; the first match is used. `rate_hz`: the sample rate to try first. After a flush
    the device still plays its own buffer: up to 60 ms.
    """

    def __init__(
        self,
        wanted: Sequence[str] = ("",),
        *,
        rate_hz: int = SAMPLE_RATE_HZ,
        lease: AbstractAsyncContextManager[object] | None = None,
    ) -> None:
        self._wanted, self._rate_hz = wanted, rate_hz
        self._lease = lease or contextlib.nullcontext()
        self._stack = contextlib.AsyncExitStack()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stream: Any = None
        self._lock = threading.Lock()
        self._begin(Card(-1, "", SAMPLE_RATE_HZ, 1))

    def _begin(self, card: Card) -> None:
        self._card = card
        self._resampler = Resampler(SAMPLE_RATE_HZ, card.rate)
        self._progress = PlaybackProgress("loudspeaker")
        self._queue = bytearray()
        self._call_pending = False
        # In device samples since the start: queued, given to the device, and played.
        self._pushed = self._given = self._left = 0
        self._leaving: deque[tuple[float, int]] = deque()
        self._anchor = (0, 0)
        """A 16 kHz sample and the device sample it became; positions are converted from here."""

    @property
    def device(self) -> str:
        return str(self._card)

    @property
    def written(self) -> int:
        return self._progress.written

    @property
    def position(self) -> int:
        return self._progress.position

    async def write(self, pcm: bytes) -> None:
        """Queue samples. Waits while more than a second is queued. Raises LinkLost."""
        for part in parts(pcm):
            await self._progress.wait_for_space()
            self._progress.check()
            self._push(self._resampler.feed(part))
            self._progress.written += len(part) // 2

    async def drained(self) -> None:
        """Wait until everything written has been played."""
        self._push(self._resampler.end())
        written, pushed = self._progress.written, self._pushed
        await self._progress.until(lambda: self._left >= pushed)
        self._anchor = (written, pushed)
        self._update_position()

    async def flush(self) -> int:
        """Stop playback within a block and the device's buffer. Returns the number of samples dropped."""
        self._progress.check()
        with self._lock:
            self._queue.clear()
            self._pushed = given = self._given
        kept = min(self._progress.written, self._to_16_khz(given))
        dropped, self._progress.written = self._progress.written - kept, kept
        self._anchor = (kept, given)
        self._resampler.clear()
        self._update_position()
        return dropped

    def _push(self, pcm: bytes) -> None:
        with self._lock:
            self._queue += pcm
            self._pushed += len(pcm) // 2

    def _to_16_khz(self, sample: int) -> int:
        """A device sample as a 16 kHz sample."""
        ours, theirs = self._anchor
        return ours + (sample - theirs) * SAMPLE_RATE_HZ // self._card.rate

    def _update_position(self) -> None:
        """Update the position with what has been played by now."""
        self._call_pending = False
        if self._stream is None:
            return
        now = self._stream.time
        with self._lock:
            while self._leaving and self._leaving[0][0] <= now:
                self._left = self._leaving.popleft()[1]
        self._progress.position = max(self._progress.position, min(self._progress.written, self._to_16_khz(self._left)))
        self._progress.wake()

    # Called in PortAudio's thread

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
        self._schedule(self._update_position)

    def _stopped(self) -> None:
        self._call_pending = False
        self._schedule(self._lose)

    def _lose(self) -> None:
        self._progress.lose("the device stopped")

    def _schedule(self, what: Any) -> None:
        """Schedule at most one pending call, even when the event loop is late."""
        if not self._call_pending and self._loop is not None:
            self._call_pending = True
            with contextlib.suppress(RuntimeError):  # the event loop is closed
                self._loop.call_soon_threadsafe(what)

    async def __aenter__(self) -> Self:
        async with contextlib.AsyncExitStack() as stack:
            await stack.enter_async_context(self._lease)
            self._loop = asyncio.get_running_loop()

            def open_stream(portaudio: Any, card: Card) -> Any:
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

            self._stream = await stack.enter_async_context(running(self._wanted, "output", self._rate_hz, open_stream))
            self._progress.opened()
            self._stack = stack.pop_all()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()
        self._stream = self._loop = None
        self._progress.closed()
