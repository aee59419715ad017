"""`Responder`: asks the delegate for an answer when a person's turn has ended, and passes it on to be spoken."""

from __future__ import annotations

import asyncio
from contextlib import aclosing

from pipecat.frames.frames import (
    Frame,
    InterruptionFrame,
    LLMFullResponseEndFrame,
    LLMFullResponseStartFrame,
    LLMTextFrame,
    TranscriptionFrame,
    TTSSpeakFrame,
)
from pipecat.processors.frame_processor import FrameDirection
from pipecat.turns.user_turn_processor import UserTurnProcessor
from pipecat.turns.user_turn_strategies import UserTurnStrategies

from reachy_mind import log
from reachy_mind.body.media import SAMPLE_RATE_HZ
from reachy_mind.errors import MindError
from reachy_mind.speech.delegate import SpeechDelegate
from reachy_mind.speech.frames import SentenceFrame, Transcribed, WrittenTurn
from reachy_mind.speech.heard import Heard, Say
from reachy_mind.speech.pipeline_observer import PlaybackMark
from reachy_mind.speech.speaker_output import SpeakerOutput
from reachy_mind.speech.turn_taking import TurnEndStrategy, TurnStartStrategy

TURN_STOP_TIMEOUT_S = 5.0
"""A turn in which nothing more is heard has ended after this time, whatever was missing."""

_log = log.get(__name__)


class Responder(UserTurnProcessor):
    """`speaker` knows what was heard of the last answer."""

    def __init__(self, delegate: SpeechDelegate, speaker: SpeakerOutput, language: str = "en") -> None:
        strategies = UserTurnStrategies(start=[TurnStartStrategy(delegate)], stop=[TurnEndStrategy(delegate)])
        super().__init__(user_turn_strategies=strategies, user_turn_stop_timeout=TURN_STOP_TIMEOUT_S, name="responder")
        self._delegate, self._speaker, self._language = delegate, speaker, language
        self._words: list[TranscriptionFrame] = []
        self._answering: asyncio.Task[None] | None = None
        self._dropped = False
        """Whether the last answer was given up before it was complete."""
        self.add_event_handler("on_user_turn_stopped", self._answer)

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        # Before the turn strategies see the frame: they decide by it that the turn has ended.
        if isinstance(frame, Transcribed):
            self._words = [frame]
        elif isinstance(frame, TranscriptionFrame):
            self._words.append(frame)
        elif isinstance(frame, InterruptionFrame):
            await self._drop_answer()
        elif isinstance(frame, WrittenTurn):
            if frame.heard is not None:
                await self._begin_answer(frame.heard)
            return
        await super().process_frame(frame, direction)

    async def cleanup(self) -> None:
        await super().cleanup()
        await self._drop_answer()

    async def broadcast_interruption(self) -> None:
        await self._drop_answer()
        await super().broadcast_interruption()

    async def _answer(self, *_: object) -> None:
        words, self._words = self._words, []
        text = " ".join(word.text.strip() for word in words).strip()
        if not text:
            return
        last = words[-1]
        times = (last.began_at, last.ended_at) if isinstance(last, Transcribed) else (0.0, 0.0)
        continues = isinstance(last, Transcribed) and last.continues
        if continues and not last.added.strip() and not self._dropped:  # type: ignore[attr-defined]
            return  # a cough after the last word: the turn has its answer
        heard = Heard(
            text,
            self._language,
            *times,
            reply_heard=self._speaker.interrupted_at,
            continues=continues,
            items=last.items if isinstance(last, Transcribed) else (),
            sounded=self._speaker.sounded(),
        )
        if self._delegate.is_side_remark(heard):
            return
        await self._begin_answer(heard)

    async def _begin_answer(self, heard: Heard) -> None:
        await self._drop_answer()
        self._dropped = False
        self._answering = self.create_task(self._think(heard), "answer")

    async def _think(self, heard: Heard) -> None:
        await self.push_frame(LLMFullResponseStartFrame())
        try:
            async with aclosing(self._delegate.respond(heard)) as answer:
                async for say in answer:
                    await self.push_frame(_frame(say))
        except MindError as error:
            _log.warning("no answer", reason=error.message)
        self._answering = None
        await self.push_frame(LLMFullResponseEndFrame())

    async def _drop_answer(self) -> None:
        if self._answering is not None:
            answering, self._answering = self._answering, None
            self._dropped = True
            await self.cancel_task(answering)


def _frame(say: Say) -> Frame:
    if say.passed is not None:
        return PlaybackMark(passed=say.passed)
    if say.source:
        return SentenceFrame(say.pcm, say.rate or SAMPLE_RATE_HZ, 1, text=say.text, source=say.source)
    return TTSSpeakFrame(say.text) if say.whole else LLMTextFrame(say.text)
