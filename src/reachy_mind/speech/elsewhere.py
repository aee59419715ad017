"""`Elsewhere`: a partner's ears in the place of ours. What it notices becomes the frames that our own ears would make,
so whose turn it is, what interrupts and what is only a "mhm" is decided here as ever.

While the partner listens, our own voice activity does not (`Activity`), and so our own ears have nothing to do. When it
is gone, in the middle of a word even, they go on.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from pipecat.audio.vad.vad_analyzer import VADAnalyzer
from pipecat.frames.frames import (
    CancelFrame,
    EndFrame,
    Frame,
    InputAudioRawFrame,
    StartFrame,
    UserStoppedSpeakingFrame,
    VADUserStartedSpeakingFrame,
    VADUserStoppedSpeakingFrame,
)
from pipecat.processors.audio.vad_processor import VADProcessor
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor

from reachy_mind import log
from reachy_mind.speech.courtesy import meant
from reachy_mind.speech.frames import ReleaseFrame, Transcribed
from reachy_mind.speech.partner import Notice, Partner

PATIENCE_S = 8.0
"""For so long it is waited for the words of a voice that has ended; then there are none."""

_log = log.get(__name__)


class Elsewhere(FrameProcessor):
    """`confided`: whether what is said now may be heard by the partner."""

    def __init__(self, partner: Partner, confided: Callable[[], bool]) -> None:
        super().__init__(name="elsewhere")
        self._partner, self._confided = partner, confided
        self._voice = self._ours = False
        """Whether the partner hears one, and whether our own ears are about a turn."""
        self._awaited = 0
        """Voices that have ended and whose words have not come."""
        self._words: list[str] = []
        self._items: list[str] = []
        self._began_at = self._ended_at = 0.0
        self._noticing: asyncio.Task[None] | None = None

    @property
    def listens(self) -> bool:
        """Whether the partner does, and not our own ears; who began to hear somebody hears them to the end."""
        return self._partner.present and (self._voice or (not self._ours and self._confided()))

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        await super().process_frame(frame, direction)
        match frame:
            case StartFrame():
                self._noticing = self.create_task(self._notice(), "partner")
            case InputAudioRawFrame() if self.listens:
                self._partner.hear(frame.audio)
            case VADUserStartedSpeakingFrame():
                self._ours = True
            case UserStoppedSpeakingFrame() | ReleaseFrame():
                self._ours, self._words, self._items = False, [], []
            case EndFrame() | CancelFrame():
                await self._stop()
        await self.push_frame(frame, direction)

    async def cleanup(self) -> None:
        await super().cleanup()
        await self._stop()

    async def _stop(self) -> None:
        if self._noticing is not None:
            noticing, self._noticing = self._noticing, None
            await self.cancel_task(noticing)

    async def _notice(self) -> None:
        while True:
            try:
                async with asyncio.timeout(PATIENCE_S if self._awaited and not self._voice else None):
                    notice = await self._partner.notice()
            except TimeoutError:
                _log.warning("a partner heard a voice, and did not tell what it said")
                self._awaited = 0
                await self._transcribed()
                continue
            await self._take(notice)

    async def _take(self, notice: Notice) -> None:
        match notice.what:
            case "began" if not self._voice:
                self._voice, self._began_at = True, time.monotonic() - notice.ago_s
                await self.broadcast_frame(VADUserStartedSpeakingFrame, start_secs=notice.ago_s)
            case "ended" if self._voice:
                self._awaited += 1
                await self._ended(notice.ago_s)
            case "words":
                self._awaited = max(0, self._awaited - 1)
                self._words += [notice.text.strip()] if notice.text.strip() else []
                self._items += [notice.item] if notice.item else []
                if not self._awaited:
                    await self._transcribed(notice.text)
            case "gone":
                interrupted, waited, self._awaited = self._voice, self._awaited, 0
                if interrupted:
                    await self._ended(0.0)
                if interrupted or waited:
                    await self._transcribed()

    async def _ended(self, ago_s: float) -> None:
        self._voice, self._ended_at = False, time.monotonic() - ago_s
        await self.broadcast_frame(VADUserStoppedSpeakingFrame, stop_secs=ago_s)

    async def _transcribed(self, added: str = "") -> None:
        """All words since the last turn; none are a frame too, since others wait for one."""
        frame = Transcribed(
            text=meant(" ".join(self._words)),
            user_id="",
            timestamp=str(self._ended_at),
            finalized=True,
            began_at=self._began_at,
            ended_at=self._ended_at,
            added=added,
            items=tuple(self._items),
        )
        await self.push_frame(frame)


class Activity(VADProcessor):
    """Our own voice activity, where nobody listens elsewhere."""

    def __init__(self, analyzer: VADAnalyzer, elsewhere: Elsewhere | None) -> None:
        super().__init__(vad_analyzer=analyzer)
        self._elsewhere = elsewhere

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        if isinstance(frame, InputAudioRawFrame) and self._elsewhere is not None and self._elsewhere.listens:
            await FrameProcessor.process_frame(self, frame, direction)
            await self.push_frame(frame, direction)
            return
        await super().process_frame(frame, direction)
