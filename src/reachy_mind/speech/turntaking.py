"""Whose turn it is to speak: `Onset` says when a person's begins, `Pause` when it has ended.

Onset. While the robot is silent, a voice is a turn. While it speaks, a voice only makes it hold its breath: what is
being played stops at once, and goes on when the voice was a cough, an echo or somebody saying "mhm". Words that mean
something, or a voice that goes on, end the answer.

Pause. At every pause the words so far are there soon. Whoever seems to have finished gets an answer after a short
silence; whoever broke off in the middle of a sentence, after a long one. A voice in between starts it all over.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable
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
from reachy_mind.speech.frames import HoldFrame, ReleaseFrame, Transcribed
from reachy_mind.speech.heard import Judge
from reachy_mind.speech.later import Later

INTERRUPTS_S = 0.8
"""A voice that lasts so long while the robot speaks is no backchannel, whatever its words."""
BRIEF_S, BRIEF_WORDS = 0.6, 2
"""A voice as short as this, of which nothing was understood, is taken for a backchannel that was misheard."""
BREATH_S = 0.3
"""Held after a backchannel before the robot goes on: whoever said it may only have begun."""
SURE, UNSURE = 0.8, 0.35
SHORT_S, MIDDLE_S, LONG_S = 0.2, 0.45, 1.3
"""Silence after words that seem complete, may be, or are not; counted from the last sound of the voice."""

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
"""Nobody wants to be turned without saying where to."""
_LAST_WORD = re.compile(r"([\w']+)\W*$")


def unfinished(text: str) -> bool:
    """Whether somebody who stops here has broken off: nobody ends a sentence with this."""
    said = text.casefold()
    last = _LAST_WORD.search(said)
    if _ASKED_TO.search(said) or _WHERE_TO.search(said):
        return True
    return text.rstrip().endswith((",", "-", "…", "...")) or (last is not None and last[1] in UNFINISHED)


class Onset(BaseUserTurnStartStrategy):
    """`patient`: a question of ours is open, and what is said next may be its answer: nothing is interrupted."""

    def __init__(self, patient: Callable[[], bool], judge: Judge) -> None:
        super().__init__(enable_interruptions=True)
        self._patient, self._judge = patient, judge
        self._bot = False
        self._held = False
        self._began_at = self._lasted_s = 0.0
        self._then = Later(self, "onset")
        """What happens unless the voice ends, or begins again."""
        self._beginning: asyncio.Task[None] | None = None

    async def handle_user_turn_started(self) -> None:
        self._held = False
        await self._then.forget()

    async def cleanup(self) -> None:
        await super().cleanup()
        await self._then.forget()

    async def process_frame(self, frame: Frame) -> ProcessFrameResult:
        match frame:
            case BotStartedSpeakingFrame():
                self._bot = True
            case BotStoppedSpeakingFrame():
                self._bot = False
            case VADUserStartedSpeakingFrame() if self._bot or self._held:
                if not self._held:
                    self._held = True
                    await self.broadcast_frame(HoldFrame)
                self._began_at = time.monotonic() - frame.start_secs
                await self._then.set(INTERRUPTS_S, self._insist)
            case VADUserStartedSpeakingFrame():
                self._begin(interrupting=not self._patient())
            case VADUserStoppedSpeakingFrame():
                self._lasted_s = time.monotonic() - frame.stop_secs - self._began_at
                await self._then.forget()
            case TranscriptionFrame() if self._held:
                await self._then.forget()
                if await self._means_nothing(frame.added if isinstance(frame, Transcribed) else frame.text):
                    await self._then.set(BREATH_S, self._go_on)
                else:
                    self._begin(interrupting=True)
        return ProcessFrameResult.CONTINUE

    async def _means_nothing(self, text: str) -> bool:
        if is_backchannel(text):
            return True
        brief = self._lasted_s <= BRIEF_S and len(text.split()) <= BRIEF_WORDS
        return brief and not wants_the_floor(text) and await self._judge(text) < SURE

    def _begin(self, *, interrupting: bool) -> None:
        """Apart from the frame that is the reason for it: an interruption drops what is being processed, and others
        have yet to see that frame."""
        self._beginning = self.create_task(
            self.trigger_user_turn_started(enable_interruptions=interrupting), "turn start"
        )

    async def _go_on(self) -> None:
        self._held = False
        await self.broadcast_frame(ReleaseFrame)

    async def _insist(self) -> None:
        self._begin(interrupting=True)


class Pause(BaseUserTurnStopStrategy):
    def __init__(self, judge: Judge) -> None:
        super().__init__()
        self._judge = judge
        self._speaking = False
        self._silent_since = 0.0
        self._words: str | None = None
        """Of the voice that has ended, until the turn has."""
        self._then = Later(self, "pause")

    async def handle_user_turn_started(self) -> None:
        if self._words is not None:  # they came before the turn that they began, and its end may have, too
            await self._then.set(partial(self._left, self._words), self.trigger_user_turn_stopped)

    async def handle_user_turn_stopped(self) -> None:
        self._words = None
        await self._then.forget()

    async def cleanup(self) -> None:
        await super().cleanup()
        await self._then.forget()

    async def process_frame(self, frame: Frame) -> ProcessFrameResult:
        match frame:
            case VADUserStartedSpeakingFrame():
                self._speaking, self._words = True, None
                await self._then.forget()
            case VADUserStoppedSpeakingFrame():
                self._speaking, self._silent_since = False, time.monotonic() - frame.stop_secs
            case TranscriptionFrame() if not self._speaking:
                self._words = frame.text
                await self._then.set(partial(self._left, frame.text), self.trigger_user_turn_stopped)
        return ProcessFrameResult.CONTINUE

    async def patience(self, text: str) -> float:
        """How long to be silent after these words before answering."""
        if not text.strip():
            return SHORT_S
        if unfinished(text):
            return LONG_S
        sure = await self._judge(text)
        return SHORT_S if sure >= SURE else MIDDLE_S if sure >= UNSURE else LONG_S

    async def _left(self, text: str) -> float:
        """How much longer, in seconds."""
        return max(0.0, self._silent_since + await self.patience(text) - time.monotonic())
