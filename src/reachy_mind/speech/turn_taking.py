"""Turn-taking: `TurnStartStrategy` decides when a person's turn begins (barge-in), `TurnEndStrategy` when it ends.

Start. While the robot is silent, a voice is a turn. While it speaks, a voice only pauses playback, which resumes when
the voice was a cough, an echo or a backchannel ("mhm"). Words with a meaning, or a voice that lasts, interrupt the
answer.

End. At every pause the words so far are transcribed. A person who seems to have finished gets an answer after a short
silence; one who broke off in the middle of a sentence, after a long one. A voice in between starts it all over.
"""

from __future__ import annotations

import asyncio
import re
import time
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
from reachy_mind.speech.frames import PauseFrame, ResumeFrame, Transcribed

INTERRUPTS_S = 0.8
"""A voice that lasts this long while the robot speaks is no backchannel, whatever its words."""
BRIEF_S, BRIEF_WORDS = 0.6, 2
"""A voice as short as this, of which nothing was understood, is taken for a backchannel that was misheard."""
RESUME_DELAY_S = 0.3
"""Playback stays paused for this time after a backchannel: the person may only have begun."""
SURE, UNSURE = 0.8, 0.35
SHORT_S, MIDDLE_S, LONG_S = 0.2, 0.45, 1.3
"""Silence that ends a turn after words that seem complete, may be, or are not; from the last sound of the voice."""

UNFINISHED = frozenset(  # words are easier to read and to add to than a list of strings
    """
    and or but so because if when while that which who whose to the a an my your his her our their this these of in on
    at for with from by about as than very could would can will should i'd i'll let's is are was were um uh er erm
    et ou mais parce que si quand le la les un une des de du à au aux pour avec dans sur mon ma mes ton ta tes s'il euh
    y o pero porque si cuando el la los las un una de del al para con en por mi tu su este esta eh
    und oder aber weil wenn dass der die das den dem ein eine einen zu zum zur für mit in im auf an mein dein äh
    """.split()  # noqa: SIM905
)
_ASKED_TO = re.compile(r"\b(could|can|would|will) you( please)?\W*$")
_WHERE_TO = re.compile(r"\b(turn|move|rotate)( your| the)?( head| body)?\W*$")
"""A turn without a direction is not finished."""
_LAST_WORD = re.compile(r"([\w']+)\W*$")


def unfinished(text: str) -> bool:
    """Whether a person who falls silent here has broken off: no sentence ends with this."""
    said = text.casefold()
    last = _LAST_WORD.search(said)
    if _ASKED_TO.search(said) or _WHERE_TO.search(said):
        return True
    return text.rstrip().endswith((",", "-", "…", "...")) or (last is not None and last[1] in UNFINISHED)


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
                if await self._is_backchannel(frame.added if isinstance(frame, Transcribed) else frame.text):
                    await self._then.set(RESUME_DELAY_S, self._resume)
                else:
                    self._begin(interrupting=True)
        return ProcessFrameResult.CONTINUE

    async def _is_backchannel(self, text: str) -> bool:
        if is_backchannel(text):
            return True
        brief = self._lasted_s <= BRIEF_S and len(text.split()) <= BRIEF_WORDS
        return brief and not wants_the_floor(text) and await self._delegate.end_of_turn_probability(text) < SURE

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
    """A turn ends after a silence whose length depends on its words."""

    def __init__(self, delegate: SpeechDelegate) -> None:
        super().__init__()
        self._delegate = delegate
        self._speaking = False
        self._silent_since = 0.0
        self._words: str | None = None
        """The words of the voice that has ended, until the turn has."""
        self._then = DelayedCall(self, "pause")

    async def handle_user_turn_started(self) -> None:
        if self._words is not None:  # they came before the turn that they began, and its end may have, too
            await self._then.set(partial(self._remaining, self._words), self.trigger_user_turn_stopped)

    async def handle_user_turn_stopped(self) -> None:
        self._words = None
        await self._then.cancel()

    async def cleanup(self) -> None:
        await super().cleanup()
        await self._then.cancel()

    async def process_frame(self, frame: Frame) -> ProcessFrameResult:
        match frame:
            case VADUserStartedSpeakingFrame():
                self._speaking, self._words = True, None
                await self._then.cancel()
            case VADUserStoppedSpeakingFrame():
                self._speaking, self._silent_since = False, time.monotonic() - frame.stop_secs
            case TranscriptionFrame() if not self._speaking:
                self._words = frame.text
                await self._then.set(partial(self._remaining, frame.text), self.trigger_user_turn_stopped)
        return ProcessFrameResult.CONTINUE

    async def silence_s(self, text: str) -> float:
        """The silence that ends a turn after these words."""
        if not text.strip():
            return SHORT_S
        if unfinished(text):
            return LONG_S
        sure = await self._delegate.end_of_turn_probability(text)
        return SHORT_S if sure >= SURE else MIDDLE_S if sure >= UNSURE else LONG_S

    async def _remaining(self, text: str) -> float:
        """Seconds of silence that are left."""
        return max(0.0, self._silent_since + await self.silence_s(text) - time.monotonic())
