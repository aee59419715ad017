"""`KeywordListener`: listens for keywords in a copy of the audio, while somebody speaks, without delaying the pipeline.

It stands behind the VAD. Every 80 ms of a voice, and for a moment after it, the detector gets the last 1.6 s. A
detector that is slower than that misses some of these windows, and nobody waits for it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping

from pipecat.frames.frames import (
    CancelFrame,
    EndFrame,
    Frame,
    InputAudioRawFrame,
    StartFrame,
    VADUserStartedSpeakingFrame,
    VADUserStoppedSpeakingFrame,
)
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor

from reachy_mind import log
from reachy_mind.errors import MindError
from reachy_mind.speech.delegate import SpeechDelegate
from reachy_mind.speech.keyword_decision import KeywordDecision, sureness
from reachy_mind.speech.keyword_model import BYTES_A_SECOND, STEP_BYTES, WINDOW_BYTES, HeardKeyword, KeywordDetector

PAUSE_BYTES = BYTES_A_SECOND // 4
"""A voice after a longer pause is a new one."""
AFTER_S = 0.45
"""How long it goes on listening after the end of a voice."""
RETRY_S = 1.0
"""Before the next attempt after a failure of the detector."""

_log = log.get(__name__)


class KeywordListener(FrameProcessor):
    """`delegate` says which keywords matter now, and is told of each; where it says so, the answer is interrupted."""

    def __init__(
        self,
        detector: KeywordDetector,
        delegate: SpeechDelegate,
        thresholds: Mapping[str, float] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(name="keywords")
        self._detector, self._delegate, self._clock = detector, delegate, clock
        self._decision = KeywordDecision(thresholds)
        self._recent = bytearray(WINDOW_BYTES)
        self._new = 0
        """Bytes that came since the last window."""
        self._left = 0.0
        """Seconds of sound for which it listens on; endless during a voice."""
        self._heard = self._began = self._silent = 0
        """Bytes so far; those at which the voice began, and was last silent."""
        self._window: bytes | None = None
        self._ended_at = self._voice_s = 0.0
        self._ready = asyncio.Event()
        self._failing = False
        self._attending: asyncio.Task[None] | None = None

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        await super().process_frame(frame, direction)
        await self.push_frame(frame, direction)
        match frame:
            case InputAudioRawFrame():
                self._keep(frame.audio)
            case VADUserStartedSpeakingFrame() if direction is FrameDirection.DOWNSTREAM:
                self._left = float("inf")
                if self._heard - self._silent > PAUSE_BYTES:
                    self._began = self._heard
            case VADUserStoppedSpeakingFrame() if direction is FrameDirection.DOWNSTREAM:
                self._left, self._silent = AFTER_S, self._heard
            case StartFrame():
                self._attending = self.create_task(self._attend(), "keywords")
            case EndFrame() | CancelFrame() if self._attending is not None:
                attending, self._attending = self._attending, None
                await self.cancel_task(attending)

    def _keep(self, audio: bytes) -> None:
        self._recent += audio
        del self._recent[: len(self._recent) - WINDOW_BYTES]
        self._left -= len(audio) / BYTES_A_SECOND
        self._new += len(audio)
        self._heard += len(audio)
        if self._new < STEP_BYTES:
            return
        self._new = 0
        if self._left <= 0:
            self._decision.forget()
        else:
            self._window, self._ended_at = bytes(self._recent), self._clock()
            self._voice_s = (self._heard - self._began) / BYTES_A_SECOND
            self._ready.set()

    async def _attend(self) -> None:
        while True:
            await self._ready.wait()
            self._ready.clear()
            window, ended_at, voice_s = self._window, self._ended_at, self._voice_s
            try:
                wanted = self._delegate.keywords
                if window is None or not wanted:
                    continue
                await self._look(window, ended_at, voice_s, wanted)
            except MindError as error:
                await self._failed(error)
                continue
            self._failing = False

    async def _look(self, window: bytes, ended_at: float, voice_s: float, wanted: frozenset[str]) -> None:
        likely = await self._detector.likelihoods(window)
        for name, mean in self._decision.proposed(likely, wanted).items():
            sure = sureness(name, mean, await self._detector.log_probability(window, name), voice_s)
            if self._decision.accepted(name, sure, ended_at):
                await self._tell(HeardKeyword(name, ended_at, sure))

    async def _tell(self, word: HeardKeyword) -> None:
        _log.debug("keyword", word=word.name, sureness=round(word.sureness, 3))
        if self._delegate.keyword_heard(word):
            await self.broadcast_interruption()

    async def _failed(self, error: MindError) -> None:
        """Reported once, not at every step until it works again."""
        if not self._failing:
            self._failing = True
            _log.warning("the keyword detector failed", reason=error.message, hint=error.hint)
            await self.push_error(error.message)
        await asyncio.sleep(RETRY_S)
