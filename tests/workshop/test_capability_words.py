"""The words for capabilities."""

from __future__ import annotations

import pytest

from reachy_mind.workshop import capability_words
from reachy_mind.workshop.capabilities import NAMES

ALL = (*NAMES, "http:api.example.org", "tools:set_camera")


@pytest.mark.parametrize("language", ["en", "fr", "es", "de"])
def test_every_capability_can_be_said(language: str) -> None:
    said = {capability_words.spoken([each], language) for each in ALL}
    assert len(said) == len(ALL)


def test_every_capability_says_what_it_allows() -> None:
    assert len({capability_words.allows(each) for each in ALL}) == len(ALL)
    assert "api.example.org" in capability_words.allows("http:api.example.org")


def test_several_are_joined_and_none_is_said_too() -> None:
    assert capability_words.spoken(["camera", "speak", "light"], "en") == "my camera, my voice and my light"
    assert capability_words.spoken(["camera", "speak"], "de") == "meine Kamera und meine Stimme"
    assert capability_words.spoken([], "en").startswith("nothing")


def test_another_language_is_answered_in_english() -> None:
    assert capability_words.spoken(["camera"], "pt") == "my camera"
