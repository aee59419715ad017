"""The wake word: listening along for it, what it changes, and the real models where they were pulled."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest
from pipecat.frames.frames import ErrorFrame, Frame, InputAudioRawFrame
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineWorker
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor

from reachy_mind.body.media import BLOCK_BYTES
from reachy_mind.config.configuration import load
from reachy_mind.conversation.events import VoiceEvent
from reachy_mind.conversation.response import Response
from reachy_mind.conversation.wake_gate import AWAKE_S, WakeGate
from reachy_mind.errors import InvalidParameter, NotReady, WorkerError
from reachy_mind.mind import Mind
from reachy_mind.models.store import Store
from reachy_mind.speech import engines, flite, wake_word, wake_word_model
from reachy_mind.speech.events import Transcription
from reachy_mind.speech.heard import Heard
from reachy_mind.speech.wake_word import MOST_BYTES, WakeWordListener
from reachy_mind.speech.wake_word_model import STEP_BYTES
from tests.fakes.sound import Room
from tests.speech.conftest import STORE, needs_flite, needs_wake_words, said
from tests.speech.running_worker import running_worker
from tests.waiting import until

WORD = {
    "robot.address": "none",
    "speech.voice": "flite",
    "speech.wake": "word",
    "speech.wake_word": "hey_jarvis",
    "speech.stop_words": False,
}
PAUSE = 24000
"""Samples of silence after which somebody says something new."""


# Listening along


class Attentive:
    """A detector that hears the word in every step that begins with its mark; `free` lets it answer."""

    name = "hey_test"

    def __init__(self) -> None:
        self.given: list[bytes] = []
        self.failures = 0
        self.free = asyncio.Event()
        self.free.set()

    async def hear(self, pcm: bytes) -> int | None:
        self.given.append(pcm)
        await self.free.wait()
        if self.failures:
            self.failures -= 1
            raise WorkerError("it died")
        begun = [at for at in range(0, len(pcm), STEP_BYTES) if pcm[at : at + 1] == b"!"]
        return begun[0] + STEP_BYTES if begun else None

    async def warm(self) -> None: ...

    async def aclose(self) -> None: ...


class End(FrameProcessor):
    """What comes through, in both directions."""

    def __init__(self) -> None:
        super().__init__()
        self.audio = bytearray()
        self.errors: list[str] = []

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        await super().process_frame(frame, direction)
        if isinstance(frame, InputAudioRawFrame):
            self.audio += frame.audio
        elif isinstance(frame, ErrorFrame):
            self.errors.append(frame.error)
        await self.push_frame(frame, direction)


class Line:
    """A pipeline with nothing else in it."""

    def __init__(self, detector: Attentive) -> None:
        self.woken: list[float] = []
        self.before, self.after = End(), End()
        self._waking = WakeWordListener(detector, self.woken.append)
        self._worker = PipelineWorker(
            Pipeline([self.before, self._waking, self.after]), idle_timeout_secs=None, enable_rtvi=False
        )

    async def hear(self, pcm: bytes) -> None:
        for at in range(0, len(pcm), BLOCK_BYTES):
            await self._worker.queue_frame(InputAudioRawFrame(pcm[at : at + BLOCK_BYTES], 16000, 1))

    def open(self) -> AbstractAsyncContextManager[None]:
        return running_worker(self._worker)


def step(first: bytes = b"\0") -> bytes:
    return first + bytes(STEP_BYTES - 1)


async def test_the_detector_gets_whole_steps_and_tells_when_the_word_had_been_said():
    detector = Attentive()
    line = Line(detector)
    async with line.open():
        await line.hear(step() + step(b"!")[:-BLOCK_BYTES])
        await until(lambda: len(line.after.audio) == 2 * STEP_BYTES - BLOCK_BYTES)
        await until(lambda: detector.given == [step()])
        assert line.woken == [], "the rest of the word is still to be said"
        before = time.monotonic()
        await line.hear(bytes(BLOCK_BYTES))
        await until(lambda: bool(line.woken))
        assert detector.given == [step(), step(b"!")] and before <= line.woken[0] <= time.monotonic()


async def test_a_slow_detector_holds_nobody_up_and_misses_the_oldest():
    detector = Attentive()
    detector.free.clear()
    line = Line(detector)
    sound = b"".join(step(bytes([number])) for number in range(50, 90))
    async with line.open():
        await line.hear(sound[:STEP_BYTES])
        await until(lambda: len(detector.given) == 1)
        await line.hear(sound[STEP_BYTES:])
        await until(lambda: bytes(line.after.audio) == sound)
        assert len(detector.given) == 1
        detector.free.set()
        await until(lambda: len(detector.given) == 2)
        assert detector.given[1] == sound[-MOST_BYTES:]


async def test_a_failure_is_told_once_and_it_listens_again(monkeypatch):
    monkeypatch.setattr(wake_word, "RETRY_S", 0.01)
    detector = Attentive()
    detector.failures = 3
    line = Line(detector)
    async with line.open():
        for count in range(1, 4):
            await line.hear(step())
            await until(lambda count=count: len(detector.given) == count)
        await until(lambda: not detector.failures)
        await line.hear(step(b"!"))
        await until(lambda: bool(line.woken))
        assert line.before.errors == ["it died"]


# What it changes


def wake_gate(*, always_awake: bool = False, **flags: str) -> WakeGate:
    configuration = load(flags=WORD | {f"speech.{key}": value for key, value in flags.items()})
    return WakeGate(configuration.settings.speech, always_awake=always_awake)


def heard(text: str, began_s_ago: float) -> Heard:
    return Heard(text, began_at=time.monotonic() - began_s_ago, ended_at=time.monotonic())


def test_without_the_word_nothing_is_said_to_the_robot():
    one = wake_gate()
    assert not one.awake and one.addressed(heard("What time is it?", 1)) is None
    assert one.addressed(heard("Stop!", 1)) == "Stop!", "nobody has to call it first"
    assert one.addressed(heard("let go of my finger", 1)) == "let go of my finger"
    assert one.addressed(heard("i hurt my knee yesterday", 1)) is None


@pytest.mark.parametrize("wake", ["word", "name"])
def test_who_has_called_says_no_word(wake):
    one = wake_gate(always_awake=True, wake=wake)
    assert one.awake and one.addressed(heard("What time is it?", 1)) == "What time is it?"


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("Hey Jarvis, what time is it?", "what time is it?"),
        ("Hey Travis, what time is it?", "what time is it?"),
        ("So I told him. Hey Jarvis, nod.", "nod."),
        ("Hey Jarvis.", ""),
        ("What time is it?", "What time is it?"),
    ],
)
def test_what_follows_the_word_in_the_same_breath_is_said_to_the_robot(text, meant):
    one = wake_gate()
    one.woken(time.monotonic() - 0.5)
    assert one.awake and one.addressed(heard(text, 2)) == meant


def test_who_only_calls_is_understood_although_the_word_is_misheard():
    one = wake_gate()
    at = time.monotonic()
    one.woken(at)
    assert one.addressed(Heard("Hate services.", began_at=at - 1, ended_at=at - 0.05)) == ""
    assert one.addressed(Heard("A service nod.", began_at=at - 1, ended_at=at + 0.2)) == "A service nod."
    assert one.addressed(Heard("Hate services.")) == "Hate services.", "who does not tell times"


def test_for_half_a_minute_after_the_word_it_need_not_be_called_again():
    one = wake_gate()
    one.woken(time.monotonic() - AWAKE_S / 2)
    assert one.addressed(heard("Tell me about Jarvis.", 1)) == "Tell me about Jarvis."
    late = wake_gate()
    late.woken(time.monotonic() - AWAKE_S - 1)
    assert not late.awake and late.addressed(heard("What time is it?", 1)) is None


@pytest.mark.parametrize("wake", ["always", "push"])
def test_without_a_wake_word_all_is_said_to_the_robot(wake):
    one = wake_gate(wake=wake)
    assert one.awake and one.addressed(heard("What time is it?", 1)) == "What time is it?"


# Which there are


def test_what_was_not_pulled_says_what_to_do(tmp_path):
    configuration = load(flags=WORD | {"models.folder": str(tmp_path)})
    with pytest.raises(NotReady) as failed:
        engines.wake_word(configuration)
    assert failed.value.hint == "reachy-mind models pull wake-words"
    with pytest.raises(NotReady, match="this kind of machine"):
        wake_word_model.detector(Store(tmp_path, {}), "hey_jarvis")
    assert engines.wake_word(load(flags={"speech.wake": "name"})) is None


@needs_wake_words
def test_a_word_that_there_is_not_is_an_error_that_lists_those_there_are():
    with pytest.raises(InvalidParameter, match="hey_reachy") as failed:
        wake_word_model.detector(STORE, "hey_reachy")
    assert failed.value.hint == ("speech.wake_word: one of alexa, hey_jarvis, hey_mycroft, hey_rhasspy, okay_nabu")


# The real models


async def moments(detector: wake_word_model.WakeWordDetector, pcm: bytes) -> list[float]:
    """When the word was heard in it, in seconds."""
    sound = bytes(32000) + pcm + bytes(32000)
    steps = [sound[at : at + STEP_BYTES] for at in range(0, len(sound) - STEP_BYTES, STEP_BYTES)]
    taken = [await detector.hear(each) for each in steps]
    return [number * STEP_BYTES / 32000 - 1 for number, each in enumerate(taken, 1) if each is not None]


@needs_wake_words
@needs_flite
async def test_the_word_is_heard_once_and_nothing_else_is():
    detector = wake_word_model.detector(STORE, "hey_jarvis")
    try:
        for name in ("slt", "rms"):
            called = await said(flite.voice(name), "Hey Jarvis.")
            (moment,) = await moments(detector, called)
            assert 0.3 < moment < len(called) / 32000 + 0.5
            for other in ("What time is it?", "Please tell me a story about Travis.", "Hey, look to the left."):
                assert await moments(detector, await said(flite.voice(name), other)) == []
    finally:
        await detector.aclose()


def mapped(pid: int) -> str:
    return Path(f"/proc/{pid}/maps").read_text(encoding="utf-8")


@needs_wake_words
@needs_flite
async def test_a_killed_detector_is_started_again_and_its_files_stay_as_they_were(until):
    detector = wake_word_model.detector(STORE, "hey_jarvis")
    try:
        await detector.warm()
        pid = detector.engine.status().pid
        assert pid and "tensorflowlite" in mapped(pid) and "tensorflowlite" not in mapped(os.getpid())
        os.kill(pid, signal.SIGKILL)
        await until(lambda: detector.engine.status().pid is None)
        assert await moments(detector, await said(flite.voice("rms"), "Hey Jarvis."))
    finally:
        await detector.aclose()
    assert (await STORE.verify(wake_word_model.ASSET)).intact


@needs_wake_words
@needs_flite
async def test_a_conversation_begins_with_the_word():
    events: list[VoiceEvent] = []

    def answers() -> list[str]:
        return [event.text for event in events if isinstance(event, Response)]

    async with (
        Room() as room,
        Mind(load(flags=WORD)).session() as mind,
        await mind.speech.conversation(media=room.media, on_event=events.append) as talking,
    ):
        person = flite.voice("rms")
        await room.say(await said(person, "What time is it?"))
        await until(lambda: any(isinstance(event, Transcription) and event.final for event in events))
        assert answers() == [] and not talking.described()["awake"]
        await room.say(bytes(2 * PAUSE) + await said(person, "Hey Jarvis, what time is it?"))
        await until(lambda: len(answers()) == 1)
        assert answers()[0].startswith("It is ") and talking.described()["awake"]
