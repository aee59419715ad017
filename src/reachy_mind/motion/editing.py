"""Edits moves: scale, mirror, trim, stretch, loop, fit to a beat, concatenate.

Each function takes frames and returns new ones at 100 Hz, and raises InvalidParameter for invalid arguments. Reach and
speed limits are not checked here: the motion process applies them.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import cast

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from reachy_mind.body.pose import AWAKE, Pose, PoseTuple
from reachy_mind.errors import InvalidParameter
from reachy_mind.motion.limits import RATE_HZ
from reachy_mind.motion.moves import MAX_DURATION_S, Frames

MAX_SCALE = 4.0
MIN_STRETCH, MAX_STRETCH = 0.25, 8.0
FRAME_TOLERANCE = 1e-6
"""In frames: a duration within this of a whole number of frames is that number."""

# y, roll, yaw and body yaw change sign; the antennas also change places.
MIRROR = np.array([1.0, -1.0, 1.0, -1.0, 1.0, -1.0, -1.0, -1.0, -1.0])
MIRRORED_ORDER = [0, 1, 2, 3, 4, 5, 6, 8, 7]

IN_RADIANS = np.array([math.radians(10) / 0.01] * 3 + [1.0] * 6)
"""A centimetre counts as ten degrees."""
STILL_RAD = math.radians(1.0)
"""Sensor noise and a hand that only holds the robot stay below this."""

Table = NDArray[np.float64]
"""One row of nine numbers for each frame."""


class Edit(BaseModel):
    """What to do to a move, in this order: cut, mirror, scale, repeat, then change its speed."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    start: float = Field(0.0, description="Seconds to leave out at the beginning")
    end: float | None = Field(None, description="Second of the move at which to end it")
    mirror: bool = Field(default=False, description="Left becomes right")
    scale: float = Field(1.0, description=f"How large the movements are, 0 to {MAX_SCALE:g}")
    times: int = Field(1, description="How often to play it")
    slow: float = Field(1.0, description=f"How many times as long it takes, {MIN_STRETCH:g} to {MAX_STRETCH:g}")
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
            # Repeated first: rounding each repetition to whole frames would drift away from the music.
            return on_beat(edited, self.beats * self.times, self.bpm)
        return slowed(edited, self.slow)


def scaled(frames: Frames, amount: float, about: Pose = AWAKE) -> Frames:
    """The move scaled by `amount` around the pose `about`: 0 stands still there, 1 changes nothing."""
    require("a scale", amount, 0.0, MAX_SCALE)
    if amount == 1.0:
        return frames
    centre = np.array(about.as_tuple)
    return _with(frames, centre + (as_table(frames) - centre) * amount)


def mirrored(frames: Frames) -> Frames:
    """Left and right exchanged."""
    return _with(frames, (as_table(frames) * MIRROR)[:, MIRRORED_ORDER])


def trimmed(frames: Frames, start: float = 0.0, end: float | None = None) -> Frames:
    """The part from `start` to `end` seconds; without `end`, the rest."""
    table = as_table(frames)
    last = frames.duration if end is None else end
    slack = FRAME_TOLERANCE / RATE_HZ
    if not (math.isfinite(start) and math.isfinite(last) and 0 <= start < last <= frames.duration + slack):
        raise InvalidParameter(
            f"nothing to keep from {start:g} to {last:g} s",
            hint=f"the move lasts {frames.duration:g} s; start must come before end, and both lie within it",
        )
    if start == 0 and last >= frames.duration:
        return frames
    places = np.minimum(start * RATE_HZ + np.arange(ticks_in(last - start) + 1), last * RATE_HZ)
    return _with(frames, _at(table, places))


def trim_still_ends(frames: Frames, margin_s: float = 0.2) -> Frames:
    """Cut off stillness at both ends, except for `margin_s` seconds. A move without any movement stays as it is."""
    require("a margin in seconds", margin_s, 0.0, 60.0)
    table = as_table(frames)
    off_start, off_end = (np.abs((table - table[end]) * IN_RADIANS).max(axis=1) > STILL_RAD for end in (0, -1))
    if not off_start.any():
        return frames
    first, last = int(np.argmax(off_start)), len(table) - 1 - int(np.argmax(off_end[::-1]))
    margin = round(margin_s * RATE_HZ)
    return _with(frames, table[max(first - 1 - margin, 0) : max(last, first) + 2 + margin])


