"""A request in place of what was just done, however the correction is put."""

from __future__ import annotations

from typing import Any

import pytest

from reachy_mind.brains.reflex.plan import Before
from reachy_mind.brains.reflex.replacements import replacement
from tests.brains.reflex.test_understanding import UNDERSTAND, steps

WAVED = [Before("wave", {})]
LOOKED_LEFT = [Before("move_head", {"direction": "left"})]


@pytest.mark.parametrize(
    "said",
    [
        "no, I meant dance",
        "I didn't mean wave, I meant dance",
        "i meant to say dance",
        "that means dance",
        "wrong one, dance",
        "dance, not wave",
        "not wave, dance",
        "I asked you to dance",
        "nein, ich meinte tanz",
        "nein, tanzen",
        "nicht winken, tanzen",
        "das war falsch, ich wollte, dass du tanzt",
        "ich habe tanzen gemeint",
        "non, je voulais dire danser",
        "pas ça, danse",
        "je parlais de danser",
        "no, quería decir baila",
        "no, me refería a bailar",
        "te dije que bailaras",
    ],
)
def test_what_was_meant_is_done_in_place_of_the_wave(said: str) -> None:
    assert [tool for tool, _ in steps(UNDERSTAND(said, WAVED))][-1:] == ["dance"]
    assert "wave" not in [tool for tool, _ in steps(UNDERSTAND(said, WAVED))]


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        ("not that, the other side", {"direction": "right"}),
        ("no, the other one", {"direction": "right"}),
        ("not left, right", {"direction": "right"}),
        ("nein, ich meinte rechts", {"direction": "right"}),
        ("I said left and you went right", {"direction": "left"}),
    ],
)
def test_a_direction_is_one_of_the_last_movement(said: str, wanted: dict[str, Any]) -> None:
    assert steps(UNDERSTAND(said, LOOKED_LEFT)) == [("move_head", wanted)]


def test_it_is_the_same_movement_of_the_body() -> None:
    assert steps(UNDERSTAND("no, I meant right", [Before("rotate", {"direction": "left"})])) == [
        ("rotate", {"direction": "right"})
    ]


@pytest.mark.parametrize(
    "said",
    [
        "no dancing, please",
        "no bailes, por favor",
        "nicht tanzen, bitte",
        "ne danse pas, s'il te plaît",
        "pas de danse ce soir, on a des voisins",
        "no nodding, young man",
        "no, the dog sleeps on the sofa",
        "no, I meant Meike",
        "ich sagte Meike, nicht Heike",
        "I meant my aunt, not my mum",
        "ich wollte tanzen gehen",
        "no, we danced all night",
        "not bad, really good",
    ],
)
def test_a_remark_or_a_ban_moves_nothing(said: str) -> None:
    assert UNDERSTAND(said, WAVED).steps == ()


@pytest.mark.parametrize("said", ["no " * 66, "no, " * 50, "not a, " * 28, "i meant " * 25, "no, dance " * 30])
def test_endless_corrections_ask_for_nothing_and_are_read_at_once(said: str) -> None:
    assert replacement(said) is None
