"""Sentences that tools bring along: which tool they call, with which arguments, and what they never take."""

from __future__ import annotations

import pytest

from reachy_mind.brains.reflex.tool_sentences import ToolSentences, words_said
from reachy_mind.tools.definition import ToolUse
from tests.brains.reflex.spoken_tools import tool_with

BEES = tool_with(
    "bees_report",
    '<bees_report garden="the back garden">how are the bees in the back garden</>',
    "could you <bees_report>check on the bees</>",
)
SPIN = tool_with("spin_slowly", 'de: <spin_slowly duration_s="20 Sekunden">dreh dich 20 Sekunden lang langsam</>')
KNOWN = ToolSentences((BEES, SPIN))


@pytest.mark.parametrize(
    ("said", "tool", "args"),
    [
        ("How are the bees in the back garden?", "bees_report", {"garden": "back garden"}),
        ("how are the bees in Kew Gardens", "bees_report", {"garden": "Kew Gardens"}),
        ("Hey Reachy, could you please check on the bees?", "bees_report", {}),
        ("check on the bees again", "bees_report", {}),
        ("Dreh dich zwei Minuten lang langsam, bitte!", "spin_slowly", {"duration_s": 120}),
    ],
)
def test_a_sentence_calls_its_tool_with_what_it_says(said: str, tool: str, args: dict[str, object]) -> None:
    assert KNOWN.call(said) == ToolUse(tool, args)


@pytest.mark.parametrize("said", ["bees", "check on the baby", "dreh dich sehr lang langsam", "how are you", ""])
def test_others_call_none(said: str) -> None:
    assert KNOWN.call(said) is None


def test_most_of_the_words_are_enough_where_no_other_tool_is_as_near() -> None:
    assert KNOWN.near("check on the bees now") == ToolUse("bees_report", {})
    assert KNOWN.near("check on the cat now") is None
    twin = tool_with("other_bees", "<other_bees>check on the bees</>")
    assert ToolSentences((BEES, twin)).near("check on the bees now") is None


@pytest.mark.parametrize(
    "line",
    [
        "<greedy>stop</>",
        "<greedy>please stop now</>",
        "<greedy>hey</>",
        "<nod>nod for me</>",
        "no segment",
        '<greedy a="x" a="x">x and x</>',
    ],
)
def test_a_line_that_is_a_stop_or_no_sentence_of_its_tool_counts_for_nothing(line: str) -> None:
    assert not ToolSentences((tool_with("greedy", line),))


def test_the_first_sentence_is_the_example() -> None:
    assert words_said(BEES) == "how are the bees in the back garden"
    assert words_said(tool_with("mute")) == ""
