"""The held-out feedback: what the shipped weights make of lines nobody trained on."""

from __future__ import annotations

import pytest

from reachy_mind.bench.feedback import by_word_list, feedback_cases
from reachy_mind.feedback.reader import FeedbackReader
from reachy_mind.feedback.readings import FeedbackReading
from reachy_mind.learning.feedback_score import SIGNED, calibration_error, is_near

CASES = feedback_cases()[::3]


@pytest.fixture(scope="module")
def readings() -> list[FeedbackReading]:
    reader = FeedbackReader.load()
    return [reader.read(case.text) for case in CASES]


def test_sign_and_nearness_hold_and_confidence_means_what_it_says(readings: list[FeedbackReading]) -> None:
    near = [is_near(found.reward, case.reward) for found, case in zip(readings, CASES, strict=True)]
    signs = [
        found.reward * case.reward > 0
        for found, case in zip(readings, CASES, strict=True)
        if abs(case.reward) >= SIGNED
    ]
    assert sum(signs) / len(signs) >= 0.92 and sum(near) / len(near) >= 0.88
    assert calibration_error([found.confidence for found in readings], near) < 0.1


def test_hardly_a_stop_is_missed_or_invented(readings: list[FeedbackReading]) -> None:
    pairs = list(zip(readings, CASES, strict=True))
    assert sum(case.stop and not found.stop for found, case in pairs) <= 1
    assert sum(found.stop and not case.stop for found, case in pairs) <= 2


def test_a_list_of_words_is_no_match() -> None:
    near = [is_near(by_word_list(case.text).reward, case.reward) for case in CASES]
    assert 0.2 < sum(near) / len(near) < 0.6
