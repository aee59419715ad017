"""`PlaybackClock`: estimates the playback position by elapsed time, for a speaker that does not report it."""

from __future__ import annotations

import asyncio
import time

from reachy_mind.body.media import MAX_QUEUED_S, SAMPLE_RATE_HZ


class PlaybackClock:
    """In samples of 16 kHz: `written`, less what was flushed, and `position`, what has been played."""

    def __init__(self) -> None:
        self.written = 0
        self._base, self._began = 0, 0.0

    @property
    def position(self) -> int:
        return min(self.written, self._base + int((time.monotonic() - self._began) * SAMPLE_RATE_HZ))

    def write(self, samples: int) -> None:
        """Queue samples behind those written before."""
        if self.position >= self.written:
            self._base, self._began = self.written, time.monotonic()
        self.written += samples

    def flush(self, played: int | None = None) -> int:
        """Drop what has not been played and return how much. `played`: the real position, if known."""
        kept = self.position if played is None else min(played, self.written)
        dropped, self.written = self.written - kept, kept
        self._base, self._began = kept, time.monotonic()
        return dropped

    async def wait_for_space(self) -> None:
        """Wait while more than a second is queued."""
        await self.until(self.written - round(MAX_QUEUED_S * SAMPLE_RATE_HZ))

    async def until(self, position: int) -> None:
        while (missing := min(position, self.written) - self.position) > 0:  # noqa: ASYNC110 -- time has no event
            await asyncio.sleep(missing / SAMPLE_RATE_HZ)
