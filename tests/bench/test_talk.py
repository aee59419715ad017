"""`bench talk`: which answers are fair and which are not, what is read from the files, and who is talked with."""

from __future__ import annotations

import json
import re

import pytest

from reachy_mind.bench import run, talk
from reachy_mind.bench.body_stand_in import stand_in
from reachy_mind.bench.talk_conversations import (
    SETS,
    Conversation,
    TalkAnswer,
    TalkChecks,
    acted_wrongly,
    conversations,
    is_action,
    judged,
    mixed,
)
from reachy_mind.bench.talk_partners import PLAIN_REPEAT_PENALTY, PLAIN_TOKENS, MindPartner, PlainPartner
from reachy_mind.config.configuration import load
from reachy_mind.errors import InvalidParameter
from reachy_mind.tools.builtin import TOOLS
from reachy_mind.tools.registry import Registry
from tests.fakes.llamas import log, scripted
from tests.fakes.openai_chat import ModelServer, hand_to, say, use

__all__ = ["scripted"]
TOOL = {tool.name: tool for tool in TOOLS}


def checks(**written):
    return TalkChecks.read(written)


def said(text, *called, acted=()):
    return TalkAnswer(text, called, acted)


@pytest.mark.parametrize(
    ("wanted", "fair", "unfair"),
    [
        (checks(any=["lisbon", "lisboa"]), said("It is LISBON."), said("It is Madrid.")),
        (checks(any=[r"\b8\b", r"\beight\b"]), said("Eight legs."), said("It weighs 80 grams.")),
        (checks(all=["plant", "light|sun"]), said("Plants eat sunshine."), said("Plants grow.")),
        (checks(any=["pepper"], none=["(don.t|do not) know"]), said("Pepper!"), said("Pepper? I don\u2019t know.")),
        (checks(all=["(?s).{20,}"]), said("One line,\nand another one."), said("Short.")),
        (checks(tools=["nod"]), said("", "nod"), said("I nod.")),
        (checks(tools=["nod", "wave"]), said("", "nod", "speak", "wave"), said("", "wave", "nod")),
        (checks(tools=["nod", "nod"]), said("", "nod", "nod"), said("", "nod")),
        (checks(no_tools=True), said("Paris.", "search_memories"), said("Paris.", "nod", acted=("nod",))),
    ],
)  # fmt: skip
def test_a_fair_answer_passes_and_an_unfair_one_does_not(wanted, fair, unfair):
    assert judged(wanted, fair) == []
    assert len(judged(wanted, unfair)) == 1


def test_every_failed_check_is_named_and_acting_unasked_is_counted_apart():
    wanted = checks(any=["friday"], all=["day", "after"], none=["no answer"], no_tools=True)
    wrong = judged(wanted, said("I have no answer.", "dance", acted=("dance",)))
    assert [line.split()[0] for line in wrong] == ["says", "does", "says", "called"]
    assert acted_wrongly(wanted, said("", acted=("dance",))) and not acted_wrongly(wanted, said("", "get_time"))
    assert not acted_wrongly(checks(any=["x"]), said("", acted=("dance",)))


def test_actions_are_those_of_the_body_and_showing_a_feeling_is_none():
    actions = {name for name, tool in TOOL.items() if is_action(tool)}
    assert {"nod", "wave", "dance", "move_head", "stop", "head_tracking"} <= actions
    talking = {"express_emotion", "do_nothing", "get_pose", "take_photo", "store_memory", "set_timer", "speak"}
    assert not actions & talking


@pytest.mark.parametrize("name", SETS)
def test_a_set_has_a_hundred_conversations_whose_tools_there_are(name):
    found = conversations(name)
    assert len(found) == 100 and {each.kind for each in found} == {each.kind for each in conversations()}
    assert {tool for each in found for tool in each.checks.tools} <= set(TOOL)


def test_the_sets_have_no_conversation_in_common():
    first, second = ({each.turns for each in conversations(name)} for name in SETS)
    assert not first & second


def test_a_wrong_line_is_named(tmp_path):
    good = {"id": "a", "kind": "facts", "turns": ["hi"], "checks": {"any": ["hello"]}}
    wrong = [{"turns": []}, {"turns": [" "]}, {"checks": {}}, {"checks": {"anny": ["x"]}}, {"checks": {"any": ["("]}}]
    for change in wrong:
        lines = [json.dumps(good), "", json.dumps(good | {"id": "b"} | change)]
        (tmp_path / "talk_own.jsonl").write_text("\n".join(lines))
        with pytest.raises(ValueError, match=r"talk_own\.jsonl:3"):
            conversations("own", tmp_path)
    (tmp_path / "talk_own.jsonl").write_text("\n".join([json.dumps(good)] * 2))
    with pytest.raises(ValueError, match="same id"):
        conversations("own", tmp_path)
    (tmp_path / "talk_own.jsonl").write_text(json.dumps(good) + "\n")
    assert conversations("own", tmp_path) == [
        Conversation("a", "facts", ("hi",), TalkChecks(some=(re.compile("hello"),)))
    ]


