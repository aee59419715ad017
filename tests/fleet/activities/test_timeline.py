"""What sounds when: parts at their times, or one after another on all devices together; and the sounds themselves."""

from __future__ import annotations

import io
import wave
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from reachy_mind.errors import InvalidParameter
from reachy_mind.fleet.activities import sounds
from reachy_mind.fleet.activities.payloads import ActivityPart, StartActivity
from reachy_mind.fleet.activities.timed_player import RATE
from reachy_mind.fleet.activities.timeline import build_timeline, lay_out


def parts(*each: dict[str, Any]) -> tuple[ActivityPart, ...]:
    return tuple(ActivityPart.model_validate(one) for one in each)


def wav(samples: np.ndarray[Any, Any], rate: int = RATE) -> bytes:
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setnchannels(1)
        writer.setsampwidth(2)
        writer.setframerate(rate)
        writer.writeframes(samples.astype("<i2").tobytes())
    return file.getvalue()


def test_parts_without_a_time_wait_for_the_slowest_device() -> None:
    given = parts({"text": "One."}, {"text": "Two."}, {"beep": "high", "at_ms": 9000}, {"text": "Three."})
    quick, slow = [1000, 1000, 200, 1000], [2000, 1500, 200, 1000]
    assert lay_out(given, [quick, slow], 400) == [0, 2400, 9000, 9600]


def test_a_part_never_begins_before_the_one_that_is_listed_before_it() -> None:
    given = parts({"beep": "high", "at_ms": 5000}, {"beep": "low", "at_ms": 1000})
    assert lay_out(given, [[200, 200]], 400) == [5000, 5000]


def test_parts_that_overlap_are_one_sound_and_others_are_anchored_anew() -> None:
    given = parts({"text": "Up!", "at_ms": 0}, {"beep": "high", "at_ms": 500}, {"beep": "low", "at_ms": 3000})
    timeline = build_timeline(given, [1000, 200, 200], [0, 500, 3000])
    assert [(each.at_ms, each.end_ms, len(each.parts)) for each in timeline.sounds] == [(0, 1000, 2), (3000, 3200, 1)]
    assert timeline.duration_ms == 3200
    assert [each.at_ms for each in timeline.sounds_from(1000)] == [3000]


def test_a_move_is_never_begun_in_its_middle() -> None:
    given = parts({"move": "dance1", "at_ms": 0}, {"move": "dance1", "at_ms": 4000})
    timeline = build_timeline(given, [0, 0], [0, 4000])
    assert [each.at_ms for each in timeline.moves_from(0)] == [0, 4000]
    assert [each.at_ms for each in timeline.moves_from(1)] == [4000]


def test_a_part_is_one_thing() -> None:
    for wrong in (
        {},
        {"text": "a", "beep": "high"},
        {"text": ""},
        {"beep": "loud"},
        {"move": "../x"},
        {"text": "x" * 1001},
    ):
        with pytest.raises(ValidationError):
            ActivityPart.model_validate(wrong)
    with pytest.raises(ValidationError):
        StartActivity.model_validate({"activity": "a", "at": float("inf"), "times_ms": [0]})


def test_a_clip_of_any_rate_keeps_its_length_and_its_tone() -> None:
    for rate in (8000, 16000, 22050, 48000):
        tone = 10_000 * np.sin(2 * np.pi * 440 * np.arange(rate) / rate)
        samples = np.frombuffer(sounds.decode_wav(wav(tone, rate)), "<i2").astype(float)
        assert len(samples) == pytest.approx(RATE, abs=2)
        spectrum = np.abs(np.fft.rfft(samples))
        assert np.argmax(spectrum) == pytest.approx(440, abs=1)


def test_what_is_no_clip_is_refused() -> None:
    for wrong in (b"", b"RIFF", b"\0" * 1000, wav(np.zeros(10), 4000)):
        with pytest.raises(InvalidParameter):
            sounds.decode_wav(wrong)


def test_sounds_are_mixed_at_their_places_and_never_wrap() -> None:
    loud = np.full(100, 30_000, "<i2").tobytes()
    mixed = np.frombuffer(sounds.mixed([(0, loud), (50, loud)]), "<i2")
    assert len(mixed) == 150 and mixed[0] == 30_000 and mixed[75] == 32_767 and mixed[149] == 30_000


def test_a_beat_clicks_in_time() -> None:
    samples = np.abs(np.frombuffer(sounds.beat(120, 2.0), "<i2").astype(int))
    assert len(samples) == 2 * RATE
    begins = [int(np.flatnonzero(samples[first : first + RATE // 2])[0]) for first in range(0, 2 * RATE, RATE // 2)]
    assert all(each < 0.01 * RATE for each in begins), "a click every half second"
    assert sounds.duration_ms(sounds.beep("high")) == 200
