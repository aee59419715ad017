"""Ten sentences for a new tool: the reflex reader can learn them, and the tool is found by them at once."""

from __future__ import annotations

import pytest

from reachy_mind.brains.reflex import markup
from reachy_mind.brains.reflex.labels import BUILT_IN
from reachy_mind.brains.reflex.reader import Reader
from reachy_mind.brains.reflex.tool_sentences import ToolSentences
from reachy_mind.brains.reflex.understanding import Understanding
from reachy_mind.tools.definition import ToolUse
from reachy_mind.workshop.author.sentences import COUNT, sentences
from reachy_mind.workshop.draft import Draft
from reachy_mind.workshop.recipes import book
from reachy_mind.workshop.recipes.request import Understand
from tests.brains.reflex.spoken_tools import tool_with

REQUESTS = [
    "take photos every 5 seconds for 1 minute", "in ten minutes dance",
    "monitor the table and alert me if something new appears",
    "whenever you see a person, wave", "count people for five minutes", "follow the duck with your head",
    "blink your antennas in morse code: SOS", "tap a rhythm with your antennas", "make a tool that nods and waves",
    "prends une photo toutes les 5 secondes pendant une minute", "baila dentro de diez minutos",
    "nicke alle zehn Sekunden, zwei Minuten lang",
]  # fmt: skip


@pytest.fixture(scope="module")
def understand() -> Understand:
    return Understanding(Reader.load()).plan


def calling(*drafts: Draft) -> ToolSentences:
    return ToolSentences(tool_with(draft.name, *sentences(draft)) for draft in drafts)


def drafted(said: str, understand: Understand) -> Draft:
    made = book.draft(said, understand)
    assert made is not None
    return made


@pytest.mark.parametrize("said", REQUESTS)
def test_there_are_ten_that_the_reader_can_learn(said: str, understand: Understand) -> None:
    lines = sentences(drafted(said, understand))
    assert len(lines) == len(set(lines)) == COUNT
    inventory = BUILT_IN.with_tools(markup.tools_in(lines))
    for line in lines:
        assert markup.parse(line, inventory).segments


@pytest.mark.parametrize("said", REQUESTS)
def test_each_of_them_calls_its_tool(said: str, understand: Understand) -> None:
    made = drafted(said, understand)
    lines = sentences(made)
    known = calling(made)
    for line in lines:
        words = line.partition(">")[2].removesuffix("</>")
        found = known.call(words)
        assert found is not None and found.tool == made.name, words


def test_arguments_are_read_from_the_sentence(understand: Understand) -> None:
    made, morse = drafted(REQUESTS[0], understand), drafted(REQUESTS[6], understand)
    found = calling(made).call("Take photos every twenty seconds for half an hour!")
    assert found == ToolUse(made.name, {"interval_s": 20, "duration_s": 1800})
    assert calling(morse).call("say Good Night in morse") == ToolUse(morse.name, {"message": "Good Night"})


def test_an_authored_tool_is_called_by_its_name(understand: Understand) -> None:
    made = Draft("draw_circle", "", "Draw a circle.", "", author="model:m", args={"radius": 3})
    assert len(sentences(made)) == COUNT
    for said in ("could you please start draw circle", "start draw circle", "Start draw circle, please."):
        assert calling(made).call(said) == ToolUse("draw_circle", {})


@pytest.mark.parametrize("said", ["what time is it", "nod", "take a photo", "stop", "tell me a joke", "dance", ""])
def test_other_sentences_call_no_tool(said: str, understand: Understand) -> None:
    known = calling(*(drafted(request, understand) for request in REQUESTS[:9]))
    assert known.call(said) is None and known.near(said) is None
