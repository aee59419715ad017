"""The object detector `yolov4-tiny`: permissive licence, OpenCV `dnn` in a worker process.

It knows the eighty classes of COCO: person, cup, chair, apple, cat and so on. It needs OpenCV 4: OpenCV 5 no longer
reads Darknet files.
"""

from __future__ import annotations

import importlib
import importlib.util
from pathlib import Path
from typing import Any

import numpy as np

from reachy_mind.errors import MissingExtra
from reachy_mind.eyes.object_worker import ObjectWorker, RawObjects
from reachy_mind.eyes.pictures import Pixels

NAME = "yolov4-tiny"
SIDE = 416
MIN_SCORE = 0.3
"""Below, it is wrong more often than right (measured on photographs)."""


def create_detector(folder: Path) -> ObjectWorker:
    """A detector with the model in that folder, loaded with the first picture. Raises MissingExtra."""
    if importlib.util.find_spec("cv2") is None:
        raise MissingExtra(f"seeing things with {NAME}", "vision")
    return ObjectWorker(NAME, f"{__name__}:Yolov4Model", {"folder": str(folder)})


class Yolov4Model:
    """The model in the worker process."""

    def __init__(self, folder: str) -> None:
        cv2: Any = importlib.import_module("cv2")  # an extra, imported only in this process
        cv2.setNumThreads(1)  # leave the other core to motion
        files = Path(folder)
        self._names = (files / "coco.names").read_text().split("\n")
        self._cv2 = cv2
        self._net = cv2.dnn.readNetFromDarknet(str(files / "yolov4-tiny.cfg"), str(files / "yolov4-tiny.weights"))
        self._outputs = self._net.getUnconnectedOutLayersNames()

    def detect(self, pixels: Pixels) -> RawObjects:
        blob = self._cv2.dnn.blobFromImage(pixels, 1 / 255, (SIDE, SIDE))
        self._net.setInput(blob)
        # Each row: centre, size, objectness, then the score of each class (times objectness).
        rows = np.concatenate(self._net.forward(self._outputs))
        names, scores = rows[:, 5:].argmax(axis=1), rows[:, 5:].max(axis=1)
        found: RawObjects = []
        for index in np.flatnonzero(scores >= MIN_SCORE):
            x, y, width, height = (float(value) for value in rows[index, :4])
            edges = x - width / 2, y - height / 2, x + width / 2, y + height / 2
            found.append((self._names[names[index]], float(scores[index]), edges))
        return found
