"""Gain control: quiet voices come out as loud as near ones, on plain samples, no device."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest

from reachy_mind.body.media import BLOCK_BYTES
from reachy_mind.speech import audio_format, flite
from reachy_mind.speech.gain_control import GainControl
from tests.speech.conftest import needs_flite, said

pytestmark = [needs_flite, pytest.mark.process]
NEAR, ACROSS_THE_ROOM, NOISE = -22.0, -45.0, -65.0


@pytest.fixture(scope="module")
def voice() -> np.ndarray:
    text = "The weather is nice today. Could you please look at the window, and tell me how many birds there are?"
    return audio_format.to_floats(asyncio.run(said(flite.voice(), text)))


def level_db(sound: np.ndarray) -> float:
    """Of what is loud in it."""
    loud = np.abs(sound) > 0.05 * np.abs(sound).max()
    return float(20 * np.log10(np.sqrt(np.mean(np.square(sound[loud]))) + 1e-9))


def at(sound: np.ndarray, db: float) -> np.ndarray:
    return sound * 10 ** ((db - level_db(sound)) / 20)


def noise(seconds: float, db: float = NOISE) -> np.ndarray:
    return np.random.default_rng(4).normal(0, 10 ** (db / 20), round(seconds * audio_format.RATE))


def levelled(gain: GainControl, sound: np.ndarray, *, own_voice: bool = False) -> np.ndarray:
    pcm = audio_format.to_pcm(sound)
    blocks = range(0, len(pcm) - BLOCK_BYTES + 1, BLOCK_BYTES)
    return audio_format.to_floats(
        b"".join(gain.levelled(pcm[i : i + BLOCK_BYTES], own_voice=own_voice) for i in blocks)
    )


def test_a_voice_across_the_room_becomes_about_as_loud_as_one_near_by(voice):
    near = levelled(GainControl(), at(voice, NEAR) + noise(len(voice) / audio_format.RATE))
    far = levelled(GainControl(), at(voice, ACROSS_THE_ROOM) + noise(len(voice) / audio_format.RATE))
    later = slice(len(voice) // 2, None)
    assert level_db(far[later]) > ACROSS_THE_ROOM + 12
    assert abs(level_db(far[later]) - level_db(near[later])) < 10


def test_a_loud_voice_after_a_quiet_one_is_not_distorted(voice):
    gain = GainControl()
    levelled(gain, at(voice, ACROSS_THE_ROOM) + noise(len(voice) / audio_format.RATE))
    loud = levelled(gain, at(voice, -12.0))
    assert np.mean(np.abs(loud) > 0.99) < 0.003
    assert level_db(loud) > -18


def test_silence_is_not_turned_up_to_the_level_of_speech(voice):
    gain = GainControl()
    levelled(gain, at(voice, ACROSS_THE_ROOM) + noise(len(voice) / audio_format.RATE))
    assert level_db(levelled(gain, noise(5.0))) < -40


def test_what_is_left_of_its_own_voice_stays_quiet_and_changes_nothing(voice):
    gain = GainControl()
    quiet = at(voice, ACROSS_THE_ROOM) + noise(len(voice) / audio_format.RATE)
    levelled(gain, quiet)
    before = gain.gain_db
    assert before > 12
    rest_of_the_echo = levelled(gain, quiet, own_voice=True)
    assert level_db(rest_of_the_echo[1000:]) == pytest.approx(level_db(quiet) + 6, abs=0.5)
    levelled(gain, noise(0.4))  # the room's echo dies away
    levelled(gain, quiet[: len(quiet) // 4])
    assert gain.gain_db == pytest.approx(before, abs=4)


def test_no_sample_is_lost_or_added(voice):
    gain, pcm = GainControl(), audio_format.to_pcm(at(voice, -30.0))[: 50 * BLOCK_BYTES]
    assert len(gain.levelled(pcm, own_voice=False)) == len(pcm)
    assert len(gain.levelled(pcm, own_voice=True)) == len(pcm)
    assert gain.levelled(b"", own_voice=True) == b""
