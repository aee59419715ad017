"""Who speaks, by the place from which they introduced themselves."""

from __future__ import annotations

import math

import pytest

from reachy_mind.conversation.speakers import FORGOTTEN_S, SpeakerPlaces

DEGREE = math.radians(1)


@pytest.fixture
def speakers() -> SpeakerPlaces:
    two = SpeakerPlaces(lambda: 2)
    two.introduced("Ada", 30 * DEGREE, 0.0)
    return two


def test_a_name_belongs_to_the_place_it_was_said_from(speakers: SpeakerPlaces) -> None:
    assert speakers.speaking(35 * DEGREE, 1.0) == "Ada"
    assert speakers.speaking(-30 * DEGREE, 2.0) is None, "somebody else"
    speakers.introduced("Bob", -30 * DEGREE, 3.0)
    assert speakers.speaking(-26 * DEGREE, 4.0) == "Bob" and speakers.speaking(28 * DEGREE, 5.0) == "Ada"


def test_without_a_direction_or_a_second_face_it_is_left_to_memory(speakers: SpeakerPlaces) -> None:
    assert speakers.speaking(None, 1.0) == ""
    alone = SpeakerPlaces(lambda: 1)
    alone.introduced("Ada", 30 * DEGREE, 0.0)
    assert alone.speaking(-30 * DEGREE, 1.0) == "", "she may have walked there"
    assert SpeakerPlaces(lambda: 2).speaking(0.1, 0.0) == "", "nobody has introduced themselves"


def test_who_moves_while_they_talk_is_followed(speakers: SpeakerPlaces) -> None:
    for step in range(12):
        assert speakers.speaking((30 + 4 * step) * DEGREE, float(step)) == "Ada"


def test_a_name_that_was_denied_or_said_elsewhere_is_not_kept(speakers: SpeakerPlaces) -> None:
    speakers.introduced("Ada", -50 * DEGREE, 1.0)
    assert speakers.speaking(30 * DEGREE, 2.0) is None and speakers.speaking(-50 * DEGREE, 2.0) == "Ada"
    speakers.introduced("", -50 * DEGREE, 3.0)
    assert speakers.speaking(-50 * DEGREE, 4.0) == ""


def test_after_a_long_silence_the_place_is_nobodys(speakers: SpeakerPlaces) -> None:
    assert speakers.speaking(30 * DEGREE, FORGOTTEN_S + 1) == ""


def test_the_place_behind_the_robot_is_one_place() -> None:
    behind = SpeakerPlaces(lambda: 2)
    behind.introduced("Eve", 178 * DEGREE, 0.0)
    assert behind.speaking(-176 * DEGREE, 1.0) == "Eve"
