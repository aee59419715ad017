"""`Tracks`: faces from picture to picture: who is who, where they are in the room and how they move.

Everything is in directions of the room, so that a head that turns between two pictures changes nothing. A face belongs
to the track that expected it nearest: by where that was going, and by its size, which two people at different distances
don't share. Time is a parameter: nothing here knows a clock.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reachy_mind.body.pose import Pose
    from reachy_mind.eyes.faces import Face
    from reachy_mind.eyes.rays import Lens

BELIEF_S = 0.1
"""How long it takes to believe what pictures show otherwise than expected: the more, the longer the last one is ago."""
SIZE_GAIN = 0.3
STEADY_S, RATE_FADE_S = 0.25, 0.4
"""A rate that no picture confirms is believed for the first of these, then less and less."""
NEAR, SIZES = 1.3, 1.7
"""A face belongs to a track that expected it within this many of its own sizes, and if not this many times larger."""
STRAYING = math.radians(30)
"""Radians a second that somebody may have gone elsewhere than expected: pictures can be far apart."""
LOST_S = 1.5
SURE, SURE_SEEN = 0.75, 2
"""A face with less of a score must have been in so many pictures to be somebody."""


@dataclass(frozen=True, slots=True)
class Sighting:
    """A face in the room: yaw and pitch of its middle from straight ahead, and how large it is, in radians."""

    yaw: float
    pitch: float
    size: float
    score: float

    @classmethod
    def of(cls, face: Face, lens: Lens, pose: Pose) -> Sighting:
        """As seen through this lens from a head in this pose."""
        x, y = face.box.centre
        yaw, pitch = lens.direction(x, y, pose)
        size = 2 * math.atan(face.box.height / 2 / lens.focal_y)
        return cls(yaw, pitch, size, face.score)


@dataclass(slots=True)
class Track:
    """Somebody: where their face is, how it moves (radians a second), when it was seen last."""

    number: int
    yaw: float
    pitch: float
    size: float
    seen_at: float
    yaw_rate: float = 0.0
    pitch_rate: float = 0.0
    seen: int = 1
    best: float = 0.0
    """The highest score it has had."""

    def expected(self, at: float) -> tuple[float, float]:
        """Where the face should be then."""
        passed = max(at - self.seen_at, 0.0)
        unsure = max(passed - STEADY_S, 0.0)
        worth = min(passed, STEADY_S) + RATE_FADE_S * (1 - math.exp(-unsure / RATE_FADE_S))
        return self.yaw + self.yaw_rate * worth, self.pitch + self.pitch_rate * worth

    def take(self, sighting: Sighting, at: float) -> None:
        """It was seen there."""
        yaw, pitch = self.expected(at)
        passed = max(at - self.seen_at, 1e-3)
        gain = 1 - math.exp(-passed / BELIEF_S)
        rate_gain = gain**2 / (2 - gain) / passed  # an alpha-beta filter that does not ring
        left = math.exp(-max(passed - STEADY_S, 0.0) / RATE_FADE_S)
        off_yaw, off_pitch = math.remainder(sighting.yaw - yaw, math.tau), sighting.pitch - pitch
        self.yaw, self.pitch = yaw + gain * off_yaw, pitch + gain * off_pitch
        self.yaw_rate = self.yaw_rate * left + rate_gain * off_yaw
        self.pitch_rate = self.pitch_rate * left + rate_gain * off_pitch
        self.size += SIZE_GAIN * (sighting.size - self.size)
        self.seen_at, self.best = at, max(self.best, sighting.score)
        self.seen += 1


@dataclass(slots=True)
class Tracks:
    """Everybody who was seen lately."""

    people: list[Track] = field(default_factory=list)
    _numbers: int = 0

    def see(self, sightings: list[Sighting], at: float) -> None:
        """What a picture taken at that time showed."""
        pairs = sorted(
            (cost, index, track.number)
            for track in self.people
            for index, sighting in enumerate(sightings)
            if (cost := _cost(track, sighting, at)) is not None
        )
        taken: set[int] = set()
        matched: set[int] = set()
        known = {track.number: track for track in self.people}
        for _, index, number in pairs:
            if index not in taken and number not in matched:
                known[number].take(sightings[index], at)
                taken.add(index)
                matched.add(number)
        self.people = [track for track in self.people if at - track.seen_at <= LOST_S]
        for index, sighting in enumerate(sightings):
            if index not in taken:
                self._numbers += 1
                new = Track(self._numbers, sighting.yaw, sighting.pitch, sighting.size, at, best=sighting.score)
                self.people.append(new)

    def sure(self) -> list[Track]:
        """Those seen clearly enough, or often enough, to be somebody."""
        return [track for track in self.people if track.best >= SURE or track.seen >= SURE_SEEN]


def _cost(track: Track, sighting: Sighting, at: float) -> float | None:
    """How badly a face fits a track; None when it does not."""
    yaw, pitch = track.expected(at)
    size = max(track.size, sighting.size)
    away = math.hypot(math.remainder(sighting.yaw - yaw, math.tau), sighting.pitch - pitch)
    grown = max(sighting.size / track.size, track.size / sighting.size)
    if away > NEAR * size + STRAYING * (at - track.seen_at) or grown > SIZES:
        return None
    return away / size + 0.5 * math.log(grown)
