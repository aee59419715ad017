"""`Tracks`: multi-face tracking with an alpha-beta filter: who is who, where they are and how they move.

Positions are directions in the room, so turning the head between two pictures changes nothing. Each face is assigned to
the track whose prediction is nearest in direction and size; people at different distances differ in size. Time is a
parameter: nothing here reads a clock.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reachy_mind.body.pose import Pose
    from reachy_mind.eyes.faces import Face
    from reachy_mind.eyes.lens import Lens

SMOOTHING_S = 0.1
"""Time constant of the filter: the longer ago the last sighting, the more a new one counts."""
SIZE_SMOOTHING = 0.3
RATE_HOLD_S, RATE_FADE_S = 0.25, 0.4
"""Without new sightings the rate holds for the first of these, then decays with the second."""
GATE_SIZES, MAX_SIZE_RATIO = 1.3, 1.7
"""Gate: a face can match a track within this many face sizes of the prediction and up to this size ratio."""
GATE_GROWTH_RATE = math.radians(30)
"""Radians a second by which the gate grows since the last sighting: pictures can be far apart."""
TRACK_TIMEOUT_S = 1.5
CONFIRM_SCORE, CONFIRM_SIGHTINGS = 0.75, 2
"""A track is confirmed by one sighting with this score, or by this many sightings."""


@dataclass(frozen=True, slots=True)
class Sighting:
    """A face in the room: yaw and pitch of its centre from straight ahead, and its angular size, in radians."""

    yaw: float
    pitch: float
    size: float
    score: float

    @classmethod
    def of(cls, face: Face, lens: Lens, pose: Pose) -> Sighting:
        """The direction of a face seen through `lens` with the head in `pose`."""
        x, y = face.box.centre
        yaw, pitch = lens.direction(x, y, pose)
        size = 2 * math.atan(face.box.height / 2 / lens.focal_y)
        return cls(yaw, pitch, size, face.score)


@dataclass(slots=True)
class Track:
    """One person's face: direction, rates (radians a second) and when it was last seen."""

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

    def predict(self, at: float) -> tuple[float, float]:
        """The expected direction at that time."""
        passed = max(at - self.seen_at, 0.0)
        unsure = max(passed - RATE_HOLD_S, 0.0)
        worth = min(passed, RATE_HOLD_S) + RATE_FADE_S * (1 - math.exp(-unsure / RATE_FADE_S))
        return self.yaw + self.yaw_rate * worth, self.pitch + self.pitch_rate * worth

    def update(self, sighting: Sighting, at: float) -> None:
        """Correct the track with a sighting."""
        yaw, pitch = self.predict(at)
        passed = max(at - self.seen_at, 1e-3)
        gain = 1 - math.exp(-passed / SMOOTHING_S)
        rate_gain = gain**2 / (2 - gain) / passed  # an alpha-beta filter that does not ring
        left = math.exp(-max(passed - RATE_HOLD_S, 0.0) / RATE_FADE_S)
        off_yaw, off_pitch = math.remainder(sighting.yaw - yaw, math.tau), sighting.pitch - pitch
        self.yaw, self.pitch = yaw + gain * off_yaw, pitch + gain * off_pitch
        self.yaw_rate = self.yaw_rate * left + rate_gain * off_yaw
        self.pitch_rate = self.pitch_rate * left + rate_gain * off_pitch
        self.size += SIZE_SMOOTHING * (sighting.size - self.size)
        self.seen_at, self.best = at, max(self.best, sighting.score)
        self.seen += 1


@dataclass(slots=True)
class Tracks:
    """All faces seen recently."""

    people: list[Track] = field(default_factory=list)
    _numbers: int = 0

    def update(self, sightings: list[Sighting], at: float) -> None:
        """Assign the faces of a picture taken at that time; unmatched faces start new tracks."""
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
                known[number].update(sightings[index], at)
                taken.add(index)
                matched.add(number)
        self.people = [track for track in self.people if at - track.seen_at <= TRACK_TIMEOUT_S]
        for index, sighting in enumerate(sightings):
            if index not in taken:
                self._numbers += 1
                new = Track(self._numbers, sighting.yaw, sighting.pitch, sighting.size, at, best=sighting.score)
                self.people.append(new)

    def confirmed(self) -> list[Track]:
        """Tracks seen clearly enough, or often enough, to be a person."""
        return [track for track in self.people if track.best >= CONFIRM_SCORE or track.seen >= CONFIRM_SIGHTINGS]


def _cost(track: Track, sighting: Sighting, at: float) -> float | None:
    """The assignment cost of a face to a track; None outside the gate."""
    yaw, pitch = track.predict(at)
    size = max(track.size, sighting.size)
    away = math.hypot(math.remainder(sighting.yaw - yaw, math.tau), sighting.pitch - pitch)
    grown = max(sighting.size / track.size, track.size / sighting.size)
    if away > GATE_SIZES * size + GATE_GROWTH_RATE * (at - track.seen_at) or grown > MAX_SIZE_RATIO:
        return None
    return away / size + 0.5 * math.log(grown)
