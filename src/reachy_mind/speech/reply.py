"""`Reply`: asks whoever thinks for an answer when a person's turn has ended, and hands it on as it comes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import aclosing

from pipecat.frames.frames import (
    Frame,
    InterruptionFrame,
    LLMFullResponseEndFrame,
    LLMFullResponseStartFrame,
    LLMTextFrame,
    TranscriptionFrame,
    UserStoppedSpeakingFrame,
)
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor

from reachy_mind import log
from reachy_mind.errors import MindError
from reachy_mind.speech.ears import Transcribed
from reachy_mind.speech.heard import Heard, Respond

_log = log.get(__name__)


class Reply(FrameProcessor):
    """`cut` tells what was heard of the last answer, if it was cut short. `aside` takes what is no turn of its own: the
    answer to a question that is open."""

    def __init__(
        self, respond: Respond, aside: Callable[[Heard], bool], cut: Callable[[], str | None], language: str = "en"
    ) -> None:
        super().__init__(name="reply")
        self._respond, self._aside, self._cut, self._language = respond, aside, cut, language
        self._words: list[TranscriptionFrame] = []
        self._answering: asyncio.Task[None] | None = None

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        await super().process_frame(frame, direction)
        match frame:
            case Transcribed():
                self._words = [frame]
                return
            case TranscriptionFrame():
                self._words.append(frame)
                return
            case InterruptionFrame():
                await self._stop()
            case UserStoppedSpeakingFrame() if direction is FrameDirection.DOWNSTREAM:
                await self.push_frame(frame, direction)
                await self._answer()
                return
        await self.push_frame(frame, direction)

    async def cleanup(self) -> None:
        await super().cleanup()
        await self._stop()

    async def _answer(self) -> None:
        words, self._words = self._words, []
        text = " ".join(word.text.strip() for word in words).strip()
        if not text:
            return
        last = words[-1]
        times = (last.began_at, last.ended_at) if isinstance(last, Transcribed) else (0.0, 0.0)
        continues = isinstance(last, Transcribed) and last.continues
        heard = Heard(text, self._language, *times, reply_heard=self._cut(), continues=continues)
        if self._aside(heard):
            return
        await self._stop()
        self._answering = self.create_task(self._think(heard), "answer")

    async def _think(self, heard: Heard) -> None:
        await self.push_frame(LLMFullResponseStartFrame())
        try:
            async with aclosing(self._respond(heard)) as answer:
                async for say in answer:
                    await self.push_frame(LLMTextFrame(say.text))
        except MindError as error:
            _log.warning("no answer", reason=error.message)
        finally:
            self._answering = None
        await self.push_frame(LLMFullResponseEndFrame())

    async def _stop(self) -> None:
        if self._answering is not None:
            answering, self._answering = self._answering, None
            await self.cancel_task(answering)
