"""`yolo11n`: object detection that is surer of small and partly hidden things, by onnxruntime, in its own process.

Its licence is the AGPL: it is never fetched by itself, only with `reachy-mind models pull yolo11n`, which shows that.
"""

from __future__ import annotations

import importlib
import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from reachy_mind.errors import MissingExtra
from reachy_mind.eyes.hosted import Found, HostedDetector
from reachy_mind.eyes.pictures import Pixels

NAME = "yolo11n"
SIDE = 640
LEAST = 0.35
GREY = 114
"""What fills the rest of the square that it looks at, as in its training."""


def detector(folder: Path) -> HostedDetector:
    """The model in that folder, loaded with the first picture. Raises MissingExtra."""
    if importlib.util.find_spec("onnxruntime") is None:
        raise MissingExtra(f"seeing things with {NAME}", "vision")
    return HostedDetector(NAME, f"{__name__}:Hosted", {"folder": str(folder)})


class Hosted:
    """The model, in the worker's process."""

    def __init__(self, folder: str) -> None:
        onnxruntime: Any = importlib.import_module("onnxruntime")  # an extra, and in this process only
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1  # the other core has the robot to move
        files = Path(folder)
        self._names = (files / "yolov11-dic80.txt").read_text().split("\n")
        self._session = onnxruntime.InferenceSession(
            str(files / "yolo11n.onnx"), options, providers=["CPUExecutionProvider"]
        )
        self._input = self._session.get_inputs()[0].name

    def detect(self, pixels: Pixels) -> Found:
        height, width = pixels.shape[:2]
        share = SIDE / max(height, width)
        size = max(1, round(width * share)), max(1, round(height * share))
        square = np.full((SIDE, SIDE, 3), GREY, np.uint8)
        square[: size[1], : size[0]] = np.asarray(Image.fromarray(pixels).resize(size, Image.Resampling.BILINEAR))
        blob = square.transpose(2, 0, 1)[None].astype(np.float32) / 255
        rows = np.asarray(self._session.run(None, {self._input: blob})[0])[0].T
        names, scores = rows[:, 4:].argmax(axis=1), rows[:, 4:].max(axis=1)
        found: Found = []
        for index in np.flatnonzero(scores >= LEAST):
            x, y, wide, high = (float(value) for value in rows[index, :4])
            left, right = ((x + side * wide / 2) / size[0] for side in (-1, 1))
            top, bottom = ((y + side * high / 2) / size[1] for side in (-1, 1))
            found.append((self._names[names[index]], float(scores[index]), (left, top, right, bottom)))
        return found
