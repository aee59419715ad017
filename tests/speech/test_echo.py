"""The robot's own voice, taken out of what it hears: on plain samples, no device."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest

from reachy_mind.body.media import BLOCK_BYTES, BLOCK_SAMPLES
from reachy_mind.speech import flite
from reachy_mind.speech.alignment import offset_of
from reachy_mind.speech.echo import Echo, Played
from tests.speech.conftest import needs_flite, said

pytestmark = [needs_flite, pytest.mark.process]


@pytest.fixture(scope="module")
def answer() -> np.ndarray:
    text = "Once upon a time there was a small robot who lived on a wooden table, and it counted the birds."
    return np.frombuffer(asyncio.run(said(flite.voice(), text)), "<i2")


def returned(sound: np.ndarray, delay: int, *, gain: float = 0.5, reverb: float = 0.3) -> np.ndarray:
    """As a microphone hears it, in a room that reverberates."""
    rng = np.random.default_rng(3)
    taps = np.zeros(delay + 4000)
    taps[delay] = gain
    taps[delay:] += reverb * gain * 0.05 * rng.normal(size=4000) * np.exp(-np.arange(4000) / 900)
    heard = np.convolve(sound.astype(float), taps)[: len(sound)] + rng.normal(0, 10, len(sound))
    return np.clip(heard, -32768, 32767).astype("<i2")


def power_db(sound: np.ndarray) -> float:
    return float(10 * np.log10(np.mean(sound.astype(float) ** 2) + 1e-3))


def cleaned(echo: Echo, heard: np.ndarray, pcm: np.ndarray, *, run: int, says: int = 0) -> np.ndarray:
    """All of it, block by block; the loudspeaker says it is `says` samples further than it is."""
    whole, out = bytearray(pcm.tobytes()), bytearray()
    data = heard.astype("<i2").tobytes()
    for begin in range(0, len(data) - BLOCK_BYTES + 1, BLOCK_BYTES):
        out += echo.cleaned(data[begin : begin + BLOCK_BYTES], Played(run, whole, 0, begin // 2 + says))
    out += echo.cleaned(bytes(BLOCK_BYTES), None)
    return np.frombuffer(bytes(out), "<i2")


@pytest.mark.parametrize("delay", [0, 333, 1777])
def test_what_is_heard_is_found_in_what_is_played(answer, delay):
    assert offset_of(returned(answer, delay)[:8000], answer[:12000]) == pytest.approx(-delay, abs=2)


def test_nothing_is_found_where_nothing_is_heard(answer):
    noise = np.random.default_rng(5).normal(0, 300, 6000)
    assert offset_of(noise, answer[:9000]) is None
    assert offset_of(np.zeros(6000), answer[:9000]) is None


def test_every_answer_is_silent_however_the_loudspeaker_counts(answer):
    echo = Echo()
    cleaned(echo, returned(answer, 600), answer, run=1)
    for run, says in enumerate((0, 640, 320, 960), 2):
        heard = returned(answer, 600)
        left = cleaned(echo, heard, answer, run=run, says=says)
        assert power_db(left) < power_db(heard) - 20
        assert np.abs(left.astype(int)).max() < 3000


def test_somebody_who_speaks_meanwhile_is_heard(answer):
    echo = Echo()
    cleaned(echo, returned(answer, 600), answer, run=1)
    person = np.frombuffer(asyncio.run(said(flite.voice("rms"), "Wait a moment, please.")), "<i2")
    begin = 40 * BLOCK_SAMPLES
    heard = returned(answer, 600).astype(int)
    heard[begin : begin + len(person)] += person[: len(heard) - begin]
    left = cleaned(echo, np.clip(heard, -32768, 32767), answer, run=2)
    during = left[begin : begin + len(person)]
    assert power_db(during) > power_db(person) - 15


def test_no_sound_is_lost_or_added(answer):
    echo = Echo()
    heard = returned(answer, 600)
    blocks = len(heard) // BLOCK_SAMPLES
    assert len(cleaned(echo, heard, answer, run=1)) == (blocks + 1) * BLOCK_SAMPLES
    assert len(cleaned(echo, np.zeros_like(heard), answer, run=2)) == (blocks + 1) * BLOCK_SAMPLES  # no echo at all


def test_with_a_headset_a_voice_is_left_as_it_is(answer):
    echo, voice = Echo(), answer[::-1] // 2
    heard = cleaned(echo, voice, answer, run=1)[: len(voice)]
    late = len(voice) // 2  # by then it is known that nothing of the answer is heard
    assert power_db(heard[late:]) == pytest.approx(power_db(voice[late : len(heard)]), abs=1)
