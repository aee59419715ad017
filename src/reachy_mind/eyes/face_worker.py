"""`FaceWorker`: a `FaceDetector` whose model runs in a worker process, because it is too slow for a thread."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from reachy_mind.errors import NotReady, WorkerError
from reachy_mind.eyes.boxes import Box
from reachy_mind.eyes.faces import Face
from reachy_mind.eyes.pictures import Picture
from reachy_mind.models.worker import Worker

TIMEOUT_S = 10.0

RawFaces = list[tuple[tuple[float, float, float, float], float, tuple[tuple[float, float], ...]]]
"""What the model's `detect(pixels)` returns: box, score and eyes of each face, highest score first."""


class FaceWorker:
    """`factory` is the model's `module:Class`, as `Worker` takes it."""

    def __init__(self, name: str, factory: str, arguments: Mapping[str, Any]) -> None:
        self.name = name
        self._worker = Worker(f"{name} tracker", factory, arguments)

    async def detect(self, picture: Picture) -> list[Face]:
        """All faces, highest score first. Raises WorkerError with the model's error, TimedOut."""
        try:
            found: RawFaces = await self._worker.call("detect", picture.pixels, timeout=TIMEOUT_S)
        except WorkerError as error:
            error.hint = error.hint or "is eyes.tracker_model a model for this tracker? see docs/eyes.md"
            raise
        return [Face(Box(*box), score, eyes) for box, score, eyes in found]

    async def aclose(self) -> None:
        await self._worker.stop()


def model_file(tracker: str, path: Path | None, kind: str) -> Path:
    """The file of the owner's model. Raises NotReady when it is not set or missing."""
    if path is None or not path.expanduser().is_file():
        there = "eyes.tracker_model is not set" if path is None else f"there is no file {path}"
        raise NotReady(f"the tracker {tracker} has no model: {there}", hint=f"set eyes.tracker_model to {kind}")
    return path.expanduser()
