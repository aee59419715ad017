"""Turn-taking: `TurnStartStrategy` decides when a person's turn begins (barge-in), `TurnEndStrategy` when it ends.

Start. While the robot is silent, a voice is a turn. While it speaks, a voice only pauses playback, which resumes when
the voice was a cough, an echo or a backchannel ("mhm"). Words with a meaning, or a voice that lasts, interrupt the
answer.

End. At every pause the words so far are transcribed, and the melody of the voice is judged (`prosody`). A person who
seems to have finished gets an answer after a short silence; one who broke off in the middle of a sentence, or sounds as
if they had more to say, after a long one. A voice in between starts it all over.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from functools import partial

from pipecat.frames.frames import (
    BotStartedSpeakingFrame,
    BotStoppedSpeakingFrame,
    Frame,
    TranscriptionFrame,
    VADUserStartedSpeakingFrame,
    VADUserStoppedSpeakingFrame,
)
from pipecat.turns.types import ProcessFrameResult
from pipecat.turns.user_start.base_user_turn_start_strategy import BaseUserTurnStartStrategy
from pipecat.turns.user_stop.base_user_turn_stop_strategy import BaseUserTurnStopStrategy

from reachy_mind.speech.backchannels import is_backchannel, wants_the_floor
from reachy_mind.speech.delayed_call import DelayedCall
from reachy_mind.speech.delegate import SpeechDelegate
from reachy_mind.speech.frames import PauseFrame, Prosody, ResumeFrame, Transcribed
from reachy_mind.speech.unfinished import unfinished

INTERRUPTS_S = 0.8
"""A voice that lasts this long while the robot speaks is no backchannel, whatever its words."""
BRIEF_S, BRIEF_WORDS = 0.6, 2
"""A voice as short as this, of which nothing was understood, is taken for a backchannel that was misheard."""
RESUME_DELAY_S = 0.3
"""Playback stays paused for this time after a backchannel: the person may only have begun."""
CERTAIN, SURE, LIKELY, MAYBE, UNSURE = 1.0, 0.8, 0.6, 0.5, 0.35
"""Probabilities that a person has finished, by the words; certain is only who says stop."""
SHORT_S, EXTENSIBLE_S, MIDDLE_S, LONG_S = 0.2, 0.45, 0.7, 1.8
"""Silence that ends a turn after words that seem complete, often get an addition, may be complete, or are not; from the
last sound of the voice."""
GOES_ON, MAY_GO_ON = 0.1, 0.35
"""A voice that is less likely to have finished than this, by its melody, sounds as if it went on, or as if it might."""
GOING_ON_S, BROKEN_OFF_S = 1.4, 2.2
"""The least silence after a voice that goes on; after one whose words are not complete either."""
MISHEARD = 0.65
"""Words that were heard less surely than this are often the beginning of others ("Goodie", of "could you"): they may be
complete, no more."""
PREPARED_S = 0.06
"""An answer that has more time than this is prepared meanwhile."""
UNJUDGED_S = 0.35
"""The least silence while the melody is still being judged, where it is judged at all."""


class TurnStartStrategy(BaseUserTurnStartStrategy):
    """When a voice is a turn, and whether it interrupts: not while the delegate awaits the reply to a question."""

    def __init__(self, delegate: SpeechDelegate) -> None:
        super().__init__(enable_interruptions=True)
        self._delegate = delegate
        self._robot_speaks = False
        self._paused = False
        self._began_at = self._lasted_s = 0.0
        self._then = DelayedCall(self, "onset")
        """What happens unless the voice ends, or begins again before."""
        self._beginning: asyncio.Task[None] | None = None

    async def handle_user_turn_started(self) -> None:
        self._paused = False
        await self._then.cancel()

    async def cleanup(self) -> None:
        await super().cleanup()
        await self._then.cancel()

    async def process_frame(self, frame: Frame) -> ProcessFrameResult:
        match frame:
            case BotStartedSpeakingFrame():
                self._robot_speaks = True
            case BotStoppedSpeakingFrame():
                self._robot_speaks = False
            case VADUserStartedSpeakingFrame() if self._robot_speaks or self._paused:
                if not self._paused:
                    self._paused = True
                    await self.broadcast_frame(PauseFrame)
                self._began_at = time.monotonic() - frame.start_secs
                await self._then.set(INTERRUPTS_S, self._interrupt)
            case VADUserStartedSpeakingFrame():
                self._begin(interrupting=not self._delegate.awaits_reply)
            case VADUserStoppedSpeakingFrame():
                self._lasted_s = time.monotonic() - frame.stop_secs - self._began_at
                await self._then.cancel()
            case TranscriptionFrame() if self._paused:
                await self._then.cancel()
                if await self._is_backchannel(frame):
                    await self._then.set(RESUME_DELAY_S, self._resume)
                else:
                    self._begin(interrupting=True)
        return ProcessFrameResult.CONTINUE

    async def _is_backchannel(self, frame: TranscriptionFrame) -> bool:
        text = frame.added if isinstance(frame, Transcribed) else frame.text
        if is_backchannel(text):
            return True
        if self._lasted_s > BRIEF_S or len(text.split()) > BRIEF_WORDS or wants_the_floor(text):
            return False
        if await self._delegate.end_of_turn_probability(text) >= SURE:
            return False
        goes_on = isinstance(frame, Transcribed) and frame.continues  # "nod", and into the answer: "three times"
        return not goes_on or await self._delegate.end_of_turn_probability(frame.text) < SURE

    def _begin(self, *, interrupting: bool) -> None:
        """In a task of its own: an interruption drops the frames that are being processed, and the parts behind have
        yet to see the one that is the reason for it."""
        self._beginning = self.create_task(
            self.trigger_user_turn_started(enable_interruptions=interrupting), "turn start"
        )

    async def _resume(self) -> None:
        self._paused = False
        await self.broadcast_frame(ResumeFrame)

    async def _interrupt(self) -> None:
        self._begin(interrupting=True)


class TurnEndStrategy(BaseUserTurnStopStrategy):
    """A turn ends after a silence whose length depends on its words and on its melody. `prepare` is called when the
    silence begins to look like the end, and there is time left."""

    def __init__(
        self, delegate: SpeechDelegate, language: str = "en", prepare: Callable[[], Awaitable[None]] | None = None
    ) -> None:
        super().__init__()
        self._delegate, self._language, self._prepare = delegate, language, prepare
        self._speaking = self._in_turn = False
        self._silent_since = 0.0
        self._words: TranscriptionFrame | None = None
        """The words of the voice that has ended, until the turn has."""
        self._melody: float | None = None
        """How finished the voice that has ended sounded; None while that is not known."""
        self._listens = False
        """Whether the melody is judged in this conversation."""
        self._then = DelayedCall(self, "pause")

    async def handle_user_turn_started(self) -> None:
        self._in_turn = True
        await self._wait()  # the words may have come before the turn that they began, and its end, too

    async def handle_user_turn_stopped(self) -> None:
        self._in_turn, self._words, self._melody = False, None, None
        await self._then.cancel()

    async def cleanup(self) -> None:
        await super().cleanup()
        await self._then.cancel()

    async def process_frame(self, frame: Frame) -> ProcessFrameResult:
        match frame:
            case VADUserStartedSpeakingFrame():
                self._speaking, self._words, self._melody = True, None, None
                await self._then.cancel()
            case VADUserStoppedSpeakingFrame():
                self._speaking, self._silent_since = False, time.monotonic() - frame.stop_secs
            case Prosody() if not self._speaking:
                self._melody, self._listens = frame.finished, True
                await self._wait()
            case TranscriptionFrame() if not self._speaking:
                self._words = frame
                await self._wait()
        return ProcessFrameResult.CONTINUE

    async def _wait(self) -> None:
        """End the turn after the silence that is due by what is known now."""
        if self._words is not None:
            await self._then.set(partial(self._remaining, self._words), self.trigger_user_turn_stopped)

    async def silence_s(self, text: str, confidence: float | None = None, melody: float | None = None) -> float:
        """The silence that ends a turn after these words, heard with this confidence, and this melody."""
        return silence_s(await self._likely(text, confidence), melody) if text.strip() else SHORT_S

    async def _likely(self, text: str, confidence: float | None) -> float:
        """How likely the person has finished, by the words."""
        if unfinished(text, self._language):
            return 0.0
        likely = await self._delegate.end_of_turn_probability(text)
        misheard = confidence is not None and confidence < MISHEARD and likely < CERTAIN
        return min(likely, MAYBE) if misheard else likely

    async def _remaining(self, heard: TranscriptionFrame) -> float:
        """Seconds of silence that are left."""
        confidence = heard.confidence if isinstance(heard, Transcribed) else None
        silence = await self.silence_s(heard.text, confidence, self._melody)
        if self._listens and self._melody is None:
            silence = max(silence, UNJUDGED_S)
        left = max(0.0, self._silent_since + silence - time.monotonic())
        if left > PREPARED_S and silence < LONG_S and self._in_turn and self._prepare is not None:
            await self._prepare()
        return max(0.0, self._silent_since + silence - time.monotonic())


def silence_s(by_words: float, by_melody: float | None) -> float:
    """The silence that ends a turn, by how likely its words and its melody are those of somebody who has finished.

    A voice that falls as at the end of a sentence does not make broken words whole: synthetic voices, and people who
    repeat themselves, do that. One that stays up makes whole words doubtful.
    """
    if by_words >= SURE:
        silence = SHORT_S
    elif by_words >= LIKELY:
        silence = EXTENSIBLE_S
    else:
        silence = MIDDLE_S if by_words >= UNSURE else LONG_S
    if by_melody is None or by_melody >= MAY_GO_ON or by_words >= CERTAIN:
        return silence
    if by_melody >= GOES_ON:
        return max(silence, MIDDLE_S)
    return max(silence, GOING_ON_S if silence < LONG_S else BROKEN_OFF_S)
