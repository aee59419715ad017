"""`Score`: keyframe animation of a move, varied a little each time it is performed.

A score consists of phrases of keys. A key sets the values of some parts, the time to reach them and the time to hold
them; other parts stay. Lengths are millimetres and angles degrees. Antenna values are how far they lean outwards
(`left`, `right`, or `antennas` for both: 0 is straight up, 90 level, 180 hanging; below 0 they cross).

Each performance adds, for every score alike:

- intensity, which scales size and speed and the repetitions of a phrase;
- variation by a seed: tempo, size, mirror image and the time of each key; the written values are the maximum;
- a slow drift through every hold, and asymmetry of the two sides;
- antennas as springs: they trail behind the head, overshoot and sway with it, each at its own frequency;
- a body that turns after the head.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from reachy_mind.body.pose import PoseTuple
from reachy_mind.errors import InvalidParameter
from reachy_mind.motion.editing import mirrored, require
from reachy_mind.motion.limits import PERIOD_S, RATE_HZ
from reachy_mind.motion.moves import Frames, min_jerk

PARTS = ("x", "y", "z", "roll", "pitch", "yaw", "body", "left", "right")
Z, ROLL, LEFT, RIGHT = PARTS.index("z"), PARTS.index("roll"), PARTS.index("left"), PARTS.index("right")
REST = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 10.0, 10.0)
TO_SI = (*([0.001] * 3), *([math.pi / 180] * 4), math.pi / 180, -math.pi / 180)

MIN_INTENSITY, MAX_INTENSITY, DEFAULT_INTENSITY = 0.1, 1.0, 0.7
MIN_SIZE = 0.35
"""Share of the written size at intensity 0: a faint emotion must still be visible."""
LATE_BODY_S = 0.07
SPRING_HZ, SPRING_DAMPING = (2.9, 2.6), 0.5
SWAY_BY_ROLL, SWAY_BY_LIFT = 0.05, 0.06
"""Degrees of antenna per degree a second of head roll, and per millimetre a second of head lift."""
DRIFT = (0.5, 0.5, 0.8, 0.9, 0.9, 1.1, 0.0, 2.0, 2.0)
HANDED = (3.5, 7.0)
"""Degrees by which one antenna leans further than the other, for a whole performance."""
CALM_S = 0.35
MAX_HEIGHT_MM, CEILING_SOFTNESS = 21.0, 3.0


@dataclass(frozen=True)
class Key:
    """Reach these values in `over` seconds and hold them for `hold`."""

    over: float
    hold: float
    places: dict[str, float]


def key(over: float, hold: float = 0.0, **places: float) -> Key:
    """A key by its parts; `antennas` sets both."""
    return Key(over, hold, by_part(places))


def by_part(places: dict[str, float]) -> dict[str, float]:
    """The values with `antennas` expanded to both. Raises InvalidParameter for an unknown part."""
    if "antennas" in places:
        both = places["antennas"]
        places = {"left": both, "right": both} | {part: place for part, place in places.items() if part != "antennas"}
    if unknown := places.keys() - set(PARTS):
        raise InvalidParameter(f"no such part of the robot: {', '.join(unknown)}", hint=f"parts: {', '.join(PARTS)}")
    return places


@dataclass(frozen=True)
class Wave:
    """An oscillation of one part around its key values: a tremble, a wag, a breath."""

    part: str
    hz: float
    size: float
    phase: float = 0.0


def wag(hz: float, size: float, apart: float = 0.0) -> tuple[Wave, Wave]:
    """Both antennas oscillate: outwards together, or with a phase `apart` of half a turn, in the same direction."""
    return Wave("left", hz, size), Wave("right", hz * 0.97, size, apart)


@dataclass(frozen=True)
class Phrase:
    """A group of keys and its repetitions at the weakest and at the strongest intensity."""

    keys: tuple[Key, ...]
    times: tuple[int, int] = (1, 1)
    waves: tuple[Wave, ...] = ()


def phrase(*keys: Key, times: tuple[int, int] = (1, 1), waves: Sequence[Wave] = ()) -> Phrase:
    return Phrase(keys, times, tuple(waves))


@dataclass(frozen=True)
class Score:
    """A whole move; `looks` is its description. It ends at rest, after `settle` seconds.

    `arousal`: how much intensity speeds it up (below 0: slows it down). `drift`: how restless its holds are. `exact`:
    no scaling and no mirroring, whatever the intensity.
    """

    looks: str
    phrases: tuple[Phrase, ...]
    arousal: float = 0.3
    settle: float = 0.7
    drift: float = 1.0
    exact: bool = False

    def frames(self, intensity: float = DEFAULT_INTENSITY, seed: int | None = None) -> Frames:
        """One performance as frames; the same seed gives the same one. Raises InvalidParameter for the intensity."""
        require("an intensity", intensity, MIN_INTENSITY, MAX_INTENSITY)
        return _Performance(self, intensity, variation(seed)).frames()


def variation(seed: int | None) -> random.Random:
    """The generator of a performance; without a seed, one that follows from the seed of the process."""
    return random.Random(random.getrandbits(64) if seed is None else seed)  # noqa: S311 -- a look, not a secret


Rows = list[list[float]]


@dataclass
class _Performance:
    """One performance of a score: keys become points in time, points become frames."""

    score: Score
    intensity: float
    rng: random.Random
    times: list[float] = field(default_factory=lambda: [0.0])
    points: Rows = field(default_factory=lambda: [list(REST)])
    waves: list[tuple[float, float, Wave]] = field(default_factory=list)

    def frames(self) -> Frames:
        rng, score = self.rng, self.score
        mirror = rng.random() < 0.5 and not score.exact
        slowness = rng.uniform(0.96, 1.08) / (1 + score.arousal * (self.intensity - DEFAULT_INTENSITY))
        size = 1.0 if score.exact else MIN_SIZE + (1 - MIN_SIZE) * self.intensity
        sizes = [size * self._vary(0.9) for _ in PARTS]
        for each in score.phrases:
            self._write(each, slowness, sizes)
        self._go(list(REST), score.settle * slowness, CALM_S)
        rows = self._interpolated()
        self._add_waves(rows, size)
        return to_frames(rows, mirror=mirror)

    def _write(self, each: Phrase, slowness: float, sizes: Sequence[float]) -> None:
        fewest, most = each.times
        began = self.times[-1]
        for _ in range(round(fewest + (most - fewest) * self.intensity)):
            for written in each.keys:
                place = list(self.points[-1])
                for part, value in written.places.items():
                    index = PARTS.index(part)
                    share = sizes[index] * self._vary(0.93)
                    place[index] = REST[index] + (value - REST[index]) * share
                over = written.over * slowness * self.rng.uniform(0.96, 1.1)
                self._go(place, over, written.hold * slowness * self.rng.uniform(0.85, 1.15))
        self.waves += [(began, self.times[-1], wave) for wave in each.waves]

    def _vary(self, least: float) -> float:
        return 1.0 if self.score.exact else self.rng.uniform(least, 1.0)

    def _go(self, place: list[float], over: float, hold: float) -> None:
        self.times.append(self.times[-1] + over)
        self.points.append(place)
        if hold > 0:
            self.times.append(self.times[-1] + hold)
            self.points.append(place)

    def _interpolated(self) -> Rows:
        tracks = [Curve(self.times, [point[index] for point in self.points]) for index in range(len(PARTS))]
        late = [LATE_BODY_S if part == "body" else 0.0 for part in PARTS]
        ticks = range(math.ceil(self.times[-1] * RATE_HZ) + 1)
        return [[track.at(tick / RATE_HZ - delay) for track, delay in zip(tracks, late, strict=True)] for tick in ticks]

    def _add_waves(self, rows: Rows, size: float) -> None:
        """Add the phrases' waves, the slow drift and the asymmetry of the antennas."""
        drifts = [(self.rng.uniform(0.25, 0.45), self.rng.uniform(0, math.tau)) for _ in PARTS]
        handed, lean = self.rng.choice((LEFT, RIGHT)), self.rng.uniform(*HANDED)
        for tick, row in enumerate(rows):
            t = tick / RATE_HZ
            alive = min_jerk(t / 0.5) * min_jerk((self.times[-1] - t) / 0.5)
            row[handed] += alive * lean
            for index, (hz, phase) in enumerate(drifts):
                row[index] += alive * self.score.drift * DRIFT[index] * math.sin(math.tau * hz * t + phase)
        for began, ended, wave in self.waves:
            index = PARTS.index(wave.part)
            fade = min(0.2, (ended - began) / 3)
            for tick in range(math.ceil(began * RATE_HZ), min(int(ended * RATE_HZ), len(rows) - 1)):
                t = tick / RATE_HZ
                window = min_jerk((t - began) / fade) * min_jerk((ended - t) / fade)
                rows[tick][index] += (
                    size * window * wave.size * math.sin(math.tau * (wave.hz * (t - began)) + wave.phase)
                )


