"""Training sentences as people write them."""

from __future__ import annotations

from pathlib import Path

import pytest

from reachy_mind.brains.reflex.labels import BUILT_IN
from reachy_mind.brains.reflex.markup import MarkupError, parse, read, tools_in, words_of
from reachy_mind.brains.reflex.reader import WEIGHTS
from reachy_mind.tools.builtin import TOOLS


def test_a_line_has_its_steps_with_their_arguments() -> None:
    line = (
        'fr: after nod; wave | <move_head direction=left #2>regarde</> et <nod times="deux fois" #1>hoche deux fois</>'
    )
    sentence = parse(line)
    assert (sentence.language, sentence.before) == ("fr", "nod; wave")
    look, nod = sentence.segments
    assert look.closed == {"direction": "left"} and look.order == 2
    assert sentence.words[look.first : look.last] == ("regarde",)
    first, last = nod.spans["times"]
    assert sentence.words[first:last] == ("deux", "fois")


def test_names_of_programs_are_one_word() -> None:
    assert [word for word, *_ in words_of("play nod+happy at 10:30, coin_flip t7!")] == [
        "play", "nod+happy", "at", "10:30", ",", "coin_flip", "t7", "!",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("look left", "no segment"),
        ("<nod>nod", "no segment"),
        ("<jump>jump</>", "jump"),
        ("<nod height=3>nod</>", "no height"),
        ("<move_head direction=sideways>look</>", "direction=sideways"),
        ('<nod times="twice">nod</>', "must quote"),
        ("<nod !>nod</>", "'!'"),
    ],
)
def test_a_broken_line_is_told_with_what_to_do(line: str, said: str) -> None:
    with pytest.raises(MarkupError) as caught:
        parse(line)
    assert said in caught.value.message and caught.value.hint


def test_a_broken_file_is_named_with_the_line(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("# mine\n<nod>nod</>\n\n<jump>jump</>\n")
    with pytest.raises(MarkupError, match=r"mine\.txt, line 4"):
        list(read(tmp_path))


def test_tools_of_ones_own_are_found_in_the_lines() -> None:
    lines = ['<bees city="Rome">bees in Rome</>', "<bees>the bees</> and <nod>nod</>", "<@joke>a joke</>"]
    assert tools_in(lines) == {"bees": ("city",), "nod": ()}
    inventory = BUILT_IN.with_tools({"bees": ("city",)})
    assert parse(lines[0], inventory).segments[0].label == "bees"
    assert "B-city" in inventory.tags and "bees" not in BUILT_IN.labels


def test_every_tool_for_brains_is_a_label() -> None:
    # personality.py, made_tools.py, feedback/lesson_requests.py
    by_rule = {"set_personality", "list_personalities", "deactivate_tool", "list_lessons", "undo_lesson"}
    untaught = {"set_light"}  # a Reachy Mini has no light: models and code of people set ours, no sentence does
    assert {tool.name for tool in TOOLS if not tool.hidden} <= set(BUILT_IN.steps) | by_rule | untaught


def test_the_shipped_sentences_are_many_and_all_can_be_read() -> None:
    sentences = list(read(WEIGHTS.parent / "sentences"))
    spoken = {language: sum(one.language == language for one in sentences) for language in ("en", "fr", "es", "de")}
    assert spoken["en"] > 15_000 and min(spoken.values()) > 3_000
    used = {segment.label for sentence in sentences for segment in sentence.segments}
    assert used == set(BUILT_IN.labels)
