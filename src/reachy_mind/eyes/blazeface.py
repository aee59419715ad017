"""`BlazeFace`: the bundled face detector, MediaPipe's full-range model run by OpenCV.

The network takes a square of 192 pixels and has an anchor every four. For each anchor it returns a score, a box and six
keypoints (both eyes first), all in pixels of the square relative to the anchor.
"""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reachy_mind.errors import MissingExtra, NotReady
from reachy_mind.eyes.boxes import non_max_suppression
from reachy_mind.eyes.faces import MIN_SCORE, Face
from reachy_mind.eyes.letterbox import Letterbox, letterboxed
from reachy_mind.eyes.pictures import Picture
from reachy_mind.models.store import Store

NAME = "bundled"
ASSET = "face-detector"
MODEL = "face_detection_full_range.tflite"
SIDE, STRIDE = 192, 4
SCORES, BOXES = "reshaped_classifier_face_4", "reshaped_regressor_face_4"
EYES = 2
NMS_IOU = 0.3
"""Two boxes with a larger overlap show the same face."""

Floats = NDArray[np.float32]


def create_blazeface(store: Store) -> BlazeFace:
    """Raises MissingExtra without OpenCV, and NotReady when the model is not downloaded yet."""
    if importlib.util.find_spec("cv2") is None:
        raise MissingExtra("finding faces", "vision")
    if store.status(ASSET).state != "ready":
        raise NotReady("the face detector is not on this machine", hint=f"reachy-mind models pull {ASSET}")
    return BlazeFace(store.path(ASSET) / MODEL)


class BlazeFace:
    """Detects in a thread, a few milliseconds per picture: OpenCV releases the GIL."""

    name = NAME

    def __init__(self, model: Path) -> None:
        self._model = model
        self._network: Any = None
        self._lock = asyncio.Lock()

    async def detect(self, picture: Picture) -> list[Face]:
        """All faces, highest score first. Raises NotReady when the model can't be read."""
        async with self._lock:
            return await asyncio.to_thread(self._detect, picture)

    async def aclose(self) -> None:
        async with self._lock:
            self._network = None

    def _detect(self, picture: Picture) -> list[Face]:
        cv2 = importlib.import_module("cv2")
        try:
            if self._network is None:
                cv2.setNumThreads(1)  # a second thread saves a few ms and takes the core that motion and speech need
                self._network = cv2.dnn.readNetFromTFLite(str(self._model))
            square = letterboxed(cv2, picture.pixels, SIDE)
            self._network.setInput(cv2.dnn.blobFromImage(square, 1 / 127.5, mean=(127.5, 127.5, 127.5)))
            scores, boxes = self._network.forward((SCORES, BOXES))
        except cv2.error as error:
            self._network = None
            hint = f"its file may be damaged: reachy-mind models verify {ASSET}"
            raise NotReady(f"the face detector failed: {' '.join(str(error).split())}", hint=hint) from error
        return decode_faces(scores.reshape(-1), boxes.reshape(-1, 16), Letterbox.of(picture.width, picture.height))


def decode_faces(logits: Floats, boxes: Floats, letterbox: Letterbox) -> list[Face]:
    """The faces in the network's output, highest score first, in picture coordinates."""
    scores = 1 / (1 + np.exp(-np.clip(logits, -80, 80)))
    sure = np.flatnonzero(scores >= MIN_SCORE)
    across = SIDE // STRIDE
    anchors = np.stack([sure % across, sure // across], axis=1) * STRIDE + STRIDE / 2
    faces = []
    for index, anchor in zip(sure, anchors, strict=True):
        numbers = boxes[index]
        (x, y), (width, height) = anchor + numbers[:2], numbers[2:4]
        edges = [float(edge / SIDE) for edge in (x - width / 2, y - height / 2, x + width / 2, y + height / 2)]
        eyes = (numbers[4 : 4 + 2 * EYES].reshape(-1, 2) + anchor) / SIDE
        places = tuple(letterbox.to_picture(float(eye[0]), float(eye[1])) for eye in eyes)
        faces.append(Face(letterbox.box(*edges), float(scores[index]), places))
    return [faces[index] for index in non_max_suppression([(face.box, face.score) for face in faces], NMS_IOU)]