def to_frames(rows: Rows, *, mirror: bool) -> Frames:
    """Rows in score units as frames: height limited to the reach, antennas as springs, ending at rest."""
    for row in rows:
        row[Z] = _soft_limit(row[Z], _ceiling(row))
    _follow_through(rows)
    _end_at_rest(rows)
    frames = Frames([_in_si(row) for row in rows], gazing=True, anchored=True)
    return mirrored(frames) if mirror else frames


class Curve:
    """Monotone cubic interpolation: smooth and without overshoot; the slope is zero at extremes."""

    def __init__(self, times: Sequence[float], values: Sequence[float]) -> None:
        self._times, self._values = times, values
        spans = [b - a for a, b in pairwise(times)]
        rises = [(b - a) / span for (a, b), span in zip(pairwise(values), spans, strict=True)]
        self._slopes = [0.0] * len(times)
        for index in range(1, len(times) - 1):
            before, after = rises[index - 1], rises[index]
            if before * after > 0:  # Fritsch and Carlson's harmonic mean, weighted by the spans
                h0, h1 = spans[index - 1], spans[index]
                self._slopes[index] = 3 * (h0 + h1) / ((2 * h1 + h0) / before + (h1 + 2 * h0) / after)
        self._index = 0

    def at(self, t: float) -> float:
        """The value at `t`. Call with increasing times: the position is remembered."""
        times, values = self._times, self._values
        while self._index + 2 < len(times) and times[self._index + 1] <= t:
            self._index += 1
        index = self._index
        span = times[index + 1] - times[index]
        s = min(max((t - times[index]) / span, 0.0), 1.0)
        a, b = values[index], values[index + 1]
        bend = span * ((1 - s) * self._slopes[index] - s * self._slopes[index + 1])
        return a + (b - a) * s * s * (3 - 2 * s) + s * (1 - s) * bend


