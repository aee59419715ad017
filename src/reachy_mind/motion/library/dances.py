"""Twelve dances. A dance is a function from beats to axis values, in the units of `score`.

`beat` counts from 0, whole numbers on the beat. Each dance lasts `beats`, eases in over the first beat and out over the
last, and is periodic, so that it can be repeated without a seam. A faster tempo than it was written for makes it
smaller, because the robot's speed is limited; a seed selects its starting side and its size.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import pi, sin, tau

from reachy_mind.errors import InvalidParameter
from reachy_mind.motion.editing import require
from reachy_mind.motion.library.emotion_names import normalized, resolve_name
from reachy_mind.motion.library.score import PARTS, REST, by_part, to_frames, variation
from reachy_mind.motion.limits import RATE_HZ
from reachy_mind.motion.moves import MAX_DURATION_S, Frames, min_jerk

Places = dict[str, float]
MIN_BPM, MAX_BPM = 40.0, 200.0
MAX_REPEATS = 20


@dataclass(frozen=True)
class Dance:
    """A description, the tempo it was written for, its length in beats, and its function."""

    looks: str
    bpm: float
    beats: int
    step: Callable[[float], Places]

    def frames(self, repeat: int = 1, bpm: float | None = None, seed: int | None = None) -> Frames:
        """The dance as frames. Raises InvalidParameter for an invalid tempo, or for more than ten minutes."""
        tempo = self.bpm if bpm is None else bpm
        require("a tempo in beats a minute", tempo, MIN_BPM, MAX_BPM)
        require("a number of repeats", repeat, 1, MAX_REPEATS)
        rng = variation(seed)
        size = rng.uniform(0.88, 1.0) * min(1.0, (self.bpm / tempo) ** 2)
        length = self.beats * repeat
        if length * 60 / tempo > MAX_DURATION_S:
            raise InvalidParameter(f"{length} beats at {tempo:g} a minute", hint="at most ten minutes: repeat it less")
        rows = []
        for tick in range(math.ceil(length * 60 / tempo * RATE_HZ) + 1):
            beat = tick / RATE_HZ * tempo / 60
            share = size * min_jerk(beat) * min_jerk(length - beat)
            places = by_part(self.step(beat % self.beats))
            rows.append(
                [rest + (places.get(part, rest) - rest) * share for part, rest in zip(PARTS, REST, strict=True)]
            )
        return to_frames(rows, mirror=rng.random() < 0.5)


def swing(beat: float, period: float, late: float = 0.0) -> float:
    """A sine from -1 to 1 with a period in beats, 0 at `late`."""
    return sin(tau * (beat - late) / period)


def dip(beat: float) -> float:
    """1 on each beat, 0 between them."""
    return (1 + math.cos(tau * beat)) / 2


def hit(beat: float, sharp: float = 0.35) -> float:
    """0 to 1 and back on each beat, quickly up and slowly down."""
    phase = beat % 1
    return sin(pi / 2 * phase / sharp) ** 2 if phase < sharp else math.cos(pi / 2 * (phase - sharp) / (1 - sharp)) ** 2


def pops(beat: float, places: Sequence[float], moving: float = 0.5) -> float:
    """One value after another, one a beat: reached in `moving` of the beat, then held."""
    index, phase = int(beat), beat % 1
    before, after = places[(index - 1) % len(places)], places[index % len(places)]
    return before + (after - before) * min_jerk(phase / moving)


def two_step(b: float) -> Places:
    side = swing(b, 4)
    return {
        "y": 20 * side,
        "roll": -13 * side,
        "z": -11 * dip(b),
        "body": 10 * swing(b, 4, 0.5),
        "pitch": 5 * dip(b) - 3,
        "left": 25 + 22 * side,
        "right": 25 - 22 * side,
    }


def rocker(b: float) -> Places:
    bang = hit(b, 0.4)
    turn = pops(b / 4, (0, 12, 0, -12), 0.3)
    return {
        "pitch": 26 * bang - 8,
        "z": 4 - 16 * bang,
        "x": 12 * bang,
        "yaw": turn,
        "antennas": 15 + 45 * hit(b - 0.12, 0.4),
    }


def robot_pop(b: float) -> Places:
    return {
        "yaw": pops(b, (0, 26, 26, 0, 0, -26, -26, 0)),
        "pitch": pops(b, (0, 0, 14, 14, -12, -12, 8, 0)),
        "roll": pops(b, (14, 0, 0, -14, 0, 0, 12, 0)),
        "z": pops(b, (6, -14, 6, -14)),
        "left": pops(b, (0, 90, 90, 0, 45, 90, 0, 10), 0.35),
        "right": pops(b, (90, 0, 90, 45, 0, 0, 90, 10), 0.35),
    }


def twist(b: float) -> Places:
    turn = swing(b, 2)
    return {
        "body": 24 * turn,
        "yaw": -10 * turn,
        "z": -18 * swing(b, 8, -2) ** 2,
        "roll": 5 * turn,
        "left": 40 + 28 * turn,
        "right": 40 - 28 * turn,
    }


def waltz(b: float) -> Places:
    bar = swing(b, 6)
    rise = (1 - math.cos(tau * b / 3)) / 2
    return {
        "y": 20 * bar,
        "roll": -14 * bar,
        "yaw": 12 * swing(b, 6, 0.6),
        "z": 16 * rise - 6,
        "pitch": -9 * rise + 3,
        "antennas": 20 + 45 * rise,
    }


def figure_eight(b: float) -> Places:
    return {
        "yaw": 24 * swing(b, 4),
        "pitch": 13 * swing(b, 2),
        "roll": 12 * swing(b, 4, 0.5),
        "body": 12 * swing(b, 4, 0.4),
        "left": 30 + 30 * swing(b, 2, 0.3),
        "right": 30 - 30 * swing(b, 2, 0.3),
    }


def disco(b: float) -> Places:
    side = pops(b / 2, (1, -1), 0.35)
    return {
        "yaw": 20 * side,
        "pitch": -12 + 6 * dip(b),
        "roll": -12 * side,
        "body": -12 * side,
        "z": 4 - 10 * dip(b),
        "left": 48 - 48 * side,
        "right": 48 + 48 * side,
    }


def salsa(b: float) -> Places:
    quick = pops(b, (1, -1, 1, 1, -1, 1, -1, -1), 0.7)
    return {
        "y": 15 * quick,
        "roll": 12 * quick,
        "body": -14 * quick,
        "yaw": 6 * quick,
        "z": -9 * dip(b) + 4,
        "left": 25 + 25 * swing(b, 4, 0.4),
        "right": 25 + 25 * swing(b, 4, 2.4),
    }


def ripple(b: float) -> Places:
    return {
        "z": 12 * swing(b, 2) - 6,
        "x": 18 * swing(b, 2, 0.3),
        "pitch": 15 * swing(b, 2, 0.55),
        "yaw": 8 * swing(b, 8),
        "left": 35 + 35 * swing(b, 2, 0.8),
        "right": 35 + 35 * swing(b, 2, 1.0),
    }


def semaphore(b: float) -> Places:
    return {
        "left": pops(b, (0, 0, 90, 90, 150, 90, 45, 0), 0.5),
        "right": pops(b, (90, 0, 0, 90, 90, 150, 45, 0), 0.5),
        "z": -9 * dip(b) + 3,
        "pitch": 6 * dip(b) - 4,
        "yaw": pops(b, (10, 0, -10, 0, -14, 14, 0, 0), 0.5),
        "roll": pops(b, (-8, 0, 8, 0, 0, 0, 0, 0), 0.5),
    }


def conga(b: float) -> Places:
    bar = b % 4
    kick = sin(pi * min(max(bar - 2.7, 0), 1.3) / 1.3) ** 2
    side = 1 if int(b / 4) % 2 == 0 else -1
    return {
        "yaw": 8 * swing(b, 2) * (1 - kick),
        "body": 10 * swing(b, 2) * (1 - kick),
        "z": -9 * dip(b) * (1 - kick) + 6 * kick,
        "roll": 20 * kick * side,
        "y": -12 * kick * side,
        "left": 20 + 75 * kick * (side > 0),
        "right": 20 + 75 * kick * (side < 0),
    }


def shimmy(b: float) -> Places:
    down = (1 - math.cos(tau * b / 8)) / 2
    return {
        "yaw": 7 * swing(b, 1),
        "body": -9 * swing(b, 1),
        "roll": 6 * swing(b, 1, 0.25),
        "z": 10 - 38 * down,
        "pitch": 8 * down - 5,
        "antennas": 15 + 70 * down,
    }


DANCES: dict[str, Dance] = {
    "two_step": Dance("Steps from side to side, dipping on the beat.", 100, 16, two_step),
    "rocker": Dance("Bangs its head on every beat, antennas flying.", 105, 16, rocker),
    "robot_pop": Dance("Snaps from pose to pose and freezes, as robots are said to dance.", 96, 16, robot_pop),
    "twist": Dance("Twists its body against its head, down and up again.", 100, 16, twist),
    "waltz": Dance("Sways and rises in three-four time.", 108, 12, waltz),
    "figure_eight": Dance("Draws lying eights with its nose.", 92, 16, figure_eight),
    "disco": Dance("Points an antenna to the sky, left and right.", 112, 16, disco),
    "salsa": Dance("Quick, quick, slow, from the hips.", 108, 16, salsa),
    "ripple": Dance("A wave runs up through it and out of its antennas.", 84, 16, ripple),
    "semaphore": Dance("Signals with its antennas while bobbing along.", 100, 16, semaphore),
    "conga": Dance("One, two, three, kick.", 112, 16, conga),
    "shimmy": Dance("Wiggles its way down and up again.", 96, 16, shimmy),
}


def dance(name: str = "random", repeat: int = 1, bpm: float | None = None, seed: int | None = None) -> Frames:
    """A dance by name, or a random one. Raises InvalidParameter for an unknown name."""
    return DANCES[resolve_dance(name, seed)].frames(repeat, bpm, seed)


def resolve_dance(name: str, seed: int | None = None) -> str:
    """The dance that this name means; `random` selects one. Raises InvalidParameter for an unknown name."""
    if normalized(name) in ("random", "any", "something"):
        return variation(seed).choice(sorted(DANCES))
    return resolve_name(name, DANCES, {}, what="dance")


def numbered_dance(name: str) -> str:
    """The dance that `music1`, `music2` and so on mean, as other programs for this robot call theirs; else empty."""
    number = normalized(name).removeprefix("music").strip("_ ")
    if not normalized(name).startswith("music") or not number.isdecimal() or len(number) > 3:
        return ""
    return sorted(DANCES)[(int(number) - 1) % len(DANCES)]
