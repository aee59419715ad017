"""`Utterance`: what is being said, as whoever plays it tells it, so that the head moves with what is heard.

Give it the audio that is handed to the player, and what the player says about its position.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import Protocol
from weakref import WeakKeyDictionary

from reachy_mind.motion.limits import PERIOD_S
from reachy_mind.motion.voice import Loudness, Samples

LATENCY_S = 0.1
BURST_S, BURST_VALUES = 0.5, 10
"""With so much already sent ahead of what is heard, values are sent by the tenth of a second, not chunk by chunk."""
MOVED_S = 0.008
"""A playback position that is off by less than this changes nothing."""
STALLED_S, PAUSED_S = 0.15, 3600.0
"""A position that has not moved on for so long is a pause: nothing is heard for now, until it moves on."""


class Speaker(Protocol):
    """What moves with speech: `Motion`."""

    def speech(self, envelope: Sequence[float], t0: float, *, start: int = 0) -> bool: ...


_latest: WeakKeyDictionary[Speaker, object] = WeakKeyDictionary()
"""The mark of the utterance that moves the head now, for each robot."""


class Utterance:
    """One turn of speaking: everything that goes into the player's queue until it falls silent or is interrupted.

    Audio may be pushed much faster than it is played. Until the player has told its position, the first sample is
    taken to be heard `latency_s` after it was pushed. An utterance takes over from the one before it when its first
    audio is pushed; what that one is told afterwards is ignored. So is everything after `cancel`.
    """

    def __init__(
        self,
        motion: Speaker,
        rate: int,
        channels: int = 1,
        *,
        latency_s: float = LATENCY_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._motion, self._clock, self._latency_s = motion, clock, latency_s
        self._loudness = Loudness(rate, channels)
        self._mark = object()
        self._unsent: list[float] = []
        self._sent = 0
        self._t0: float | None = None
        self._told_t0 = math.nan
        self._played: float | None = None
        self._moved_on_at = 0.0
        self._cancelled = self._finished = False

    def push(self, samples: Samples) -> None:
        """Audio that is handed to the player, as `Loudness.push` takes it."""
        if not self._over and not self._finished:
            self._add(self._loudness.push(samples))

    def finish(self) -> None:
        """There is no more to push. What was pushed plays on, so go on telling the position."""
        if not self._over and not self._finished:
            self._add(self._loudness.flush(), last=True)
            self._finished = True

    def position(self, seconds_played: float, at: float | None = None) -> None:
        """So much of this utterance had been heard at a monotonic time, or now. One that stays is a pause.

        Tell it several times a second: until it is told of a pause, the head goes on.
        """
        at = self._clock() if at is None else at
        if self._over or not math.isfinite(seconds_played + at):
            return
        if seconds_played != self._played:
            self._played, self._moved_on_at = seconds_played, at
            self._t0 = at - seconds_played
        elif at - self._moved_on_at > STALLED_S:
            self._t0 = at + PAUSED_S
        if self._t0 is not None and (self._sent or self._unsent) and not abs(self._t0 - self._told_t0) < MOVED_S:
            self._tell()

    def cancel(self) -> None:
        """It was interrupted: the head comes to rest, and nothing of it moves the head any more."""
        if not self._over and self._sent:
            self._motion.speech([], self._clock())
        self._cancelled = True

    @property
    def _over(self) -> bool:
        return self._cancelled or (self._sent > 0 and _latest.get(self._motion) is not self._mark)

    def _add(self, values: list[float], *, last: bool = False) -> None:
        now = self._clock()
        if self._t0 is None:
            self._t0 = now + self._latency_s
        end = self._t0 + (self._sent + len(self._unsent)) * PERIOD_S
        if values and now > end and self._played is None:
            # The player has run dry, and what comes now has to get through to the loudspeaker first.
            self._t0 += now + self._latency_s - end
        self._unsent += values
        if self._unsent and (last or len(self._unsent) >= BURST_VALUES or end - now < BURST_S):
            self._tell()

    def _tell(self) -> None:
        assert self._t0 is not None
        if not self._sent:
            _latest[self._motion] = self._mark
        # What does not go out, because the motion process is being started again, goes with the next.
        if self._motion.speech(self._unsent, self._t0, start=self._sent):
            self._told_t0 = self._t0
            self._sent += len(self._unsent)
            self._unsent = []
