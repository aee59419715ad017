"""`WakeWordListener`: detects the wake word in a copy of the audio, without delaying the pipeline.

The detector gets one step after the other; when it is slower than real time, the oldest audio is dropped.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from pipecat.frames.frames import CancelFrame, EndFrame, Frame, InputAudioRawFrame, StartFrame
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor

from reachy_mind import log
from reachy_mind.body.media import SAMPLE_RATE_HZ
from reachy_mind.errors import MindError
from reachy_mind.speech.wake_word_model import STEP_BYTES, WakeWordDetector

BYTES_A_S = 2 * SAMPLE_RATE_HZ
MOST_BYTES = 12 * STEP_BYTES
"""The audio that may wait for the detector: about a second, in which a word fits."""
RETRY_S = 1.0
"""Before the next attempt after a failure of the detector."""

_log = log.get(__name__)


class WakeWordListener(FrameProcessor):
    """`woken` is called with the monotonic time at which the word had been said."""

    def __init__(self, detector: WakeWordDetector, woken: Callable[[float], None]) -> None:
        super().__init__(name="wake word")
        self._detector, self._woken = detector, woken
        self._waiting = bytearray()
        self._heard_at = 0.0
        """When the last of the waiting audio was heard."""
        self._more = asyncio.Event()
        self._failing = False
        self._attending: asyncio.Task[None] | None = None

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        await super().process_frame(frame, direction)
        await self.push_frame(frame, direction)
        if isinstance(frame, InputAudioRawFrame):
            self._keep(frame.audio)
        elif isinstance(frame, StartFrame):
            self._attending = self.create_task(self._attend(), "wake word")
        elif isinstance(frame, EndFrame | CancelFrame) and self._attending is not None:
            attending, self._attending = self._attending, None
            await self.cancel_task(attending)

    def _keep(self, audio: bytes) -> None:
        self._waiting += audio
        self._heard_at = time.monotonic()
        over = len(self._waiting) - MOST_BYTES
        if over > 0:
            del self._waiting[:over]
        if len(self._waiting) >= STEP_BYTES:
            self._more.set()

    async def _attend(self) -> None:
        while True:
            await self._more.wait()
            self._more.clear()
            steps = bytes(self._waiting[: len(self._waiting) // STEP_BYTES * STEP_BYTES])
            del self._waiting[: len(steps)]
            ended_at = self._heard_at - len(self._waiting) / BYTES_A_S
            try:
                taken = await self._detector.hear(steps)
            except MindError as error:
                await self._failed(error)
                continue
            self._failing = False
            if taken is not None:
                _log.debug("woken", word=self._detector.name)
                self._woken(ended_at - (len(steps) - taken) / BYTES_A_S)

    async def _failed(self, error: MindError) -> None:
        """Reported once, not at every step until it works again."""
        if not self._failing:
            self._failing = True
            _log.warning("the wake word detector failed", reason=error.message, hint=error.hint)
            await self.push_error(error.message)
        await asyncio.sleep(RETRY_S)
