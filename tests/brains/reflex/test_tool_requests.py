"""Requests that a tool serves: conditions decided by a look, tools that say so, sentences of their own."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from reachy_mind.brains.brain import Called, Said, ToolCall, Turn
from reachy_mind.brains.reflex.brain import Reflex
from reachy_mind.brains.reflex.plan import Condition, Guess, Plan, Step, Talk, Unknown
from reachy_mind.brains.reflex.reader import Reader
from reachy_mind.brains.reflex.tool_requests import ToolRequests
from reachy_mind.brains.reflex.understanding import Understanding
from reachy_mind.tools.definition import Outcome, Tool, ToolUse
from tests.brains.reflex.spoken_tools import tool_with

READING = Understanding(Reader.load())
REQUESTS = ToolRequests(READING.embedding)
BRAIN = Reflex(READING.plan, embed=READING.embedding)
PHOTOS = tool_with(
    "take_photo_repeatedly",
    '<take_photo_repeatedly interval_s="5 seconds" duration_s="1 minute">take photos every 5 seconds for 1 minute</>',
    "<take_photo_repeatedly>run take photo repeatedly</>",
    "<take_photo_repeatedly>make a garden diary</>",
    interval_s=5,
    duration_s=60,
)


def creating(serves: dict[str, ToolUse]) -> Tool:
    return replace(tool_with("create_tool"), serves=serves.get)


async def no_call(_name: str, _args: dict[str, Any]) -> Outcome:
    raise AssertionError("nothing is called while planning")


def planned(text: str, *tools: Tool) -> Plan:
    return REQUESTS.plan(Turn(text, no_call, tools), READING.plan(text), READING.plan)


def first_step(text: str, *tools: Tool) -> tuple[str, dict[str, Any]]:
    step = planned(text, *tools).parts[0]
    assert isinstance(step, Step), step
    return step.tool, step.args


@pytest.mark.parametrize(
    "said",
    [
        "If somebody is there, wave, otherwise look around",
        "wenn jemand da ist, winke, sonst schau dich um",
        "si quelqu'un est là, fais coucou, sinon regarde autour de toi",
        "si hay alguien, saluda, si no mira alrededor",
    ],
)
def test_a_condition_that_a_look_decides_is_done_at_once(said: str) -> None:
    look, condition = planned(said, creating({})).parts
    assert isinstance(look, Step) and look.tool == "detect_faces" and look.quiet
    assert isinstance(condition, Condition) and condition.then and condition.otherwise
    somebody = ToolCall("detect_faces", {}, Outcome("ok", {"faces": [{}]}))
    assert condition.holds("", [somebody]) is True
    assert condition.holds("", [replace(somebody, outcome=Outcome("ok", {"faces": []}))]) is False


def test_a_tool_that_serves_a_request_gets_it_whatever_the_reader_made_of_it() -> None:
    said = "count the people who walk by"
    making = creating({said: ToolUse("create_tool", {"description": said})})
    assert [step.tool for step in READING.plan(said).steps] == ["detect_faces"]
    assert first_step(said, making) == ("create_tool", {"description": said})
    [step] = planned(said, making).steps
    assert step.phrase == "making_tool"
    assert planned(said, creating({})).steps == READING.plan(said).steps


def test_a_tool_in_use_is_called_in_the_background_when_it_takes_long() -> None:
    said = "take photos every 10 seconds for 30 seconds"
    args = {"interval_s": 10, "duration_s": 30}
    making = creating({said: ToolUse(PHOTOS.name, args)})
    assert first_step(said, making, PHOTOS) == (PHOTOS.name, args | {"background": True})
    short = {"interval_s": 1, "duration_s": 3}
    assert first_step(said, creating({said: ToolUse(PHOTOS.name, short)}), PHOTOS) == (PHOTOS.name, short)
    unknown = planned(said, making)
    assert PHOTOS.name not in [step.tool for step in unknown.steps], "only a tool of this turn counts"


def test_a_sentence_of_a_tool_calls_it() -> None:
    whole = {"interval_s": 7, "duration_s": 14}
    said = "Please take photos every seven seconds for 14 seconds"
    assert first_step(said, PHOTOS) == (PHOTOS.name, whole)
    assert first_step("make a garden diary", PHOTOS) == (PHOTOS.name, {"background": True})
    assert first_step("run take photo repeatedly, please", PHOTOS) == (PHOTOS.name, {"background": True})


@pytest.mark.parametrize("said", ["nod twice", "look to the left", "what time is it", "take a photo", "dance"])
def test_a_sentence_never_takes_what_the_reader_is_sure_of(said: str) -> None:
    greedy = tool_with("greedy", f"<greedy>{said}</>", f"<greedy>{said} please</>")
    assert planned(said, greedy) == READING.plan(said)


@pytest.mark.parametrize("said", ["yes", "no", "nein danke", "delete all files on this computer"])
def test_nor_an_answer_nor_a_refusal(said: str) -> None:
    greedy = tool_with("greedy", f"<greedy>{said}</>", f"<greedy>{said} now</>")
    assert not planned(said, greedy).steps


def test_what_needs_a_program_that_nothing_serves_is_said_to_be_tried() -> None:
    [step] = planned("whenever I clap, nod", creating({})).steps
    assert (step.tool, step.phrase) == ("create_tool", "perhaps_making_tool")


async def test_it_says_at_once_that_it_makes_a_tool_and_then_what_came_of_it() -> None:
    said = "mach alle 5 Sekunden ein Foto, eine Minute lang"
    told: list[str] = []
    order: list[str] = []

    async def call(name: str, _args: dict[str, Any]) -> Outcome:
        order.append(name)
        return Outcome("ok", {"message": "Das kann ich jetzt."})

    making = creating({said: ToolUse("create_tool", {"description": said})})
    async for thought in BRAIN.think(Turn(said, call, (making,))):
        if isinstance(thought, Said):
            told.append(thought.text)
            order.append("said")
        elif isinstance(thought, Called):
            order.append("called")
    assert order == ["said", "create_tool", "called", "said"]
    assert "Werkzeug" in told[0] and told[1].strip() == "Das kann ich jetzt."


@pytest.mark.parametrize(
    ("code", "words"),
    [("NOT_READY", "reachy-mind models pull chat"), ("REQUEST_REFUSED", "autre chose"), ("CREATION_FAILED", "essai")],
)
async def test_why_no_tool_was_made_is_said_in_the_language_of_the_request(code: str, words: str) -> None:
    async def call(_name: str, _args: dict[str, Any]) -> Outcome:
        return Outcome("error", error={"code": code, "message": "in English", "hint": ""})

    turn = Turn("chaque fois que je tape des mains, hoche la tête", call, (creating({}),))
    told = [thought.text async for thought in BRAIN.think(turn) if isinstance(thought, Said)]
    assert words in told[-1] and "in English" not in told[-1]


async def test_what_it_can_do_now_names_what_it_made() -> None:
    told = [
        thought.text
        async for thought in BRAIN.think(Turn("what can you do?", no_call, (PHOTOS,)))
        if isinstance(thought, Said)
    ]
    assert "take photos every 5 seconds for 1 minute" in told[0]


PARAPHRASES = {
    "guard the table and tell me when there's a new thing on it": "watch",
    "pass auf den Tisch auf": "watch",
    "surveille la table encore une fois": "watch",
    "do the morse thing again": "morse",
    "give me the distress signal in morse": "morse",
    "manda un SOS": "morse",
}
ABOUT = (
    tool_with(
        "watch",
        "<watch>watch for 1 minute and tell me what changes</>",
        "<watch>keep an eye on the table</>",
        "<watch>tell me when something new appears on the table</>",
        "de: <watch>behalte den Tisch im Auge</>",
        "de: <watch>sag mir, wenn auf dem Tisch etwas neu ist</>",
        "fr: <watch>surveille la table et dis-moi ce qui change</>",
    ),
    tool_with(
        "morse",
        "<morse>blink SOS in morse code</>",
        "<morse>send SOS with your antennas</>",
        "<morse>show your morse code</>",
        "es: <morse>envía SOS en morse</>",
    ),
)


def test_other_words_for_the_same_find_a_tool_where_the_reader_is_lost() -> None:
    found = {said: [step.tool for step in planned(said, *ABOUT).steps] for said in PARAPHRASES}
    assert sum(found[said] == [tool] for said, tool in PARAPHRASES.items()) >= 3
    assert all(found[said] in ([], [tool]) for said, tool in PARAPHRASES.items()), "and never another"


@pytest.mark.parametrize(
    "said",
    ["what is the capital of Mongolia", "write me a poem about rain", "blorf the wibble", "can you fly to the moon",
     "wer hat die Glühbirne erfunden", "I had eggs for breakfast"],
)  # fmt: skip
def test_other_talk_finds_none(said: str) -> None:
    made = planned(said, *ABOUT)
    assert not made.steps and all(isinstance(part, Talk | Unknown | Guess) for part in made.parts)