def test_a_short_run_has_equally_many_of_every_kind_and_always_the_same():
    every = conversations()
    kinds = {each.kind for each in every}
    order = mixed(every)
    assert sorted(each.id for each in order) == sorted(each.id for each in every)
    assert [each.id for each in order] == [each.id for each in mixed(every)]
    for row in range(3):
        assert {each.kind for each in order[row * len(kinds) : (row + 1) * len(kinds)]} == kinds


async def test_only_sets_that_there_are_are_taken():
    with pytest.raises(InvalidParameter, match="developing"):
        await run("gate", load(), 1, collection="developing")
    with pytest.raises(InvalidParameter, match="secret"):
        await run("talk", load(), 1, collection="secret")


async def test_tools_succeed_without_a_body_and_keep_what_they_ask_for():
    registry = Registry(TOOLS)
    stand_in(registry)
    nod, _ = registry.find("robot.nod")
    assert (nod.schema, nod.moves, nod.tier) == (TOOL["nod"].schema, True, TOOL["nod"].tier)
    assert await nod.run(None, {"times": 2}) == {}
    assert registry.find("get_time")[0] is TOOL["get_time"]


async def test_reflex_nods_remembers_and_forgets_with_the_conversation():
    asked = [
        Conversation("a", "games", ("nod twice",), checks(any=["(?s)."], tools=["nod"])),
        Conversation("b", "memory", ("my name is Ada", "what is my name?"), checks(any=["ada"], no_tools=True)),
        Conversation("c", "memory", ("what is my name?",), checks(none=["ada"])),
        Conversation("d", "facts", ("nod",), checks(no_tools=True)),
    ]
    async with MindPartner.open(load(), "reflex") as partner:
        assert partner.line == "reflex" and not partner.thinks
        tally = await talk.talked(partner, asked, 60)
        short = await talk.talked(partner, asked, 0)
    assert tally.right == {"games": [True], "memory": [True, True], "facts": [False]}
    figures = tally.figures()
    assert (figures["right"], figures["of"], figures["wrong_tools"], figures["memory_of"]) == (3, 4, 1, 2)
    assert 0 < figures["first_word_p50_ms"] <= figures["first_word_p95_ms"] and figures["turn_p50_ms"] > 0
    (failed,) = tally.failed
    assert failed.startswith("d facts: 'nod' -> ") and failed.endswith("called nod")
    assert short.of == 1  # at least one, however short the time


async def test_reflex_is_measured_without_a_model_and_the_held_out_set_is_not_shown(monkeypatch):
    wrong = [Conversation("a", "facts", ("hello",), checks(any=["jupiter"]))]
    monkeypatch.setattr(talk, "conversations", lambda name: wrong)
    shown = await talk.measure(load(), 0.01, "reflex")
    assert shown.ours["of"] == 1 and shown.reference["reflex_of"] == 1 and shown.ratio == {}
    assert shown.failed[0].startswith("a facts: 'hello' -> ")
    hidden = await run("talk", load(), 0.01, "reflex", "held_out")
    assert "failed" not in hidden and hidden["notes"]["set"] == "held_out"


async def test_a_brain_that_thinks_is_compared_with_reflex_in_the_same_conversations(monkeypatch, tmp_path):
    asked = [
        Conversation("a", "facts", ("which town would you visit first?",), checks(any=["lisbon"], no_tools=True)),
        Conversation("b", "mixed", ("say something nice, then nod",), checks(any=["splendid"], tools=["nod"])),
    ]
    monkeypatch.setattr(talk, "conversations", lambda name: asked)
    spoken = use("speak", text="You look splendid.")
    answers = [say("Lisbon."), spoken, hand_to("RobotControlAgent"), use("nod", times=1), say("There.")]
    with ModelServer(answers) as server:
        flags = {"openai.url": server.base, "models.folder": tmp_path}
        figures = await talk.measure(load(flags=flags), 60, "agents")
    assert not server.wrong and figures.failed == ()
    assert (figures.ours["right"], figures.reference["reflex_right"]) == (2, 0)
    assert figures.ratio["reflex_turn_p50_ms"] > 0 and "plain_right" not in figures.reference


@pytest.mark.process
async def test_the_model_asked_plainly_has_the_conversation_and_nothing_else(scripted, tmp_path):
    asked = [Conversation("a", "memory", ("I am Ada", "who am I?"), checks(any=["ada"], no_tools=True))]
    async with scripted("Hello, Ada!", "You are Ada.", {"refuse": [400, "too long"]}) as llama:
        tally = await talk.talked(PlainPartner(llama), asked, 60)
        async with PlainPartner(llama).conversation() as ask:
            assert "too long" in (await ask("hm?")).error
    assert tally.right == {"memory": [True]} and len(tally.first_word_ms) == len(tally.turn_ms) == 2
    second = log(tmp_path)[1]["asked"]
    assert [message["role"] for message in second["messages"]] == ["system", "user", "assistant", "user"]
    assert (second["repeat_penalty"], second["max_tokens"]) == (PLAIN_REPEAT_PENALTY, PLAIN_TOKENS)
    assert "tools" not in second and "response_format" not in second
