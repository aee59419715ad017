"""`HostedThings`: a detector of things whose model runs in a process of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from reachy_mind.errors import WorkerError
from reachy_mind.eyes.boxes import Box, distinct
from reachy_mind.eyes.naming import canonical
from reachy_mind.eyes.pictures import Picture, reduced
from reachy_mind.eyes.things import Seen
from reachy_mind.models.worker import Worker

LONGEST_SIDE = 1280
"""Detectors look at 416 or 640 points; more would only travel to another process for nothing."""
TIMEOUT_S = 20.0
OVERLAP = 0.45

Found = list[tuple[str, float, tuple[float, float, float, float]]]
"""A model's word for each thing, how sure it is, and left, top, right and bottom in shares of the picture."""


class HostedThings:
    """`factory` makes, in the worker's process, an object with `detect(pixels) -> Found`."""

    def __init__(self, name: str, factory: str, arguments: Mapping[str, Any]) -> None:
        self.name = name
        self._worker = Worker(name, factory, arguments)

    async def detect(self, picture: Picture) -> list[Seen]:
        pixels = await asyncio.to_thread(reduced, picture.pixels, LONGEST_SIDE)
        try:
            found: Found = await self._worker.call("detect", pixels, timeout=TIMEOUT_S)
        except WorkerError as error:
            error.hint = error.hint or f"reachy-mind models verify {self.name}"
            raise
        seen = [Seen(canonical(word), score, Box(*edges).within(), self.name) for word, score, edges in found]
        return [seen[index] for index in kept(seen)]

    async def aclose(self) -> None:
        await self._worker.stop()


def kept(seen: list[Seen]) -> list[int]:
    """Each thing once, whatever several boxes of the same name say."""
    indices: list[int] = []
    for name in dict.fromkeys(one.name for one in seen):
        of_name = [index for index, one in enumerate(seen) if one.name == name]
        boxes = [(seen[index].box, seen[index].score) for index in of_name]
        indices += [of_name[place] for place in distinct(boxes, OVERLAP)]
    return sorted(indices, key=lambda index: -seen[index].score)
