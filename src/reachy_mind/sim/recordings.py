"""`Datasets`: the vendor's recorded moves, JSON files in datasets of the Hugging Face cache.

A dataset `ORG/NAME` is the folder `$HF_HOME/hub/datasets--ORG--NAME/snapshots/REVISION`; its moves are `*.json` there
or in `data/`. The simulator never downloads datasets.
"""

from __future__ import annotations

import bisect
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Self

from pydantic import BaseModel, Field, FiniteFloat, ValidationError, field_validator, model_validator

from reachy_mind import log
from reachy_mind.body.pose import Pose, wrap_angle
from reachy_mind.body.protocol import Antennas, Head
from reachy_mind.body.wav import Samples
from reachy_mind.errors import InvalidParameter
from reachy_mind.sim.playback import read_clip

EMOTIONS = "pollen-robotics/reachy-mini-emotions-library"
"""The default dataset."""
MAX_FILE_BYTES = 64 << 20
_log = log.get(__name__)
_DATASET = re.compile(r"[\w.-]+/[\w.-]+", re.ASCII)


class NoSuchMove(Exception):
    """The dataset is not on this machine, or has no such move."""


class UnusableMove(Exception):
    """The file is not a valid recorded move."""


class _Target(BaseModel):
    head: Head
    antennas: Antennas
    body_yaw: FiniteFloat = 0.0

    @field_validator("head", mode="before")
    @classmethod
    def _flat(cls, rows: object) -> object:
        """Recordings hold a head as four rows of four, the protocol as sixteen numbers."""
        if isinstance(rows, list) and all(isinstance(row, list) for row in rows):
            return [number for row in rows for number in row]
        return rows

    def pose(self) -> Pose:
        return Pose.from_head_matrix(self.head, body_yaw=self.body_yaw, antennas=self.antennas)


class _RecordingFile(BaseModel):
    description: str = ""
    time: Annotated[list[FiniteFloat], Field(min_length=2)]
    set_target_data: list[_Target]

    @model_validator(mode="after")
    def _matching(self) -> Self:
        if len(self.time) != len(self.set_target_data):
            raise ValueError(f"{len(self.time)} times for {len(self.set_target_data)} targets")
        if any(later < earlier for earlier, later in zip(self.time, self.time[1:], strict=False)):
            raise ValueError("its times go backwards")
        return self


@dataclass(frozen=True, eq=False)
class Recording:
    """A move: poses at times that start at zero."""

    name: str
    times: tuple[float, ...]
    poses: tuple[Pose, ...]
    sound: Samples | None = None
    """Sound to play with it."""

    @property
    def duration(self) -> float:
        return self.times[-1]

    def pose(self, t: float) -> Pose:
        """The pose `t` seconds after the start; the last pose after the end."""
        after = bisect.bisect_right(self.times, t)
        if after >= len(self.times):
            return self.poses[-1]
        start, end = self.poses[after - 1], self.poses[after]
        share = (t - self.times[after - 1]) / (self.times[after] - self.times[after - 1])
        # Angles wrap at half a turn: from 179 to -179 degrees is a step of 2, not 358.
        mixed = (a + b * share for a, b in zip(start.as_tuple, _deltas(start, end), strict=True))
        return Pose(*mixed)


def _deltas(start: Pose, end: Pose) -> tuple[float, ...]:
    ways = [b - a for a, b in zip(start.as_tuple, end.as_tuple, strict=True)]
    return (*ways[:3], *(wrap_angle(way) for way in ways[3:6]), *ways[6:])


def decode(name: str, content: bytes | str) -> Recording:
    """Decode a move in the vendor's format. Raises UnusableMove."""
    try:
        file = _RecordingFile.model_validate_json(content)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise UnusableMove(f"{name} is no recorded move: {place} {first['msg']}".replace("  ", " ")) from None
    times = tuple(t - file.time[0] for t in file.time)
    if times[-1] <= 0.0:
        raise UnusableMove(f"{name} is no recorded move: it takes no time")
    return Recording(name, times, tuple(target.pose() for target in file.set_target_data))


def _read_sound(move: Path) -> Samples | None:
    """The sound of the WAV file beside a move; None when it is missing or unreadable: the move plays without it."""
    file = move.with_suffix(".wav")
    try:
        return read_clip(file.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, InvalidParameter) as error:
        _log.warning("the sound of a move can't be used", move=move.stem, reason=str(error))
        return None


class Datasets:
    """The recorded moves in a Hugging Face cache folder (`hub`)."""

    def __init__(self, hub: Path) -> None:
        self._hub = hub

    @classmethod
    def of_this_machine(cls, environ: Mapping[str, str] = os.environ) -> Datasets:
        """Where the vendor's own programs look: HF_HUB_CACHE, HF_HOME, or the user's cache folder."""
        home = environ.get("HF_HOME") or Path(environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "huggingface"
        return cls(Path(environ.get("HF_HUB_CACHE") or Path(home) / "hub"))

    def names(self, dataset: str) -> list[str]:
        """The moves of a dataset. Raises NoSuchMove when it is not on this machine."""
        return sorted(self._files(dataset))

    def read(self, dataset: str, name: str) -> Recording:
        """One move. Raises NoSuchMove or UnusableMove."""
        file = self._files(dataset).get(name)
        if file is None:
            raise NoSuchMove(f"Move {name} not found in recorded moves library {dataset}")
        try:
            if file.stat().st_size > MAX_FILE_BYTES:
                raise UnusableMove(f"{name} is larger than {MAX_FILE_BYTES >> 20} MB")
            return replace(decode(name, file.read_bytes()), sound=_read_sound(file))
        except OSError as error:
            raise UnusableMove(f"{name} can't be read: {error.strerror}") from error

    def _files(self, dataset: str) -> dict[str, Path]:
        missing = NoSuchMove(
            f"dataset {dataset} is not in {self._hub}, and the simulator downloads nothing: "
            f"`hf download --repo-type dataset {dataset}` puts it there"
        )
        if not _DATASET.fullmatch(dataset) or ".." in dataset:
            raise NoSuchMove(f"{dataset!r} is no dataset: its name is ORGANISATION/NAME")
        folder = self._hub / f"datasets--{dataset.replace('/', '--')}"
        try:
            revision = (folder / "refs" / "main").read_text(encoding="utf-8").strip()
            snapshot = folder / "snapshots" / Path(revision).name
            if not snapshot.is_dir():
                raise missing
            return {file.stem: file for part in (snapshot, snapshot / "data") for file in part.glob("*.json")}
        except OSError:
            raise missing from None
