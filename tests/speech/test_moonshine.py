"""The ears that come with the package, hearing what flite says."""

from __future__ import annotations

import asyncio
import os
import signal

import numpy as np
import pytest

from reachy_mind.errors import InvalidParameter, MissingExtra, WorkerError
from reachy_mind.speech import audio_format, moonshine
from reachy_mind.speech.moonshine import PIECE_S, pieces
from tests.speech.conftest import STORE, needs_flite

SECOND = bytes(audio_format.RATE * audio_format.WIDTH)


def words(text: str) -> str:
    return "".join(c for c in text.lower() if c.isalnum() or c == " ").strip()


def noise(kind: str, seconds: float = 3.0) -> bytes:
    random = np.random.default_rng(7)
    count = round(seconds * audio_format.RATE)
    time = np.arange(count) / audio_format.RATE
    made = {
        "faint": random.normal(0, 0.003, count),
        "loud": random.normal(0, 0.3, count),
        "rumble": np.cumsum(random.normal(0, 0.004, count)) % 0.6 - 0.3,
        "hum": 0.2 * np.sin(2 * np.pi * 100 * time),
        "whistle": 0.3 * np.sin(2 * np.pi * 1000 * time),
        "clicks": (random.random(count) > 0.9995) * 0.9,
        "motor": 0.15 * np.sign(np.sin(2 * np.pi * (200 + 100 * time) * time)) + random.normal(0, 0.02, count),
    }[kind]
    return audio_format.to_pcm(made.astype(np.float32))


@needs_flite
async def test_it_hears_what_was_said(ears_of_each_size, clips):
    heard = await ears_of_each_size.transcribe(clips["What is the weather in Lisbon tomorrow?"])
    assert words(heard.text).replace("to morrow", "tomorrow") == "what is the weather in lisbon tomorrow"
    assert heard.language == "en"
    assert heard.seconds == pytest.approx(audio_format.seconds(clips["What is the weather in Lisbon tomorrow?"]))
    assert heard.took_ms > 0


@needs_flite
async def test_the_end_of_a_clip_is_not_heard_in_the_next(ears, clips):
    """Clips cut in the middle of a word, one after the other, are each heard as by fresh ears."""
    cut, short, other = (clip[: len(clip) // 3 * 2 // 2 * 2] for clip in list(clips.values())[2:])
    order = [cut, clips["No."], other, short, clips["Yes, go ahead."]]
    one_after_the_other = [(await ears.transcribe(clip)).text for clip in order]
    alone = []
    for clip in order:
        await ears.aclose()  # the next call starts a new process
        alone.append((await ears.transcribe(clip)).text)
    assert one_after_the_other == alone
    assert alone[1] and alone[-1]


async def test_noise_is_no_speech(ears_of_each_size):
    for kind in ("faint", "loud", "rumble", "hum", "whistle", "clicks", "motor"):
        assert (await ears_of_each_size.transcribe(noise(kind))).text == "", kind


async def test_silence_scraps_and_garbage_are_empty(ears_of_each_size):
    garbage = np.random.default_rng(3).bytes(96_000)
    for sound in (b"", b"\x00\x01", bytes(20), SECOND * 3, garbage, b"\xff\x7f" * 16_000, b"RIFF" * 4000):
        assert (await ears_of_each_size.transcribe(sound)).text == ""


@needs_flite
async def test_short_words_are_not_lost(ears_of_each_size, clips):
    assert words((await ears_of_each_size.transcribe(clips["Yes."])).text) == "yes"
    assert words((await ears_of_each_size.transcribe(clips["No."])).text) == "no"


@needs_flite
async def test_a_long_speech_is_heard_to_its_end(ears_of_each_size, clips):
    order = [text for text in clips if len(text) > 5] * 5
    heard = await ears_of_each_size.transcribe(b"".join(clips[text] + SECOND[: len(SECOND) // 2] for text in order))
    assert heard.seconds > 3 * PIECE_S
    assert words(heard.text).count("dance please") == 5
    assert words(heard.text).count("weather in lisbon") == 5
    assert words(heard.text).endswith("go ahead")


async def test_what_is_no_sound_of_ours_is_refused(ears):
    with pytest.raises(InvalidParameter, match="3 bytes are no whole number"):
        await ears.transcribe(b"abc")
    with pytest.raises(InvalidParameter, match="3600 s of sound are more than the 600 s") as refused:
        await ears.transcribe(SECOND * 3600)
    assert "cut it at a pause" in refused.value.hint
    with pytest.raises(InvalidParameter, match="does not understand the language 'de'") as refused:
        await ears.transcribe(SECOND, language="de")
    assert "whisper" in refused.value.hint
    assert ears.engine.status().state == "stopped"  # nothing was started for it


async def test_it_is_loaded_before_it_is_needed(ears):
    await ears.warm()
    pid = ears.engine.status().pid
    assert pid is not None
    await ears.transcribe(SECOND)
    assert ears.engine.status().pid == pid


@needs_flite
async def test_a_killed_process_fails_one_call_and_the_next_is_heard(ears, clips, until):
    await ears.warm()
    call = asyncio.create_task(ears.transcribe(clips["Yes, go ahead."] * 60))
    await until(lambda: ears.engine.status().state == "busy")
    os.kill(ears.engine.status().pid, signal.SIGKILL)
    with pytest.raises(WorkerError, match="SIGKILL"):
        await call
    assert words((await ears.transcribe(clips["Yes, go ahead."])).text) == "yes go ahead"


@needs_flite
async def test_a_caller_who_leaves_costs_no_new_process(ears, clips, until):
    await ears.warm()
    pid = ears.engine.status().pid
    call = asyncio.create_task(ears.transcribe(clips["Yes, go ahead."]))
    await until(lambda: ears.engine.status().state == "busy")
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert words((await ears.transcribe(clips["Yes."])).text) == "yes"
    assert ears.engine.status().pid == pid


def test_without_the_library_it_says_what_to_install(monkeypatch):
    monkeypatch.setattr(moonshine, "LIBRARY", "moonshine_that_is_not_there")
    with pytest.raises(MissingExtra) as missing:
        moonshine.transcriber(STORE)
    assert missing.value.hint == "pip install 'reachy-mind[speech]'"


def test_speech_is_read_in_pieces_that_follow_each_other():
    assert pieces([]) == []
    assert pieces([(0.0, 3.0), (3.5, 6.0), (7.0, 11.0), (12.0, 14.0)]) == [(0.0, 11.0), (12.0, 14.0)]
    assert pieces([(0.0, 11.0), (11.0, 34.0), (34.0, 60.0)]) == [(0.0, 11.0), (11.0, 34.0), (34.0, 60.0)]
