"""Where somebody speaks: pauses are bridged, edges are kept, clicks are no speech."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from reachy_mind.errors import MissingExtra
from reachy_mind.speech import audio_format, speech_spans
from reachy_mind.speech.speech_spans import MARGIN_S, WINDOW_S, SpeechSpans, spans, vad_file
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
