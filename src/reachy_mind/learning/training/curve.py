"""`LearningCurve`: how a run went, as JSON lines, one for each held-out evaluation.

A line is on disk when `append` returns. Readers ignore a line that a killed process left in part, and the next `append`
replaces it. A run appends a point before it saves the checkpoint of the same episode. Resumed, it first
truncates the curve to the episode of the checkpoint; with the same episodes afterwards, the curve is that of a run
without interruption.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

from pydantic import FiniteFloat, NonNegativeInt, TypeAdapter, ValidationError

from reachy_mind.errors import AssetError, InvalidParameter
from reachy_mind.storage.faults import classify
from reachy_mind.storage.files import make_folder, write_atomically
from reachy_mind.system.durable_files import sync_folder
from reachy_mind.system.open_files import BYTES, NO_LINK, write_at


@dataclass(frozen=True)
class CurvePoint:
    """The figures of one evaluation."""

    episode: NonNegativeInt
    success: FiniteFloat
    reward: FiniteFloat
    violations: FiniteFloat
    time: FiniteFloat
    """Seconds of training so far. A resumed run counts on from the time of the last point, not from its own start."""


_POINT = TypeAdapter(CurvePoint)


class LearningCurve:
    """The curve in a file, which is created by the first `append`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known: tuple[int, CurvePoint | None] | None = None
        """The size of the file after our last write, and its last point."""

    def points(self) -> tuple[CurvePoint, ...]:
        """Every point, by episode. Raises AssetError when a line other than a torn last one is damaged."""
        return self._read()[0]

    def last(self) -> CurvePoint | None:
        """The latest point: where a resumed run goes on."""
        points = self.points()
        return points[-1] if points else None

    def append(self, point: CurvePoint) -> None:
        """Add a point. Raises InvalidParameter for one that is not after the last, AssetError when it can't be done."""
        try:
            point = _POINT.validate_python(asdict(point))  # 0 and 0.0 are the same line
        except ValidationError as error:
            wrong = ", ".join(f"{each['loc'][0]} is {each['input']!r}" for each in error.errors())
            hint = "episodes count from 0, and every figure is a finite number"
            raise InvalidParameter(f"this can't be a point of a curve: {wrong}", hint=hint) from error
        try:
            self._append(point)
        except OSError as error:
            raise self._fault("written", error) from error

    def truncate(self, episode: int) -> int:
        """Drop every point after the episode of a checkpoint, and say how many there were. Raises AssetError."""
        points, whole = self._read()
        kept = [point for point in points if point.episode <= episode]
        try:
            if self._path.exists() and (len(kept) < len(points) or whole < self._path.stat().st_size):
                write_atomically(self._path, b"".join(_line(point) for point in kept))
        except OSError as error:
            raise self._fault("written", error) from error
        self._known = None
        return len(points) - len(kept)

    def _append(self, point: CurvePoint) -> None:
        make_folder(self._path.parent)
        new = not self._path.exists()
        size, last = self._state(0 if new else self._path.stat().st_size)
        if last is not None and point.episode <= last.episode:
            hint = "truncate the curve to the episode of the checkpoint before a run is resumed"
            raise InvalidParameter(f"episode {point.episode} is not after {last.episode}, the last one", hint=hint)
        line = _line(point)
        descriptor = os.open(self._path, os.O_WRONLY | os.O_CREAT | NO_LINK | BYTES, 0o600)
        try:
            os.ftruncate(descriptor, size)  # a piece of a line that a kill left
            try:
                if write_at(descriptor, line, size) < len(line):
                    raise OSError("the line could only be written in part")
                os.fsync(descriptor)
            except OSError:
                os.ftruncate(descriptor, size)
                raise
        finally:
            os.close(descriptor)
        if new:
            sync_folder(self._path.parent)
        self._known = (size + len(line), point)

    def _state(self, size: int) -> tuple[int, CurvePoint | None]:
        """Where the whole lines end, and the last point; read only when somebody else has changed the file."""
        if self._known is not None and self._known[0] == size:
            return self._known
        points, whole = self._read()
        return whole, points[-1] if points else None

    def _read(self) -> tuple[tuple[CurvePoint, ...], int]:
        """The points, and the number of bytes up to the end of the last whole line."""
        try:
            data = self._path.read_bytes()
        except FileNotFoundError:
            return (), 0
        except OSError as error:
            raise self._fault("read", error) from error
        lines = data.splitlines(keepends=True)
        points: list[CurvePoint] = []
        whole = 0
        for number, line in enumerate(lines, start=1):
            try:
                if not line.endswith(b"\n"):
                    raise ValueError("not a whole line")
                point = _POINT.validate_json(line)
                if points and point.episode <= points[-1].episode:
                    raise ValueError("not in order")
            except ValueError as error:  # pydantic's is one
                if number == len(lines):
                    break  # torn: its `append` never returned
                hint = "put the file back from a backup, or move it away: the run goes on with a new curve"
                raise AssetError(f"line {number} of {self._path} is damaged", hint=hint) from error
            points.append(point)
            whole += len(line)
        return tuple(points), whole

    def _fault(self, what: str, error: OSError) -> AssetError:
        fault = classify(error, self._path)
        return AssetError(f"{self._path} can't be {what}: {fault.cause}", hint=fault.hint)


def _line(point: CurvePoint) -> bytes:
    return json.dumps(asdict(point)).encode() + b"\n"
