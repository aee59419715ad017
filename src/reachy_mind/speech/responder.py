"""`Responder`: asks the delegate for an answer when a person's turn has ended, and passes it on to be spoken.

While a silence may still be a pause, the answer is prepared: thought and synthesized, but not heard, and nothing is
done. When the turn has ended it is released; when the person goes on, it is withdrawn.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import replace

from pipecat.frames.frames import (
    Frame,
    InterruptionFrame,
    LLMFullResponseEndFrame,
    LLMFullResponseStartFrame,
    TranscriptionFrame,
    TTSSpeakFrame,
    VADUserStartedSpeakingFrame,
)
from pipecat.processors.frame_processor import FrameDirection
from pipecat.turns.user_turn_processor import UserTurnProcessor
from pipecat.turns.user_turn_strategies import UserTurnStrategies

from reachy_mind import log
from reachy_mind.body.media import SAMPLE_RATE_HZ
from reachy_mind.errors import MindError
from reachy_mind.speech.backchannels import is_murmur
from reachy_mind.speech.delegate import SpeechDelegate
from reachy_mind.speech.frames import HoldFrame, ReleaseFrame, ReplyTextFrame, SentenceFrame, Transcribed, WrittenTurn
from reachy_mind.speech.heard import Heard, Say
from reachy_mind.speech.pipeline_observer import PlaybackMark
from reachy_mind.speech.speaker_output import SpeakerOutput
from reachy_mind.speech.turn_taking import MISHEARD, TurnEndStrategy, TurnStartStrategy

TURN_STOP_TIMEOUT_S = 5.0
"""A turn in which nothing more is heard has ended after this time, whatever was missing."""

_log = log.get(__name__)


class Responder(UserTurnProcessor):
    """`speaker` knows what was heard of the last answer."""

    def __init__(self, delegate: SpeechDelegate, speaker: SpeakerOutput, language: str = "en") -> None:
        ending = TurnEndStrategy(delegate, language, self._prepare)
        strategies = UserTurnStrategies(start=[TurnStartStrategy(delegate)], stop=[ending])
        super().__init__(user_turn_strategies=strategies, user_turn_stop_timeout=TURN_STOP_TIMEOUT_S, name="responder")
        self._delegate, self._speaker, self._language = delegate, speaker, language
        self._words: list[TranscriptionFrame] = []
        self._answering: asyncio.Task[None] | None = None
        self._dropped = False
        """Whether the last answer was given up before it was complete."""
        self._prepared: TranscriptionFrame | None = None
        """The words whose answer is held back."""
        self._release = asyncio.Event()
        self._withdrawn = False
        """Whether the beginning of this turn was already thought about."""
        self._asked = False
        """Whether the last answer was a question, to which "mhm" is an answer."""
        self.add_event_handler("on_user_turn_stopped", self._answer)

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        # Before the turn strategies see the frame: they decide by it that the turn has ended.
        if isinstance(frame, Transcribed):
            self._words = [frame]
        elif isinstance(frame, TranscriptionFrame):
            self._words.append(frame)
        elif isinstance(frame, InterruptionFrame):
            self._prepared = None
            await self._drop_answer()
        elif isinstance(frame, VADUserStartedSpeakingFrame) and direction is FrameDirection.DOWNSTREAM:
            await self._withdraw()
        elif isinstance(frame, WrittenTurn):
            if frame.heard is not None:
                await self._withdraw()
                await self._drop_answer()
                self._begin(frame.heard)
            return
        await super().process_frame(frame, direction)

    async def cleanup(self) -> None:
        await super().cleanup()
        await self._drop_answer()

    async def broadcast_interruption(self) -> None:
        self._prepared = None
        await self._drop_answer()
        await super().broadcast_interruption()

    async def _prepare(self) -> None:
        """Begin the answer to what was said so far, without anybody noticing."""
        if not self._words or self._prepared is self._words[-1] or self._delegate.awaits_reply:
            return
        heard = self._turn_of(self._words)
        if heard is None or (heard.confidence is not None and heard.confidence < MISHEARD):
            return
        await self._drop_answer()
        self._prepared, self._release = self._words[-1], asyncio.Event()
        await self.push_frame(HoldFrame())
        self._begin(replace(heard, released=self._release))

    async def _withdraw(self) -> None:
        """The person goes on: what was prepared is for nobody."""
        if self._prepared is not None:
            self._prepared, self._withdrawn = None, True
            await self._drop_answer()
            await self.push_frame(InterruptionFrame())

    async def _answer(self, *_: object) -> None:
        words, self._words = self._words, []
        if self._prepared is not None and words and words[-1] is self._prepared:
            self._prepared = None
            self._release.set()
            await self.push_frame(ReleaseFrame())
        else:
            await self._withdraw()
            heard = self._turn_of(words)
            if heard is not None and not self._delegate.is_side_remark(heard):
                await self._drop_answer()
                self._begin(heard)
        self._withdrawn = False

    def _turn_of(self, words: Sequence[TranscriptionFrame]) -> Heard | None:
        """What was said, or None when it wants no answer."""
        text = " ".join(word.text.strip() for word in words).strip()
        if not text or (is_murmur(text) and not self._asked and not self._delegate.awaits_reply):
            return None
        last = words[-1]
        if not isinstance(last, Transcribed):
            return Heard(
                text, self._language, reply_heard=self._speaker.interrupted_at, sounded=self._speaker.sounded()
            )
        if last.continues and (not last.added.strip() or is_murmur(last.added)) and not self._dropped:
            return None  # a cough or a laugh after the last word: the turn has its answer
        return Heard(
            text,
            self._language,
            last.began_at,
            last.ended_at,
            reply_heard=self._speaker.interrupted_at,
            continues=last.continues or self._withdrawn,
            items=last.items,
            confidence=last.confidence,
            alternatives=last.alternatives,
            sounded=self._speaker.sounded(),
        )

    def _begin(self, heard: Heard) -> None:
        self._dropped = False
        self._answering = self.create_task(self._think(heard), "answer")

    async def _think(self, heard: Heard) -> None:
        await self.push_frame(LLMFullResponseStartFrame())
        try:
            async with aclosing(self._delegate.respond(heard)) as answer:
                async for say in answer:
                    self._asked = say.text.rstrip().endswith("?") if say.text.strip() else self._asked
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
    return TTSSpeakFrame(say.text) if say.whole else ReplyTextFrame(say.text, mood=say.mood)
