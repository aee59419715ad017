"""The head tracker `yolo`: a YOLO model of the owner, exported to ONNX, run by onnxruntime in a worker process.

It detects class 0: a face, or a person whose head is estimated from the box. No model is included: the available ones
are under AGPL-3.0, which is the owner's choice.
"""

from __future__ import annotations

import ast
import importlib.util
from collections.abc import Sequence
from pathlib import Path

from reachy_mind.errors import MissingExtra
from reachy_mind.eyes.boxes import Box, non_max_suppression
from reachy_mind.eyes.face_worker import FaceWorker, RawFaces, model_file
from reachy_mind.eyes.faces import MIN_SCORE
from reachy_mind.eyes.pictures import Pixels
from reachy_mind.eyes.yolo_network import Scores, YoloNetwork

NAME = "yolo"
DEFAULT_SIDE = 320
"""Input size for a model that takes any."""
NMS_IOU = 0.45
HEAD_WIDTH_SHARE, HEAD_HEIGHT_SHARE = 0.45, 0.2
"""The head's share of the box of a standing person."""


def create_yolo_tracker(model: Path | None) -> FaceWorker:
    """Raises MissingExtra without the libraries, NotReady without a model file."""
    if importlib.util.find_spec("onnxruntime") is None or importlib.util.find_spec("cv2") is None:
        raise MissingExtra("the tracker yolo", "vision")
    path = model_file(NAME, model, "an ONNX file of a YOLO model that finds faces or people")
    return FaceWorker(NAME, f"{__name__}:YoloFaceModel", {"model": str(path)})


class YoloFaceModel:
    """The model in the worker process."""

    def __init__(self, model: str) -> None:
        self._network = YoloNetwork(model, DEFAULT_SIDE)
        self._people = _first_class(self._network.metadata) == "person"

    def detect(self, pixels: Pixels) -> RawFaces:
        return faces(self._network.detect(pixels, MIN_SCORE, classes=1), people=self._people)


def faces(places: Sequence[tuple[Box, Scores]], *, people: bool) -> RawFaces:
    """The detected faces; with `people`, the estimated heads of detected people."""
    found = [(box, float(scores[0])) for box, scores in places]
    kept = [found[index] for index in non_max_suppression(found, NMS_IOU)]
    boxes = [(_head(box) if people else box, score) for box, score in kept]
    return [((box.left, box.top, box.right, box.bottom), score, ()) for box, score in boxes]


def _head(person: Box) -> Box:
    (x, _), half = person.centre, person.width * HEAD_WIDTH_SHARE / 2
    return Box(x - half, person.top, x + half, person.top + person.height * HEAD_HEIGHT_SHARE)


def _first_class(metadata: dict[str, str]) -> str:
    """The name of class 0 in the exporter's metadata; empty when it is missing."""
    try:
        names = ast.literal_eval(metadata.get("names", "{}"))
        return str(names[0])
    except (ValueError, SyntaxError, LookupError, TypeError):
        return ""
