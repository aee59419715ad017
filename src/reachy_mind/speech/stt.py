"""`SpeechToText`: transcribes a turn at every pause of the voice.

Turn-taking waits for the end of the turn meanwhile: when the pause is the end, the words are there.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections import deque
from dataclasses import replace
from difflib import SequenceMatcher

from pipecat.frames.frames import (
    Frame,
    InputAudioRawFrame,
    UserStoppedSpeakingFrame,
    VADUserStartedSpeakingFrame,
    VADUserStoppedSpeakingFrame,
)
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor

from reachy_mind import log
from reachy_mind.body.media import SAMPLE_RATE_HZ
from reachy_mind.errors import MindError
from reachy_mind.speech.delegate import SpeechDelegate
from reachy_mind.speech.frames import ResumeFrame, Transcribed
from reachy_mind.speech.phrases import meant
from reachy_mind.speech.transcriber import Transcriber, Transcript

LEAD_S = 0.5
"""Kept from before the VAD detects a voice, which began earlier."""
LONGEST_S = 30.0
"""The longest turn that is transcribed as a whole; of a longer one the oldest is dropped."""
LONGEST_PAUSE_S = 5.0
"""A voice after a longer pause begins a new turn, whatever became of the one before."""
CONTINUE_WITHIN_S = 1.5
"""A voice that follows the end of a turn within this time continues it."""

_log = log.get(__name__)


def words_added(before: str, now: str) -> str:
    """What a transcript has beyond an earlier one of the beginning of the same sound."""
    earlier, words = _plain(before), now.split()
    found = SequenceMatcher(None, earlier, _plain(now), autojunk=False).get_matching_blocks()
    known = sum(block.size for block in found)
    end = max((block.b + block.size for block in found if block.size), default=0)
    return " ".join(words[end if 2 * known >= len(earlier) else len(earlier) :])


def _plain(text: str) -> list[str]:
    return [re.sub(r"\W", "", word) for word in text.casefold().split()]


class SpeechToText(FrameProcessor):
    def __init__(self, transcriber: Transcriber, delegate: SpeechDelegate, language: str = "") -> None:
        super().__init__(name="ears")
        self._transcriber, self._delegate, self._language = transcriber, delegate, language
        self._lead: deque[bytes] = deque()
        self._turn = bytearray()
        self._speaking = False
        self._began_at = self._ended_at = 0.0
        self._over = self._continues = False
        self._text = self._said = ""
        """The last transcript, and the one of the turn that was taken to have ended."""
        self._taken = 0
        """Bytes of the turn when it was taken to have ended."""
        self._unkept = 0
        """Bytes that were heard since, and are not part of a turn."""
        self._work: asyncio.Task[None] | None = None

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        await super().process_frame(frame, direction)
        match frame:
            case InputAudioRawFrame():
                self._keep(frame.audio)
            case VADUserStartedSpeakingFrame() if direction is FrameDirection.DOWNSTREAM:
                await self._started(time.monotonic() - frame.start_secs)
            case VADUserStoppedSpeakingFrame() if direction is FrameDirection.DOWNSTREAM:
                self._speaking, self._ended_at = False, time.monotonic() - frame.stop_secs
                self._work = self.create_task(self._transcribe(), "transcription")
            case UserStoppedSpeakingFrame():
                self._over, self._said, self._taken = True, self._text, len(self._turn)
                self._unkept = 0
            case ResumeFrame():
                await self._drop()
                self._over, self._unkept = True, 0
                del self._turn[self._taken :]
        await self.push_frame(frame, direction)

    async def cleanup(self) -> None:
        await super().cleanup()
        await self._drop()

    def _keep(self, audio: bytes) -> None:
        self._lead.append(audio)
        while sum(map(len, self._lead)) > 2 * LEAD_S * SAMPLE_RATE_HZ:
            self._lead.popleft()
        if self._speaking or (self._turn and not self._over):
            self._turn += audio
            self._shorten()
        else:
            self._unkept += len(audio)

    def _shorten(self) -> None:
        """Of music, or of a person who never pauses, the beginning is dropped."""
        over = len(self._turn) - round(2 * LONGEST_S * SAMPLE_RATE_HZ)
        if over > 0:
            del self._turn[:over]
            self._taken = max(0, self._taken - over)

    async def _started(self, at: float) -> None:
        await self._drop()
        lead = b"".join(self._lead)
        if not self._turn or at - self._ended_at > (CONTINUE_WITHIN_S if self._over else LONGEST_PAUSE_S):
            self._turn, self._began_at = bytearray(lead), at
            self._continues, self._said, self._taken = False, "", 0
        elif self._over:
            self._turn += lead[max(0, len(lead) - self._unkept) :]  # what came before is in it already
            self._continues = True
        self._over, self._speaking = False, True
        self._shorten()

    async def _drop(self) -> None:
        """Cancel the transcription: more was said since."""
        if self._work is not None:
            work, self._work = self._work, None
            await self.cancel_task(work)

    async def _transcribe(self) -> None:
        try:
            transcript = await self._transcript()
        except MindError as error:
            _log.warning("what was said could not be transcribed", reason=error.message)
            await self.push_error(error.message)
            transcript = Transcript("", self._language, 0.0, 0.0)  # turn-taking waits for a transcript
        self._text = text = transcript.text
        frame = Transcribed(
            text=text,
            user_id="",
            timestamp=str(self._ended_at),
            finalized=True,
            began_at=self._began_at,
            ended_at=self._ended_at,
            continues=self._continues,
            added=words_added(self._said, text) if self._continues else text,
            confidence=transcript.confidence,
            alternatives=transcript.alternatives,
        )
        await self.push_frame(frame)

    async def _transcript(self) -> Transcript:
        """Of the turn so far: of what it may have been, what makes sense now."""
        words = await self._delegate.expected_words()
        heard = await self._transcriber.transcribe(bytes(self._turn), language=self._language, rated=True, words=words)
        if not heard.alternatives:
            return replace(heard, text=meant(heard.text))
        chosen = await self._delegate.chosen(heard.alternatives)
        return replace(heard, text=meant(chosen.text), confidence=chosen.confidence)