def slowed(frames: Frames, factor: float) -> Frames:
    """The move stretched to `factor` times its duration: 2 is half as fast, 0.5 twice as fast."""
    require("a slow-down", factor, MIN_STRETCH, MAX_STRETCH)
    return frames if factor == 1.0 else _stretched(frames, frames.duration * factor)


def on_beat(frames: Frames, beats: float, bpm: float) -> Frames:
    """The move stretched to last `beats` beats at `bpm` beats a minute."""
    require("a number of beats", beats, 0.25, 10_000.0)
    require("a tempo in beats a minute", bpm, 20.0, 400.0)
    table = as_table(frames)
    duration = beats * 60 / bpm
    factor = duration / frames.duration if len(table) > 1 else math.inf
    if not MIN_STRETCH <= factor <= MAX_STRETCH:
        raise InvalidParameter(
            f"a move of {frames.duration:g} s can't be stretched to {duration:g} s",
            hint=f"to between {MIN_STRETCH:g} and {MAX_STRETCH:g} times its length: choose another number of beats",
        )
    return _stretched(frames, duration)


def looped(frames: Frames, times: int, seam_s: float = 0.2) -> Frames:
    """The move repeated, lasting exactly `times` times as long.

    Where end and beginning differ, each repetition starts where the last one ended and blends in over `seam_s` seconds.
    """
    if isinstance(times, bool) or not isinstance(times, int) or not 1 <= times <= 100_000:
        raise InvalidParameter(f"a move can't be played {times} times", hint="a whole number from 1")
    _require_length(frames.duration * times)
    return sequence(*(frames,) * times, seam_s=seam_s) if times > 1 else frames


def sequence(*moves: Frames, seam_s: float = 0.25) -> Frames:
    """The moves one after another, lasting as long as all of them together.

    Each starts where the one before it ended and blends in over `seam_s` seconds. The sequence is `gazing` or
    `anchored` only if all its moves are.
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
    """Raises InvalidParameter for a move without frames or with a value that is not finite."""
    table = np.array(frames.frames, dtype=np.float64)
    if table.ndim != 2 or table.shape[1] != 9:
        raise InvalidParameter("a move without frames", hint="record or choose another one")
    if not np.isfinite(table).all():
        raise InvalidParameter("the move is not finite", hint="every number of a move must be one")
    return table


def as_frames(table: Table) -> Frames:
    return Frames(cast("list[PoseTuple]", [tuple(row) for row in table.tolist()]))


def _with(frames: Frames, table: Table) -> Frames:
    """`frames` with other poses and the same flags."""
    return replace(frames, frames=as_frames(table).frames)


def ticks_in(seconds: float) -> int:
    """The number of frames after the first one that cover so many seconds."""
    return max(math.ceil(seconds * RATE_HZ - FRAME_TOLERANCE), 1)


def _stretched(frames: Frames, duration: float) -> Frames:
    _require_length(duration)
    table = as_table(frames)
    places = np.linspace(0.0, len(table) - 1, max(round(duration * RATE_HZ), 1) + 1)
    return _with(frames, _at(table, places))


def _at(table: Table, places: Table) -> Table:
    """Rows interpolated at fractional indices."""
    rows = np.arange(len(table), dtype=np.float64)
    return np.stack([np.interp(places, rows, column) for column in table.T], axis=1)


def require(what: str, value: float, low: float, high: float) -> None:
    """Raises InvalidParameter unless `value` is a number in this range."""
    if isinstance(value, bool) or not low <= value <= high:
        raise InvalidParameter(f"{what} of {value:g}", hint=f"between {low:g} and {high:g}")


def _require_length(duration: float) -> None:
    if duration > MAX_DURATION_S + FRAME_TOLERANCE:
        raise InvalidParameter(f"the move would last {duration:g} s", hint=f"at most {MAX_DURATION_S:g} s")
