"""The export of rated and corrected turns: what is in it, what is not, and that it is the same every time."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from reachy_mind.feedback.lessons import Lessons, NewLesson
from reachy_mind.feedback.readings import Correction
from reachy_mind.feedback.records import Action, FeedbackRecords, NewFeedback
from reachy_mind.memory.conversations import Conversations
from reachy_mind.memory.memory import Memory
from reachy_mind.memory.people import People
from reachy_mind.models.store import Store
from reachy_mind.storage.database import Database
from tests.fakes.processes import here, here_json

LEFT, RIGHT = {"direction": "left"}, {"direction": "left", "degrees": 40}


@dataclass
class Evening:
    """Writes turns and feedback into a store, as a mind would."""

    database: Database

    async def said(
        self,
        text: str,
        *calls: tuple[str, dict[str, Any]],
        reply: str = "Done.",
        talk: str = "talk",
        person: str = "",
        status: str = "ok",
        data: Any = None,
    ) -> str:
        conversations, turn = Conversations(self.database), uuid4().hex
        await conversations.open(talk, person=person)
        await conversations.start_turn(turn, talk, text, person=person)
        tools = [{"name": name, "args": args, "status": status, "data": data} for name, args in calls]
        await conversations.end_turn(turn, reply=reply, brain="reflex", tools=tools)
        return turn

    async def rated(self, turn: str, reward: float, source: str = "button", confidence: float = 1.0) -> None:
        new = NewFeedback(reward, confidence, source, "rest", about=Action(turn=turn))
        await FeedbackRecords(self.database).add(new)

    async def corrected(
        self, turn: str, call: tuple[str, dict[str, Any]], by: str, text: str = "more", *, undone: bool = False
    ) -> None:
        """Words that were said in the turn `by`, in which what they say was done."""
        corrections = (Correction("yaw", 1),) if text == "more" else ()
        about = Action(turn=turn, tool=call[0], args=call[1])
        lessons = Lessons(self.database)
        taught = NewLesson("", "value" if corrections else "choice", call[0], {}, words=text, conversation="talk")
        (lesson,) = await lessons.add([taught])
        await lessons.set_undone([lesson.id], undone=undone)
        new = NewFeedback(
            -0.3, 0.9, "model", "turn", text, conversation="talk", turn=by, corrections=corrections, about=about
        )
        await FeedbackRecords(self.database).add(new)


Story = Callable[[Evening], Awaitable[None]]


@pytest.fixture
def store(home: Path) -> Callable[[Story], None]:
    def fill(story: Story) -> None:
        async def act() -> None:
            async with Database(home / "mind.db") as database:
                await story(Evening(database))

        asyncio.run(act())

    return fill


def exported(out: Path, *options: str) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The lines, training and held out, and the manifest."""
    manifest = here_json("learn", "export", "--out", str(out), *options)
    lines = [json.loads(line) for file in manifest["files"] for line in (out.parent / file["file"]).open()]
    return lines, manifest


def calls_of(message: dict[str, Any]) -> list[tuple[str, Any]]:
    return [(call["function"]["name"], json.loads(call["function"]["arguments"])) for call in message["tool_calls"]]


def test_a_turn_that_was_rated_well_is_exported_with_its_history(store, tmp_path: Path) -> None:
    async def story(evening: Evening) -> None:
        await evening.said("hello", reply="Hi!")
        good = await evening.said("look left", ("move_head", LEFT), data={"yaw": 30, "learned": {"speed": "slow"}})
        await evening.rated(good, 1.0)
        bad = await evening.said("nod", ("nod", {}))
        await evening.rated(bad, -0.5)
        failed = await evening.said("dance", ("dance", {}), status="error")
        await evening.rated(failed, 1.0)
        unsure = await evening.said("wave", ("wave", {}))
        await evening.rated(unsure, 1.0, "model", 0.2)

    store(story)
    (line,), manifest = exported(tmp_path / "F.jsonl")
    system, *messages = line["messages"]
    assert system["role"] == "system" and system["content"]
    called = {"name": "move_head", "arguments": json.dumps(LEFT | {"speed": "slow"})}
    result = {"status": "ok", "data": {"yaw": 30, "learned": {"speed": "slow"}}}
    assert messages == [
        {"role": "user", "content": "hello"},
        {"role": "assistant", "content": "Hi!", "weight": 0},
        {"role": "user", "content": "look left"},
        {"role": "assistant", "content": "", "tool_calls": [{"id": "call_1", "type": "function", "function": called}]},
        {"role": "tool", "tool_call_id": "call_1", "content": json.dumps(result)},
        {"role": "assistant", "content": "Done."},
    ]
    assert [tool["function"]["name"] for tool in line["tools"]] == ["move_head"]
    assert "degrees" in line["tools"][0]["function"]["parameters"]["properties"]
    assert manifest["counts"]["rated_good"] == 1 and manifest["counts"]["feedback"] == 4


