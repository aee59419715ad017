"""Changing moves: larger, mirrored, shorter, slower, repeated, on a beat, one after another.

Every function takes frames and returns new ones at 100 a second, and raises InvalidParameter for what makes no sense.
Nothing here asks what the robot can do: motion brings a pose that is too far, or a change that is too fast, into its
limits.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import cast

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from reachy_mind.body.pose import AWAKE, Nine, Pose
from reachy_mind.errors import InvalidParameter
from reachy_mind.motion.limits import RATE_HZ
from reachy_mind.motion.moves import LONGEST_S, Frames

LARGEST_SCALE = 4.0
QUICKEST, SLOWEST = 0.25, 8.0
ROUNDING = 1e-6
"""Of a frame: a duration that misses a whole number of frames by less is that number of frames."""

# y, roll, yaw and body yaw change sign; the antennas also change places.
MIRROR = np.array([1.0, -1.0, 1.0, -1.0, 1.0, -1.0, -1.0, -1.0, -1.0])
MIRRORED_ORDER = [0, 1, 2, 3, 4, 5, 6, 8, 7]

IN_RADIANS = np.array([math.radians(10) / 0.01] * 3 + [1.0] * 6)
"""A centimetre counts as ten degrees."""
STILL = math.radians(1.0)
"""What a hand that only holds the robot, and the noise of its sensors, stay below."""

Table = NDArray[np.float64]
"""One row of nine numbers for each frame."""


class Edit(BaseModel):
    """What to do to a move, in this order: cut, mirror, scale, repeat, then change its speed."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    start: float = Field(0.0, description="Seconds to leave out at the beginning")
    end: float | None = Field(None, description="Second of the move at which to end it")
    mirror: bool = Field(default=False, description="Left becomes right")
    scale: float = Field(1.0, description=f"How large the movements are, 0 to {LARGEST_SCALE:g}")
    times: int = Field(1, description="How often to play it")
    slow: float = Field(1.0, description=f"How many times as long it takes, {QUICKEST:g} to {SLOWEST:g}")
    beats: float | None = Field(None, description="Beats that one repetition lasts; needs bpm")
    bpm: float | None = Field(None, description="Beats a minute; needs beats")

    def applied(self, frames: Frames) -> Frames:
        """The edited move. Raises InvalidParameter."""
        if (self.beats is None) != (self.bpm is None):
            raise InvalidParameter(
                "beats and bpm go together", hint="say how many beats it lasts, and how fast they are"
            )
        if self.beats is not None and self.slow != 1.0:
            raise InvalidParameter("a move can't be slowed and be on a beat", hint="leave out one of slow and beats")
        edited = trimmed(frames, self.start, self.end)
        edited = mirrored(edited) if self.mirror else edited
        edited = scaled(edited, self.scale)
        edited = looped(edited, self.times)
        if self.beats is not None and self.bpm is not None:
            # Repeated first: rounding each repetition to whole frames would let it drift away from the music.
            return on_beat(edited, self.beats * self.times, self.bpm)
        return slowed(edited, self.slow)


def scaled(frames: Frames, amount: float, about: Pose = AWAKE) -> Frames:
    """The same move `amount` times as large, seen from the pose `about`: 0 stands still there, 1 changes nothing."""
    require("a scale", amount, 0.0, LARGEST_SCALE)
    if amount == 1.0:
        return frames
    centre = np.array(about.nine)
    return _with(frames, centre + (as_table(frames) - centre) * amount)


def mirrored(frames: Frames) -> Frames:
    """Left becomes right and right becomes left."""
    return _with(frames, (as_table(frames) * MIRROR)[:, MIRRORED_ORDER])


def trimmed(frames: Frames, start: float = 0.0, end: float | None = None) -> Frames:
    """The part from `start` to `end` seconds; without an end, to the end."""
    table = as_table(frames)
    last = frames.duration if end is None else end
    slack = ROUNDING / RATE_HZ
    if not (math.isfinite(start) and math.isfinite(last) and 0 <= start < last <= frames.duration + slack):
        raise InvalidParameter(
            f"nothing to keep from {start:g} to {last:g} s",
            hint=f"the move lasts {frames.duration:g} s; start must come before end, and both lie within it",
        )
    if start == 0 and last >= frames.duration:
        return frames
    places = np.minimum(start * RATE_HZ + np.arange(ticks_in(last - start) + 1), last * RATE_HZ)
    return _with(frames, _at(table, places))


def stirring(frames: Frames, margin_s: float = 0.2) -> Frames:
    """The part in which something moves: stillness at both ends is cut off, but for `margin_s` seconds.

    A move in which nothing moves stays as it is.
    """
    require("a margin in seconds", margin_s, 0.0, 60.0)
    table = as_table(frames)
    off_start, off_end = (np.abs((table - table[end]) * IN_RADIANS).max(axis=1) > STILL for end in (0, -1))
    if not off_start.any():
        return frames
    first, last = int(np.argmax(off_start)), len(table) - 1 - int(np.argmax(off_end[::-1]))
    margin = round(margin_s * RATE_HZ)
    return _with(frames, table[max(first - 1 - margin, 0) : max(last, first) + 2 + margin])


