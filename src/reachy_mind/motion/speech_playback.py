"""`SpeechPlayback`: synchronises speech sway with audio playback: sends the loudness envelope by playback time.

It gets the audio that goes to the player, and the player's position.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import Protocol
from weakref import WeakKeyDictionary

from reachy_mind.motion.limits import PERIOD_S
from reachy_mind.motion.loudness import Loudness, Samples

LATENCY_S = 0.1
BATCH_AHEAD_S, BATCH_VALUES = 0.5, 10
"""With this much sent ahead of playback, values are sent in batches of a tenth of a second."""
POSITION_TOLERANCE_S = 0.008
"""A smaller deviation of the playback position is ignored."""
STALLED_S, PAUSE_S = 0.15, 3600.0
"""A position that does not advance for the first counts as a pause until it advances again."""


class SpeechListener(Protocol):
    """Receives the envelope: `Motion`."""

    def speech(self, envelope: Sequence[float], t0: float, *, start: int = 0) -> bool: ...


_latest: WeakKeyDictionary[SpeechListener, object] = WeakKeyDictionary()
"""For each robot, the token of the playback that moves its head now."""


class SpeechPlayback:
    """One spoken turn: all audio in the player's queue until it is silent or interrupted.

    Audio may be pushed much faster than it is played. Until the first position, the first sample is assumed to be heard
    `latency_s` after its push. The first push takes over from an earlier playback, whose calls are then ignored. So are
    all calls after `cancel`.
    """

    def __init__(
        self,
        motion: SpeechListener,
        rate: int,
        channels: int = 1,
        *,
        latency_s: float = LATENCY_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._motion, self._clock, self._latency_s = motion, clock, latency_s
        self._loudness = Loudness(rate, channels)
        self._token = object()
        self._unsent: list[float] = []
        self._sent = 0
        self._t0: float | None = None
        self._sent_t0 = math.nan
        self._played: float | None = None
        self._advanced_at = 0.0
        self._cancelled = self._finished = False

    def push(self, samples: Samples) -> None:
        """Add audio that goes to the player, as `Loudness.push` takes it."""
        if not self._inactive and not self._finished:
            self._add(self._loudness.push(samples))

    def finish(self) -> None:
        """Mark the end of the audio. It plays on, so keep calling `position`."""
        if not self._inactive and not self._finished:
            self._add(self._loudness.flush(), last=True)
            self._finished = True

    def position(self, seconds_played: float, at: float | None = None) -> None:
        """Set the playback position at a monotonic time (default: now). A position that stays is a pause.

        Call it several times a second: without it, the head moves on during a pause.
        """
        at = self._clock() if at is None else at
        if self._inactive or not math.isfinite(seconds_played + at):
            return
        if seconds_played != self._played:
            self._played, self._advanced_at = seconds_played, at
            self._t0 = at - seconds_played
        elif at - self._advanced_at > STALLED_S:
            self._t0 = at + PAUSE_S
        if (
            self._t0 is not None
            and (self._sent or self._unsent)
            and not abs(self._t0 - self._sent_t0) < POSITION_TOLERANCE_S
        ):
            self._send()

    def cancel(self) -> None:
        """Playback was interrupted: bring the head to rest and ignore later calls."""
        if not self._inactive and self._sent:
            self._motion.speech([], self._clock())
        self._cancelled = True

    @property
    def _inactive(self) -> bool:
        return self._cancelled or (self._sent > 0 and _latest.get(self._motion) is not self._token)

    def _add(self, values: list[float], *, last: bool = False) -> None:
        now = self._clock()
        if self._t0 is None:
            self._t0 = now + self._latency_s
        end = self._t0 + (self._sent + len(self._unsent)) * PERIOD_S
        if values and now > end and self._played is None:
            # Buffer underrun: the next audio is heard after the output latency.
            self._t0 += now + self._latency_s - end
        self._unsent += values
        if self._unsent and (last or len(self._unsent) >= BATCH_VALUES or end - now < BATCH_AHEAD_S):
            self._send()

    def _send(self) -> None:
        assert self._t0 is not None
        if not self._sent:
            _latest[self._motion] = self._token
        # Values that can't be sent while the motion process restarts go with the next ones.
        if self._motion.speech(self._unsent, self._t0, start=self._sent):
            self._sent_t0 = self._t0
            self._sent += len(self._unsent)
            self._unsent = []
