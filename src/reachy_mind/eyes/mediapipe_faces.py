"""The head tracker `mediapipe`: the face detector of the mediapipe package, with a model file of the owner.

It runs in a worker process, because the package starts threads and prints to stdout. The package contains no model;
MediaPipe publishes `blaze_face_short_range.tflite`.
"""

from __future__ import annotations

import importlib
import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reachy_mind.errors import MissingExtra
from reachy_mind.eyes.boxes import Box
from reachy_mind.eyes.face_worker import FaceWorker, RawFaces, model_file
from reachy_mind.eyes.faces import MIN_SCORE

NAME = "mediapipe"
EYES = 2


def create_mediapipe_tracker(model: Path | None) -> FaceWorker:
    """Raises MissingExtra without the package, NotReady without a model file."""
    if importlib.util.find_spec("mediapipe") is None:
        raise MissingExtra("the tracker mediapipe", "mediapipe")
    path = model_file(NAME, model, "a face detector of MediaPipe (.tflite)")
    return FaceWorker(NAME, f"{__name__}:MediapipeFaceModel", {"model": str(path)})


class MediapipeFaceModel:
    """The model in the worker process."""

    def __init__(self, model: str) -> None:
        self._package: Any = importlib.import_module("mediapipe")
        vision: Any = importlib.import_module("mediapipe.tasks.python.vision")
        base: Any = importlib.import_module("mediapipe.tasks.python.core.base_options")
        options = vision.FaceDetectorOptions(
            base_options=base.BaseOptions(model_asset_path=model), min_detection_confidence=MIN_SCORE
        )
        self._detector = vision.FaceDetector.create_from_options(options)

    def detect(self, pixels: NDArray[np.uint8]) -> RawFaces:
        height, width = pixels.shape[:2]
        image = self._package.Image(image_format=self._package.ImageFormat.SRGB, data=np.ascontiguousarray(pixels))
        found: RawFaces = []
        for face in self._detector.detect(image).detections:
            box = face.bounding_box
            left, top = box.origin_x / width, box.origin_y / height
            inside = Box(left, top, left + box.width / width, top + box.height / height).clipped()
            eyes = tuple((float(point.x), float(point.y)) for point in (face.keypoints or ())[:EYES])
            edges = inside.left, inside.top, inside.right, inside.bottom
            found.append((edges, float(face.categories[0].score), eyes))
        return sorted(found, key=lambda one: -one[1])