def test_what_was_corrected_is_answered_with_what_was_wanted(store, tmp_path: Path) -> None:
    async def story(evening: Evening) -> None:
        first = await evening.said("nod and look left", ("nod", {}), ("move_head", LEFT))
        more = await evening.said("more", ("move_head", LEFT | {"degrees": 30}))
        most = await evening.said("a bit more", ("move_head", RIGHT))
        await evening.corrected(first, ("move_head", LEFT), more)
        await evening.corrected(more, ("move_head", LEFT | {"degrees": 30}), most)
        await evening.rated(most, 1.0)
        await evening.said("do your thing", ("wave", {}), ("nod", {}))
        meant = await evening.said("no, I meant dance", ("dance", {"name": "twist"}))
        await evening.corrected(first, ("nod", {}), meant, "no, I meant dance")  # attributed to an earlier turn
        asked = await evening.said("the usual", ("wave", {}))
        wanted = await evening.said("no, shake!", ("shake", {}))
        await evening.corrected(asked, ("wave", {}), wanted, "no, shake!")

    store(story)
    lines, manifest = exported(tmp_path / "F.jsonl")
    assert set(manifest["counts"].items()) >= {("corrected", 4), ("rated_good", 1)}
    assert all(line["messages"][-1]["role"] == "assistant" for line in lines)
    answers = [
        calls_of(next(m for m in line["messages"] if m.get("tool_calls") and "weight" not in m)) for line in lines
    ]
    wanted = ("move_head", RIGHT)
    assert answers == [[("nod", {}), wanted], [wanted], [wanted], [("dance", {"name": "twist"})], [("shake", {})]]
    lines, _ = exported(tmp_path / "P.jsonl", "--format", "preference")
    pairs = [
        (line["prompt"][-1]["content"], calls_of(line["chosen"][0]), calls_of(line["rejected"][0])) for line in lines
    ]
    tries = [[("nod", {}), ("move_head", LEFT)], [("nod", {}), ("move_head", LEFT | {"degrees": 30})]]
    assert pairs == [
        *(("nod and look left", [("nod", {}), wanted], each) for each in tries),
        ("more", [wanted], [("move_head", LEFT | {"degrees": 30})]),
        ("do your thing", [("dance", {"name": "twist"})], [("wave", {}), ("nod", {})]),
        ("the usual", [("shake", {})], [("wave", {})]),
    ]
    assert not any("weight" in message for line in lines for message in line["prompt"])


def test_a_correction_that_was_undone_or_disliked_teaches_nothing(store, tmp_path: Path) -> None:
    async def story(evening: Evening) -> None:
        first = await evening.said("look left", ("move_head", LEFT))
        more = await evening.said("more", ("move_head", RIGHT))
        await evening.corrected(first, ("move_head", LEFT), more, undone=True)
        again = await evening.said("look left", ("move_head", LEFT))
        worse = await evening.said("more", ("move_head", RIGHT))
        await evening.corrected(again, ("move_head", LEFT), worse)
        await evening.rated(worse, -0.9)
        refused = await evening.said("look left", ("move_head", LEFT))
        nothing = await evening.said("more", ("move_head", RIGHT), status="denied")
        await evening.corrected(refused, ("move_head", LEFT), nothing)
        await evening.rated(refused, 0.5)

    store(story)
    assert exported(tmp_path / "F.jsonl")[0] == []
    assert exported(tmp_path / "P.jsonl", "--format", "preference")[0] == []


