"""`yolov4-tiny`: object detection under a permissive licence, by OpenCV's `dnn`, in a process of its own.

Knows the eighty everyday things of COCO: person, cup, chair, apple, cat and so on. OpenCV 5 no longer reads Darknet's
files, so it is OpenCV 4 that runs it.
"""

from __future__ import annotations

import importlib
import importlib.util
from pathlib import Path
from typing import Any

import numpy as np

from reachy_mind.errors import MissingExtra
from reachy_mind.eyes.hosted_things import Found, HostedThings
from reachy_mind.eyes.pictures import Pixels

NAME = "yolov4-tiny"
SIDE = 416
LEAST = 0.3
"""Below, it is more often wrong than right (measured on photographs)."""


def detector(folder: Path) -> HostedThings:
    """The model in that folder, loaded with the first picture. Raises MissingExtra."""
    if importlib.util.find_spec("cv2") is None:
        raise MissingExtra(f"seeing things with {NAME}", "vision")
    return HostedThings(NAME, f"{__name__}:Hosted", {"folder": str(folder)})


class Hosted:
    """The model, in the worker's process."""

    def __init__(self, folder: str) -> None:
        cv2: Any = importlib.import_module("cv2")  # an extra, and in this process only
        cv2.setNumThreads(1)  # the other core has the robot to move
        files = Path(folder)
        self._names = (files / "coco.names").read_text().split("\n")
        self._cv2 = cv2
        self._net = cv2.dnn.readNetFromDarknet(str(files / "yolov4-tiny.cfg"), str(files / "yolov4-tiny.weights"))
        self._outputs = self._net.getUnconnectedOutLayersNames()

    def detect(self, pixels: Pixels) -> Found:
        blob = self._cv2.dnn.blobFromImage(pixels, 1 / 255, (SIDE, SIDE))
        self._net.setInput(blob)
        # Each row: middle, size, how sure that there is something, then how sure of each name (times that).
        rows = np.concatenate(self._net.forward(self._outputs))
        names, scores = rows[:, 5:].argmax(axis=1), rows[:, 5:].max(axis=1)
        found: Found = []
        for index in np.flatnonzero(scores >= LEAST):
            x, y, width, height = (float(value) for value in rows[index, :4])
            edges = x - width / 2, y - height / 2, x + width / 2, y + height / 2
            found.append((self._names[names[index]], float(scores[index]), edges))
        return found
