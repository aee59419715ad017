"""`Following`: whom to look at, and where to.

The largest face is looked at, and stays the one: another has to be clearly larger for a while, or the first one gone.
Whoever is near enough to the middle is not looked at more exactly: a head that never rests looks nervous. What happens
to the head when nobody is seen any more is for the motion process: it holds, then returns.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from reachy_mind.eyes.tracks import Sighting, Track, Tracks

LARGER, LARGER_S = 1.3, 1.0
"""A newcomer must be this many times larger, for so long."""
GONE_S = 1.0
"""Who is hidden for less is waited for; then the largest of the others is looked at."""
DEAD_ZONE, AIMED, AIMED_S = math.radians(3.0), math.radians(0.7), 0.6
"""Out of the first, the head turns until what it sees moves no more than the second, for so long."""
WALKING = math.radians(6)
"""A rate, in radians a second, below which a face is taken to stand still."""


@dataclass(frozen=True, slots=True)
class Aim:
    """Where to look: yaw and pitch from straight ahead, their rates, and when that was seen."""

    yaw: float
    pitch: float
    seen_at: float
    rate: tuple[float, float] = (0.0, 0.0)


@dataclass(slots=True)
class Following:
    """Give it what each picture shows."""

    tracks: Tracks = field(default_factory=Tracks)
    followed: int | None = None
    _rival: int | None = None
    _rival_since: float = 0.0
    _aim: Aim | None = None
    _turning: bool = False
    _still_since: float = 0.0

    def see(self, sightings: list[Sighting], at: float) -> Aim | None:
        """Where to look now, if whoever is followed was in this picture."""
        self.tracks.see(sightings, at)
        track = self._chosen(at)
        if track is None or track.seen_at != at:
            return None
        self._aim = self._aimed(track, at)
        return self._aim

    @property
    def anybody(self) -> bool:
        """Whether there may be somebody to follow."""
        return bool(self.tracks.people)

    def _chosen(self, at: float) -> Track | None:
        people = {track.number: track for track in self.tracks.sure()}
        current = people.get(self.followed) if self.followed is not None else None
        visible = [track for track in people.values() if track.seen_at == at]
        largest = max(visible, key=lambda track: track.size, default=None)
        if current is not None and at - current.seen_at < GONE_S:
            if largest is None or largest is current or largest.size < LARGER * current.size:
                self._rival = None
            elif self._rival != largest.number:
                self._rival, self._rival_since = largest.number, at
            elif at - self._rival_since >= LARGER_S:
                return self._follow(largest)
            return current
        return self._follow(largest) if largest is not None else None

    def _follow(self, track: Track) -> Track:
        self.followed, self._rival, self._turning = track.number, None, True
        return track

    def _aimed(self, track: Track, at: float) -> Aim:
        """The same place again, with its new time, as long as the face is near enough to it."""
        walking = math.hypot(track.yaw_rate, track.pitch_rate) > WALKING
        before = self._aim
        off = math.inf if before is None else math.hypot(track.yaw - before.yaw, track.pitch - before.pitch)
        if off > AIMED or walking:
            self._still_since = at
        self._turning = off > DEAD_ZONE or (self._turning and at - self._still_since < AIMED_S)
        if before is not None and not self._turning:
            return Aim(before.yaw, before.pitch, at)
        rate = (track.yaw_rate, track.pitch_rate) if walking else (0.0, 0.0)
        return Aim(track.yaw, track.pitch, at, rate)