def _ceiling(row: Sequence[float]) -> float:
    """The highest head position in millimetres for this lean and tilt: slightly below the rods' reach."""
    x, y, _, roll, pitch = row[:5]
    return MAX_HEIGHT_MM - 0.5 * abs(roll) - (0.5 if pitch > 0 else 0.4) * abs(pitch) - 0.012 * (x * x + y * y)


def _soft_limit(value: float, most: float) -> float:
    """`value` with a soft limit at `most`."""
    over = value - (most - CEILING_SOFTNESS)
    return value if over <= 0 else most - CEILING_SOFTNESS * math.exp(-over / CEILING_SOFTNESS)


def _follow_through(rows: Rows) -> None:
    """Simulate the antennas as springs: they trail their values, overshoot, and sway as the head rolls and rises."""
    for index, hz, side in ((LEFT, SPRING_HZ[0], 1), (RIGHT, SPRING_HZ[1], -1)):
        stiffness, damping = (math.tau * hz) ** 2, 2 * SPRING_DAMPING * math.tau * hz
        place, speed, steps = rows[0][index], 0.0, 4
        last = rows[0]
        for row in rows:
            roll_speed, lift_speed = (row[ROLL] - last[ROLL]) / PERIOD_S, (row[Z] - last[Z]) / PERIOD_S
            wanted = row[index] + side * SWAY_BY_ROLL * roll_speed + SWAY_BY_LIFT * lift_speed
            last = list(row)
            for _ in range(steps):
                speed += ((wanted - place) * stiffness - speed * damping) * PERIOD_S / steps
                place += speed * PERIOD_S / steps
            row[index] = place


def _end_at_rest(rows: Rows) -> None:
    """Blend the end so that the last frame is exactly at rest."""
    ticks = min(round(CALM_S * RATE_HZ), len(rows) - 1)
    for tick in range(ticks + 1):
        row = rows[len(rows) - 1 - ticks + tick]
        share = min_jerk(tick / ticks)
        for index, rest in enumerate(REST):
            row[index] += (rest - row[index]) * share


def _in_si(row: Sequence[float]) -> PoseTuple:
    return tuple(value * factor for value, factor in zip(row, TO_SI, strict=True))  # type: ignore[return-value]