def test_the_same_request_rated_both_ways_by_one_person_is_a_preference(store, tmp_path: Path) -> None:
    async def story(evening: Evening) -> None:
        for talk, person, reply, reward in (
            ("one", "Ann", "Not a joke.", -0.5),
            ("two", "Ann", "A joke!", 1.0),
            ("three", "Bob", "Another.", 1.0),
        ):
            turn = await evening.said(
                "Tell me a joke!" if talk == "one" else "tell me a joke", reply=reply, talk=talk, person=person
            )
            await evening.rated(turn, reward)

    store(story)
    (line,), manifest = exported(tmp_path / "P.jsonl", "--format", "preference")
    assert [line[side][0]["content"] for side in ("chosen", "rejected")] == ["A joke!", "Not a joke."]
    assert manifest["counts"]["rated_both_ways"] == 1 and "tools" not in line


def test_names_go_unless_wanted_and_who_was_erased_is_gone(store, tmp_path: Path, home: Path) -> None:
    async def story(evening: Evening) -> None:
        for name in ("Ann Droid", "Bob"):
            person = await People(evening.database).identify(name)
            call = ("speak", {"text": f"{name}, look left"})
            turn = await evening.said(
                f"tell {name} to look left", call, reply=f"I told {name}.", talk=name, person=person
            )
            await evening.rated(turn, 1.0)

    store(story)
    everything = exported(tmp_path / "F.jsonl")[0]
    assert len(everything) == 2 and not any(name in json.dumps(everything) for name in ("Ann", "ann", "Bob", "bob"))
    named = json.dumps(exported(tmp_path / "N.jsonl", "--with-names")[0])
    assert "Ann Droid, look left" in named and "I told Bob." in named
    assert len(exported(tmp_path / "A.jsonl", "--person", "ann droid")[0]) == 1

    async def erase() -> None:
        async with Database(home / "mind.db") as database:
            await Memory(database, Store(tmp_path)).erase("Bob")

    asyncio.run(erase())
    left = json.dumps(exported(tmp_path / "F.jsonl", "--with-names")[0])
    assert "Ann Droid" in left and "Bob" not in left


def test_an_export_is_the_same_every_time_split_by_conversation_and_hashed(store, tmp_path: Path) -> None:
    async def story(evening: Evening) -> None:
        for number in range(40):
            for text in ("nod", "nod twice"):
                turn = await evening.said(text, ("nod", {"times": number}), talk=f"talk {number}")
                await evening.rated(turn, 0.5)

    store(story)
    _, first = exported(tmp_path / "a" / "F.jsonl", "--held-out", "0.3")
    _, second = exported(tmp_path / "b" / "F.jsonl", "--held-out", "0.3")
    assert first["files"] == second["files"]
    for file in first["files"]:
        content = (tmp_path / "a" / file["file"]).read_bytes()
        assert hashlib.sha256(content).hexdigest() == file["sha256"] and content.count(b"\n") == file["lines"]
    numbers = [
        {calls_of(m)[0][1]["times"] for line in (tmp_path / "a" / file["file"]).open()
         for m in json.loads(line)["messages"] if m.get("tool_calls")}
        for file in first["files"]
    ]  # fmt: skip
    assert numbers[0].isdisjoint(numbers[1]) and len(numbers[0] | numbers[1]) == 40 and 4 < len(numbers[1]) < 24
    assert first["counts"]["held_out_seen_in_training"] == first["counts"]["held_out"]
    assert json.loads((tmp_path / "a" / "F.manifest.json").read_text())["files"] == first["files"]


def test_a_damaged_turn_is_left_out_and_counted_and_a_store_without_feedback_is_empty(
    store, tmp_path: Path, home: Path
) -> None:
    async def story(evening: Evening) -> None:
        for text in ("nod", "nod again"):
            await evening.rated(await evening.said(text, ("nod", {})), 1.0)
        await evening.database.execute("UPDATE turns SET tools = '{' WHERE said = 'nod'")

    missing = here("learn", "export", "--out", str(tmp_path / "F.jsonl"), "--json")
    assert missing.returncode == 1 and json.loads(missing.stdout)["error"]["hint"]
    store(story)
    (line,), manifest = exported(tmp_path / "F.jsonl")
    assert manifest["counts"]["damaged"] == 1 and line["messages"][1]["content"] == "nod again"
