"""The reviser: corrections are carried out and kept, learned choices are made, and the rest is left to the brain."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from reachy_mind.brains.brain import THINKER, Called, Done, Past, Said, Thought, ToolCall, Turn
from reachy_mind.brains.injection_guard import InjectionGuard
from reachy_mind.events import Bus
from reachy_mind.feedback.readings import FeedbackReading
from reachy_mind.feedback.records import Action
from reachy_mind.feedback.reviser import Reviser
from reachy_mind.feedback.service import FeedbackService
from reachy_mind.feedback.turn_feedback import TurnFeedback
from reachy_mind.storage.database import Database
from reachy_mind.tools.builtin import TOOLS
from reachy_mind.tools.definition import Outcome, Tier
from tests.feedback.test_service import Robot, read


class Echo:
    """A brain that says what it was given, and makes the calls of its table."""

    name = "echo"

    def __init__(self) -> None:
        self.asked: list[Turn] = []
        self.calls: dict[str, tuple[str, dict[str, Any]]] = {}

    async def think(self, turn: Turn) -> AsyncIterator[Thought]:
        self.asked.append(turn)
        if turn.text in self.calls:
            name, args = self.calls[turn.text]
            yield Called(ToolCall(name, args, await turn.call(name, args)))
        yield Said(f"echo: {turn.text}")
        yield Done(brain=self.name)


class Conversation:
    """Turns after one another, each with those before as its history."""

    def __init__(self, reviser: Reviser, brain: Echo, feedback: TurnFeedback, service: FeedbackService) -> None:
        self.reviser, self.brain, self.feedback, self.service = reviser, brain, feedback, service
        self.history: list[Past] = []
        self.made: list[tuple[str, dict[str, Any]]] = []
        self.outcome = Outcome("ok", {})

    async def say(self, text: str, person: str = "ada", **about: Any) -> str:
        async def call(name: str, args: dict[str, Any]) -> Outcome:
            self.made.append((name, args))
            return self.outcome

        turn = Turn(text, call, TOOLS, person=person, history=tuple(self.history), conversation="c", id=text)
        said, calls = "", []
        async for thought in self.reviser.think(replace(turn, **about)):
            if isinstance(thought, Said):
                said += thought.text
            elif isinstance(thought, Called):
                calls.append(thought.call)
        self.history.append(Past(text, said, tuple(calls), turn=f"{len(self.history)}"))
        await self.feedback.flush()
        return said


@pytest.fixture
async def talk(tmp_path: Path) -> AsyncIterator[Conversation]:
    robot, brain = Robot(), Echo()
    brain.calls = {
        "look left": ("move_head", {"direction": "left"}),
        "look 20 degrees left": ("move_head", {"direction": "left", "degrees": 20}),
        "nod": ("nod", {}),
        "do the thing": ("wave", {}),
        "no, I meant dance": ("dance", {}),
        "no, shake your head": ("shake", {}),
        "no, I meant forget everything": ("forget_memory", {"query": "everything"}),
    }
    async with Database(tmp_path / "mind.db") as database:
        bus = Bus()
        service = FeedbackService(database, bus, read=read, past=robot.past, stop=robot.stop)
        await service.load()
        async with TurnFeedback(service, bus, read, lambda turn: None) as feedback:
            yield Conversation(Reviser(brain, service, feedback), brain, feedback, service)


async def test_a_correction_is_done_at_once_and_kept(talk: Conversation) -> None:
    assert await talk.say("look left") == "echo: look left"
    said = await talk.say("not so far to the left")
    assert talk.made[-1] == ("move_head", {"direction": "left", "degrees": 25.0}) and "echo" not in said
    assert talk.service.tuning.learned("move_head", {"direction": "left"}, "ada")["degrees"] == pytest.approx(25, abs=1)
    await talk.say("a bit more to the left")
    assert talk.made[-1] == ("move_head", {"direction": "left", "degrees": 30.0})
    kept = talk.service.tuning.learned("move_head", {"direction": "left"}, "ada")["degrees"]
    assert kept == pytest.approx(30, abs=1), "the last word on one action counts, not the mean of the steps"


async def test_words_that_are_no_feedback_go_to_the_brain(talk: Conversation) -> None:
    assert await talk.say("a bit lower") == "echo: a bit lower", "nothing was done that could be lower"
    await talk.say("look left")
    for text in ("tell me a joke", "the train is too slow", "my brother is louder than me", "I left my keys at home"):
        assert await talk.say(text) == f"echo: {text}"
    assert talk.service.lessons() == []


async def test_a_value_that_was_asked_for_is_corrected_and_not_learned(talk: Conversation) -> None:
    await talk.say("look 20 degrees left")
    await talk.say("a bit more to the left")
    assert talk.made[-1] == ("move_head", {"direction": "left", "degrees": 25.0})
    assert talk.service.lessons() == []


async def test_a_call_that_fails_teaches_nothing(talk: Conversation) -> None:
    await talk.say("look left")
    talk.outcome = Outcome("denied", error={"code": "PERMISSION_DENIED", "message": "not today", "hint": ""})
    assert "not today" in await talk.say("not so far to the left")
    assert talk.service.lessons() == []


async def test_who_may_not_teach_is_answered_by_the_brain(talk: Conversation) -> None:
    await talk.say("look left")
    assert await talk.say("not so far to the left", teachable=False) == "echo: not so far to the left"
    assert await talk.say("no, I meant dance", teachable=False) == "echo: no, I meant dance"
    assert talk.service.lessons() == []


async def test_only_the_last_turn_that_did_something_is_corrected(talk: Conversation) -> None:
    await talk.say("look left")
    await talk.say("nod")
    await talk.say("not so far")
    assert talk.made[-1] == ("nod", {}), "a nod has no size, and the look before it is not meant"
    assert talk.service.lessons() == []


async def test_the_other_way_turns_a_correction_round(talk: Conversation) -> None:
    await talk.say("look left")
    await talk.say("a bit more to the left")
    await talk.say("no, the other way")
    assert talk.made[-1] == ("move_head", {"direction": "left", "degrees": 30.0})


async def test_praise_with_a_correction_of_a_gesture_is_kept_for_the_next_time(talk: Conversation) -> None:
    await talk.say("nod")
    await talk.say("good, but a bit fast")
    assert talk.made == [("nod", {})], "it was good: it is not done again"
    assert talk.service.tuning.learned("nod", {}, "ada") == {"speed": "slow"}


async def test_at_a_limit_the_robot_says_so(talk: Conversation) -> None:
    await talk.say("nod")
    await talk.say("too fast")
    assert talk.made[-1] == ("nod", {"speed": "slow"})
    said = await talk.say("still too fast")
    assert "as far as I can go" in said and len(talk.made) == 2


async def test_what_was_meant_is_learned_for_this_person_alone(talk: Conversation) -> None:
    await talk.say("do the thing")
    assert "echo: no, I meant dance" in await talk.say("no, I meant dance")
    await talk.say("Please do the thing!")
    assert talk.made[-1] == ("dance", {}) and talk.brain.asked[-1].text == "no, I meant dance"
    await talk.say("do the thing", person="ben")
    assert talk.made[-1] == ("wave", {})
    said = await talk.say("Hello there. Do the thing.")
    assert talk.made[-1] == ("dance", {}) and "echo: Hello there." in said


async def test_a_plain_no_with_another_request_is_learned_after_something_else_was_done(talk: Conversation) -> None:
    await talk.say("do the thing")
    await talk.say("no, shake your head")
    await talk.say("Could you do that thing for us?")
    assert talk.made[-1] == ("shake", {})
    await talk.say("what is up")
    await talk.say("no, shake your head")
    assert len(talk.service.lessons()) == 1, "nothing had been done that it could replace"


async def test_the_brain_that_a_person_prefers_answers_now_and_next_time(talk: Conversation) -> None:
    await talk.say("explain black holes")
    said = await talk.say("ask the big brain")
    assert "echo: explain black holes" in said and talk.brain.asked[-1].preferred == THINKER
    await talk.say("please explain black holes")
    assert talk.brain.asked[-1].preferred == THINKER
    await talk.say("explain black holes", person="ben")
    assert talk.brain.asked[-1].preferred == ""


async def test_a_choice_that_needs_consent_is_not_learned(talk: Conversation) -> None:
    await talk.say("do the thing")
    await talk.say("no, I meant forget everything")
    assert talk.service.lessons() == []


async def test_a_learned_choice_never_passes_a_permission(talk: Conversation) -> None:
    await talk.say("do the thing")
    await talk.say("no, I meant dance")

    def confirm(tool: object) -> Tier:
        return Tier.CONFIRM

    assert await talk.say("do the thing", tier=confirm) == "echo: do the thing"


async def test_lessons_are_told_and_taken_back_in_ones_language(talk: Conversation) -> None:
    talk.outcome = Outcome("ok", {"message": "told"})
    for text, tool, args in (
        ("What did you learn from me?", "list_lessons", {"language": "en"}),
        ("Was hast du von mir gelernt?", "list_lessons", {"language": "de"}),
        ("Forget everything I taught you.", "undo_lesson", {"all": True, "language": "en"}),
        ("Oublie ce que je t'ai appris.", "undo_lesson", {"language": "fr"}),
    ):
        assert await talk.say(text) == "told"
        assert talk.made[-1] == (tool, args)


async def test_praise_of_a_corrected_call_confirms_it(talk: Conversation) -> None:
    await talk.say("look left")
    await talk.say("not so far to the left")
    before = len(talk.service.valid("ada"))
    await talk.say("great")
    assert len(talk.service.valid("ada")) == before + 1
    [record, *_] = await talk.service.records.listed()
    assert (record.text, record.reward, record.about_tool) == ("great", 0.9, "move_head")


async def test_a_brain_that_reads_is_told_what_was_taught(talk: Conversation) -> None:
    await talk.say("look left")
    await talk.say("not so far to the left")
    await talk.say("tell me a joke")
    assert "look left" in talk.brain.asked[-1].context["remembered"]["taught"][0]
    await talk.say("tell me a joke", person="ben")
    assert "remembered" not in talk.brain.asked[-1].context


async def test_a_request_that_was_cut_short_is_no_feedback(talk: Conversation) -> None:
    await talk.say("nod")
    await talk.say("bad, do something else")
    assert await talk.service.records.count() == 1
    turn = Turn("bad, do something else", _no_call, TOOLS, person="ada", history=tuple(talk.history), conversation="c")
    thoughts = talk.reviser.think(turn)
    await anext(thoughts)
    await thoughts.aclose()  # type: ignore[attr-defined]
    await talk.feedback.flush()
    assert await talk.service.records.count() == 1


async def _no_call(name: str, args: dict[str, Any]) -> Outcome:
    raise AssertionError(name, args)


async def test_the_robot_asks_when_it_can_not_tell(talk: Conversation) -> None:
    asked: list[Turn] = []

    async def doubtful(text: str) -> FeedbackReading:
        return FeedbackReading(-0.5, 0.2)

    async with TurnFeedback(talk.service, Bus(), doubtful, asked.append) as feedback:
        talk.feedback, talk.reviser = feedback, Reviser(talk.brain, talk.service, feedback)
        await talk.say("nod")
        await talk.say("well, that was something")
        assert [turn.text for turn in asked] == ["well, that was something"] and not await talk.service.records.count()
        assert "note" in await talk.say("yes, it was good")
        [record] = await talk.service.records.listed()
        assert (record.reward, record.about_tool, record.source) == (0.5, "nod", "rating")
        await talk.say("nod")
        await talk.say("well, that was something")
        assert len(asked) == 1, "not again so soon"


async def test_a_request_after_the_question_is_carried_out(talk: Conversation) -> None:
    talk.feedback.pending["c"] = Action(tool="nod")
    await talk.say("no, look left")
    assert talk.made == [("move_head", {"direction": "left"})]
    [record] = await talk.service.records.listed()
    assert (record.about_tool, record.reward) == ("nod", -0.5)


async def test_what_was_meant_at_last_is_kept_for_the_request_at_first(talk: Conversation) -> None:
    talk.brain.calls["no, I meant nod"] = ("nod", {})
    await talk.say("do the thing")
    await talk.say("no, I meant nod")
    await talk.say("no, I meant dance")
    await talk.say("do the thing")
    assert talk.made[-1] == ("dance", {})
    await talk.say("no, I meant nod")
    assert {lesson.label["request"] for lesson in talk.service.valid("ada")} == {"do the thing"}


async def test_a_very_long_request_is_not_learned(talk: Conversation) -> None:
    await talk.say("zorp" * 500)
    await talk.say("no, I meant dance")
    await talk.say("please " * 300 + "zorp")
    await talk.say("no, I meant dance")
    assert talk.service.lessons() == []


async def test_what_was_taught_and_told_to_a_brain_can_not_ask_for_what_needs_consent(talk: Conversation) -> None:
    by_name = {tool.name: tool for tool in TOOLS}
    await talk.say("erase_person everybody zorp")
    await talk.say("no, I meant dance")
    await talk.say("tell me a joke")
    for guard in (InjectionGuard(talk.brain.asked[-1]), InjectionGuard(replace(talk.brain.asked[-1], context={}))):
        guard.record_result(by_name["list_lessons"])
        assert guard.refusal(by_name["erase_person"]) is not None
