"""Decodes and encodes the vendor's recorded-move JSON format.

    {"description": "...", "time": [0.0, 0.01, ...],
     "set_target_data": [{"head": 4x4 or flat 16, "antennas": [right, left], "body_yaw": 0.1}, ...]}

Times are seconds and need not be even or start at zero; lengths are metres and angles radians. Files are untrusted: an
invalid one is refused with the place and the reason, before it costs much memory.
"""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np

from reachy_mind.errors import MoveInvalid
from reachy_mind.motion.editing import Table, as_frames, as_table, ticks_in
from reachy_mind.motion.limits import RATE_HZ
from reachy_mind.motion.moves import MAX_DURATION_S, Frames

MAX_BYTES = 64 << 20
MAX_FRAMES = 100_000
MAX_DESCRIPTION = 2000
MAX_LENGTH_M, MAX_ANGLE_RAD = 1.0, 4 * math.pi
"""Beyond the robot's size: a larger value is a wrong unit (degrees, millimetres)."""
ROTATION_TOLERANCE = 0.02
SAME_TIME_S = 1e-9
MAX_TIME_S = 1e12
DECIMALS = 9

FORMAT_HINT = "a recorded move is JSON with 'time' and 'set_target_data', equally long: record or export it again"
SHORTER_HINT = "trim it, or record a shorter one"
UNITS_HINT = "metres and radians, not millimetres and degrees"


class _FormatError(Exception):
    def __init__(self, place: str, reason: str, hint: str = FORMAT_HINT) -> None:
        super().__init__(place, reason, hint)
        self.place, self.reason, self.hint = place, reason, hint


def decode(raw: bytes, source: str) -> tuple[str, Frames]:
    """Description and frames of a recorded move. Raises MoveInvalid, in which `source` names the file."""
    try:
        document = _parse(raw)
        description = _description(document.get("description", ""))
        times = _times(document.get("time"))
        poses = _poses(_rows(document.get("set_target_data"), len(times)))
        return description, as_frames(_resample(times, poses))
    except _FormatError as error:
        raise MoveInvalid(
            f"{printable(source)}: {' '.join((error.place, error.reason)).strip()}", hint=error.hint
        ) from None


def encode(frames: Frames, description: str = "") -> bytes:
    """Frames as a recorded move that starts at zero. Raises MoveInvalid or InvalidParameter for an invalid move."""
    table = as_table(frames)
    if len(table) < 2 or frames.duration > MAX_DURATION_S:
        raise MoveInvalid(f"a move of {frames.duration:g} s", hint=f"more than 0 and at most {MAX_DURATION_S:g} s")
    heads = np.round(_matrices(table), DECIMALS) + 0.0  # adding zero turns -0.0 into 0.0
    rest = np.round(table[:, 6:], DECIMALS) + 0.0
    targets = [
        {"head": head, "antennas": [right, left], "body_yaw": body_yaw, "check_collision": False}
        for head, (body_yaw, left, right) in zip(heads.tolist(), rest.tolist(), strict=True)
    ]
    times = [tick / RATE_HZ for tick in range(len(table))]
    try:
        text = {"description": _description(description), "time": times, "set_target_data": targets}
    except _FormatError as error:
        raise MoveInvalid(f"{error.place} {error.reason}", hint=error.hint) from None
    return json.dumps(text, separators=(",", ":"), allow_nan=False).encode()


