"""OCR: reads text in a picture with RapidOCR (PP-OCR, Apache-2.0) and its bundled models, in a worker process.

A picture takes about a second of one core, so text is read only on request.
"""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
from typing import Any

from reachy_mind.errors import MissingExtra
from reachy_mind.eyes.boxes import Box
from reachy_mind.eyes.pictures import Picture, Pixels, downscaled
from reachy_mind.eyes.untrusted_text import PictureText, in_reading_order, sanitize
from reachy_mind.models.worker import Worker

LIBRARY = "rapidocr"
MAX_SIDE_PX = 1280
"""A larger picture only takes longer."""
TIMEOUT_S = 30.0
MIN_SCORE = 0.6
"""Results with a lower score are mostly stripes and edges."""

Lines = list[tuple[str, float, tuple[float, float, float, float]]]


class OcrReader:
    """Starts its worker process with the first picture."""

    def __init__(self) -> None:
        self._worker = Worker("reading", f"{__name__}:OcrModel")

    async def read(self, picture: Picture) -> list[PictureText]:
        """The lines of text, sanitized and in reading order. Raises MissingExtra, WorkerError."""
        if importlib.util.find_spec(LIBRARY) is None:
            raise MissingExtra("reading text", "vision")
        pixels = await asyncio.to_thread(downscaled, picture.pixels, MAX_SIDE_PX)
        lines: Lines = await self._worker.call("read", pixels, timeout=TIMEOUT_S)
        found = [
            PictureText(sanitize(line), score, Box(*edges).clipped())
            for line, score, edges in lines
            if score >= MIN_SCORE
        ]
        return in_reading_order(found)

    async def aclose(self) -> None:
        await self._worker.stop()


class OcrModel:
    """The models in the worker process."""

    def __init__(self) -> None:
        one = "EngineConfig.onnxruntime.intra_op_num_threads", "EngineConfig.onnxruntime.inter_op_num_threads"
        params: dict[str, Any] = dict.fromkeys(one, 1)  # leave the other core to motion
        library: Any = importlib.import_module(LIBRARY)  # an extra, imported only in this process
        self._engine = library.RapidOCR(params=params | {"Global.log_level": "error", "Global.use_cls": False})

    def read(self, pixels: Pixels) -> Lines:
        height, width = pixels.shape[:2]
        found = self._engine(pixels[:, :, ::-1])  # RapidOCR expects BGR
        if found.txts is None or found.boxes is None:
            return []
        lines: Lines = []
        for line, score, corners in zip(found.txts, found.scores, found.boxes, strict=True):
            across, down = corners[:, 0] / width, corners[:, 1] / height
            edges = float(across.min()), float(down.min()), float(across.max()), float(down.max())
            lines.append((str(line), float(score), edges))
        return lines
