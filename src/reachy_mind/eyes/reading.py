"""Reading text in a picture: RapidOCR (PP-OCR, Apache-2.0) with the models of its own package, in its own process.

It takes about a second of a core for a picture, so text is read only when somebody asks what something says.
"""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
from typing import Any

from reachy_mind.errors import MissingExtra
from reachy_mind.eyes.boxes import Box
from reachy_mind.eyes.pictures import Picture, Pixels, reduced
from reachy_mind.eyes.texts import Text, harmless, in_order
from reachy_mind.models.worker import Worker

LIBRARY = "rapidocr"
LONGEST_SIDE = 1280
"""More would only take longer to read."""
TIMEOUT_S = 30.0
LEAST = 0.6
"""Below, what it reads are mostly stripes and edges."""

Lines = list[tuple[str, float, tuple[float, float, float, float]]]


class Reader:
    """Starts its process with the first picture."""

    def __init__(self) -> None:
        self._worker = Worker("reading", f"{__name__}:Hosted")

    async def read(self, picture: Picture) -> list[Text]:
        """What is written there, harmless, in the order of reading. Raises MissingExtra, WorkerError."""
        if importlib.util.find_spec(LIBRARY) is None:
            raise MissingExtra("reading text", "vision")
        pixels = await asyncio.to_thread(reduced, picture.pixels, LONGEST_SIDE)
        lines: Lines = await self._worker.call("read", pixels, timeout=TIMEOUT_S)
        found = [Text(harmless(line), score, Box(*edges).within()) for line, score, edges in lines if score >= LEAST]
        return in_order(found)

    async def aclose(self) -> None:
        await self._worker.stop()


class Hosted:
    """The models, in the worker's process."""

    def __init__(self) -> None:
        one = "EngineConfig.onnxruntime.intra_op_num_threads", "EngineConfig.onnxruntime.inter_op_num_threads"
        params: dict[str, Any] = dict.fromkeys(one, 1)  # the other core has the robot to move
        library: Any = importlib.import_module(LIBRARY)  # an extra, and in this process only
        self._engine = library.RapidOCR(params=params | {"Global.log_level": "error", "Global.use_cls": False})

    def read(self, pixels: Pixels) -> Lines:
        height, width = pixels.shape[:2]
        found = self._engine(pixels[:, :, ::-1])  # it expects blue first
        if found.txts is None or found.boxes is None:
            return []
        lines: Lines = []
        for line, score, corners in zip(found.txts, found.scores, found.boxes, strict=True):
            across, down = corners[:, 0] / width, corners[:, 1] / height
            edges = float(across.min()), float(down.min()), float(across.max()), float(down.max())
            lines.append((str(line), float(score), edges))
        return lines
