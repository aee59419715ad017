"""`Playback`: the loudspeaker as the end of the pipeline. It knows what has been heard, and can hold its breath.

Only a little is handed to the loudspeaker ahead of time. What has left it is told to the echo canceller and to whoever
moves with the voice.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from typing import Protocol

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
from reachy_mind.speech.echo import Played
from reachy_mind.speech.frames import HoldFrame, ReleaseFrame, SentenceFrame

AHEAD_S = 0.2
"""Handed over ahead of what is heard: enough for a stutter of ours, and for the echo canceller to know what is coming;
it is what a flush has to take back."""
STEP_S = 0.01
STALLED_S = 2.0
"""A loudspeaker that plays nothing of what it was given for so long has gone, whatever it says."""
REST_S = 0.25
"""A pause between two sentences that is no end of speaking."""

_log = log.get(__name__)


class Moving(Protocol):
    """What moves with the voice: `motion.utterance.Utterance`."""

    def push(self, samples: bytes) -> None: ...
    def position(self, seconds_played: float) -> None: ...
    def finish(self) -> None: ...
    def cancel(self) -> None: ...


@dataclass
class _Sentence:
    text: str
    begins: int
    """In samples of the answer."""
    source: str = ""


class Playback(FrameProcessor):
    """`moves` gives something that moves with the next answer, or None."""

    def __init__(self, open_speaker: Callable[[], Speaker], moves: Callable[[], Moving | None] = lambda: None) -> None:
        super().__init__(name="playback")
        self._open, self._moves = open_speaker, moves
        self._speaker: Speaker | None = None
        self._stack = AsyncExitStack()
        self._pcm = bytearray()
        """All of the answer so far."""
        self._sentences: list[_Sentence] = []
        self._handed = self._heard = 0
        """Samples of the answer given to the loudspeaker, and heard."""
        self._base = 0
        """The loudspeaker's position when the answer began, or when it last held its breath, less what was heard."""
        self._resamplers: dict[int, Resampler] = {}
        self._run = self._run_begins = 0
        """The number of the sound without a gap that is being played, and the sample of the answer it began with."""
        self._held = False
        self._whole = True
        self._moving: Moving | None = None
        self._playing: asyncio.Task[None] | None = None
        self.cut: str | None = None
        """What was heard of an answer that was cut short; None after one that was not."""
        self.trouble = ""
        """Why the last answer could not be played."""
        self._sounded: dict[str, float] = {}

    @property
    def speaking(self) -> bool:
        """Whether an answer is being played, held or not."""
        return self._playing is not None

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        await super().process_frame(frame, direction)
        match frame:
            case InterruptionFrame():
                await self._cut()
            case HoldFrame():
                await self._hold()
            case ReleaseFrame():
                self._held = False
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
                await self._cut()
        await self.push_frame(frame, direction)

    async def cleanup(self) -> None:
        await super().cleanup()
        await self._cut()
        await self._stack.aclose()

    def _take(self, frame: OutputAudioRawFrame) -> None:
        if isinstance(frame, SentenceFrame):
            self._note(frame)
        if not frame.audio:
            return
        audio = self._at_our_rate(frame)
        self._pcm += audio
        if self._playing is None:
            self._playing = self.create_task(self._play(), "playback")
        if self._moving is not None:
            self._moving.push(audio)

    def _note(self, frame: SentenceFrame) -> None:
        last = self._sentences[-1] if self._sentences else None
        if frame.source and last is not None and last.source == frame.source:
            last.text += frame.text
        elif frame.text or frame.source:
            self._sentences.append(_Sentence(frame.text, len(self._pcm) // 2, frame.source))

    def _at_our_rate(self, frame: OutputAudioRawFrame) -> bytes:
        """Services have rates of their own."""
        if frame.sample_rate == SAMPLE_RATE_HZ:
            return frame.audio
        if frame.sample_rate not in self._resamplers:
            self._resamplers[frame.sample_rate] = Resampler(frame.sample_rate, SAMPLE_RATE_HZ)
        return self._resamplers[frame.sample_rate].feed(frame.audio)

    async def _play(self) -> None:
        """Until all that came has been heard and nothing more comes."""
        try:
            speaker = await self._ready()
        except MindError as error:
            _log.warning("there is no loudspeaker", reason=error.message)
            await self.push_error(error.message)
            self.trouble, self._playing = error.message, None
            self._clear()
            return
        self._base, self.cut, self.trouble = speaker.position, None, ""
        self._moving = self._moves()
        if self._moving is not None:
            self._moving.push(bytes(self._pcm))
        await self.broadcast_frame(BotStartedSpeakingFrame)
        try:
            await self._until_heard(speaker)
        except MindError as error:
            _log.warning("the loudspeaker has gone", reason=error.message)
            self.trouble, heard = error.message, self.heard_text()
            await self._close()
            self._finish()
            self.cut = heard
            await self.push_error(error.message)
        else:
            self._finish()
        await self.broadcast_frame(BotStoppedSpeakingFrame)

    async def _until_heard(self, speaker: Speaker) -> None:
        rest = stalled = 0.0
        while rest < (0.0 if self._whole else REST_S) or self._heard * 2 < len(self._pcm):
            if not self._held and self._handed * 2 < len(self._pcm):
                ahead = self._handed - self._heard
                if ahead < AHEAD_S * SAMPLE_RATE_HZ:
                    if ahead == 0:  # it had run dry
                        self._run, self._run_begins = self._run + 1, self._handed
                    part = bytes(self._pcm[2 * self._handed : 2 * self._handed + BLOCK_BYTES])
                    await speaker.write(part)
                    self._handed += len(part) // 2
                    self._hear(speaker)
                    continue
            await asyncio.sleep(STEP_S)
            before = self._heard
            self._hear(speaker)
            stalled = stalled + STEP_S if self._handed > self._heard == before and not self._held else 0.0
            if stalled > STALLED_S:
                raise LinkLost("the loudspeaker plays nothing any more", hint="is it still there?")
            rest = rest + STEP_S if self._heard * 2 >= len(self._pcm) else 0.0

    def _hear(self, speaker: Speaker) -> None:
        """Take note of what has left the loudspeaker."""
        heard = min(max(self._heard, speaker.position - self._base), self._handed)
        if heard > self._heard:
            self._heard = heard
            if self._moving is not None:
                self._moving.position(heard / SAMPLE_RATE_HZ)

    def played(self) -> Played | None:
        """What leaves the loudspeaker now, for the echo canceller; None when nothing does."""
        if self._playing is None or self._held or self._speaker is None or self._handed == self._run_begins:
            return None
        position = max(self._heard, self._speaker.position - self._base)
        return Played(self._run, self._pcm, self._run_begins, position)

    async def _hold(self) -> None:
        if self._playing is None or self._held or self._speaker is None:
            return
        self._held = True
        with suppress(MindError):
            await self._speaker.flush()
            self._hear(self._speaker)
        self._handed = self._heard
        self._base = self._speaker.position - self._heard

    async def _cut(self) -> None:
        """Fall silent, and remember what was heard."""
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
        self.cut = heard
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
        self._handed = self._heard = self._run_begins = 0
        self._held, self._whole = False, True

    async def _ready(self) -> Speaker:
        if self._speaker is None:
            self._speaker = await self._stack.enter_async_context(self._open())
        return self._speaker

    async def _close(self) -> None:
        """It is opened anew for the next answer."""
        self._speaker = None
        with suppress(MindError):
            await self._stack.aclose()