def slowed(frames: Frames, factor: float) -> Frames:
    """The same move, lasting `factor` times as long: 2 is half as fast, 0.5 twice as fast."""
    require("a slow-down", factor, QUICKEST, SLOWEST)
    return frames if factor == 1.0 else _stretched(frames, frames.duration * factor)


def on_beat(frames: Frames, beats: float, bpm: float) -> Frames:
    """Stretched so that it lasts `beats` beats of music with `bpm` beats a minute."""
    require("a number of beats", beats, 0.25, 10_000.0)
    require("a tempo in beats a minute", bpm, 20.0, 400.0)
    table = as_table(frames)
    duration = beats * 60 / bpm
    factor = duration / frames.duration if len(table) > 1 else math.inf
    if not QUICKEST <= factor <= SLOWEST:
        raise InvalidParameter(
            f"a move of {frames.duration:g} s can't be stretched to {duration:g} s",
            hint=f"to between {QUICKEST:g} and {SLOWEST:g} times its length: choose another number of beats",
        )
    return _stretched(frames, duration)


def looped(frames: Frames, times: int, seam_s: float = 0.2) -> Frames:
    """`times` times in a row, lasting exactly that many times as long.

    Where the end is not the beginning, each repetition starts where the last one ended and is back on its own track
    after `seam_s` seconds.
    """
    if isinstance(times, bool) or not isinstance(times, int) or not 1 <= times <= 100_000:
        raise InvalidParameter(f"a move can't be played {times} times", hint="a whole number from 1")
    _require_length(frames.duration * times)
    return sequence(*(frames,) * times, seam_s=seam_s) if times > 1 else frames


def sequence(*moves: Frames, seam_s: float = 0.25) -> Frames:
    """One move after another, lasting as long as all of them together.

    Each starts where the one before it ended, and is on its own track after `seam_s` seconds. What is said of all of
    them (gaze may be added, yaws are meant from where the robot faces) is said of the sequence.
    """
    require("a seam in seconds", seam_s, 0.0, 5.0)
    if not moves:
        raise InvalidParameter("a sequence of no moves", hint="at least one")
    _require_length(sum(move.duration for move in moves))
    tables = [as_table(moves[0])]
    for move in moves[1:]:
        table = as_table(move)
        gap = tables[-1][-1] - table[0]
        share = np.clip(np.arange(len(table)) / max(seam_s * RATE_HZ, 1.0), 0.0, 1.0)
        left = 1.0 - share**3 * (10 - 15 * share + 6 * share**2)
        tables.append((table + np.outer(left, gap))[1:])
    gazing, anchored = all(move.gazing for move in moves), all(move.anchored for move in moves)
    return replace(_with(moves[0], np.concatenate(tables)), gazing=gazing, anchored=anchored)


# Frames as a table


def as_table(frames: Frames) -> Table:
    """Raises InvalidParameter for a move without frames, or with a number that is none."""
    table = np.array(frames.frames, dtype=np.float64)
    if table.ndim != 2 or table.shape[1] != 9:
        raise InvalidParameter("a move without frames", hint="record or choose another one")
    if not np.isfinite(table).all():
        raise InvalidParameter("the move is not finite", hint="every number of a move must be one")
    return table


def as_frames(table: Table) -> Frames:
    return Frames(cast("list[Nine]", [tuple(row) for row in table.tolist()]))


def _with(frames: Frames, table: Table) -> Frames:
    """`frames` with other poses, and all else that is said of them kept."""
    return replace(frames, frames=as_frames(table).frames)


def ticks_in(seconds: float) -> int:
    """How many frames after the first one it takes to reach the end of so many seconds."""
    return max(math.ceil(seconds * RATE_HZ - ROUNDING), 1)


def _stretched(frames: Frames, duration: float) -> Frames:
    _require_length(duration)
    table = as_table(frames)
    places = np.linspace(0.0, len(table) - 1, max(round(duration * RATE_HZ), 1) + 1)
    return _with(frames, _at(table, places))


def _at(table: Table, places: Table) -> Table:
    """The rows at places between the rows."""
    rows = np.arange(len(table), dtype=np.float64)
    return np.stack([np.interp(places, rows, column) for column in table.T], axis=1)


def require(what: str, value: float, low: float, high: float) -> None:
    """Raises InvalidParameter unless `value` is a number in between."""
    if isinstance(value, bool) or not low <= value <= high:
        raise InvalidParameter(f"{what} of {value:g}", hint=f"between {low:g} and {high:g}")


def _require_length(duration: float) -> None:
    if duration > LONGEST_S + ROUNDING:
        raise InvalidParameter(f"the move would last {duration:g} s", hint=f"at most {LONGEST_S:g} s")
