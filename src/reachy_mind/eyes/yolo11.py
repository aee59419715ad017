"""`yolo11n`: object detection that is surer of small and partly hidden things, by onnxruntime, in its own process.

Its licence is the AGPL: it is never fetched by itself, only with `reachy-mind models pull yolo11n`, which shows that.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path

from reachy_mind.errors import MissingExtra
from reachy_mind.eyes.hosted_things import Found, HostedThings
from reachy_mind.eyes.pictures import Pixels
from reachy_mind.eyes.yolo_network import YoloNetwork

NAME = "yolo11n"
SIDE = 640
LEAST = 0.35


def detector(folder: Path) -> HostedThings:
    """The model in that folder, loaded with the first picture. Raises MissingExtra."""
    if importlib.util.find_spec("onnxruntime") is None or importlib.util.find_spec("cv2") is None:
        raise MissingExtra(f"seeing things with {NAME}", "vision")
    return HostedThings(NAME, f"{__name__}:Hosted", {"folder": str(folder)})


class Hosted:
    """The model, in the worker's process."""

    def __init__(self, folder: str) -> None:
        files = Path(folder)
        self._names = (files / "yolov11-dic80.txt").read_text().split("\n")
        self._network = YoloNetwork(str(files / "yolo11n.onnx"), SIDE)

    def detect(self, pixels: Pixels) -> Found:
        return [
            (self._names[scores.argmax()], float(scores.max()), (box.left, box.top, box.right, box.bottom))
            for box, scores in self._network.look(pixels, LEAST)
        ]
