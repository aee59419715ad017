"""`YoloNetwork`: ONNX inference for networks with the output layout of YOLOv8 and YOLO11; for a worker process.

There is one output: for each candidate the centre and size of a box in input pixels, then a score for each class.
"""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reachy_mind.eyes.boxes import Box
from reachy_mind.eyes.letterbox import Letterbox, letterboxed
from reachy_mind.eyes.pictures import Pixels

GREY = 114
"""The padding these models are trained with."""

Scores = NDArray[np.float32]
"""The score of each class, for one candidate or many."""


class YoloNetwork:
    """`side`: the input size in pixels for a model that takes any."""

    def __init__(self, model: str, side: int) -> None:
        runtime = importlib.import_module("onnxruntime")  # an extra, imported only in the worker process
        options = runtime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1  # leave the other core to motion
        self._session: Any = runtime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        taken = self._session.get_inputs()[0]
        self._input, size = taken.name, taken.shape[-1]
        self._side = size if isinstance(size, int) else side

    @property
    def metadata(self) -> dict[str, str]:
        """The exporter's metadata."""
        found: dict[str, str] = self._session.get_modelmeta().custom_metadata_map
        return found

    def detect(self, pixels: Pixels, min_score: float, classes: int | None = None) -> list[tuple[Box, Scores]]:
        """Boxes with a score of at least `min_score` in one of the first `classes` (default: all).

        Raises ValueError for a model with another output layout.
        """
        square = letterboxed(importlib.import_module("cv2"), pixels, self._side, padding=GREY)
        network_input = np.ascontiguousarray(square.transpose(2, 0, 1)[None], np.float32) / 255
        (output, *_) = self._session.run(None, {self._input: network_input})
        return decode_output(output, self._side, Letterbox.of(pixels.shape[1], pixels.shape[0]), min_score, classes)


def decode_output(
    output: NDArray[np.float32], side: int, letterbox: Letterbox, min_score: float, classes: int | None = None
) -> list[tuple[Box, Scores]]:
    """Decode the network's output, as `YoloNetwork.detect` returns it."""
    if output.ndim != 3 or output.shape[0] != 1 or output.shape[1] < 5 or output.shape[1] > output.shape[2]:
        raise ValueError(f"an output of {output.shape} is not the layout of YOLOv8 or YOLO11: 1, 4 + classes, places")
    places = output[0].T
    scores = places[:, 4:] if classes is None else places[:, 4 : 4 + classes]
    found = []
    for index in np.flatnonzero(scores.max(axis=1) >= min_score):
        x, y, width, height = (float(number) / side for number in places[index, :4])
        box = letterbox.box(x - width / 2, y - height / 2, x + width / 2, y + height / 2)
        found.append((box, scores[index]))
    return found
