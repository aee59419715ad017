"""Colours as people call them."""

from __future__ import annotations

import pytest

from reachy_mind.eyes import colours
from reachy_mind.eyes.boxes import Box
from tests.eyes.pictures import photograph, plain

BALL = Box(120 / 320, 50 / 180, 200 / 320, 130 / 180)


@pytest.mark.parametrize(
    ("color", "word"),
    [((200, 20, 25), "red"), ((240, 130, 20), "orange"), ((250, 210, 40), "yellow"), ((40, 150, 60), "green"),
     ((40, 70, 200), "blue"), ((120, 40, 160), "purple"), ((245, 160, 190), "pink"), ((110, 70, 40), "brown"),
     ((15, 15, 18), "black"), ((245, 245, 240), "white"), ((130, 130, 132), "grey"), ((40, 200, 205), "turquoise")],
)  # fmt: skip
def test_balls(color: tuple[int, int, int], word: str) -> None:
    assert colours.main_colour(plain(color), BALL) == word
    assert colours.main_colour(plain(color, around=(150, 110, 80)), BALL) == word, "on a wooden table"


def test_a_photograph() -> None:
    assert colours.main_colour(photograph("chelsea.png"), Box(0.2, 0.1, 0.8, 0.9)) == "brown", "a ginger cat"
    assert colours.main_colour(photograph("astronaut.png"), Box(0.3, 0.75, 0.45, 0.95)) == "orange", "her suit"


def test_a_box_at_the_edge_and_one_without_size() -> None:
    for box in (Box(-0.5, -0.5, 0.1, 0.1), Box(0.5, 0.5, 0.5, 0.5), Box(0.99, 0.99, 1.5, 1.5)):
        assert colours.main_colour(plain((200, 20, 25)), box) in colours.COLOURS


def test_words_of_people() -> None:
    assert (colours.canonical_colour("Gray"), colours.canonical_colour("violet"), colours.canonical_colour("loud")) == (
        "grey",
        "purple",
        "",
    )
