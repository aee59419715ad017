"""Talk or act: with a model that only talks, reflex does what it recognises and the model says the rest."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from reachy_mind.brains import talk_or_act
from reachy_mind.brains.auto import Auto
from reachy_mind.brains.brain import Called, Done, Past, Said, Thought, Turn
from reachy_mind.brains.local.brain import LocalBrain
from reachy_mind.brains.selection_rule import BrainChoice
from reachy_mind.config.configuration import load
from reachy_mind.errors import WorkerError
from reachy_mind.tools.builtin import TOOLS
from reachy_mind.tools.definition import Outcome, Tool
from tests.brains.local.scripted_chat import Answer, ScriptedChat
from tests.brains.reflex.test_brain import UNDERSTAND, Reflex


class Company:
    """A conversation with reflex and a scripted model."""

    def __init__(self, answers: dict[str, Answer], outcomes: dict[str, Outcome] | None = None) -> None:
        self.model = ScriptedChat(answers)
        choice = BrainChoice("local", "a test", load())

        async def decide() -> BrainChoice:
            return choice

        make: Callable[[BrainChoice], Any] = lambda _: LocalBrain(self.model)  # noqa: E731
        self.brain = Auto(Reflex(UNDERSTAND), decide, make)
        self.outcomes = outcomes or {}
        self.calls: list[str] = []
        self.tools: tuple[Tool, ...] = ()
        self.history: list[Past] = []
        self.thoughts: list[Thought] = []

    async def call(self, name: str, _args: dict[str, Any]) -> Outcome:
        self.calls.append(name)
        return self.outcomes.get(name, Outcome("ok", {}))

    async def say(self, text: str, preferred: str = "") -> str:
        self.calls.clear()
        turn = Turn(text, self.call, self.tools, history=tuple(self.history), preferred=preferred)
        self.thoughts = [one async for one in self.brain.think(turn)]
        reply = "".join(one.text for one in self.thoughts if isinstance(one, Said)).strip()
        (done,) = [one for one in self.thoughts if isinstance(one, Done)]
        calls = tuple(one.call for one in self.thoughts if isinstance(one, Called))
        self.history.append(Past(text, reply, calls, done.brain))
        return reply

    @property
    def answered_by(self) -> str:
        return self.history[-1].brain


@pytest.mark.parametrize("said", ["what's the history of France?", "who wrote Beowulf", "tell me about whales"])
async def test_a_question_gets_the_models_words_and_no_tool(said: str) -> None:
    company = Company({"": "That is a fine question."})
    assert (await company.say(said)).endswith("That is a fine question.")
    assert company.calls == [] and company.answered_by == "local" and len(company.model.asked) == 1


@pytest.mark.parametrize(
    ("said", "tool"), [("look left", "move_head"), ("nod twice", "nod"), ("take a photo", "take_photo")]
)
async def test_a_request_is_done_without_asking_the_model(said: str, tool: str) -> None:
    company = Company({"": "I would rather talk."})
    await company.say(said)
    assert company.calls == [tool] and company.model.asked == [] and company.answered_by == "reflex"


async def test_who_prefers_the_model_gets_its_words_and_still_what_only_reflex_can_do() -> None:
    company = Company({"": "I am fine, thank you for asking."})
    assert (await company.say("how are you?")) and company.answered_by == "reflex"
    assert (await company.say("how are you?", "local")).endswith("I am fine, thank you for asking.")
    assert company.answered_by == "local"
    await company.say("look left", "local")
    assert company.calls == ["move_head"], "the model has no tools"


async def test_a_mixed_request_is_done_in_order_each_part_by_whom_it_belongs_to() -> None:
    company = Company({"": "Whales are huge."})
    reply = await company.say("tell me something about whales and then nod")
    assert "Whales are huge." in reply and company.calls == ["nod"]
    kinds = [type(one) for one in company.thoughts if isinstance(one, Said | Called)]
    assert kinds.index(Said) < kinds.index(Called)


@pytest.mark.parametrize(
    ("said", "calls"),
    [
        ("how much is forty minus two? nod if it is even", ["nod"]),
        ("how much is forty minus one? nod if it is even", []),
        ("how much is forty minus one? nod if it is even, otherwise shake your head", ["shake"]),
        ("what is 6 times 7? if it is more than 40, wave", ["wave"]),
        ("what is 6 times 7? if it is less than 40, wave", []),
    ],
)
async def test_a_condition_on_a_number_is_decided_by_rules(said: str, calls: list[str]) -> None:
    company = Company({"": "It is what it is."})
    await company.say(said)
    assert company.calls == calls and company.model.asked == []


async def test_a_condition_on_what_was_found() -> None:
    missing = Outcome("error", error={"code": "NOT_FOUND", "message": "I see no cup", "hint": ""})
    company = Company({}, {"look_at_object": missing})
    await company.say("look for a cup and tell me if it is there, else look sad")
    assert company.calls == ["look_at_object", "express_emotion"]
    company = Company({})
    await company.say("look for a cup and tell me if it is there, else look sad")
    assert company.calls == ["look_at_object"]


async def test_a_condition_that_rules_can_not_decide_is_judged_by_the_model() -> None:
    company = Company({'Is this true: "it is Madrid"': "yes", "": "The capital of Spain is Madrid."})
    await company.say("what's the capital of Spain? nod if it is Madrid")
    assert company.calls == ["nod"]
    company = Company({'Is this true: "it is Rome"': "no", "": "The capital of Spain is Madrid."})
    await company.say("what's the capital of Spain? nod if it is Rome")
    assert company.calls == []


async def test_what_memory_does_not_know_is_asked_of_the_model_after_some_talk() -> None:
    nothing = Outcome("ok", {"memories": [], "message": "I don't know that yet."})
    company = Company({"": "You said that her name is Ines."}, {"search_memories": nothing})
    assert await company.say("do you remember what my sister is called?") == "I don't know that yet."
    assert company.model.asked == [], "nothing was said that it could know it from"
    assert "Ines" in await company.say("do you remember what my sister is called?")
    known = Outcome(
        "ok", {"memories": [{"content": "my sister is Ines", "sure": True}], "message": "Your sister is Ines."}
    )
    company = Company({"": "No idea."}, {"search_memories": known})
    assert await company.say("do you remember what my sister is called?") == "Your sister is Ines."
    assert company.model.asked == []


async def test_what_memory_found_and_is_not_sure_of_helps_the_model() -> None:
    unsure = Outcome("ok", {"memories": [{"content": "I work as a nurse", "sure": False}], "message": "I am not sure."})
    company = Company({"": "You are a nurse."}, {"search_memories": unsure})
    await company.say("hello")
    assert "nurse" in await company.say("do you remember what my job is?")
    asked = company.model.asked[-1][-1]["content"]
    assert "I work as a nurse" in asked and "not sure" not in asked


async def test_nothing_known_of_a_profile_is_no_error() -> None:
    company = Company({"": "You have not told me."}, {"get_user_profile": Outcome("ok", {"name": "", "memories": 0})})
    await company.say("hello")
    assert (await company.say("what's my name?")).endswith("You have not told me.")


@pytest.mark.parametrize(
    ("said", "calls"),
    [
        ("i need a funny birthday line for my boss who loves golf", ["store_memory"]),
        ("give me three names for a hamster", []),
        ("two lines that rhyme about my old grey cat, go on", []),
        ("Bonjour, tu peux me dire quelle est la plus belle rue de Paris ?", []),
        ("my sister Lena is coming on friday", ["store_memory"]),
        ("i have three exams next week and i cant sleep", ["store_memory"]),
    ],
)
async def test_what_people_tell_and_ask_for_in_words_is_answered_by_the_model(said: str, calls: list[str]) -> None:
    company = Company({"": "A fine answer."})
    await company.say("hello")
    assert (await company.say(said)).endswith("A fine answer.")
    assert company.answered_by == "local" and set(company.calls) <= set(calls)


@pytest.mark.parametrize(
    "said", ["remember that my car is red", "let's play rock paper scissors", "what is 12 times 12"]
)
async def test_what_reflex_does_better_is_left_to_it(said: str) -> None:
    company = Company({"": "A fine answer."})
    await company.say(said)
    assert company.answered_by == "reflex" and company.model.asked == []


@pytest.mark.parametrize(
    ("said", "calls"),
    [
        ("shake your head if 7 times 8 is 54, otherwise nod", ["nod"]),
        ("shake your head if 7 times 8 is 56, otherwise nod", ["shake"]),
        ("if 3 plus 4 equals 7, wave", ["wave"]),
        ("nod if two plus two is five", []),
    ],
)
async def test_a_condition_on_a_sum_in_the_request_itself(said: str, calls: list[str]) -> None:
    company = Company({"": "It is what it is."})
    await company.say(said)
    assert company.calls == calls


async def test_a_slow_model_says_a_word_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(talk_or_act, "ACKNOWLEDGE_AFTER_S", 0.0)
    company = Company({"": "Because of the light."})
    await company.say("hello")
    reply = await company.say("why are planets round?")
    assert reply.endswith("Because of the light.") and len(reply) > len("Because of the light.")


async def test_a_model_that_is_still_loading_says_so_first() -> None:
    company = Company({"": "Because of the light."})
    first = await company.say("why are planets round?")
    assert first.endswith("Because of the light.") and ("waking" in first or "loading" in first)
    assert await company.say("why is the sky red?") == "Because of the light.", "only once"


async def test_a_model_that_fails_is_told_and_the_robot_goes_on() -> None:
    company = Company({"planets": WorkerError("killed", hint=""), "": "Hm."})
    reply = await company.say("why are planets round?")
    assert "failed me" in reply
    await company.say("look left")
    assert company.calls == ["move_head"]


async def test_what_goes_on_from_the_models_words_is_the_models() -> None:
    company = Company({"why not": "Because they are too heavy.", "another": "A cherry.", "": "Ostriches can't fly."})
    await company.say("please describe how birds fly")
    assert company.answered_by == "local"
    assert await company.say("why not?") == "Because they are too heavy."
    assert await company.say("another one") == "A cherry."
    await company.say("nod")
    await company.say("another one")
    assert company.calls == ["nod"], "after an action it is the action that is meant"


async def test_words_that_have_to_be_found_are_the_models() -> None:
    company = Company({"": "Your mother is wonderful."})
    reply = await company.say("say something nice to my mum and then wave at her")
    assert "wonderful" in reply and company.calls == ["wave"]


async def test_beside_something_to_do_talk_has_no_gesture_of_its_own() -> None:
    company = Company({"": "A fine answer."})
    company.tools = tuple(TOOLS)
    await company.say("I'm drawing feelings for school, can you show me sad?")
    assert company.calls == ["express_emotion"]
