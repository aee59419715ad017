"""`Demonstration`: one time that somebody showed a task, as poses at a fixed rate.

`states` are measured poses and `actions` the poses that were commanded, in the order of `Pose`'s fields. `targets` is
where the camera saw what the task was about: yaw and pitch in the camera's frame with the signs of `Pose`, 1 while it
was visible, and its distance in metres (0: unknown).
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, cast, get_args
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from reachy_mind.body.pose import ANGLES, LENGTHS, PoseTuple
from reachy_mind.errors import InvalidParameter, MindError
from reachy_mind.motion.editing import IN_RADIANS, STILL_RAD
from reachy_mind.motion.limits import RATE_HZ
from reachy_mind.motion.move_format import MAX_ANGLE_RAD, MAX_LENGTH_M, printable
from reachy_mind.motion.moves import MAX_DURATION_S, Frames

Source = Literal["by_hand", "teleoperation", "tools"]
SOURCES: tuple[Source, ...] = get_args(Source)
POSE_NAMES = (*LENGTHS, *ANGLES)
TARGET_NAMES = ("yaw", "pitch", "visible", "distance")
FPS = 20
"""Rows a second of what is recorded here: two for each decision of a policy."""
MAX_FPS = 100
MAX_TASK = 500
MIN_ROWS = 2
ID = re.compile(r"[0-9a-f]{12}")

Rows = NDArray[np.float32]


class DatasetInvalid(InvalidParameter):
    """A folder or a file is not a dataset of demonstrations, or a broken one."""

    code = "DATASET_INVALID"


class UnknownDemonstration(MindError):
    """No demonstration, or no dataset, of this name."""

    code = "NOT_FOUND"


@dataclass(frozen=True, slots=True)
class DemonstratedCall:
    """A tool call of a demonstration, `at_s` seconds after its start."""

    name: str
    args: Mapping[str, Any]
    status: str = "ok"
    at_s: float = 0.0


@dataclass(frozen=True, eq=False)
class Demonstration:
    """One demonstration of a task. Raises InvalidParameter for rows that no robot can have had."""

    task: str
    states: Rows
    actions: Rows
    targets: Rows
    source: Source
    fps: int = FPS
    id: str = field(default_factory=lambda: uuid4().hex[:12])
    person: str = ""
    created_at: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))
    tool_calls: tuple[DemonstratedCall, ...] = ()
    images: tuple[bytes, ...] = ()
    """The camera's frames as JPEGs, one for each row; or none."""
    video: Path | None = None
    """The camera's frames in a file, where the demonstration is stored with them."""
    video_start: float = 0.0
    """Seconds into that file at which they begin."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "task", printable(self.task))
        if not 0 < len(self.task) <= MAX_TASK:
            raise InvalidParameter("a demonstration needs a task", hint=f"what it shows, in at most {MAX_TASK} letters")
        if not isinstance(self.fps, int) or not 1 <= self.fps <= MAX_FPS:
            raise InvalidParameter(f"{self.fps} rows a second", hint=f"a whole number from 1 to {MAX_FPS}")
        count = len(self.states)
        if count < MIN_ROWS or self.duration > MAX_DURATION_S:
            hint = f"{MIN_ROWS} rows or more, and at most {MAX_DURATION_S:g} s"
            raise InvalidParameter(f"a demonstration of {count} rows", hint=hint)
        for name, rows, width in (
            ("states", self.states, len(POSE_NAMES)),
            ("actions", self.actions, len(POSE_NAMES)),
            ("targets", self.targets, len(TARGET_NAMES)),
        ):
            if rows.shape != (count, width):
                raise InvalidParameter(f"{name} has the shape {rows.shape}", hint=f"({count}, {width}) is needed")
            if not np.isfinite(rows).all():
                raise InvalidParameter(f"{name} has a value that is no finite number", hint="record it again")
        for rows in (self.states, self.actions):
            if np.abs(rows[:, :3]).max() > MAX_LENGTH_M or np.abs(rows[:, 3:]).max() > MAX_ANGLE_RAD:
                raise InvalidParameter("a pose beyond the robot's size", hint="metres and radians")
        if self.images and len(self.images) != count:
            raise InvalidParameter(f"{len(self.images)} images for {count} rows", hint="one for each row, or none")
        if self.source not in SOURCES or not ID.fullmatch(self.id):
            raise InvalidParameter(f"a demonstration '{printable(self.id[:40])}' by '{printable(self.source[:40])}'")

    @property
    def duration(self) -> float:
        return (len(self.states) - 1) / self.fps

    @property
    def filmed(self) -> bool:
        return bool(self.images) or self.video is not None

    def trimmed(self, start: float, end: float | None = None) -> Demonstration:
        """The part from `start` to `end` seconds, without the video file. Raises InvalidParameter."""
        last = self.duration if end is None else end
        slack = 0.5 / self.fps
        if not (math.isfinite(start) and math.isfinite(last) and 0 <= start < last <= self.duration + slack):
            hint = f"it lasts {self.duration:g} s; start must come before end, and both lie within it"
            raise InvalidParameter(f"nothing to keep from {start:g} to {last:g} s", hint=hint)
        kept = slice(round(start * self.fps), round(last * self.fps) + 1)
        calls = tuple(replace(call, at_s=call.at_s - start) for call in self.tool_calls if start <= call.at_s <= last)
        return replace(
            self,
            states=self.states[kept],
            actions=self.actions[kept],
            targets=self.targets[kept],
            images=self.images[kept],
            tool_calls=calls,
            video=None,
            video_start=0.0,
        )

    def without_still_ends(self, margin_s: float = 0.5) -> Demonstration:
        """Without the stillness at both ends, except for `margin_s` seconds; as it is when nothing moves."""
        moved = [np.abs((self.states - self.states[end]) * IN_RADIANS).max(axis=1) > STILL_RAD for end in (0, -1)]
        if not moved[0].any():
            return self
        first, last = int(np.argmax(moved[0])), len(self.states) - 1 - int(np.argmax(moved[1][::-1]))
        start = max(first / self.fps - margin_s, 0.0)
        return self.trimmed(start, min(max(last, first) / self.fps + margin_s, self.duration))

    def as_move(self) -> Frames:
        """The commanded poses as a move."""
        times = np.arange(len(self.actions)) / self.fps
        ticks = np.arange(round(self.duration * RATE_HZ) + 1) / RATE_HZ
        table = np.stack([np.interp(ticks, times, column) for column in self.actions.T.astype(np.float64)], axis=1)
        return Frames(cast("list[PoseTuple]", [tuple(row) for row in table.tolist()]))


def from_move(frames: Frames, task: str, source: Source, *, person: str = "", fps: int = FPS) -> Demonstration:
    """A recorded move as a demonstration: each action is the pose that came next. Raises InvalidParameter."""
    table = np.array(frames.frames, dtype=np.float64)
    if table.ndim != 2 or len(table) < 2:
        raise InvalidParameter("nothing was recorded", hint="move the robot while it is recorded")
    states = resampled(np.arange(len(table)) / RATE_HZ, table, fps)
    return Demonstration(task, states, followed(states), unseen(len(states)), source, fps, person=person)


def followed(states: Rows) -> Rows:
    """The actions of a robot that nobody commanded: each is the pose that came next."""
    return np.concatenate([states[1:], states[-1:]])


def resampled(times: Sequence[float] | NDArray[np.float64], table: NDArray[np.float64], fps: int) -> Rows:
    """Rows at a fixed rate from the first time to the last, angles without jumps."""
    at = np.asarray(times, dtype=np.float64) - times[0]
    smooth = np.concatenate([table[:, :3], np.unwrap(table[:, 3:], axis=0)], axis=1)
    ticks = np.arange(max(int(at[-1] * fps + 1e-6), 1) + 1) / fps
    return np.stack([np.interp(ticks, at, column) for column in smooth.T], axis=1).astype(np.float32)


def unseen(count: int) -> Rows:
    """Targets of a demonstration in which nobody said where the target was."""
    return np.zeros((count, len(TARGET_NAMES)), dtype=np.float32)
