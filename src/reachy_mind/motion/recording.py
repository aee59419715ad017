"""The vendor's recorded-move format: bytes to frames and back.

    {"description": "...", "time": [0.0, 0.01, ...],
     "set_target_data": [{"head": 4x4 or flat 16, "antennas": [right, left], "body_yaw": 0.1}, ...]}

Times are seconds and need not be even or start at zero; lengths are metres and angles radians. Files come from anybody:
whatever is not a move is refused with the place and the reason, before it costs much memory.
"""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np

from reachy_mind.errors import MoveInvalid
from reachy_mind.motion.editing import Table, as_frames, as_table, ticks_in
from reachy_mind.motion.limits import RATE_HZ
from reachy_mind.motion.moves import LONGEST_S, Frames

LARGEST_BYTES = 64 << 20
MOST_FRAMES = 100_000
LONGEST_DESCRIPTION = 2000
FARTHEST_M, WIDEST_RAD = 1.0, 4 * math.pi
"""No robot of this kind: a number beyond is a mistake (degrees, millimetres), not a wish."""
ROTATION_TOLERANCE = 0.02
SAME_TIME_S = 1e-9
LATEST_S = 1e12
DECIMALS = 9

EXPECTED = "a recorded move is JSON with 'time' and 'set_target_data', equally long: record or export it again"
SMALLER = "trim it, or record a shorter one"
UNITS = "metres and radians, not millimetres and degrees"


class _Wrong(Exception):
    def __init__(self, place: str, reason: str, hint: str = EXPECTED) -> None:
        super().__init__(place, reason, hint)
        self.place, self.reason, self.hint = place, reason, hint


def decode(raw: bytes, source: str) -> tuple[str, Frames]:
    """Description and frames of a recorded move; `source` names it in the MoveInvalid that is raised."""
    try:
        document = _parse(raw)
        description = _description(document.get("description", ""))
        times = _times(document.get("time"))
        poses = _poses(_rows(document.get("set_target_data"), len(times)))
        return description, as_frames(_even(times, poses))
    except _Wrong as wrong:
        raise MoveInvalid(
            f"{printable(source)}: {' '.join((wrong.place, wrong.reason)).strip()}", hint=wrong.hint
        ) from None


def encode(frames: Frames, description: str = "") -> bytes:
    """Frames as a recorded move that starts at zero. Raises InvalidParameter for what `decode` would not take."""
    table = as_table(frames)
    if len(table) < 2 or frames.duration > LONGEST_S:
        raise MoveInvalid(f"a move of {frames.duration:g} s", hint=f"more than 0 and at most {LONGEST_S:g} s")
    heads = np.round(_matrices(table), DECIMALS) + 0.0  # adding zero turns -0.0 into 0.0
    rest = np.round(table[:, 6:], DECIMALS) + 0.0
    targets = [
        {"head": head, "antennas": [right, left], "body_yaw": body_yaw, "check_collision": False}
        for head, (body_yaw, left, right) in zip(heads.tolist(), rest.tolist(), strict=True)
    ]
    times = [tick / RATE_HZ for tick in range(len(table))]
    try:
        text = {"description": _description(description), "time": times, "set_target_data": targets}
    except _Wrong as wrong:
        raise MoveInvalid(f"{wrong.place} {wrong.reason}", hint=wrong.hint) from None
    return json.dumps(text, separators=(",", ":"), allow_nan=False).encode()


def printable(text: str) -> str:
    """One line without control characters, which could do anything to a terminal."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


# Reading


def _parse(raw: bytes) -> dict[str, Any]:
    if len(raw) > LARGEST_BYTES:
        raise _Wrong("", f"has more than {LARGEST_BYTES >> 20} MiB", SMALLER)
    # Counted first: a few megabytes of brackets would become gigabytes of Python objects.
    if raw.count(b",") > MOST_FRAMES * 30 or raw.count(b"[") + raw.count(b"{") > MOST_FRAMES * 10:
        raise _Wrong("", f"has more values than {MOST_FRAMES} frames need", SMALLER)
    try:
        # As floats, whole numbers of any length are numbers or infinite, and true and false are not among them.
        document = json.loads(raw.decode("utf-8-sig"), parse_int=float)
    except UnicodeDecodeError as error:
        raise _Wrong("", f"is not UTF-8 text (byte {error.start})") from None
    except RecursionError:
        raise _Wrong("", "is nested too deeply") from None
    except ValueError as error:
        raise _Wrong("", f"is not JSON: {error}") from None
    if type(document) is not dict:
        raise _Wrong("", f"holds {_kind(document)}, not an object")
    return document


def _description(value: object) -> str:
    if not isinstance(value, str):
        raise _Wrong("description", f"is {_kind(value)}, not text")
    if len(value) > LONGEST_DESCRIPTION:
        raise _Wrong("description", f"has {len(value)} characters", f"at most {LONGEST_DESCRIPTION}")
    return printable(value)


def _times(value: object) -> Table:
    times = np.array(_numbers("time", value, None))
    if len(times) > MOST_FRAMES:
        raise _Wrong("time", f"has {len(times)} frames", f"at most {MOST_FRAMES}; {SMALLER}")
    if (bad := _first(~(np.abs(times) < LATEST_S))) is not None:
        raise _Wrong(f"time[{bad}]", f"is {times[bad]:g}, no time in seconds")
    if (bad := _first(np.diff(times) < 0)) is not None:
        raise _Wrong(f"time[{bad + 1}]", f"goes back from {times[bad]:g} to {times[bad + 1]:g} s")
    duration = times[-1] - times[0] if len(times) else 0.0
    if duration <= SAME_TIME_S:
        raise _Wrong("time", "lasts no time at all", "a move has two frames or more, at different times")
    if duration > LONGEST_S + SAME_TIME_S:
        raise _Wrong("time", f"lasts {duration:g} s", f"at most {LONGEST_S:g} s; {SMALLER}")
    return times


def _rows(value: object, count: int) -> Table:
    """For each frame the sixteen numbers of the head, the right and the left antenna, and the body's yaw."""
    if type(value) is not list:
        raise _Wrong("set_target_data", _not_a(value, "a list"))
    if len(value) != count:
        raise _Wrong("set_target_data", f"has {len(value)} frames, but time has {count}")
    rows = []
    for number, target in enumerate(value):
        place = f"set_target_data[{number}]"
        if type(target) is not dict:
            raise _Wrong(place, _not_a(target, "an object"))
        antennas = _numbers(f"{place}.antennas", target.get("antennas"), 2)
        body_yaw = target.get("body_yaw", 0.0)
        if type(body_yaw) is not float:
            raise _Wrong(f"{place}.body_yaw", _not_a(body_yaw, "a number"))
        rows.append([*_head(f"{place}.head", target.get("head")), *antennas, body_yaw])
    table = np.array(rows)
    _check(~np.isfinite(table), "is no finite number")
    lengths, angles = table[:, [3, 7, 11]], table[:, 16:]
    _check(_columns(np.abs(lengths) > FARTHEST_M, [3, 7, 11]), f"is more than {FARTHEST_M:g} m", UNITS)
    _check(_columns(np.abs(angles) > WIDEST_RAD, [16, 17, 18]), "is more than two turns", UNITS)
    return table


