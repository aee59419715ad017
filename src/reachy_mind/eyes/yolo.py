"""The tracker `yolo`: a YOLO model of the owner's, as exported to ONNX, run by onnxruntime in a process of its own.

Class 0 is followed: a face; or a person, whose head is where heads are. We bring no model: those at hand are under
AGPL-3.0, and that is the owner's choice.
"""

from __future__ import annotations

import ast
import importlib.util
from collections.abc import Sequence
from pathlib import Path

from reachy_mind.errors import MissingExtra
from reachy_mind.eyes.boxes import Box, distinct
from reachy_mind.eyes.faces import THRESHOLD
from reachy_mind.eyes.hosted_faces import Found, HostedFaces, model_file
from reachy_mind.eyes.pictures import Pixels
from reachy_mind.eyes.yolo_network import Scores, YoloNetwork

NAME = "yolo"
SIDE = 320
"""For a model that takes any size."""
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
        self._network = YoloNetwork(model, SIDE)
        self._people = _first_class(self._network.metadata) == "person"

    def detect(self, pixels: Pixels) -> Found:
        return faces(self._network.look(pixels, THRESHOLD, classes=1), people=self._people)


def faces(places: Sequence[tuple[Box, Scores]], *, people: bool) -> Found:
    """The faces in what the network found; of `people`, their heads."""
    found = [(box, float(scores[0])) for box, scores in places]
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
