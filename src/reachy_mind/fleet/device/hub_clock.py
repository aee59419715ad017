"""`HubClock`: the hub's time, by this machine's monotonic clock: it does not jump when somebody sets the date."""

from __future__ import annotations

import time
from collections.abc import Callable

from reachy_mind.fleet.protocol.frame import now_ms


class HubClock:
    """Unknown until the hub has told its time, which it does at the beginning of each connection."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._offset_ms: int | None = None

    def set(self, hub_ms: int) -> None:
        """The hub's time now."""
        self._offset_ms = hub_ms - round(self._clock() * 1000)

    def now_ms(self) -> int | None:
        """Milliseconds since 1970."""
        return None if self._offset_ms is None else self._offset_ms + round(self._clock() * 1000)

    def ahead_ms(self) -> int | None:
        """How far the hub's clock is ahead of this machine's."""
        now = self.now_ms()
        return None if now is None else now - now_ms()