def printable(text: str) -> str:
    """One line without control characters, which could manipulate a terminal."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


# Reading


def _parse(raw: bytes) -> dict[str, Any]:
    if len(raw) > MAX_BYTES:
        raise _FormatError("", f"has more than {MAX_BYTES >> 20} MiB", SHORTER_HINT)
    # Counted before parsing: a few megabytes of brackets would become gigabytes of Python objects.
    if raw.count(b",") > MAX_FRAMES * 30 or raw.count(b"[") + raw.count(b"{") > MAX_FRAMES * 10:
        raise _FormatError("", f"has more values than {MAX_FRAMES} frames need", SHORTER_HINT)
    try:
        # With all numbers as floats, huge integers become infinite, and true and false stay distinguishable.
        document = json.loads(raw.decode("utf-8-sig"), parse_int=float)
    except UnicodeDecodeError as error:
        raise _FormatError("", f"is not UTF-8 text (byte {error.start})") from None
    except RecursionError:
        raise _FormatError("", "is nested too deeply") from None
    except ValueError as error:
        raise _FormatError("", f"is not JSON: {error}") from None
    if type(document) is not dict:
        raise _FormatError("", f"holds {_kind(document)}, not an object")
    return document


def _description(value: object) -> str:
    if not isinstance(value, str):
        raise _FormatError("description", f"is {_kind(value)}, not text")
    if len(value) > MAX_DESCRIPTION:
        raise _FormatError("description", f"has {len(value)} characters", f"at most {MAX_DESCRIPTION}")
    return printable(value)


def _times(value: object) -> Table:
    times = np.array(_numbers("time", value, None))
    if len(times) > MAX_FRAMES:
        raise _FormatError("time", f"has {len(times)} frames", f"at most {MAX_FRAMES}; {SHORTER_HINT}")
    if (bad := _first(~(np.abs(times) < MAX_TIME_S))) is not None:
        raise _FormatError(f"time[{bad}]", f"is {times[bad]:g}, no time in seconds")
    if (bad := _first(np.diff(times) < 0)) is not None:
        raise _FormatError(f"time[{bad + 1}]", f"goes back from {times[bad]:g} to {times[bad + 1]:g} s")
    duration = times[-1] - times[0] if len(times) else 0.0
    if duration <= SAME_TIME_S:
        raise _FormatError("time", "lasts no time at all", "a move has two frames or more, at different times")
    if duration > MAX_DURATION_S + SAME_TIME_S:
        raise _FormatError("time", f"lasts {duration:g} s", f"at most {MAX_DURATION_S:g} s; {SHORTER_HINT}")
    return times


def _rows(value: object, count: int) -> Table:
    """For each frame the sixteen values of the head, the right and left antenna, and the body yaw."""
    if type(value) is not list:
        raise _FormatError("set_target_data", _not_a(value, "a list"))
    if len(value) != count:
        raise _FormatError("set_target_data", f"has {len(value)} frames, but time has {count}")
    rows = []
    for number, target in enumerate(value):
        place = f"set_target_data[{number}]"
        if type(target) is not dict:
            raise _FormatError(place, _not_a(target, "an object"))
        antennas = _numbers(f"{place}.antennas", target.get("antennas"), 2)
        body_yaw = target.get("body_yaw", 0.0)
        if type(body_yaw) is not float:
            raise _FormatError(f"{place}.body_yaw", _not_a(body_yaw, "a number"))
        rows.append([*_head(f"{place}.head", target.get("head")), *antennas, body_yaw])
    table = np.array(rows)
    _check(~np.isfinite(table), "is no finite number")
    lengths, angles = table[:, [3, 7, 11]], table[:, 16:]
    _check(_columns(np.abs(lengths) > MAX_LENGTH_M, [3, 7, 11]), f"is more than {MAX_LENGTH_M:g} m", UNITS_HINT)
    _check(_columns(np.abs(angles) > MAX_ANGLE_RAD, [16, 17, 18]), "is more than two turns", UNITS_HINT)
    return table


def _head(place: str, value: object) -> list[float]:
    if type(value) is list and len(value) == 4:
        return [number for i, row in enumerate(value) for number in _numbers(f"{place}[{i}]", row, 4)]
    return _numbers(place, value, 16)


def _poses(rows: Table) -> Table:
    heads = rows[:, :16].reshape(-1, 4, 4)
    turns = heads[:, :3, :3]
    if (bad := _first(np.abs(heads[:, 3] - [0, 0, 0, 1]).max(axis=1) > ROTATION_TOLERANCE)) is not None:
        raise _FormatError(f"set_target_data[{bad}].head", "is no pose: its last row must be 0 0 0 1")
    wild = np.abs(turns).max(axis=(1, 2)) > 1 + ROTATION_TOLERANCE
    turns = np.where(wild[:, None, None], 0.0, turns)  # otherwise the products below could overflow
    stretch = np.abs(turns @ turns.transpose(0, 2, 1) - np.eye(3)).max(axis=(1, 2))
    if (bad := _first((stretch > ROTATION_TOLERANCE) | (np.linalg.det(turns) < 0))) is not None:
        raise _FormatError(f"set_target_data[{bad}].head", "is no rotation: it stretches or mirrors the head")
    m, right, left, body_yaw = rows[:, :16].T, rows[:, 16], rows[:, 17], rows[:, 18]
    yaw = np.arctan2(m[4], m[0])
    # The head is never half a turn from the body: relative to it, yaw does not wrap when the robot faces backwards.
    beside = np.unwrap(np.arctan2(np.sin(yaw - body_yaw), np.cos(yaw - body_yaw)))
    roll = np.unwrap(np.arctan2(m[9], m[10]))
    pitch = np.arctan2(-m[8], np.hypot(m[0], m[4]))
    return np.stack(
        [m[3], m[7], m[11], roll, pitch, body_yaw + beside, body_yaw, _short_way(left), _short_way(right)], axis=1
    )


def _short_way(angles: Table) -> Table:
    """Unwrapped angles, shifted by whole turns to be as near to zero as possible."""
    unwrapped = np.unwrap(angles)
    middle = float(unwrapped.min() + unwrapped.max()) / 2
    return unwrapped - math.tau * round(middle / math.tau)


def _resample(times: Table, poses: Table) -> Table:
    """Poses resampled to 100 Hz. Of several frames at the same time the last one counts."""
    counts = np.append(np.diff(times) > SAME_TIME_S, True)
    at, kept = times[counts] - times[counts][0], poses[counts]
    ticks = np.minimum(np.arange(ticks_in(float(at[-1])) + 1) / RATE_HZ, at[-1])
    return np.stack([np.interp(ticks, at, column) for column in kept.T], axis=1)


def _numbers(place: str, value: object, count: int | None) -> list[float]:
    if type(value) is not list:
        raise _FormatError(place, _not_a(value, "a list of numbers"))
    if count is not None and len(value) != count:
        raise _FormatError(place, f"has {len(value)} numbers, not {count}")
    for index, number in enumerate(value):
        if type(number) is not float:
            raise _FormatError(f"{place}[{index}]", _not_a(number, "a number"))
    return value


def _check(bad: np.ndarray[Any, np.dtype[np.bool_]], reason: str, hint: str = FORMAT_HINT) -> None:
    if not bad.any():
        return
    frame, column = map(int, np.argwhere(bad)[0])
    part = (
        f"head[{column // 4}][{column % 4}]" if column < 16 else ("antennas[0]", "antennas[1]", "body_yaw")[column - 16]
    )
    raise _FormatError(f"set_target_data[{frame}].{part}", reason, hint)


def _columns(bad: np.ndarray[Any, np.dtype[np.bool_]], columns: list[int]) -> np.ndarray[Any, np.dtype[np.bool_]]:
    wide = np.zeros((len(bad), 19), dtype=np.bool_)
    wide[:, columns] = bad
    return wide


def _first(bad: np.ndarray[Any, np.dtype[np.bool_]]) -> int | None:
    return int(np.argmax(bad)) if bad.any() else None


def _not_a(value: object, wanted: str) -> str:
    return "is missing" if value is None else f"is {_kind(value)}, not {wanted}"


def _kind(value: object) -> str:
    names = {dict: "an object", list: "a list", str: "text", bool: "true or false", float: "a number"}
    return names.get(type(value), "null")


# Writing


def _matrices(table: Table) -> Table:
    x, y, z, roll, pitch, yaw = table.T[:6]
    cr, sr, cp, sp, cy, sy = np.cos(roll), np.sin(roll), np.cos(pitch), np.sin(pitch), np.cos(yaw), np.sin(yaw)
    zero, one = np.zeros(len(table)), np.ones(len(table))
    rows = [
        *(cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr, x),
        *(sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr, y),
        *(-sp, cp * sr, cp * cr, z),
        *(zero, zero, zero, one),
    ]
    return np.stack(rows, axis=1).reshape(-1, 4, 4)
