"""`RemoteEars`: voice activity and transcripts of a server (`RemoteListener`) in the place of the local ones.

Its notices become the frames that the local VAD and speech to text would make, so turn-taking, barge-in and
backchannels work as ever. While the server listens, the local VAD (`vad.VoiceActivity`) rests; when the connection is
lost, even in the middle of a word, the local ones take over.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

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
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor

from reachy_mind import log
from reachy_mind.speech.frames import ResumeFrame, Transcribed
from reachy_mind.speech.phrases import meant
from reachy_mind.speech.remote_listener import ListenerNotice, RemoteListener

TRANSCRIPT_TIMEOUT_S = 8.0
"""A voice that ended and has no transcript after this time has none."""

_log = log.get(__name__)


class RemoteEars(FrameProcessor):
    """`allowed`: whether the server may hear what is said now."""

    def __init__(self, listener: RemoteListener, allowed: Callable[[], bool]) -> None:
        super().__init__(name="remote ears")
        self._listener, self._allowed = listener, allowed
        self._voice = self._local_turn = False
        """Whether the server hears a voice, and whether the local VAD is in the middle of a turn."""
        self._awaited = 0
        """Voices that have ended and have no transcript yet."""
        self._words: list[str] = []
        self._items: list[str] = []
        self._began_at = self._ended_at = 0.0
        self._reading: asyncio.Task[None] | None = None

    @property
    def listens(self) -> bool:
        """Whether the server listens, and not the local VAD. The one that heard a turn begin hears it to its end."""
        return self._listener.present and (self._voice or (not self._local_turn and self._allowed()))

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        await super().process_frame(frame, direction)
        match frame:
            case StartFrame():
                self._reading = self.create_task(self._read_notices(), "remote listener")
            case InputAudioRawFrame() if self.listens:
                self._listener.hear(frame.audio)
            case VADUserStartedSpeakingFrame():
                self._local_turn = True
            case UserStoppedSpeakingFrame() | ResumeFrame():
                self._local_turn, self._words, self._items = False, [], []
            case EndFrame() | CancelFrame():
                await self._stop()
        await self.push_frame(frame, direction)

    async def cleanup(self) -> None:
        await super().cleanup()
        await self._stop()

    async def _stop(self) -> None:
        if self._reading is not None:
            reading, self._reading = self._reading, None
            await self.cancel_task(reading)

    async def _read_notices(self) -> None:
        while True:
            try:
                async with asyncio.timeout(TRANSCRIPT_TIMEOUT_S if self._awaited and not self._voice else None):
                    notice = await self._listener.notice()
            except TimeoutError:
                _log.warning("no transcript came for a voice that the server heard")
                self._awaited = 0
                await self._transcribed()
                continue
            await self._take(notice)

    async def _take(self, notice: ListenerNotice) -> None:
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
        """All words since the last turn. Without any there is a frame too: turn-taking waits for one."""
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
