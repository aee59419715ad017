"""`Clock`: a loudspeaker that does not say what it has played, reckoned by the time that has passed."""

from __future__ import annotations

import asyncio
import time

from reachy_mind.body.media import AHEAD_S, SAMPLE_RATE_HZ


class Clock:
    """Counts in samples of 16 kHz: `written` was handed over, less what was flushed; `position` has been played."""

    def __init__(self) -> None:
        self.written = 0
        self._base, self._began = 0, 0.0

    @property
    def position(self) -> int:
        return min(self.written, self._base + int((time.monotonic() - self._began) * SAMPLE_RATE_HZ))

    def write(self, samples: int) -> None:
        """They are played after those before; at once, if those have been played."""
        if self.position >= self.written:
            self._base, self._began = self.written, time.monotonic()
        self.written += samples

    def flush(self, played: int | None = None) -> int:
        """Forget what has not been played (`played` has, for one who knows); how much that was."""
        kept = self.position if played is None else min(played, self.written)
        dropped, self.written = self.written - kept, kept
        self._base, self._began = kept, time.monotonic()
        return dropped

    async def room(self) -> None:
        """Wait while more than a second is still to be played."""
        await self.until(self.written - round(AHEAD_S * SAMPLE_RATE_HZ))

    async def until(self, position: int) -> None:
        while (missing := min(position, self.written) - self.position) > 0:  # noqa: ASYNC110 -- time has no event
            await asyncio.sleep(missing / SAMPLE_RATE_HZ)