def _head(place: str, value: object) -> list[float]:
    if type(value) is list and len(value) == 4:
        return [number for i, row in enumerate(value) for number in _numbers(f"{place}[{i}]", row, 4)]
    return _numbers(place, value, 16)


def _poses(rows: Table) -> Table:
    heads = rows[:, :16].reshape(-1, 4, 4)
    turns = heads[:, :3, :3]
    if (bad := _first(np.abs(heads[:, 3] - [0, 0, 0, 1]).max(axis=1) > ROTATION_TOLERANCE)) is not None:
        raise _Wrong(f"set_target_data[{bad}].head", "is no pose: its last row must be 0 0 0 1")
    wild = np.abs(turns).max(axis=(1, 2)) > 1 + ROTATION_TOLERANCE
    turns = np.where(wild[:, None, None], 0.0, turns)  # or the products below could overflow
    stretch = np.abs(turns @ turns.transpose(0, 2, 1) - np.eye(3)).max(axis=(1, 2))
    if (bad := _first((stretch > ROTATION_TOLERANCE) | (np.linalg.det(turns) < 0))) is not None:
        raise _Wrong(f"set_target_data[{bad}].head", "is no rotation: it stretches or mirrors the head")
    m, right, left, body_yaw = rows[:, :16].T, rows[:, 16], rows[:, 17], rows[:, 18]
    yaw = np.arctan2(m[4], m[0])
    # The head is never half a turn from the body: counted from there, its yaw does not wrap when it looks behind.
    beside = np.unwrap(np.arctan2(np.sin(yaw - body_yaw), np.cos(yaw - body_yaw)))
    roll = np.unwrap(np.arctan2(m[9], m[10]))
    pitch = np.arctan2(-m[8], np.hypot(m[0], m[4]))
    return np.stack(
        [m[3], m[7], m[11], roll, pitch, body_yaw + beside, body_yaw, _short_way(left), _short_way(right)], axis=1
    )


def _short_way(angles: Table) -> Table:
    """No step of more than half a turn, and all of it as near to zero as whole turns can bring it."""
    unwrapped = np.unwrap(angles)
    middle = float(unwrapped.min() + unwrapped.max()) / 2
    return unwrapped - math.tau * round(middle / math.tau)


def _even(times: Table, poses: Table) -> Table:
    """Poses at 100 a second. Of several frames at one time the last one counts."""
    counts = np.append(np.diff(times) > SAME_TIME_S, True)
    at, kept = times[counts] - times[counts][0], poses[counts]
    ticks = np.minimum(np.arange(ticks_in(float(at[-1])) + 1) / RATE_HZ, at[-1])
    return np.stack([np.interp(ticks, at, column) for column in kept.T], axis=1)


def _numbers(place: str, value: object, count: int | None) -> list[float]:
    if type(value) is not list:
        raise _Wrong(place, _not_a(value, "a list of numbers"))
    if count is not None and len(value) != count:
        raise _Wrong(place, f"has {len(value)} numbers, not {count}")
    for index, number in enumerate(value):
        if type(number) is not float:
            raise _Wrong(f"{place}[{index}]", _not_a(number, "a number"))
    return value


def _check(bad: np.ndarray[Any, np.dtype[np.bool_]], reason: str, hint: str = EXPECTED) -> None:
    if not bad.any():
        return
    frame, column = map(int, np.argwhere(bad)[0])
    part = (
        f"head[{column // 4}][{column % 4}]" if column < 16 else ("antennas[0]", "antennas[1]", "body_yaw")[column - 16]
    )
    raise _Wrong(f"set_target_data[{frame}].{part}", reason, hint)


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
