"""`Timeline`: what a device plays when: its parts, each with its time, gathered into sounds that overlap nowhere.

A sound is anchored anew to the clock when it begins. Within one the loudspeaker's own clock counts: at 50 ppm a sound
of half a minute, the longest clip, ends 1.5 ms away from the others; nothing is resampled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reachy_mind.fleet.activities.payloads import ActivityPart


@dataclass(frozen=True)
class TimedPart:
    """A part at its time. `index`: which one of the activity."""

    index: int
    at_ms: int
    duration_ms: int


@dataclass(frozen=True)
class TimelineSound:
    """Parts that overlap, to be mixed."""

    at_ms: int
    end_ms: int
    parts: tuple[TimedPart, ...]


@dataclass(frozen=True)
class TimelineMove:
    at_ms: int
    name: str


@dataclass(frozen=True)
class Timeline:
    """In order of time."""

    sounds: tuple[TimelineSound, ...]
    moves: tuple[TimelineMove, ...]
    duration_ms: int

    def sounds_from(self, position_ms: float) -> list[TimelineSound]:
        """Those that have not ended at a position."""
        return [each for each in self.sounds if each.end_ms > position_ms]

    def moves_from(self, position_ms: float) -> list[TimelineMove]:
        """Those that have not begun; a move is never begun in its middle."""
        return [each for each in self.moves if each.at_ms >= position_ms]


def build_timeline(parts: Sequence[ActivityPart], part_ms: Sequence[int], times_ms: Sequence[int]) -> Timeline:
    """`part_ms`: how long each part lasts on this device; `times_ms`: when each begins."""
    moves = [TimelineMove(at, part.move) for part, at in zip(parts, times_ms, strict=True) if part.move is not None]
    timed = [
        TimedPart(index, at, part_ms[index])
        for index, (part, at) in enumerate(zip(parts, times_ms, strict=True))
        if part.move is None and part_ms[index] > 0
    ]
    sounds: list[TimelineSound] = []
    for part in sorted(timed, key=lambda each: (each.at_ms, each.index)):
        end = part.at_ms + part.duration_ms
        if sounds and part.at_ms < sounds[-1].end_ms:
            last = sounds[-1]
            sounds[-1] = TimelineSound(last.at_ms, max(last.end_ms, end), (*last.parts, part))
        else:
            sounds.append(TimelineSound(part.at_ms, end, (part,)))
    ends = [each.end_ms for each in sounds] + [at + ms for at, ms in zip(times_ms, part_ms, strict=True)]
    return Timeline(tuple(sounds), tuple(sorted(moves, key=lambda each: each.at_ms)), max(ends, default=0))


def lay_out(parts: Sequence[ActivityPart], part_ms: Sequence[Sequence[int]], gap_ms: int) -> list[int]:
    """When each part begins: at its own time, else `gap_ms` after the slowest device has finished the one before.

    `part_ms`: the durations on each device. A part never begins before the one that is listed before it.
    """
    times: list[int] = []
    end = 0
    for index, part in enumerate(parts):
        at = part.at_ms if part.at_ms is not None else end + (gap_ms if index else 0)
        at = max(at, times[-1] if times else 0)
        times.append(at)
        longest = max((each[index] for each in part_ms if index < len(each)), default=0)
        end = max(end, at + longest)
    return times
