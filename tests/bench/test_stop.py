"""The held-out stops: what the weights that are shipped make of sentences nobody trained on."""

from __future__ import annotations

import pytest

from reachy_mind.bench.stop import FILES, HeldOutLine, held_out
from reachy_mind.brains.stop_words import is_stop
from reachy_mind.learning.stop_examples import key_of

LANGUAGES = ("en", "de", "fr", "es")


def share(lines: list[HeldOutLine]) -> float:
    return sum(is_stop(line.text) for line in lines) / len(lines)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_most_stops_are_recognised_and_hardly_anything_else(file) -> None:
    said = held_out(file)
    assert share([line for line in said if line.stop]) >= 0.9
    assert share([line for line in said if not line.stop]) <= 0.0125


@pytest.mark.parametrize("language", LANGUAGES)
def test_in_each_language(language: str) -> None:
    assert share([line for line in held_out() if line.stop and line.language == language]) >= 0.88


def test_the_second_set_has_no_listed_line_and_both_sets_are_large() -> None:
    said = held_out()
    assert sum(line.stop for line in said) >= 300 and sum(not line.stop for line in said) >= 800
    assert len({key_of(line.text) for line in held_out(FILES[1])}) == len(held_out(FILES[1]))
