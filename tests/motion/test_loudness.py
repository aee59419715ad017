"""Loudness of a voice: the same however the audio comes."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reachy_mind.errors import InvalidParameter
from reachy_mind.motion.loudness import Loudness
from tests.motion.voices import pcm, voice

STRESSES = (0.2, 0.5, 0.7, 1.3)
RATES = (8000, 11025, 16000, 22050, 24000, 44100, 48000)


def loudness(samples: object, rate: int = 16000, channels: int = 1) -> list[float]:
    analyser = Loudness(rate, channels)
    return analyser.push(samples) + analyser.flush()  # type: ignore[arg-type]


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(RATES), st.lists(st.integers(0, 9000), max_size=40), st.sampled_from((1, 2)))
def test_any_chunks_of_bytes_give_the_very_same(rate: int, cuts: list[int], channels: int) -> None:
    """Also cuts through the middle of a sample, or between the channels of one moment."""
    audio = pcm(np.repeat(voice(rate, (0.05, 0.2), 0.3), channels))[:-3]
    analyser = Loudness(rate, channels)
    edges = [0, *sorted(min(cut, len(audio)) for cut in cuts), len(audio)]
    chunked = [value for a, b in pairwise(edges) for value in analyser.push(audio[a:b])]
    assert chunked + analyser.flush() == loudness(audio, rate, channels)


@pytest.mark.parametrize("rate", RATES)
def test_a_hundred_values_for_each_second_at_any_rate_and_nearly_the_same(rate: int) -> None:
    ours = loudness(voice(rate, STRESSES, 1.6), rate)
    assert len(ours) == 160
    assert np.max(np.abs(np.array(ours) - loudness(voice(16000, STRESSES, 1.6)))) < 0.06


def test_hours_do_not_drift() -> None:
    analyser, second = Loudness(11025), np.zeros(11025)
    assert sum(len(analyser.push(second)) for _ in range(600)) == 60_000


def test_loud_where_the_voice_is_and_silent_where_it_is_not() -> None:
    values = loudness(voice(16000, STRESSES, 1.6))
    for stress in STRESSES:
        assert max(values[round(stress * 100) - 3 : round(stress * 100) + 4]) > 0.8
    assert max(values[90:120]) == 0.0, "the pause"


def test_a_quiet_voice_counts_like_a_loud_one() -> None:
    stresses = np.arange(0.2, 3.0, 0.25).tolist()
    loud, quiet = (np.array(loudness(voice(16000, stresses, 3.0, volume=v))) for v in (0.6, 0.02))
    assert np.max(loud) > 0.9 and np.max(quiet) > 0.9
    assert np.mean(np.abs(loud[50:] - quiet[50:])) < 0.1


def test_a_voice_that_turns_quieter_comes_back_up() -> None:
    stresses = np.arange(0.2, 12.0, 0.25).tolist()
    audio = voice(16000, stresses, 12.0, volume=0.6)
    audio[3 * 16000 :] *= 0.1
    values = loudness(audio)
    assert max(values[305:350]) < 0.5 and max(values[1100:]) > 0.6


def test_one_click_does_not_make_the_voice_after_it_small() -> None:
    audio = voice(16000, [0.6, 0.9], 1.2, volume=0.05)
    audio[3200:3240] = 1.0
    assert max(loudness(audio)[50:110]) > 0.7


@pytest.mark.parametrize("volume", [0.0, 1e-4, 1e-3])
def test_silence_and_faint_noise_are_silence(volume: float) -> None:
    noise = np.random.default_rng(1).uniform(-volume, volume, 32000)
    assert set(loudness(noise)) == {0.0}


def test_every_kind_of_samples_says_the_same() -> None:
    audio = voice(24000, STRESSES, 1.6)
    words = np.frombuffer(pcm(audio), "<i2")
    expected = loudness(words, 24000)
    same = [pcm(audio), bytearray(pcm(audio)), memoryview(pcm(audio)), words.astype(">i2"), words[:, None]]
    assert all(loudness(samples, 24000) == expected for samples in same)
    for floats in (audio, audio.astype(np.float32), audio.tolist()):
        assert np.allclose(loudness(floats, 24000), expected, atol=0.02)
    stereo = np.stack((words, words), axis=1)
    assert loudness(stereo, 24000, 2) == pytest.approx(expected)
    assert loudness(stereo.tobytes(), 24000, 2) == pytest.approx(expected)


def test_two_channels_that_cancel_each_other_are_still_heard() -> None:
    audio = voice(16000, STRESSES, 1.6)
    assert max(loudness(np.stack((audio, -audio), axis=1), 16000, 2)) > 0.9


def test_samples_that_are_none_count_as_silence() -> None:
    audio = voice(16000, STRESSES, 1.6)
    audio[::7] = np.nan
    audio[1::700] = np.inf
    values = loudness(audio)
    assert max(values[90:120]) == 0.0 and 0.8 < max(values) <= 1.0
    assert set(loudness(np.full(16000, np.nan))) == {0.0}


def test_the_last_piece_counts_once() -> None:
    analyser = Loudness(16000)
    analyser.push(voice(16000, (0.05,), 0.105))
    assert (len(analyser.flush()), analyser.flush()) == (1, [])


@pytest.mark.parametrize(
    ("samples", "told"),
    [(np.zeros((10, 2)), "shape"), (np.zeros((2, 2, 2)), "shape"), (np.zeros(4, np.int32), "int32"), ([1, 2], "int")],
)
def test_what_is_no_audio_is_refused(samples: object, told: str) -> None:
    with pytest.raises(InvalidParameter, match=told):
        Loudness(16000).push(samples)  # type: ignore[arg-type]


@pytest.mark.parametrize(("rate", "channels"), [(0, 1), (-1, 1), (10**9, 1), (16000, 0)])
def test_what_is_no_format_is_refused(rate: int, channels: int) -> None:
    with pytest.raises(InvalidParameter):
        Loudness(rate, channels)
