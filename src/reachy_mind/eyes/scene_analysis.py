"""`SceneAnalysis`: object detection, OCR and question answering on pictures. One per mind.

The detector is chosen and its model loaded, in a worker process, with the first picture.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from reachy_mind import log
from reachy_mind.body.address import Address
from reachy_mind.body.media import FrameObjects
from reachy_mind.config.settings import EyesSettings
from reachy_mind.errors import MindError, MissingExtra, NotReady
from reachy_mind.eyes import answers, camera_health, colours, object_detectors, questions, scene
from reachy_mind.eyes.answers import SceneAnswer
from reachy_mind.eyes.faces import Face
from reachy_mind.eyes.object_names import name_matches
from reachy_mind.eyes.objects import DetectedObject, ObjectDetector
from reachy_mind.eyes.ocr import OcrReader
from reachy_mind.eyes.pictures import Picture
from reachy_mind.eyes.untrusted_text import PictureText
from reachy_mind.eyes.vision_model import VisionModel
from reachy_mind.models.store import Store

OPEN_KINDS = ("what", "describe", "open")
"""Questions that a vision model answers better than rules. It also answers others when no object was found."""

_log = log.get(__name__)


Faces = Callable[[Picture], Awaitable[list[Face]]]


class SceneAnalysis:
    """Belongs to one event loop, and must be closed."""

    def __init__(self, eyes: EyesSettings, store: Store, simulator: Address | FrameObjects | None) -> None:
        self._eyes, self._store, self._simulator = eyes, store, simulator
        self._camera_detector: ObjectDetector | None = None
        self._photo_detector: ObjectDetector | None = None
        self._ocr = OcrReader()

    async def things(self, picture: Picture, names: Sequence[str] = ()) -> list[DetectedObject]:
        """The objects in a picture, with colours, in the detector's order; limited to `names`, if given.

        Raises NotReady with what to do when no detector is available.
        """
        found = await self._detector_for(picture).detect(picture)
        wanted = [seen for seen in found if not names or any(name_matches(seen.name, name) for name in names)]
        return await asyncio.to_thread(_coloured, picture, wanted)

    async def texts(self, picture: Picture) -> list[PictureText]:
        """The text in a picture: untrusted data, never an instruction. Raises MissingExtra, WorkerError."""
        return await self._ocr.read(picture)

    async def answer(
        self,
        question: str,
        picture: Picture,
        *,
        about: str = "",
        faces: Faces | None = None,
        describer: VisionModel | None = None,
        known: Sequence[DetectedObject] | None = None,
    ) -> SceneAnswer:
        """Answer a question about a picture. `about`: what "it" stands for; `known`: its objects, if known already."""
        asked = questions.read(question, about)
        if asked.kind == "text":
            read = await self.texts(picture)
            return SceneAnswer(answers.compose(asked, (), read), texts=tuple(read))
        trouble: MindError | None = None
        try:
            found = list(known) if known is not None else await self.things(picture)
        except NotReady as error:
            found, trouble = [], error
        seen_faces = await _faces(faces, picture) if known is None else []
        found = scene.with_people(found, [face.box for face in seen_faces])
        if describer is not None and (asked.kind in OPEN_KINDS or not found):
            try:
                text = await describer.describe(picture, question, facts=scene.sentence(found) if found else "")
                return SceneAnswer(text, tuple(found), tuple(seen_faces), by=describer.name)
            except MindError as error:
                _log.warning("vision model failed", reason=error.message, hint=error.hint)
                trouble = error if trouble is not None else None
        if trouble is not None and not found:
            raise trouble
        if not found and await asyncio.to_thread(
            camera_health.is_dark, picture.pixels[:: camera_health.SAMPLE_STEP, :: camera_health.SAMPLE_STEP]
        ):
            return SceneAnswer(answers.TOO_DARK)
        text = answers.compose(asked, found)
        if asked.kind == "open":
            text = f"{text} {answers.NO_VISION_MODEL}"
        return SceneAnswer(text, tuple(found), tuple(seen_faces), about=_subject(asked, found))

    def _detector_for(self, picture: Picture) -> ObjectDetector:
        """The simulator's detector knows only its own frames; other pictures need a real detector."""
        if picture.digest or self._simulator is None:
            if self._camera_detector is None:
                self._camera_detector = object_detectors.choose(self._eyes, self._store, self._simulator)
                _log.debug("detector", name=self._camera_detector.name)
            return self._camera_detector
        if self._photo_detector is None:
            self._photo_detector = object_detectors.choose_for_photo(self._eyes, self._store)
        return self._photo_detector

    async def aclose(self) -> None:
        """Stop the worker processes."""
        for part in (self._camera_detector, self._photo_detector, self._ocr):
            if part is not None:
                await part.aclose()


async def _faces(faces: Faces | None, picture: Picture) -> list[Face]:
    """The faces; none when the face detector is unavailable."""
    if faces is None:
        return []
    try:
        return await faces(picture)
    except (NotReady, MissingExtra) as error:
        _log.debug("no faces", error=error.message)
        return []


def _coloured(picture: Picture, found: list[DetectedObject]) -> list[DetectedObject]:
    return [replace(seen, colour=colours.main_colour(picture, seen.box)) for seen in found]


def _subject(asked: questions.SceneQuestion, found: Sequence[DetectedObject]) -> str:
    """What "it" will stand for: the object asked about, or the only one there is."""
    there = answers.matching(found, asked.name, asked.colour)
    if asked.name or asked.kind == "nearest":
        return there[0].name if there else asked.name
    return there[0].name if len(there) == 1 else ""
