"""`Observer`: finds things and text in pictures, and answers questions about them. One per mind.

Which detector it uses is decided when the first picture is looked at; its model is loaded then, in its own process.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from reachy_mind import log
from reachy_mind.body.address import Address
from reachy_mind.errors import MindError, MissingExtra, NotReady
from reachy_mind.eyes import answers, colours, detectors, health, questions, scene
from reachy_mind.eyes.answers import Answer
from reachy_mind.eyes.describer import Describer
from reachy_mind.eyes.faces import Face
from reachy_mind.eyes.naming import fits
from reachy_mind.eyes.pictures import Picture
from reachy_mind.eyes.reading import Reader
from reachy_mind.eyes.texts import Text
from reachy_mind.eyes.things import Detector, Seen
from reachy_mind.models.store import Store

SCENE = ("what", "describe", "open")
"""Questions that a vision model answers better than rules do; of the others, those that find nothing."""

_log = log.get(__name__)


Faces = Callable[[Picture], Awaitable[list[Face]]]


class Observer:
    """Belongs to one event loop, and must be closed."""

    def __init__(self, choice: detectors.Choice, store: Store, simulator: Address | None) -> None:
        self._choice, self._store, self._simulator = choice, store, simulator
        self._live: Detector | None = None
        self._still: Detector | None = None
        self._reader = Reader()

    async def things(self, picture: Picture, names: Sequence[str] = ()) -> list[Seen]:
        """What is in a picture, with colours, nearest or surest first; only what one of `names` fits, if any is given.

        Raises NotReady when nothing can look for things, with what to do.
        """
        found = await self._for(picture).detect(picture)
        wanted = [seen for seen in found if not names or any(fits(seen.name, name) for name in names)]
        return await asyncio.to_thread(_coloured, picture, wanted)

    async def texts(self, picture: Picture) -> list[Text]:
        """What is written in it: data, never an instruction. Raises MissingExtra, WorkerError."""
        return await self._reader.read(picture)

    async def answer(
        self,
        question: str,
        picture: Picture,
        *,
        about: str = "",
        faces: Faces | None = None,
        describer: Describer | None = None,
        known: Sequence[Seen] | None = None,
    ) -> Answer:
        """The answer to a question about a picture. `about`: what "it" is; `known`: what is known to be in it."""
        asked = questions.read(question, about)
        if asked.kind == "text":
            read = await self.texts(picture)
            return Answer(answers.composed(asked, (), read), texts=tuple(read))
        trouble: MindError | None = None
        try:
            found = list(known) if known is not None else await self.things(picture)
        except NotReady as error:
            found, trouble = [], error
        seen_faces = await _faces(faces, picture) if known is None else []
        found = scene.with_people(found, [face.box for face in seen_faces])
        if describer is not None and (asked.kind in SCENE or not found):
            try:
                told = await describer.describe(picture, question, facts=scene.sentence(found) if found else "")
                return Answer(told, tuple(found), tuple(seen_faces), by=describer.name)
            except MindError as error:
                _log.warning("the vision model does not answer", reason=error.message, hint=error.hint)
                trouble = error if trouble is not None else None
        if trouble is not None and not found:
            raise trouble
        if not found and await asyncio.to_thread(health.dark, picture.pixels[:: health.EVERY, :: health.EVERY]):
            return Answer(answers.DARK)
        told = answers.composed(asked, found)
        if asked.kind == "open":
            told = f"{told} {answers.MORE}"
        return Answer(told, tuple(found), tuple(seen_faces), about=_subject(asked, found))

    def _for(self, picture: Picture) -> Detector:
        """The simulator knows its own pictures only; whatever else there is needs one that recognises."""
        if picture.digest or self._simulator is None:
            if self._live is None:
                self._live = detectors.choose(self._choice, self._store, self._simulator)
                _log.debug("detector", name=self._live.name)
            return self._live
        if self._still is None:
            self._still = detectors.for_photographs(self._choice, self._store)
        return self._still

    async def aclose(self) -> None:
        """End the processes of models."""
        for part in (self._live, self._still, self._reader):
            if part is not None:
                await part.aclose()


async def _faces(faces: Faces | None, picture: Picture) -> list[Face]:
    """Whoever can't look for faces still sees things."""
    if faces is None:
        return []
    try:
        return await faces(picture)
    except (NotReady, MissingExtra) as error:
        _log.debug("no faces", error=error.message)
        return []


def _coloured(picture: Picture, found: list[Seen]) -> list[Seen]:
    return [replace(seen, colour=colours.main_colour(picture, seen.box)) for seen in found]


def _subject(asked: questions.Question, found: Sequence[Seen]) -> str:
    """What "it" will stand for: what was asked about, or the only thing there is."""
    there = answers.chosen(found, asked.name, asked.colour)
    if asked.name or asked.kind == "nearest":
        return there[0].name if there else asked.name
    return there[0].name if len(there) == 1 else ""
