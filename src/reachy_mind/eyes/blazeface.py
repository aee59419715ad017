"""`BlazeFace`: the bundled face detector, MediaPipe's full-range one, run by OpenCV.

The network sees a square of 192 points and has an anchor every four. For each it says how sure it is that a face is
there, the box of it and six points (both eyes first), all in points of the square, from the anchor on.
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
from reachy_mind.eyes.boxes import distinct
from reachy_mind.eyes.faces import THRESHOLD, Face
from reachy_mind.eyes.letterbox import Letterbox, squared
from reachy_mind.eyes.pictures import Picture
from reachy_mind.models.store import Store

NAME = "bundled"
ASSET = "face-detector"
MODEL = "face_detection_full_range.tflite"
SIDE, STRIDE = 192, 4
SCORES, BOXES = "reshaped_classifier_face_4", "reshaped_regressor_face_4"
EYES = 2
SAME = 0.3
"""Two boxes that overlap more than this show the same face."""

Floats = NDArray[np.float32]


def blazeface(store: Store) -> BlazeFace:
    """Raises MissingExtra without OpenCV and NotReady when the model has to be pulled first."""
    if importlib.util.find_spec("cv2") is None:
        raise MissingExtra("finding faces", "vision")
    if store.status(ASSET).state != "ready":
        raise NotReady("the face detector is not on this machine", hint=f"reachy-mind models pull {ASSET}")
    return BlazeFace(store.path(ASSET) / MODEL)


class BlazeFace:
    """Takes some milliseconds for a picture, in a thread: OpenCV lets other Python code run meanwhile."""

    name = NAME

    def __init__(self, model: Path) -> None:
        self._model = model
        self._network: Any = None
        self._turn = asyncio.Lock()

    async def detect(self, picture: Picture) -> list[Face]:
        """Every face in it, surest first. Raises NotReady when the model can't be read."""
        async with self._turn:
            return await asyncio.to_thread(self._look, picture)

    async def aclose(self) -> None:
        async with self._turn:
            self._network = None

    def _look(self, picture: Picture) -> list[Face]:
        cv2 = importlib.import_module("cv2")
        try:
            if self._network is None:
                cv2.setNumThreads(1)  # a second one would take the core that motion and speech need, for a few ms less
                self._network = cv2.dnn.readNetFromTFLite(str(self._model))
            square = squared(cv2, picture.pixels, SIDE)
            self._network.setInput(cv2.dnn.blobFromImage(square, 1 / 127.5, mean=(127.5, 127.5, 127.5)))
            scores, boxes = self._network.forward((SCORES, BOXES))
        except cv2.error as error:
            self._network = None
            hint = f"its file may be damaged: reachy-mind models verify {ASSET}"
            raise NotReady(f"the face detector failed: {' '.join(str(error).split())}", hint=hint) from error
        return found(scores.reshape(-1), boxes.reshape(-1, 16), Letterbox.of(picture.width, picture.height))


def found(logits: Floats, boxes: Floats, letterbox: Letterbox) -> list[Face]:
    """The faces in what the network says, surest first, as places in the picture."""
    scores = 1 / (1 + np.exp(-np.clip(logits, -80, 80)))
    sure = np.flatnonzero(scores >= THRESHOLD)
    across = SIDE // STRIDE
    anchors = np.stack([sure % across, sure // across], axis=1) * STRIDE + STRIDE / 2
    faces = []
    for index, anchor in zip(sure, anchors, strict=True):
        numbers = boxes[index]
        (x, y), (width, height) = anchor + numbers[:2], numbers[2:4]
        edges = [float(edge / SIDE) for edge in (x - width / 2, y - height / 2, x + width / 2, y + height / 2)]
        eyes = (numbers[4 : 4 + 2 * EYES].reshape(-1, 2) + anchor) / SIDE
        places = tuple(letterbox.place(float(eye[0]), float(eye[1])) for eye in eyes)
        faces.append(Face(letterbox.box(*edges), float(scores[index]), places))
    return [faces[index] for index in distinct([(face.box, face.score) for face in faces], SAME)]
