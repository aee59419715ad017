"""`SpeakerOutput`: plays the answer. It pauses, resumes, interrupts, and knows which words were heard.

Only a little is written ahead of playback. The echo canceller and the motion that goes with the voice follow what has
left the loudspeaker.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass

from pipecat.frames.frames import (
    BotStartedSpeakingFrame,
    BotStoppedSpeakingFrame,
    CancelFrame,
    EndFrame,
    Frame,
    InterruptionFrame,
    LLMFullResponseEndFrame,
    LLMFullResponseStartFrame,
    OutputAudioRawFrame,
    TTSTextFrame,
)
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor

from reachy_mind import log
from reachy_mind.body.media import BLOCK_BYTES, SAMPLE_RATE_HZ, Speaker
from reachy_mind.body.media.soundcard import Resampler
from reachy_mind.errors import LinkLost, MindError
from reachy_mind.speech.delegate import MotionSync
from reachy_mind.speech.echo import Played
from reachy_mind.speech.frames import HoldFrame, PauseFrame, ReleaseFrame, ResumeFrame, SentenceFrame

AHEAD_S = 0.2
"""Written ahead of playback: enough for a late scheduler, and for the echo canceller to know what is coming. A flush
has to take it back."""
POLL_S = 0.01
STALL_TIMEOUT_S = 2.0
"""A loudspeaker that plays nothing of what was written to it for this time is lost, whatever it reports."""
SENTENCE_GAP_S = 0.25
"""A pause between two sentences up to this is not the end of the answer."""

_log = log.get(__name__)


@dataclass
class _Sentence:
    text: str
    begins: int
    """In samples of the answer."""
    source: str = ""


class SpeakerOutput(FrameProcessor):
    """`motion_sync` gives what moves with the next answer, or None; `ahead_s`: see `AHEAD_S`."""

    def __init__(
        self,
        open_speaker: Callable[[], Speaker],
        motion_sync: Callable[[], MotionSync | None],
        ahead_s: float | None = None,
    ) -> None:
        super().__init__(name="speaker")
        self._open, self._motion_sync = open_speaker, motion_sync
        self._ahead_s = AHEAD_S if ahead_s is None else ahead_s
        self._speaker: Speaker | None = None
        self._stack = AsyncExitStack()
        self._pcm = bytearray()
        """All of the answer so far."""
        self._sentences: list[_Sentence] = []
        self._written = self._heard = 0
        """Samples of the answer written to the loudspeaker, and heard."""
        self._base = 0
        """The loudspeaker's position when the answer began, or was last paused, less what was heard."""
        self._resamplers: dict[int, Resampler] = {}
        self._run = self._run_begins = 0
        """The number of the gapless run that is being played, and the sample of the answer it began with."""
        self._paused = False
        self._held = False
        """Whether the next answer may not be played yet."""
        self._whole = True
        self._moving: MotionSync | None = None
        self._playing: asyncio.Task[None] | None = None
        self.interrupted_at: str | None = None
        """The words that were heard of an interrupted answer; None after a complete one."""
        self.failure = ""
        """Why the last answer could not be played."""
        self._sounded: dict[str, float] = {}

    @property
    def speaking(self) -> bool:
        """Whether an answer is being played, paused or not."""
        return self._playing is not None

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        await super().process_frame(frame, direction)
        match frame:
            case InterruptionFrame():
                await self._interrupt()
            case PauseFrame():
                await self._pause()
            case ResumeFrame():
                self._paused = False
            case HoldFrame():
                self._held = True
            case ReleaseFrame():
                self._held = False
                self._begin()
            case LLMFullResponseStartFrame():
                self._whole, self._sounded = False, {}
            case LLMFullResponseEndFrame():
                self._whole = True
            case TTSTextFrame():
                self._sentences.append(_Sentence(frame.text, len(self._pcm) // 2))
            case OutputAudioRawFrame():
                self._take(frame)
                return
            case EndFrame() | CancelFrame():
                await self._interrupt()
        await self.push_frame(frame, direction)

    async def cleanup(self) -> None:
        await super().cleanup()
        await self._interrupt()
        await self._stack.aclose()

    def _take(self, frame: OutputAudioRawFrame) -> None:
        if isinstance(frame, SentenceFrame):
            self._note(frame)
        if not frame.audio:
            return
        audio = self._at_our_rate(frame)
        self._pcm += audio
        self._begin()
        if self._moving is not None:
            self._moving.push(audio)

    def _begin(self) -> None:
        if self._playing is None and self._pcm and not self._held:
            self._playing = self.create_task(self._play(), "playback")

    def _note(self, frame: SentenceFrame) -> None:
        last = self._sentences[-1] if self._sentences else None
        if frame.source and last is not None and last.source == frame.source:
            last.text += frame.text
        elif frame.text or frame.source:
            self._sentences.append(_Sentence(frame.text, len(self._pcm) // 2, frame.source))

    def _at_our_rate(self, frame: OutputAudioRawFrame) -> bytes:
        """Services have their own sample rates."""
        if frame.sample_rate == SAMPLE_RATE_HZ:
            return frame.audio
        if frame.sample_rate not in self._resamplers:
            self._resamplers[frame.sample_rate] = Resampler(frame.sample_rate, SAMPLE_RATE_HZ)
        return self._resamplers[frame.sample_rate].feed(frame.audio)

    async def _play(self) -> None:
        """Play until all of the answer was heard."""
        try:
            speaker = await self._ready()
        except MindError as error:
            _log.warning("there is no loudspeaker", reason=error.message)
            await self.push_error(error.message)
            self.failure, self._playing = error.message, None
            self._clear()
            return
        self._base, self.interrupted_at, self.failure = speaker.position, None, ""
        self._moving = self._motion_sync()
        if self._moving is not None:
            self._moving.push(bytes(self._pcm))
        await self.broadcast_frame(BotStartedSpeakingFrame)
        try:
            await self._until_heard(speaker)
        except MindError as error:
            _log.warning("the loudspeaker has gone", reason=error.message)
            self.failure, heard = error.message, self.heard_text()
            await self._close()
            self._finish()
            self.interrupted_at = heard
            await self.push_error(error.message)
        else:
            self._finish()
        await self.broadcast_frame(BotStoppedSpeakingFrame)

    async def _until_heard(self, speaker: Speaker) -> None:
        rest = stalled = 0.0
        while rest < (0.0 if self._whole else SENTENCE_GAP_S) or self._heard * 2 < len(self._pcm):
            if not self._paused and self._written * 2 < len(self._pcm):
                ahead = self._written - self._heard
                if ahead < self._ahead_s * SAMPLE_RATE_HZ:
                    if ahead == 0:  # it had run dry
                        self._run, self._run_begins = self._run + 1, self._written
                    part = bytes(self._pcm[2 * self._written : 2 * self._written + BLOCK_BYTES])
                    await speaker.write(part)
                    self._written += len(part) // 2
                    self._hear(speaker)
                    continue
            await asyncio.sleep(POLL_S)
            before = self._heard
            self._hear(speaker)
            stalled = stalled + POLL_S if self._written > self._heard == before and not self._paused else 0.0
            if stalled > STALL_TIMEOUT_S:
                raise LinkLost("the loudspeaker plays nothing any more", hint="is it still there?")
            rest = rest + POLL_S if self._heard * 2 >= len(self._pcm) else 0.0

    def _hear(self, speaker: Speaker) -> None:
        """Update what has left the loudspeaker."""
        heard = min(max(self._heard, speaker.position - self._base), self._written)
        if heard > self._heard:
            self._heard = heard
            if self._moving is not None:
                self._moving.position(heard / SAMPLE_RATE_HZ)

    def played(self) -> Played | None:
        """What leaves the loudspeaker now, for the echo canceller; None when nothing does."""
        if self._playing is None or self._paused or self._speaker is None or self._written == self._run_begins:
            return None
        position = max(self._heard, self._speaker.position - self._base)
        return Played(self._run, self._pcm, self._run_begins, position)

    async def _pause(self) -> None:
        if self._playing is None or self._paused or self._speaker is None:
            return
        self._paused = True
        with suppress(MindError):
            await self._speaker.flush()
            self._hear(self._speaker)
        self._written = self._heard
        self._base = self._speaker.position - self._heard

    async def _interrupt(self) -> None:
        """Stop playing, and remember what was heard."""
        self._held = False
        if self._playing is None:
            self._clear()
            return
        playing, self._playing = self._playing, None
        await self.cancel_task(playing)
        if self._speaker is not None:
            with suppress(MindError):
                await self._speaker.flush()
                self._hear(self._speaker)
        heard = self.heard_text()
        self._finish()
        self.interrupted_at = heard
        await self.broadcast_frame(BotStoppedSpeakingFrame)

    def heard_text(self) -> str:
        """The words that have been heard: whole sentences, and of the last one as much as its share of the sound."""
        words: list[str] = []
        for sentence, end in self._ended():
            share = (self._heard - sentence.begins) / max(1, end - sentence.begins)
            if share <= 0:
                break
            parts = sentence.text.split()
            words += parts[: round(min(1.0, share) * len(parts))]
        return " ".join(words)

    def sounded(self) -> dict[str, float]:
        """Seconds heard of each source of the last answer."""
        sounded = dict(self._sounded)
        for sentence, end in self._ended():
            if sentence.source:
                heard = min(max(self._heard - sentence.begins, 0), end - sentence.begins) / SAMPLE_RATE_HZ
                sounded[sentence.source] = sounded.get(sentence.source, 0.0) + heard
        return sounded

    def _ended(self) -> list[tuple[_Sentence, int]]:
        """Sentences, and the sample with which each ends."""
        ends = [*(sentence.begins for sentence in self._sentences[1:]), len(self._pcm) // 2]
        return list(zip(self._sentences, ends, strict=False))

    def _finish(self) -> None:
        if self._moving is not None:
            self._moving.cancel()
        self._moving = None
        self._playing = None
        self._clear()

    def _clear(self) -> None:
        self._sounded = self.sounded()
        for resampler in self._resamplers.values():
            resampler.clear()  # what it holds back belongs to no other answer
        self._pcm, self._sentences = bytearray(), []
        self._written = self._heard = self._run_begins = 0
        self._paused, self._whole = False, True

    async def _ready(self) -> Speaker:
        if self._speaker is None:
            self._speaker = await self._stack.enter_async_context(self._open())
        return self._speaker

    async def _close(self) -> None:
        """It is opened anew for the next answer."""
        self._speaker = None
        with suppress(MindError):
            await self._stack.aclose()
