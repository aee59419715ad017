"""`ObjectWorker`: an `ObjectDetector` whose model runs in a worker process."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from reachy_mind.errors import WorkerError
from reachy_mind.eyes.boxes import Box, non_max_suppression
from reachy_mind.eyes.object_names import canonical
from reachy_mind.eyes.objects import DetectedObject
from reachy_mind.eyes.pictures import Picture, downscaled
from reachy_mind.models.worker import Worker

MAX_SIDE_PX = 1280
"""Networks take 416 or 640 pixels; sending more to the worker is wasted."""
TIMEOUT_S = 20.0
NMS_IOU = 0.45

RawObjects = list[tuple[str, float, tuple[float, float, float, float]]]
"""The model's label, score and box (left, top, right, bottom in shares of the picture) of each object."""


class ObjectWorker:
    """`factory` creates, in the worker process, an object with `detect(pixels) -> RawObjects`."""

    def __init__(self, name: str, factory: str, arguments: Mapping[str, Any]) -> None:
        self.name = name
        self._worker = Worker(name, factory, arguments)

    async def detect(self, picture: Picture) -> list[DetectedObject]:
        pixels = await asyncio.to_thread(downscaled, picture.pixels, MAX_SIDE_PX)
        try:
            found: RawObjects = await self._worker.call("detect", pixels, timeout=TIMEOUT_S)
        except WorkerError as error:
            error.hint = error.hint or f"reachy-mind models verify {self.name}"
            raise
        objects = [
            DetectedObject(canonical(label), score, Box(*edges).clipped(), self.name) for label, score, edges in found
        ]
        return [objects[index] for index in suppress_per_name(objects)]

    async def aclose(self) -> None:
        await self._worker.stop()


def suppress_per_name(seen: list[DetectedObject]) -> list[int]:
    """Indices to keep after non-maximum suppression among objects of the same name, best first."""
    indices: list[int] = []
    for name in dict.fromkeys(one.name for one in seen):
        of_name = [index for index, one in enumerate(seen) if one.name == name]
        boxes = [(seen[index].box, seen[index].score) for index in of_name]
        indices += [of_name[place] for place in non_max_suppression(boxes, NMS_IOU)]
    return sorted(indices, key=lambda index: -seen[index].score)
