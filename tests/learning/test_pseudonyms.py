"""Names of people in exported text."""

from __future__ import annotations

from reachy_mind.learning.pseudonyms import Pseudonyms


def test_names_are_replaced_whole_in_part_and_in_any_spelling() -> None:
    without = Pseudonyms(["Zoë Kravitz", "Jan"])
    text = "Zoe, tell zoë kravitz that Jan's cup is Kravitz' cup. January is cold; Jans Tasse auch."
    expected = "Person 1, tell Person 1 that Person 2's cup is Person 1' cup. January is cold; Person 2 Tasse auch."
    assert without.replace(text) == expected


def test_a_name_that_is_an_everyday_word_is_one_only_with_a_capital() -> None:
    without = Pseudonyms(["Rose", "Will"], everyday={"rose"})
    assert (
        without.replace("Rose, will you smell the rose? Ask Will.")
        == "Person 1, will you smell the rose? Ask Person 2."
    )


def test_names_in_what_tools_returned_go_too_and_the_rest_stays() -> None:
    data = {"name": "jan", "ages": [7, "Jan"], "ok": True, "file": "/home/jan/reachy/photos/1.jpg"}
    replaced = Pseudonyms(["Jan"], folder="/home/jan/reachy").replace(data)
    expected = {"name": "Person 1", "ages": [7, "Person 1"], "ok": True, "file": "$REACHY_MIND_HOME/photos/1.jpg"}
    assert replaced == expected
    assert Pseudonyms([]).replace("Jan") == "Jan"
