"""Where somebody speaks: pauses are bridged, edges are kept, clicks are no speech."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from reachy_mind.errors import MissingExtra
from reachy_mind.speech import audio_format, speech_spans
from reachy_mind.speech.speech_spans import (
    LONGEST_S,
    MARGIN_S,
    WINDOW_S,
    SpeechSpans,
    spans,
    vad_file,
    without_rumble,
)
from tests.speech.conftest import needs_flite

SECOND = round(1 / WINDOW_S)


def likely(*runs: tuple[float, float]) -> list[float]:
    """A probability for so many seconds, one after the other."""
    return list(itertools.chain.from_iterable([value] * round(seconds * SECOND) for value, seconds in runs))


def test_silence_and_clicks_are_no_speech():
    assert spans([], 0.0) == []
    assert spans(likely((0.1, 3)), 3.0) == []
    assert spans([*likely((0.0, 1)), 0.9, *likely((0.0, 1))], 2.0) == []


def test_speech_keeps_its_edges_and_its_quiet_end():
    ((start, end),) = spans(likely((0.0, 1), (0.9, 1), (0.3, 0.5), (0.0, 1)), 3.5)
    assert start == pytest.approx(1 - MARGIN_S, abs=0.05)
    assert end == pytest.approx(2.5 + MARGIN_S, abs=0.05)


def test_what_begins_or_ends_the_sound_is_not_left():
    assert spans(likely((0.9, 2)), 2.0) == [(0.0, 2.0)]


def test_a_short_pause_is_bridged_and_a_long_one_parts():
    assert len(spans(likely((0.9, 1), (0.0, 0.3), (0.9, 1)), 2.3)) == 1
    first, second = spans(likely((0.9, 1), (0.0, 2), (0.9, 1)), 4.0)
    assert first[1] < second[0]


def test_faint_speech_counts_where_somebody_speaks():
    faint = likely((0.0, 1), (0.3, 1), (0.0, 1))
    assert spans(faint, 3.0) == []
    first, second = spans([*faint, *likely((0.9, 1))], 4.0)
    assert first == pytest.approx((1 - MARGIN_S, 2 + MARGIN_S), abs=0.05)
    assert second[0] == pytest.approx(3 - MARGIN_S, abs=0.05)


def test_long_speech_is_cut_at_its_pauses_and_nothing_is_lost():
    probabilities = likely((0.9, 15), (0.15, 0.2), (0.9, 15), (0.15, 0.2), (0.9, 15))
    length = len(probabilities) * WINDOW_S
    made = spans(probabilities, length)
    assert [start for start, _ in made[1:]] == pytest.approx([14.96, 30.03], abs=0.1)
    assert (made[0][0], made[-1][1]) == (0.0, length)
    assert all(one[1] == other[0] for one, other in itertools.pairwise(made))
    assert all(end - start <= LONGEST_S for start, end in spans(likely((0.9, 100)), 100.0))


def test_rumble_is_taken_away_and_a_voice_is_kept():
    time = np.arange(audio_format.RATE) / audio_format.RATE
    rumble, voice = (np.sin(2 * np.pi * hertz * time).astype(np.float32) for hertz in (25, 400))
    assert np.abs(without_rumble(rumble)).max() < 0.1
    assert np.allclose(without_rumble(voice), voice, atol=0.1)
    assert without_rumble(np.zeros(0, np.float32)).shape == (0,)


@needs_flite
@pytest.mark.process
def test_a_voice_after_long_noise_is_not_missed(clips):
    """The network gets used to noise, and would take a voice in it for more of it."""
    random = np.random.default_rng(4)
    word = audio_format.to_floats(clips["What is the weather in Lisbon tomorrow?"])
    sound = random.normal(0, 0.02, 20 * audio_format.RATE + len(word)).astype(np.float32)
    sound[20 * audio_format.RATE :] += 0.25 * word / np.abs(word).max()
    found = SpeechSpans(vad_file()).find(sound)
    assert found and found[0][0] > 19.0 and sum(end - start for start, end in found) > 1.5


@needs_flite
@pytest.mark.process
def test_words_between_silences_are_found_where_they_are(clips):
    quiet = np.zeros(2 * audio_format.RATE, np.float32)
    word = audio_format.to_floats(audio_format.without_lead(clips["Yes, go ahead."]))
    found = SpeechSpans(vad_file()).find(np.concatenate([quiet, word, quiet, word, quiet]))
    length = len(word) / audio_format.RATE
    assert len(found) == 2
    for (start, end), begins in zip(found, (2.0, 4.0 + length), strict=True):
        assert begins - 0.5 < start <= begins + 0.05
        assert begins + length - 0.15 < end < begins + length + 0.6


def test_without_pipecat_it_says_what_to_install(monkeypatch):
    monkeypatch.setattr(speech_spans.importlib.util, "find_spec", lambda _: None)
    with pytest.raises(MissingExtra):
        vad_file()
