"""`Reply`: follows whose turn it is, asks whoever thinks for an answer when a person's has ended, and hands it on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
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
from reachy_mind.speech.frames import SentenceFrame, Transcribed
from reachy_mind.speech.heard import Heard, Judge, Respond, Say
from reachy_mind.speech.turntaking import Onset, Pause

LONGEST_SILENCE_S = 5.0
"""A turn in which nothing is heard any more has ended, whatever was missing."""

_log = log.get(__name__)


class Reply(UserTurnProcessor):
    """`cut` tells what was heard of the last answer, if it was cut short; `sounded`, how much of what a partner said.
    `aside` takes what is no turn of its own: the
    answer to a question that is open; `patient` tells whether there is one."""

    def __init__(
        self,
        respond: Respond,
        judge: Judge,
        *,
        aside: Callable[[Heard], bool],
        patient: Callable[[], bool],
        cut: Callable[[], str | None],
        sounded: Callable[[], Mapping[str, float]] = dict,
        language: str = "en",
    ) -> None:
        strategies = UserTurnStrategies(start=[Onset(patient, judge)], stop=[Pause(judge)])
        super().__init__(user_turn_strategies=strategies, user_turn_stop_timeout=LONGEST_SILENCE_S, name="reply")
        self._respond, self._aside, self._cut, self._language = respond, aside, cut, language
        self._sounded = sounded
        self._words: list[TranscriptionFrame] = []
        self._answering: asyncio.Task[None] | None = None
        self._dropped = False
        """The last answer was given up before it was complete."""
        self.add_event_handler("on_user_turn_stopped", self._answer)

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        # Before anybody decides by it that the turn has ended.
        if isinstance(frame, Transcribed):
            self._words = [frame]
        elif isinstance(frame, TranscriptionFrame):
            self._words.append(frame)
        elif isinstance(frame, InterruptionFrame):
            await self._drop_answer()
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
            return  # a cough after the last word: the answer to it was given
        heard = Heard(
            text,
            self._language,
            *times,
            reply_heard=self._cut(),
            continues=continues,
            items=last.items if isinstance(last, Transcribed) else (),
            sounded=self._sounded(),
        )
        if self._aside(heard):
            return
        await self._drop_answer()
        self._dropped = False
        self._answering = self.create_task(self._think(heard), "answer")

    async def _think(self, heard: Heard) -> None:
        await self.push_frame(LLMFullResponseStartFrame())
        try:
            async with aclosing(self._respond(heard)) as answer:
                async for say in answer:
                    await self.push_frame(_framed(say))
        except MindError as error:
            _log.warning("no answer", reason=error.message)
        self._answering = None
        await self.push_frame(LLMFullResponseEndFrame())

    async def _drop_answer(self) -> None:
        if self._answering is not None:
            answering, self._answering = self._answering, None
            self._dropped = True
            await self.cancel_task(answering)


def _framed(say: Say) -> Frame:
    if say.source:
        return SentenceFrame(say.pcm, say.rate or SAMPLE_RATE_HZ, 1, text=say.text, source=say.source)
    return TTSSpeakFrame(say.text) if say.whole else LLMTextFrame(say.text)
