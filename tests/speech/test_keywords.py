"""Keywords: when it listens for them, what they change, and the real networks on voices they were not trained on."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, aclosing
from pathlib import Path

import numpy as np
import pytest
from pipecat.frames.frames import (
    Frame,
    InputAudioRawFrame,
    InterruptionFrame,
    VADUserStartedSpeakingFrame,
    VADUserStoppedSpeakingFrame,
)
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineWorker
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor

from reachy_mind.body.media import BLOCK_BYTES
from reachy_mind.config.configuration import load
from reachy_mind.conversation.events import VoiceEvent
from reachy_mind.conversation.response import Response
from reachy_mind.conversation.stop_words import SpokenStops
from reachy_mind.errors import NotReady
from reachy_mind.mind import Mind
from reachy_mind.speech import engines, flite, keyword_network
from reachy_mind.speech.delegate import SpeechDelegate
from reachy_mind.speech.events import Transcription
from reachy_mind.speech.heard import Heard, Say
from reachy_mind.speech.keyword_decision import WAKE_WORD
from reachy_mind.speech.keyword_listener import KeywordListener
from reachy_mind.speech.keyword_model import (
    STEP_BYTES,
    WINDOW_BYTES,
    HeardKeyword,
    KeywordModel,
    keywords_in,
)
from reachy_mind.speech.moonshine import library_folder
from tests.fakes.sound import Room
from tests.speech.conftest import needs_flite, said
from tests.speech.running_worker import running_worker
from tests.waiting import until

VOICE, QUIET = VADUserStartedSpeakingFrame(start_secs=0.04), VADUserStoppedSpeakingFrame(stop_secs=0.07)


# Listening


class Marked:
    """A detector that hears "stop" in every window that ends with its mark; "?" is another word to the ears."""

    def __init__(self) -> None:
        self.given: list[bytes] = []

    async def likelihoods(self, window: bytes) -> dict[str, float]:
        self.given.append(window)
        return {"stop": 0.97 if window[-1:] in b"!?" else 0.0, "wait": 0.0}

    async def log_probability(self, window: bytes, name: str) -> float:
        assert name == "stop"
        return -1.0 if window[-1:] == b"!" else -25.0


class Attentive(SpeechDelegate):
    """Listens for what it is told to; a keyword ends the answer."""

    def __init__(self) -> None:
        self.words = frozenset({"stop"})
        self.heard: list[HeardKeyword] = []

    @property
    def keywords(self) -> frozenset[str]:
        return self.words

    async def respond(self, heard: Heard) -> AsyncGenerator[Say, None]:
        raise AssertionError(f"nobody answers {heard}")
        yield

    async def end_of_turn_probability(self, text: str) -> float:
        raise AssertionError(f"nobody waits after {text}")

    def keyword_heard(self, word: HeardKeyword) -> bool:
        self.heard.append(word)
        return True


class Behind(FrameProcessor):
    def __init__(self) -> None:
        super().__init__()
        self.audio, self.interruptions = 0, 0

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        await super().process_frame(frame, direction)
        self.audio += len(frame.audio) if isinstance(frame, InputAudioRawFrame) else 0
        self.interruptions += isinstance(frame, InterruptionFrame)
        await self.push_frame(frame, direction)


class Line:
    """The listener in a pipeline of its own, with a clock that goes with the sound."""

    def __init__(self) -> None:
        self.detector, self.delegate, self.behind = Marked(), Attentive(), Behind()
        listener = KeywordListener(self.detector, self.delegate, clock=lambda: self.now)  # type: ignore[arg-type]
        self.now = 100.0
        self._sent = 0
        self._worker = PipelineWorker(Pipeline([listener, self.behind]), idle_timeout_secs=None, enable_rtvi=False)

    async def push(self, frame: Frame) -> None:
        await self._worker.queue_frame(frame)

    async def hear(self, pcm: bytes) -> None:
        """A step of sound at a time, each looked at before the next comes."""
        for begin in range(0, len(pcm), STEP_BYTES):
            given = pcm[begin : begin + STEP_BYTES]
            for at in range(0, len(given), BLOCK_BYTES):
                await self.push(InputAudioRawFrame(given[at : at + BLOCK_BYTES], 16000, 1))
            self._sent += len(given)
            await until(lambda: self.behind.audio == self._sent)
            for _ in range(20):  # the detector answers at once
                await asyncio.sleep(0)
            self.now += len(given) / 32000

    def open(self) -> AbstractAsyncContextManager[None]:
        return running_worker(self._worker)


def step(mark: bytes = b"\0") -> bytes:
    return bytes(STEP_BYTES - 1) + mark


async def test_a_keyword_ends_the_answer_once_and_needs_two_windows_in_a_row():
    line = Line()
    async with line.open():
        await line.push(VOICE)
        await line.hear(step() + step(b"!") + step())
        assert line.delegate.heard == []
        await line.hear(5 * step(b"!"))
        await until(lambda: line.behind.interruptions == 1)
        assert [word.name for word in line.delegate.heard] == ["stop"], "the same word, still"
        assert {len(window) for window in line.detector.given} == {WINDOW_BYTES}
        await line.push(QUIET)
        await line.hear(22 * step())
        await line.push(VOICE)
        await line.hear(2 * step(b"!"))
        await until(lambda: line.behind.interruptions == 2)


async def test_a_word_that_the_ears_would_write_otherwise_is_none():
    line = Line()
    async with line.open():
        await line.push(VOICE)
        await line.hear(6 * step(b"?"))
        assert line.detector.given and line.delegate.heard == []
        await line.hear(2 * step(b"!"))
        await until(lambda: bool(line.delegate.heard))


async def test_a_word_in_the_middle_of_a_long_sentence_is_left_to_the_ears():
    line = Line()
    async with line.open():
        await line.push(VOICE)
        await line.hear(24 * step() + 4 * step(b"!"))
        assert line.detector.given and line.delegate.heard == []
        await line.push(QUIET)
        await line.hear(4 * step())
        await line.push(VOICE)
        await line.hear(2 * step(b"!"))
        await until(lambda: bool(line.delegate.heard))


async def test_it_listens_while_somebody_speaks_and_shortly_after():
    line = Line()
    async with line.open():
        await line.hear(4 * step(b"!"))
        assert line.detector.given == [] and line.behind.audio == 4 * STEP_BYTES
        await line.push(VOICE)
        await line.hear(2 * step())
        await line.push(QUIET)
        await line.hear(2 * step(b"!"))
        await until(lambda: bool(line.delegate.heard))
        await line.hear(10 * step(b"!"))
        assert 5 <= len(line.detector.given) <= 8


async def test_a_word_that_means_nothing_now_is_not_looked_for():
    line = Line()
    line.delegate.words = frozenset({"wait"})
    async with line.open():
        await line.push(VOICE)
        await line.hear(4 * step(b"!"))
        assert line.detector.given and not line.delegate.heard
        line.delegate.words = frozenset()
        looked = len(line.detector.given)
        await line.hear(4 * step(b"!"))
        assert len(line.detector.given) == looked


# What they change


def spoken_stops(taken: list[str]) -> SpokenStops:
    async def take(text: str):
        taken.append(text)
        yield Response("Stopped.")

    return SpokenStops(take, lambda event: None)


@pytest.mark.parametrize(
    ("text", "began", "ended", "repeats"),
    [
        ("Stop.", -0.6, -0.2, True),
        ("Please stop talking!", -1.2, 0.0, True),
        ("Step.", -0.6, -0.2, True),
        ("What time is it?", -0.6, 0.9, False),
        ("Stop.", -4.0, -3.0, False),
        ("Stop.", 2.0, 2.4, False),
    ],
)
async def test_the_transcript_of_the_word_is_no_second_request(text, began, ended, repeats):
    taken: list[str] = []
    stops, at = spoken_stops(taken), 1000.0
    stops.act(HeardKeyword("quiet", at, 1.0))
    await until(lambda: taken == ["be quiet"])
    assert stops.repeats(Heard(text, began_at=at + began, ended_at=at + ended)) is repeats
    await stops.aclose()


async def test_without_a_keyword_every_transcript_counts():
    assert not spoken_stops([]).repeats(Heard("Stop.", began_at=1.0, ended_at=2.0))


@needs_flite
@pytest.mark.process
async def test_a_stop_word_ends_what_it_says_and_is_one_turn():
    events: list[VoiceEvent] = []
    flags = {"robot.address": "none", "speech.voice": "flite"}
    async with (
        Room() as room,
        Mind(load(flags=flags)).session() as mind,
        await mind.speech.conversation(media=room.media, on_event=events.append) as talking,
    ):
        assert not talking.keywords & {"stop", "wait"}, "there is nothing to stop"
        speaking = asyncio.create_task(talking.speak("One, two, three, four, five, six, seven. " * 4))
        await until(lambda: talking.described()["speaking"])
        assert {"stop", "quiet", "enough", "wait"} == talking.keywords
        now = time.monotonic()
        assert talking.keyword_heard(HeardKeyword("stop", now, 0.99))
        await talking.interrupt()
        assert await speaking is not None, "it was interrupted"
        await until(lambda: any(isinstance(event, Response) for event in events))
        assert talking.is_side_remark(Heard("Stop.", began_at=now - 0.5, ended_at=now - 0.1))
        assert [event.text for event in events if isinstance(event, Transcription)] == ["stop"]
        (stopped,) = [event for event in events if isinstance(event, Response)]
        assert [call.name for call in stopped.tool_calls] == ["stop"]


# Which there are


def test_stop_words_are_listened_for_unless_switched_off_or_in_another_language():
    def made(**flags: object) -> object:
        return engines.keywords(load(flags={f"speech.{key}": value for key, value in flags.items()}))

    assert made() is not None and made(wake="word", stop_words=False) is not None
    assert made(stop_words=False) is None and made(language="de") is None


def test_hey_reachy_is_the_wake_word_and_needs_nothing_pulled():
    assert engines.wake_word(load(flags={"speech.wake": "word"})) is None
    assert load().settings.speech.wake_word == WAKE_WORD


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 not weights"])
def test_damaged_weights_are_told(tmp_path: Path, content: bytes):
    (tmp_path / "weights.npz").write_bytes(content)
    with pytest.raises(NotReady, match="weights"):
        keyword_network.load_weights(tmp_path / "weights.npz")


# The real networks


class Recogniser:
    """Hears keywords in a clip, as the listener does."""

    def __init__(self) -> None:
        self._model = KeywordModel(str(library_folder() / "assets" / "tiny-en"))

    def heard(self, clip: bytes) -> set[str]:
        noise = np.random.default_rng(1).normal(0, 12, len(clip) // 2 + 16000 * 5 // 2)
        noise[32000 : 32000 + len(clip) // 2] += np.frombuffer(clip, "<i2")
        return {name for name, _ in keywords_in(self._model, noise.astype("<i2").tobytes(), 64000)}


@needs_flite
@pytest.mark.process
async def test_a_voice_it_was_not_trained_on_is_recognised_and_sentences_are_not():
    recogniser = Recogniser()
    async with aclosing(flite.voice("awb")) as voice:
        for text, name in (("Stop.", "stop"), ("Stop talking.", "stop"), ("Hey Reechy!", WAKE_WORD)):
            assert recogniser.heard(await said(voice, text)) == {name}, text
        for text in ("What is the weather in Lisbon tomorrow?", "He reads a story about a small whale.", "Good night."):
            assert recogniser.heard(await said(voice, text)) == set(), text
