"""Voices, each heard by the real ears where it matters what they say."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import stat

import numpy as np
import psutil
import pytest

from reachy_mind.errors import MissingExtra, NotReady, TimedOut, WorkerError
from reachy_mind.models.store import Store
from reachy_mind.speech import audio_format, command_voice, espeak, flite, kokoro, piper
from reachy_mind.speech.moods import MOODS
from reachy_mind.speech.voices import utterances
from tests.speech.conftest import STORE, needs_espeak, needs_flite, needs_kokoro, needs_piper, said

pytestmark = pytest.mark.process

WEIRD = [
    "",
    " \n\t ",
    "...",
    "😀👍🏽",
    "\x00\x01\x07",
    "```\ncode only\n```",
]
HARMLESS = [
    "a\x00b; rm -rf / | cat && $(touch owned) `touch owned` > owned",
    "-h --help -o owned",
    "<speak><break time='99s'/>hello</speak> [[h@l0U]]",
    "See https://example.com/a?b=c&d=e 😀 日本語 \ud800 ok",
    "\x1b[31mred",
]
ENGINES = [
    pytest.param(lambda: flite.voice("slt"), id="flite", marks=needs_flite),
    pytest.param(espeak.voice, id="espeak", marks=needs_espeak),
    pytest.param(lambda: piper.voice(STORE), id="piper", marks=needs_piper),
    pytest.param(lambda: kokoro.voice(STORE), id="kokoro", marks=needs_kokoro),
]


@pytest.fixture(params=ENGINES)
async def voice(request):
    made = request.param()
    yield made
    await made.aclose()


async def test_it_says_what_it_is_told(voice, ears):
    pcm = await said(voice, "What is the weather in Lisbon? The train leaves from London.")
    heard = (await ears.transcribe(pcm)).text.lower()
    assert "weather" in heard
    assert "train" in heard
    assert 2 < audio_format.seconds(pcm) < 8


async def test_what_has_no_words_is_not_said(voice):
    for text in WEIRD:
        assert await said(voice, text) == b""


async def test_text_is_only_data(voice, tmp_path):
    for text in HARMLESS:
        pcm = await said(voice, text)
        assert 0.2 < audio_format.seconds(pcm) < 20, text
    assert list(tmp_path.glob("owned")) == []


async def test_sentences_come_one_by_one_while_the_rest_is_not_made(voice):
    text = "This is the first one. This is the second one. And here is the last."
    whole = [piece async for piece in voice.synthesize(text)]
    assert len(whole) == 3
    assert all(len(piece) % audio_format.WIDTH == 0 and audio_format.seconds(piece) > 0.5 for piece in whole)


async def test_a_hundred_kilobytes_can_be_begun_and_left(voice):
    spoken = voice.synthesize("This goes on and on. " * 5000)
    async with contextlib.aclosing(spoken):
        first = await anext(spoken)
    assert audio_format.seconds(first) > 0.5
    assert audio_format.seconds(await said(voice, "Something else.")) > 0.4


async def test_a_faster_voice_needs_less_time():
    makers = [lambda speed: flite.voice("slt", speed)] if flite.available() else []
    makers += [lambda speed: espeak.voice(speed=speed)] if espeak.available() else []
    makers += [lambda speed: piper.voice(STORE, speed)] if piper.available(STORE) else []
    makers += [lambda speed: kokoro.voice(STORE, speed=speed)] if kokoro.available(STORE) else []
    for make in makers:
        lengths = []
        for speed in (0.5, 1.0, 2.0):
            voice = make(speed)
            lengths.append(audio_format.seconds(await said(voice, "How fast can you say this sentence, please?")))
            await voice.aclose()
        slow, plain, fast = lengths
        assert slow > plain * 1.5
        assert fast < plain / 1.4


@needs_espeak
async def test_espeak_speaks_other_languages():
    german = await said(espeak.voice(language="de"), "Guten Morgen, wie geht es dir?")
    english = await said(espeak.voice(language="en"), "Guten Morgen, wie geht es dir?")
    assert audio_format.seconds(german) > 1
    assert german != english


async def test_a_program_that_is_gone_says_what_to_install(monkeypatch):
    monkeypatch.setenv("PATH", "")
    for voice, hint in ((flite.voice(), "apt-get install flite"), (espeak.voice(), "apt-get install espeak-ng")):
        with pytest.raises(NotReady) as failed:
            await said(voice, "Hello.")
        assert hint in failed.value.hint


def stand_in(folder, script: str, monkeypatch):
    """A program in the place of flite."""
    file = folder / "flite"
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(file.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)
    return flite.voice()


async def test_a_program_that_fails_or_writes_nonsense_is_named(tmp_path, monkeypatch):
    failing = stand_in(tmp_path, "cat >/dev/null; echo 'no voice data' >&2; exit 3", monkeypatch)
    with pytest.raises(WorkerError, match="flite failed: no voice data"):
        await said(failing, "Hello.")
    nonsense = stand_in(tmp_path, "cat >/dev/null; for last; do :; done; echo rubbish > $last", monkeypatch)
    with pytest.raises(WorkerError, match="flite slt wrote no sound"):
        await said(nonsense, "Hello.")
    deaf = stand_in(tmp_path, "exec 0<&-; exit 0", monkeypatch)  # does not even read the text
    assert await said(deaf, "Hello.") == b""


async def test_a_program_that_hangs_is_ended(tmp_path, monkeypatch):
    monkeypatch.setattr(command_voice, "TIMEOUT_S", 0.3)
    hanging = stand_in(tmp_path, f"echo $$ > {tmp_path}/pid; exec sleep 1000", monkeypatch)
    with pytest.raises(TimedOut, match="flite took longer than"):
        await said(hanging, "Hello.")
    assert not psutil.pid_exists(int((tmp_path / "pid").read_text()))


async def test_whoever_stops_listening_stops_the_program(tmp_path, monkeypatch, until):
    slow = stand_in(
        tmp_path, f"echo $$ > {tmp_path}/new; mv {tmp_path}/new {tmp_path}/pid; exec sleep 1000", monkeypatch
    )
    listening = asyncio.create_task(said(slow, "Hello."))
    await until((tmp_path / "pid").exists)
    listening.cancel()
    with pytest.raises(asyncio.CancelledError):
        await listening
    assert not psutil.pid_exists(int((tmp_path / "pid").read_text()))


@needs_piper
async def test_piper_survives_a_kill_and_an_interruption(until):
    voice = piper.voice(STORE)
    try:
        await voice.warm()
        pid = voice.engine.status().pid
        listening = asyncio.create_task(said(voice, "This sentence will be interrupted by somebody. And more."))
        await until(lambda: voice.engine.status().state == "busy")
        listening.cancel()
        with pytest.raises(asyncio.CancelledError):
            await listening
        assert await said(voice, "Here I am.")
        assert voice.engine.status().pid == pid
        listening = asyncio.create_task(said(voice, "This sentence will be interrupted by force. " * 20))
        await until(lambda: voice.engine.status().state == "busy")
        os.kill(pid, signal.SIGKILL)
        with pytest.raises(WorkerError, match="SIGKILL"):
            await listening
        assert await said(voice, "Here I am again.")
    finally:
        await voice.aclose()
    verified = await STORE.verify(piper.ASSET)
    assert verified.intact  # running it has left nothing in its folder


def test_piper_says_what_to_do_when_it_is_not_there(tmp_path, monkeypatch):
    with pytest.raises(NotReady) as failed:
        piper.voice(Store(tmp_path))
    assert failed.value.hint == "reachy-mind models pull piper-voice"
    monkeypatch.setattr(piper, "RUNTIME", "a_runtime_that_is_not_there")
    with pytest.raises(MissingExtra):
        piper.voice(Store(tmp_path))


def test_a_long_first_sentence_is_begun_with_its_first_clause():
    text = "When the train from Vienna arrives at the station, we will walk to the river, and have some ice cream. Yes."
    assert list(utterances(text)) == [
        "When the train from Vienna arrives at the station,",
        "we will walk to the river, and have some ice cream.",
        "Yes.",
    ]
    short = "Hello, you."
    assert list(utterances(short)) == [short]
    assert all(len(piece) <= 300 for piece in utterances("word " * 20_000))


async def test_a_mood_is_heard_in_speed_pitch_and_loudness(voice):
    plain = await said(voice, "I went to the garden and looked at the birds.")
    sad, excited = [
        b"".join([pcm async for pcm in voice.synthesize("I went to the garden and looked at the birds.", MOODS[mood])])
        for mood in ("sad", "excited")
    ]
    assert len(sad) > 1.1 * len(plain) > 1.15 * len(excited)
    assert pitch(sad) < pitch(plain) < pitch(excited)
    assert loudness(sad) < 0.9 * loudness(plain)
    assert np.abs(np.frombuffer(excited, "<i2")).max() <= 32767


def loudness(pcm: bytes) -> float:
    return float(np.sqrt(np.mean(np.frombuffer(pcm, "<i2").astype(np.float64) ** 2)))


def pitch(pcm: bytes) -> float:
    """The median pitch of what is voiced, in hertz, by autocorrelation."""
    sound, found = audio_format.to_floats(pcm), []
    for start in range(0, len(sound) - 640, 320):
        block = sound[start : start + 640] - sound[start : start + 640].mean()
        if np.sqrt(np.mean(block**2)) < 0.03:
            continue
        same = np.correlate(block, block, "full")[639:]
        lag = 50 + int(same[50:230].argmax())
        if same[lag] > 0.6 * same[0]:
            found.append(audio_format.RATE / lag)
    return float(np.median(found))
