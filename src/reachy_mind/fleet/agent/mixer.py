"""`Mixer`: what is played now, mixed into one stream of 16 kHz, and when each sound begins and ends.

A card asks for the samples that leave it from a time on. So a sound that is to begin at a time begins with the right
sample, and one that has no time begins at once. Cards may ask in threads of their own.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import threading
import time
from collections.abc import Callable, Collection
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from reachy_mind.body.media import MAX_QUEUED_S, SAMPLE_RATE_HZ

SoundKind = Literal["chime", "speech", "activity", "alarm"]
ALARM_VOLUME: Final = 90
"""An alarm is at least so loud, whatever the volume is."""


class Playback:
    """A sound that is played, or that is going to be. Made by `Mixer.add`."""

    def __init__(self, mixer: Mixer, kind: SoundKind, at: float | None, *, complete: bool, pcm: bytes) -> None:
        self.kind, self.at = kind, at
        self.played = 0
        """Samples that were given to the card, those that came too late for their time included."""
        self.dropped = False
        """Whether it was silenced before its end."""
        self._mixer, self._loop = mixer, asyncio.get_running_loop()
        self._asked_at = time.monotonic()
        self._queue, self._complete = bytearray(pcm), complete
        self._begun, self._ends_at = False, 0.0
        self._moved, self._over = asyncio.Event(), asyncio.Event()

    @property
    def begins_at(self) -> float:
        """When it should begin, or could at the earliest."""
        return self._asked_at if self.at is None else self.at

    async def write(self, pcm: bytes) -> bool:
        """Queue samples. Waits while more than a second is queued. Returns False when it was silenced."""
        most = round(MAX_QUEUED_S * SAMPLE_RATE_HZ) * 2
        for start in range(0, len(pcm), most):
            while not self._over.is_set() and len(self._queue) > most:
                self._moved.clear()
                await self._moved.wait()
            if self._over.is_set():
                return False
            self._mixer.extend(self, pcm[start : start + most])
        return not self._over.is_set()

    def push(self, pcm: bytes) -> None:
        """Queue samples, without waiting: for somebody who paces them by `played`."""
        self._mixer.extend(self, pcm)

    @property
    def queued(self) -> int:
        """Samples that wait."""
        return len(self._queue) // 2

    def flush(self) -> int:
        """Drop what is queued, and go on with what is written next. Returns the number of samples dropped."""
        return self._mixer.clear(self)

    async def finish(self) -> None:
        """Return when everything was played, or when it was silenced."""
        self._mixer.complete(self)
        await self._over.wait()
        if not self.dropped:
            await asyncio.sleep(max(0.0, self._ends_at - time.monotonic()))

    # Called by the mixer, which has its lock

    def extend(self, pcm: bytes) -> None:
        self._queue += pcm

    def clear(self) -> int:
        dropped = len(self._queue) // 2
        self._queue.clear()
        return dropped

    def complete(self) -> bool:
        """No more comes. Whether it is over by that."""
        self._complete = True
        return not self._queue

    def take(self, begins: float, samples: int) -> tuple[int, bytes]:
        """What it plays among `samples` from the time `begins` on: where it begins there, and its samples."""
        offset = 0
        if not self._begun:
            offset = math.ceil((self.begins_at - begins) * SAMPLE_RATE_HZ - 1e-3)
            if offset >= samples:
                return 0, b""
            self._begun = bool(self._queue)
            if offset < 0 and self.at is not None:  # too late: it stays in time with others that play it
                late = min(-offset, len(self._queue) // 2)
                del self._queue[: 2 * late]
                self.played += late
            offset = max(0, offset)
        pcm = bytes(self._queue[: 2 * (samples - offset)])
        del self._queue[: len(pcm)]
        self.played += len(pcm) // 2
        self._ends_at = begins + (offset + len(pcm) // 2) / SAMPLE_RATE_HZ
        return offset, pcm

    def is_over(self) -> bool:
        return self._complete and not self._queue

    def tell(self, *, over: bool) -> None:
        """Wake who waits, from any thread."""
        with contextlib.suppress(RuntimeError):  # the event loop is closed
            self._loop.call_soon_threadsafe(self._wake, over)

    def _wake(self, over: bool) -> None:
        self._moved.set()
        if over:
            self._over.set()


class Mixer:
    """`on_change` is called when there is something new to play."""

    def __init__(self, volume: int = 100, on_change: Callable[[], None] = lambda: None) -> None:
        self.volume = volume
        self.alarm_volume = ALARM_VOLUME
        self.on_change = on_change
        self._lock = threading.Lock()
        self._playbacks: list[Playback] = []

    def add(self, kind: SoundKind, *, at: float | None = None, pcm: bytes = b"", complete: bool = False) -> Playback:
        """Play a sound, whole or to be continued by `write`, from `at` on (by time.monotonic)."""
        playback = Playback(self, kind, at, complete=complete, pcm=pcm)
        with self._lock:
            self._playbacks.append(playback)
        if playback.is_over():
            self._end(playback)
        self.on_change()
        return playback

    def silence(self, kinds: Collection[SoundKind]) -> None:
        """Drop what is played or waits of these kinds; of all without any."""
        with self._lock:
            dropped = [each for each in self._playbacks if not kinds or each.kind in kinds]
        for each in dropped:
            self.drop(each)

    def drop(self, playback: Playback) -> None:
        """End a sound now."""
        with self._lock:
            if playback not in self._playbacks:
                return
            self._playbacks.remove(playback)
            playback.clear()
        playback.dropped = True
        playback.tell(over=True)

    def next_at(self) -> float | None:
        """When the next sound begins or goes on; None while there is none."""
        with self._lock:
            return min((each.begins_at for each in self._playbacks), default=None)

    def render(self, begins: float, samples: int) -> bytes:
        """The samples that leave the card from the time `begins` on."""
        with self._lock:
            parts = [(each, *each.take(begins, samples)) for each in self._playbacks]
            over = [each for each in self._playbacks if each.is_over()]
            self._playbacks = [each for each in self._playbacks if each not in over]
        for each, _, pcm in parts:
            if pcm or each in over:
                each.tell(over=each in over)
        heard = [(each.kind, offset, pcm) for each, offset, pcm in parts if pcm]
        return self._mixed(heard, samples) if heard else bytes(2 * samples)

    def extend(self, playback: Playback, pcm: bytes) -> None:
        with self._lock:
            playback.extend(pcm)
        self.on_change()

    def clear(self, playback: Playback) -> int:
        with self._lock:
            dropped = playback.clear()
        playback.tell(over=False)
        return dropped

    def complete(self, playback: Playback) -> None:
        with self._lock:
            over = playback.complete() and playback in self._playbacks
        if over:
            self._end(playback)

    def _end(self, playback: Playback) -> None:
        with self._lock:
            self._playbacks = [each for each in self._playbacks if each is not playback]
        playback.tell(over=True)

    def _mixed(self, heard: list[tuple[SoundKind, int, bytes]], samples: int) -> bytes:
        mixed: NDArray[np.float32] = np.zeros(samples, np.float32)
        for kind, offset, pcm in heard:
            volume = max(self.volume, self.alarm_volume) if kind == "alarm" else self.volume
            values = np.frombuffer(pcm, "<i2")
            mixed[offset : offset + len(values)] += values * np.float32((volume / 100) ** 2)
        return np.clip(np.rint(mixed), -32768, 32767).astype("<i2").tobytes()
