"""The tracker `yolo`: a YOLO model of the owner's, as exported to ONNX, run by onnxruntime in a process of its own.

The layout is that of YOLOv8 and YOLO11: one output, for each place the middle and size of a box in points of the
input, then a score for each class. Class 0 is followed: a face; or a person, whose head is where heads are. We bring no
model: those at hand are under AGPL-3.0, and that is the owner's choice.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reachy_mind.errors import MissingExtra
from reachy_mind.eyes.boxes import Box, distinct
from reachy_mind.eyes.faces import THRESHOLD
from reachy_mind.eyes.hosted_faces import Found, HostedFaces, model_file
from reachy_mind.eyes.letterbox import Letterbox, squared

NAME = "yolo"
SIDE = 320
"""For a model that takes any size."""
GREY = 114
"""What such models are trained to see beside a picture that is not square."""
SAME = 0.45
HEAD_WIDE, HEAD_HIGH = 0.45, 0.2
"""The head's share of a person who stands, as far as the box shows them."""


def yolo(model: Path | None) -> HostedFaces:
    """Raises MissingExtra without the libraries and NotReady without a model."""
    if importlib.util.find_spec("onnxruntime") is None or importlib.util.find_spec("cv2") is None:
        raise MissingExtra("the tracker yolo", "vision")
    path = model_file(NAME, model, "an ONNX file of a YOLO model that finds faces or people")
    return HostedFaces(NAME, f"{__name__}:Hosted", {"model": str(path)})


class Hosted:
    """The model, in the worker's process."""

    def __init__(self, model: str) -> None:
        runtime = importlib.import_module("onnxruntime")
        options = runtime.SessionOptions()
        options.intra_op_num_threads = 1
        self._session: Any = runtime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        taken = self._session.get_inputs()[0]
        self._input, size = taken.name, taken.shape[-1]
        self._side = size if isinstance(size, int) else SIDE
        self._people = _first_class(self._session.get_modelmeta().custom_metadata_map) == "person"

    def detect(self, pixels: NDArray[np.uint8]) -> Found:
        square = squared(importlib.import_module("cv2"), pixels, self._side, padding=GREY)
        network_input = np.ascontiguousarray(square.transpose(2, 0, 1)[None], np.float32) / 255
        (output, *_) = self._session.run(None, {self._input: network_input})
        letterbox = Letterbox.of(pixels.shape[1], pixels.shape[0])
        return read(output, self._side, letterbox, people=self._people)


def read(output: NDArray[np.float32], side: int, letterbox: Letterbox, *, people: bool) -> Found:
    """The faces in what the network says. Raises ValueError for another layout."""
    if output.ndim != 3 or output.shape[0] != 1 or output.shape[1] < 5 or output.shape[1] > output.shape[2]:
        raise ValueError(f"an output of {output.shape} is not the layout of YOLOv8 or YOLO11: 1, 4 + classes, places")
    places = output[0].T
    found = []
    for place in places[places[:, 4] >= THRESHOLD, :5]:
        x, y, width, height = (float(number) / side for number in place[:4])
        box = letterbox.box(x - width / 2, y - height / 2, x + width / 2, y + height / 2)
        found.append((box, float(place[4])))
    kept = [found[index] for index in distinct(found, SAME)]
    boxes = [(_head(box) if people else box, score) for box, score in kept]
    return [((box.left, box.top, box.right, box.bottom), score, ()) for box, score in boxes]


def _head(person: Box) -> Box:
    (x, _), half = person.centre, person.width * HEAD_WIDE / 2
    return Box(x - half, person.top, x + half, person.top + person.height * HEAD_HIGH)


def _first_class(metadata: dict[str, str]) -> str:
    """What the exporter wrote down as the name of class 0; empty when it did not."""
    try:
        names = ast.literal_eval(metadata.get("names", "{}"))
        return str(names[0])
    except (ValueError, SyntaxError, LookupError, TypeError):
        return ""
