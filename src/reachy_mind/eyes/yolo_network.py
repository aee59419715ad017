"""`YoloNetwork`: a network of the layout of YOLOv8 and YOLO11, as ONNX, run by onnxruntime; for a worker's process.

One output: for each place the middle and size of a box in points of the input, then a score for each class.
"""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reachy_mind.eyes.boxes import Box
from reachy_mind.eyes.letterbox import Letterbox, squared
from reachy_mind.eyes.pictures import Pixels

GREY = 114
"""What such models are trained to see beside a picture that is not square."""

Scores = NDArray[np.float32]
"""How sure it is of each class, of one place or of many."""


class YoloNetwork:
    """`side`: of the square it is shown, for a model that takes any size."""

    def __init__(self, model: str, side: int) -> None:
        runtime = importlib.import_module("onnxruntime")  # an extra, and in the worker's process only
        options = runtime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1  # the other core has the robot to move
        self._session: Any = runtime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        taken = self._session.get_inputs()[0]
        self._input, size = taken.name, taken.shape[-1]
        self._side = size if isinstance(size, int) else side

    @property
    def metadata(self) -> dict[str, str]:
        """What the exporter wrote down."""
        found: dict[str, str] = self._session.get_modelmeta().custom_metadata_map
        return found

    def look(self, pixels: Pixels, least: float, classes: int | None = None) -> list[tuple[Box, Scores]]:
        """Boxes in the picture with at least one score of that, among the first `classes` if given.

        Raises ValueError for another layout.
        """
        square = squared(importlib.import_module("cv2"), pixels, self._side, padding=GREY)
        network_input = np.ascontiguousarray(square.transpose(2, 0, 1)[None], np.float32) / 255
        (output, *_) = self._session.run(None, {self._input: network_input})
        return read(output, self._side, Letterbox.of(pixels.shape[1], pixels.shape[0]), least, classes)


def read(
    output: NDArray[np.float32], side: int, letterbox: Letterbox, least: float, classes: int | None = None
) -> list[tuple[Box, Scores]]:
    """What such an output says, as `look` does."""
    if output.ndim != 3 or output.shape[0] != 1 or output.shape[1] < 5 or output.shape[1] > output.shape[2]:
        raise ValueError(f"an output of {output.shape} is not the layout of YOLOv8 or YOLO11: 1, 4 + classes, places")
    places = output[0].T
    scores = places[:, 4:] if classes is None else places[:, 4 : 4 + classes]
    found = []
    for index in np.flatnonzero(scores.max(axis=1) >= least):
        x, y, width, height = (float(number) / side for number in places[index, :4])
        box = letterbox.box(x - width / 2, y - height / 2, x + width / 2, y + height / 2)
        found.append((box, scores[index]))
    return found
