"""`ClockEstimate`: the hub's clock, estimated from questions and answers by a Kalman filter of two states.

The states are the offset between the hub's clock and this machine's monotonic clock, and its drift. A sample is the
middle of a round trip; it is wrong by at most half of the trip, so its variance is that of an even distribution over
it. Long trips count little, and one that contradicts what is known is left out.

What it can't know: a path that takes longer in one direction shifts the estimate by half of the difference. The shift
is the same for all devices on such a path, so they still sound together; against the hub's clock they are off by it.

A machine that was suspended, or a hub whose clock was set, contradicts everything that was known: after some such
samples in a row the estimate begins anew (`restarts`).
"""

from __future__ import annotations

import asyncio
import math
import time
from collections import deque
from collections.abc import Callable
from typing import Final

BURST: Final = 8
"""Questions in quick succession at the beginning of a connection; before so many samples none is left out."""
BURST_INTERVAL_S: Final = 0.1
HURRIED_INTERVAL_S: Final = 1.0
RESTING_INTERVAL_S: Final = 30.0
SMALLEST_VARIANCE: Final = 1e-10
"""Of a sample, in s²: timestamps are no better than 10 us."""
OFFSET_NOISE: Final = 1e-10
DRIFT_NOISE: Final = 1e-14
"""How fast both wander, per second."""
FIRST_DRIFT_VARIANCE: Final = 1e-8
"""A drift of 100 ppm is one standard deviation."""
GATE: Final = 4.0
"""Standard deviations."""
RESTART_AFTER: Final = 4
"""Contradicting samples in a row."""
KEPT_TRIPS: Final = 100
USUAL_TRIPS: Final = 0.99


class ClockEstimate:
    """Lives as long as the device's program. `clock`: this machine's monotonic clock, in seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self.asked_for = asyncio.Event()
        self.restarts = 0
        self.samples = 0
        """Since the last restart."""
        self._base = 0.0
        """The first offset: what is estimated is the small rest, which a float holds precisely."""
        self._at = 0.0
        self._offset = self._drift = 0.0
        self._p = (0.0, 0.0, 0.0)
        """Variance of the offset, covariance, variance of the drift."""
        self._contradictions = 0
        self._burst = BURST
        self._hurried = 0
        self._trips: deque[float] = deque(maxlen=KEPT_TRIPS)
        self._good = asyncio.Event()

    def note(self, t0: float, t1: float, t2: float, t3: float) -> None:
        """Take an answer: milliseconds, `t0` and `t3` by this machine's monotonic clock, `t1` and `t2` by the hub's."""
        trip = ((t3 - t0) - (t2 - t1)) / 1000
        if not all(map(math.isfinite, (t0, t1, t2, t3))) or t3 < t0 or t2 < t1 or trip < 0:
            return  # a clock was set in between
        at, measured = (t0 + t3) / 2000, ((t1 - t0) + (t2 - t3)) / 2000
        self._trips.append(trip)
        variance = max((trip / 2) ** 2 / 3, SMALLEST_VARIANCE)
        if self.samples == 0:
            self._begin(at, measured, variance)
        elif not self._take(at, measured - self._base, variance):
            self._contradictions += 1
            self._burst = max(self._burst, RESTART_AFTER)
            self.asked_for.set()
            if self._contradictions >= RESTART_AFTER:
                self.restarts += 1
                self._good.clear()
                self._burst = BURST
                self._begin(at, measured, variance)
        if self.samples >= BURST:
            self._good.set()

    def connected(self) -> None:
        """Ask in quick succession for a while."""
        self._burst = BURST

    def next_s(self) -> float:
        """How long to wait until the next question."""
        if self._burst > 0:
            self._burst -= 1
            return BURST_INTERVAL_S
        return HURRIED_INTERVAL_S if self._hurried else RESTING_INTERVAL_S

    def hurry(self) -> None:
        """Somebody needs it precisely from now on, until `rest`: ask more often."""
        self._hurried += 1
        self._burst = max(self._burst, BURST)
        self.asked_for.set()

    def rest(self) -> None:
        """The end of a `hurry`."""
        self._hurried = max(0, self._hurried - 1)

    async def good(self) -> None:
        """Wait until there are enough samples."""
        await self._good.wait()

    def hub_ms(self, monotonic: float) -> float | None:
        """The hub's clock at a time of this machine's monotonic clock; None before the first answer."""
        if self.samples == 0:
            return None
        return (monotonic + self._base + self._offset + self._drift * (monotonic - self._at)) * 1000

    def monotonic(self, hub_ms: float) -> float | None:
        """The time of this machine's monotonic clock at a time of the hub's clock."""
        if self.samples == 0:
            return None
        return (hub_ms / 1000 - self._base - self._offset + self._drift * self._at) / (1 + self._drift)

    def now_ms(self) -> float | None:
        """The hub's clock now."""
        return self.hub_ms(self._clock())

    @property
    def error_ms(self) -> float | None:
        """One standard deviation, now. Half of the difference between both directions comes on top, unseen."""
        if self.samples == 0:
            return None
        return math.sqrt(self._predicted(self._clock())[0]) * 1000

    @property
    def drift_ppm(self) -> float:
        """How much faster the hub's clock is."""
        return self._drift * 1e6

    @property
    def rtt_ms(self) -> float | None:
        """The longest usual round trip: 99 % are shorter."""
        if not self._trips:
            return None
        return sorted(self._trips)[min(len(self._trips) - 1, int(len(self._trips) * USUAL_TRIPS))] * 1000

    def _begin(self, at: float, measured: float, variance: float) -> None:
        self._base, self._at, self._offset, self._drift = measured, at, 0.0, 0.0
        self._p = (variance, 0.0, FIRST_DRIFT_VARIANCE)
        self.samples, self._contradictions = 1, 0

    def _predicted(self, at: float) -> tuple[float, float, float]:
        dt, (offset, both, drift) = at - self._at, self._p
        length = abs(dt)
        return (
            max(SMALLEST_VARIANCE, offset + 2 * dt * both + dt * dt * drift) + OFFSET_NOISE * length,
            both + dt * drift,
            drift + DRIFT_NOISE * length,
        )

    def _take(self, at: float, measured: float, variance: float) -> bool:
        """Correct the estimate by a sample; whether it fits to what is known."""
        if at <= self._at:
            return True  # it was overtaken by a later one, which said more
        offset, both, drift = self._predicted(at)
        expected = self._offset + self._drift * (at - self._at)
        innovation, spread = measured - expected, offset + variance
        if self.samples >= BURST and innovation * innovation > GATE * GATE * spread:
            return False
        gain, drift_gain = offset / spread, both / spread
        self._at, self._offset = at, expected + gain * innovation
        self._drift += drift_gain * innovation
        self._p = ((1 - gain) * offset, (1 - gain) * both, drift - drift_gain * both)
        self.samples, self._contradictions = self.samples + 1, 0
        return True
