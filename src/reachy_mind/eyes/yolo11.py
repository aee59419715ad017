"""The object detector `yolo11n`: better with small and partly hidden objects; onnxruntime in a worker process.

Its licence is the AGPL, so it is never downloaded automatically: `reachy-mind models pull yolo11n` shows the licence.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path

from reachy_mind.errors import MissingExtra
from reachy_mind.eyes.object_worker import ObjectWorker, RawObjects
from reachy_mind.eyes.pictures import Pixels
from reachy_mind.eyes.yolo_network import YoloNetwork

NAME = "yolo11n"
SIDE = 640
MIN_SCORE = 0.35


def create_detector(folder: Path) -> ObjectWorker:
    """A detector with the model in that folder, loaded with the first picture. Raises MissingExtra."""
    if importlib.util.find_spec("onnxruntime") is None or importlib.util.find_spec("cv2") is None:
        raise MissingExtra(f"seeing things with {NAME}", "vision")
    return ObjectWorker(NAME, f"{__name__}:Yolo11Model", {"folder": str(folder)})


class Yolo11Model:
    """The model in the worker process."""

    def __init__(self, folder: str) -> None:
        files = Path(folder)
        self._names = (files / "yolov11-dic80.txt").read_text().split("\n")
        self._network = YoloNetwork(str(files / "yolo11n.onnx"), SIDE)

    def detect(self, pixels: Pixels) -> RawObjects:
        return [
            (self._names[scores.argmax()], float(scores.max()), (box.left, box.top, box.right, box.bottom))
            for box, scores in self._network.detect(pixels, MIN_SCORE)
        ]
