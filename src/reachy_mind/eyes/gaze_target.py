"""`GazeTarget`: selects the tracked face to look at, with hysteresis and a dead zone.

Who speaks is looked at: the face that fits the direction of the voice, and where there is none, the direction itself.
In silence the largest face is selected. Another one takes over only when it is clearly larger for a while, or the first
is gone.
Inside the dead zone the aim stays: a head that never rests looks nervous. When no face is seen any more, the motion
process holds the head, then returns it.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field

from reachy_mind.eyes.face_tracks import Sighting, Track, Tracks
from reachy_mind.motion.voice_directions import middle

SWITCH_SIZE_RATIO, SWITCH_AFTER_S = 1.3, 1.0
"""Another face takes over when it is this many times larger for this long."""
HIDDEN_TIMEOUT_S = 1.0
"""A face hidden for less stays selected; after that the largest of the others is."""
VOICE_FRESH_S, VOICE_LASTS_S = 0.8, 0.4
"""How old a direction may be, and how long a voice has to last before the head turns to where no face is."""
VOICE_FITS, NEARER = math.radians(20), math.radians(6)
"""A face this near to the direction of a voice may be the speaker's; by how much another one has to be nearer."""
SPEAKER_HOLD_S = 4.0
"""After the voice, the speaker stays selected against larger faces."""
DEAD_ZONE, SETTLED_RAD, SETTLED_AFTER_S = math.radians(3.0), math.radians(0.7), 0.6
"""Outside the dead zone the head turns until the face moves less than the second value for the third."""
MOVING_RATE = math.radians(6)
"""Radians a second; a slower face counts as standing still."""


@dataclass(frozen=True, slots=True)
class Aim:
    """Where to look: yaw and pitch from straight ahead in radians, their rates, and the time of the sighting."""

    yaw: float
    pitch: float
    seen_at: float
    rate: tuple[float, float] = (0.0, 0.0)


@dataclass(slots=True)
class GazeTarget:
    """Call `update` with the faces of each picture."""

    tracks: Tracks = field(default_factory=Tracks)
    followed: int | None = None
    _rival: int | None = None
    _rival_since: float = 0.0
    _aim: Aim | None = None
    _turning: bool = False
    _still_since: float = 0.0
    _voices: deque[tuple[float, float]] = field(default_factory=deque)
    _speaker_until: float = -math.inf

    def hear(self, yaw: float, at: float) -> None:
        """A person's voice came from there, at that monotonic time."""
        self._voices.append((at, yaw))

    def hears(self, at: float) -> bool:
        """Whether somebody speaks."""
        while self._voices and at - self._voices[0][0] > VOICE_FRESH_S:
            self._voices.popleft()
        return bool(self._voices)

    def update(self, sightings: list[Sighting], at: float) -> Aim | None:
        """Where to look now; None when the selected face is not in this picture."""
        self.tracks.update(sightings, at)
        if (aside := self._voice_without_face(at)) is not None:
            return aside
        track = self._choose(at)
        if track is None or track.seen_at != at:
            return None
        self._aim = self._aim_at(track, at)
        return self._aim

    @property
    def has_tracks(self) -> bool:
        """Whether any face is tracked, confirmed or not."""
        return bool(self.tracks.people)

    def _choose(self, at: float) -> Track | None:
        people = {track.number: track for track in self.tracks.confirmed()}
        current = people.get(self.followed) if self.followed is not None else None
        visible = [track for track in people.values() if track.seen_at == at]
        if (speaker := self._speaker(visible, current, at)) is not None:
            self._speaker_until = at + SPEAKER_HOLD_S
            return speaker if speaker is current else self._follow(speaker)
        largest = max(visible, key=lambda track: track.size, default=None)
        if at < self._speaker_until and current is not None and at - current.seen_at < HIDDEN_TIMEOUT_S:
            return current
        if current is not None and at - current.seen_at < HIDDEN_TIMEOUT_S:
            if largest is None or largest is current or largest.size < SWITCH_SIZE_RATIO * current.size:
                self._rival = None
            elif self._rival != largest.number:
                self._rival, self._rival_since = largest.number, at
            elif at - self._rival_since >= SWITCH_AFTER_S:
                return self._follow(largest)
            return current
        return self._follow(largest) if largest is not None else None

    def _speaker(self, visible: list[Track], current: Track | None, at: float) -> Track | None:
        """The face that fits the voice."""
        if not self.hears(at) or not visible:
            return None
        yaw = middle([yaw for _, yaw in self._voices])

        def off(track: Track) -> float:
            return abs(math.remainder(track.yaw - yaw, math.tau)) - (NEARER if track is current else 0.0)

        nearest = min(visible, key=off)
        return nearest if off(nearest) <= VOICE_FITS else None

    def _voice_without_face(self, at: float) -> Aim | None:
        """Where a voice comes from that has lasted for a while, when no tracked face is there."""
        if not self.hears(at) or self._voices[-1][0] - self._voices[0][0] < VOICE_LASTS_S:
            return None
        yaw = middle([yaw for _, yaw in self._voices])
        known = self.tracks.people
        if any(abs(math.remainder(track.yaw - yaw, math.tau)) <= VOICE_FITS for track in known):
            return None
        self.followed, self._aim = None, Aim(yaw, self._aim.pitch if self._aim is not None else 0.0, at)
        return self._aim

    def _follow(self, track: Track) -> Track:
        self.followed, self._rival, self._turning = track.number, None, True
        return track

    def _aim_at(self, track: Track, at: float) -> Aim:
        """The previous aim with the new time while the face stays in the dead zone, else the face itself."""
        moving = math.hypot(track.yaw_rate, track.pitch_rate) > MOVING_RATE
        before = self._aim
        off = math.inf if before is None else math.hypot(track.yaw - before.yaw, track.pitch - before.pitch)
        if off > SETTLED_RAD or moving:
            self._still_since = at
        self._turning = off > DEAD_ZONE or (self._turning and at - self._still_since < SETTLED_AFTER_S)
        if before is not None and not self._turning:
            return Aim(before.yaw, before.pitch, at)
        rate = (track.yaw_rate, track.pitch_rate) if moving else (0.0, 0.0)
        return Aim(track.yaw, track.pitch, at, rate)
