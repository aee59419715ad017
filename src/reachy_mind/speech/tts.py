"""`TextToSpeech`: synthesizes the answer sentence by sentence, with a voice of this machine."""

from __future__ import annotations

import asyncio
from contextlib import aclosing

from pipecat.frames.frames import (
    Frame,
    InterruptionFrame,
    LLMFullResponseEndFrame,
    LLMFullResponseStartFrame,
    LLMTextFrame,
    TTSSpeakFrame,
)
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor

from reachy_mind import log
from reachy_mind.body.media import SAMPLE_RATE_HZ
from reachy_mind.errors import MindError
from reachy_mind.speech import audio_format
from reachy_mind.speech.delayed_call import DelayedCall
from reachy_mind.speech.frames import ReplyTextFrame, SentenceFrame
from reachy_mind.speech.moods import MOODS, NEUTRAL, Mood
from reachy_mind.speech.pipeline_observer import PlaybackMark
from reachy_mind.speech.sentence_splitter import Sentences
from reachy_mind.speech.voices import Voice, synthesized

ENDS, ENDED_S = (".", "!", "?", "…"), 0.03
"""What ends a sentence when nothing follows it within so many seconds."""

_log = log.get(__name__)


class TextToSpeech(FrameProcessor):
    def __init__(self, voice: Voice, language: str = "en") -> None:
        super().__init__(name="mouth")
        self._voice, self._language = voice, language
        self._sentences = Sentences(language)
        self._mood = NEUTRAL
        self._queue: asyncio.Queue[tuple[str, Mood] | Frame] = asyncio.Queue()
        self._speaking: asyncio.Task[None] | None = None
        self._end = DelayedCall(self, "sentence end")
        self._first = True

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        await super().process_frame(frame, direction)
        match frame:
            case InterruptionFrame():
                await self._silence()
                await self.push_frame(frame, direction)
            case LLMFullResponseStartFrame():
                self._sentences, self._mood = Sentences(self._language), NEUTRAL
                self._first = True
                self._put(frame)
            case LLMTextFrame():
                self._change_mood(frame)
                for sentence in self._sentences.feed(frame.text):
                    self._say(sentence)
                await self._end.cancel()
                if frame.text.rstrip().endswith(ENDS):
                    await self._end.set(ENDED_S, self._no_more)
            case TTSSpeakFrame():
                whole = Sentences(self._language)
                for sentence in [*whole.feed(frame.text), *whole.end()]:
                    self._say(sentence)
            case LLMFullResponseEndFrame():
                await self._end.cancel()
                for sentence in self._sentences.end():
                    self._say(sentence)
                self._put(frame)
            case PlaybackMark():
                await self._no_more()
                self._put(frame)
            case SentenceFrame() if frame.source:
                self._put(frame)
            case _:
                await self.push_frame(frame, direction)

    async def cleanup(self) -> None:
        await super().cleanup()
        await self._silence()

    async def _no_more(self) -> None:
        """Nothing followed what looks like the end of a sentence: it is one."""
        for sentence in self._sentences.end():
            self._say(sentence)

    def _change_mood(self, frame: LLMTextFrame) -> None:
        """What was begun in another mood is said to its end in that."""
        mood = MOODS.get(frame.mood, NEUTRAL) if isinstance(frame, ReplyTextFrame) else NEUTRAL
        if mood != self._mood:
            for sentence in self._sentences.end():
                self._say(sentence)
            self._mood = mood

    def _say(self, sentence: str) -> None:
        self._put((sentence, self._mood))

    def _put(self, what: tuple[str, Mood] | Frame) -> None:
        self._queue.put_nowait(what)
        if self._speaking is None:
            self._speaking = self.create_task(self._speak(), "voice")

    async def _speak(self) -> None:
        while not self._queue.empty():
            what = self._queue.get_nowait()
            if isinstance(what, Frame):
                await self.push_frame(what)
                continue
            try:
                await self._sound(*what)
            except MindError as error:
                _log.warning("a sentence could not be spoken", reason=error.message)
                await self.push_error(error.message)
        self._speaking = None

    async def _sound(self, sentence: str, mood: Mood) -> None:
        text = sentence
        async with aclosing(synthesized(self._voice, sentence, mood)) as pieces:
            async for pcm in pieces:
                await self.push_frame(SentenceFrame(self._at_once(pcm), SAMPLE_RATE_HZ, 1, text=text))
                text = ""

    def _at_once(self, pcm: bytes) -> bytes:
        """Drops the silence before the first sound of an answer; between sentences it stays."""
        first, self._first = self._first, False
        return audio_format.without_lead(pcm) if first else pcm

    async def _silence(self) -> None:
        await self._end.cancel()
        self._queue = asyncio.Queue()
        self._sentences = Sentences(self._language)
        if self._speaking is not None:
            speaking, self._speaking = self._speaking, None
            await self.cancel_task(speaking)
