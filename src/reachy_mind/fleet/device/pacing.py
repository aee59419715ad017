"""How fast a device may go: `Pace` between its messages, `ReconnectDelays` between its attempts to connect."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Final

from reachy_mind.fleet.protocol.limits import FIRST_DELAY_S, MAX_DELAY_S, ConnectionLimits

SLOWEST_PER_S: Final = 0.1
"""A device does not let itself be told to be slower."""
CLOCK_MARGIN: Final = 0.95
"""The hub's clock may run a little slower than ours."""


class Pace:
    """A token bucket: `per_s` a second, up to `burst` at once after a pause."""

    __slots__ = ("_at", "_burst", "_clock", "_left", "_per_s")

    def __init__(self, per_s: float, burst: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_s, self._burst, self._clock = max(SLOWEST_PER_S, per_s * CLOCK_MARGIN), max(1.0, burst), clock
        self._left, self._at = self._burst, clock()

    @classmethod
    def of_messages(cls, limits: ConnectionLimits, clock: Callable[[], float] = time.monotonic) -> Pace:
        """Within the hub's limit on messages.

        What a stalled network held back reaches the hub all at once, up to a whole window of events. So the bucket is
        smaller than the hub's by a window: a device that recovers from a stall is not taken for a flood.
        """
        return cls(limits.rate_per_s, limits.burst - max(0, limits.window), clock)

    def available(self) -> int:
        """How much may be sent now."""
        now = self._clock()
        self._left = min(self._burst, self._left + max(0.0, now - self._at) * self._per_s)
        self._at = now
        return int(self._left)

    def take(self, amount: float = 1.0) -> None:
        """It is sent, perhaps something urgent that did not wait."""
        self._left = max(-self._burst, self._left - amount)

    def wait_s(self) -> float:
        """Until the next message may be sent."""
        return 0.0 if self.available() >= 1 else (1 - self._left) / self._per_s


class ReconnectDelays:
    """Delays that grow up to a limit, each multiplied by a random factor, so that many devices do not come at once."""

    def __init__(
        self, first_s: float = FIRST_DELAY_S, longest_s: float = MAX_DELAY_S, jitter: tuple[float, float] = (0.3, 1.0)
    ) -> None:
        self._first_s, self._longest_s, self._jitter = first_s, longest_s, jitter
        self._failures = 0

    def next_s(self) -> float:
        longest = min(self._longest_s, self._first_s * 2.0 ** min(self._failures, 32))
        self._failures += 1
        return longest * random.uniform(*self._jitter)  # noqa: S311 -- jitter

    def reset(self) -> None:
        """A connection was good."""
        self._failures = 0
