"""The reflex brain: what it calls, what it says, and what it remembers of the turn before."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reachy_mind.brains.brain import Brain, Called, Done, Past, Said, ToolCall, Turn
from reachy_mind.brains.reflex.brain import Reflex, Understand
from reachy_mind.brains.reflex.plan import Guess, Plan, Step
from reachy_mind.brains.reflex.reader import Reader
from reachy_mind.brains.reflex.understanding import Understanding
from reachy_mind.profiles.phrasebook import book
from reachy_mind.tools.definition import Outcome, Tool

UNDERSTAND = Understanding(Reader.load()).plan

Answers = dict[str, Outcome | Callable[[dict[str, Any]], Outcome]]


def tool_named(name: str) -> Tool:
    async def run(_ctx: Any, _given: dict[str, Any]) -> None: ...

    return Tool(name, "robot", "A tool.", {"type": "object"}, dict, run)


def failed(code: str, message: str, hint: str = "") -> Outcome:
    status = "denied" if code in ("PERMISSION_DENIED", "NOT_CONFIRMED") else "error"
    return Outcome(status, error={"code": code, "message": message, "hint": hint})  # type: ignore[arg-type]


@dataclass
class Bench:
    """A conversation with the brain and tools that answer as they are told to."""

    answers: Answers = field(default_factory=dict)
    tools: tuple[str, ...] = ()
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    history: list[Past] = field(default_factory=list)
    order: list[str] = field(default_factory=list)
    understand: Understand = UNDERSTAND
    understood: bool = True
    spoken: bool = False

    async def call(self, name: str, args: dict[str, Any]) -> Outcome:
        self.calls.append((name, args))
        self.order.append(f"call {name}")
        answer = self.answers.get(name, Outcome("ok", {}))
        return answer if isinstance(answer, Outcome) else answer(args)

    async def say(self, text: str) -> str:
        """Say something; the whole reply."""
        self.calls.clear()
        reply: list[str] = []
        called: list[ToolCall] = []
        tools = tuple(map(tool_named, self.tools))
        turn = Turn(text, self.call, tools, history=tuple(self.history), context={"spoken": self.spoken})
        ends = 0
        async for thought in Reflex(self.understand).think(turn):
            match thought:
                case Said():
                    reply.append(thought.text)
                    self.order.append("said")
                case Called():
                    called.append(thought.call)
                case Done():
                    ends += 1
                    self.understood = thought.understood
        assert ends == 1
        self.history.append(Past(text, "".join(reply), tuple(called)))
        return "".join(reply)


def test_it_is_a_brain() -> None:
    brain: Brain = Reflex(UNDERSTAND)
    assert brain.name == "reflex"


async def test_several_steps_in_order_with_the_pose_told_at_the_end() -> None:
    pose = {"pose": {"yaw": 34.6, "pitch": -1.0, "roll": 0.0, "body_yaw": 2.0}}
    bench = Bench({"get_pose": Outcome("ok", pose)})
    reply = await bench.say("look left, then nod twice and tell me your pose")
    assert bench.calls == [("move_head", {"direction": "left"}), ("nod", {"times": 2}), ("get_pose", {})]
    assert "yaw 35" in reply and bench.understood


async def test_each_step_is_told_before_the_next_begins() -> None:
    bench = Bench({"nod": Outcome("ok", {"message": "I nodded."}), "wave": Outcome("ok", {"message": "I waved."})})
    assert await bench.say("nod and then wave") == "I nodded. I waved."
    assert bench.order == ["call nod", "said", "call wave", "said"]


async def test_a_photo_described_on_written_request_is_described_aloud() -> None:
    sight = ("take_photo", "analyze_scene", "describe_image", "speak")
    seen = Outcome("ok", {"message": "I see a duck."})
    bench = Bench({"analyze_scene": seen, "describe_image": seen}, sight)
    assert (await bench.say("Take a photo and describe what you see.")).count("I see a duck.") == 1
    assert bench.calls == [("take_photo", {}), ("analyze_scene", {}), ("speak", {"text": "I see a duck."})]
    await bench.say("take a photo and describe it")
    assert [name for name, _ in bench.calls] == ["take_photo", "describe_image", "speak"]
    bench.spoken = True  # its answer is heard anyway
    await bench.say("Take a photo and describe what you see.")
    assert [name for name, _ in bench.calls] == ["take_photo", "describe_image"]
    blind = Bench({"take_photo": failed("NOT_READY", "no camera"), "analyze_scene": failed("NOT_READY", "no")}, sight)
    await blind.say("Take a photo and describe what you see.")
    assert [name for name, _ in blind.calls] == ["take_photo", "analyze_scene"]


async def test_who_greets_and_asks_for_something_is_greeted_at_once() -> None:
    bench = Bench({"nod": Outcome("ok", {"message": "I nodded."})})
    assert await bench.say("Good morning, please nod") == "Good morning! I nodded."
    assert bench.order == ["said", "call nod", "said"]
    assert await bench.say("nod hello") == "I nodded."
    assert await bench.say("hello, nod") == "Hello! I nodded."


async def test_a_step_that_fails_is_told_and_the_rest_is_done() -> None:
    bench = Bench({"dance": failed("TOOL_FAILED", "the music ran out")})
    reply = await bench.say("dance and then nod")
    assert [name for name, _ in bench.calls] == ["dance", "nod"]
    assert "the music ran out" in reply


async def test_a_part_that_is_missing_is_told_in_plain_words() -> None:
    bench = Bench({"take_photo": failed("NOT_READY", "take_photo can't be used yet", "my eyes are not built yet")})
    assert await bench.say("take a picture") == "I can't take a photo now: my eyes are not built yet."


async def test_one_reason_for_several_steps_is_told_once() -> None:
    bench = Bench(dict.fromkeys(("move_head",), failed("NOT_READY", "no robot", "there is no robot")))
    reply = await bench.say("look left, then right, then up")
    assert len(bench.calls) == 3 and reply.count("there is no robot") == 1


@pytest.mark.parametrize(
    ("code", "word"), [("PERMISSION_DENIED", "not allowed"), ("NOT_CONFIRMED", "nobody confirmed")]
)
async def test_a_denied_step_is_told(code: str, word: str) -> None:
    bench = Bench({"nod": failed(code, "no")})
    assert word in await bench.say("nod")


async def test_after_an_interruption_nothing_more_is_done() -> None:
    bench = Bench({"dance": Outcome("cancelled", error={"code": "CANCELLED", "message": "", "hint": ""})})
    assert await bench.say("dance, then nod") in book("en")["interrupted"]
    assert [name for name, _ in bench.calls] == ["dance"]


async def test_only_tools_it_was_given_are_called() -> None:
    bench = Bench(tools=("nod", "stop"))
    reply = await bench.say("dance and nod")
    assert [name for name, _ in bench.calls] == ["nod"]
    assert "can't dance here" in reply


async def test_what_it_does_not_understand_gets_an_honest_answer_with_examples() -> None:
    bench = Bench(tools=("nod", "get_time", "stop"))
    reply = await bench.say("zzgrmpf qwopz")
    assert not bench.understood and not bench.calls
    assert reply.count('"') >= 4 and "dance" not in reply


async def test_what_it_can_do_is_done_and_the_rest_refused_with_a_reason() -> None:
    bench = Bench()
    reply = await bench.say("nod and then bake a cake")
    assert bench.calls == [("nod", {})]
    assert any(way in reply for way in book("en")["impossible_home"])


async def test_what_is_forbidden_is_not_done_and_said() -> None:
    bench = Bench()
    assert await bench.say("please don't nod") in book("en")["forbid"]
    assert not bench.calls and bench.understood


async def test_too_many_nods_are_fewer_and_said() -> None:
    bench = Bench()
    assert "5 times is the most" in await bench.say("nod thirty times")
    assert bench.calls == [("nod", {"times": 5})]


async def test_without_a_voice_it_answers_what_it_should_say() -> None:
    bench = Bench({"speak": failed("NOT_READY", "speak can't be used yet", "my voice is not built yet")})
    assert await bench.say("say good morning everybody") == "good morning everybody"


async def test_a_pause_after_a_failed_step_is_left_out() -> None:
    bench = Bench({"move_head": failed("NOT_READY", "", "there is no robot")})
    await asyncio.wait_for(bench.say("look left for 50 seconds"), 5)


async def test_the_only_running_task_is_the_one_to_cancel() -> None:
    bench = Bench({"task_status": Outcome("ok", {"message": "demo: running.", "tasks": [{"id": "3f2a"}]})})
    await bench.say("cancel the background task")
    assert bench.calls == [("task_status", {}), ("task_cancel", {"task_id": "3f2a"})]


async def test_with_several_tasks_running_it_tells_them_and_cancels_none() -> None:
    tasks = Outcome("ok", {"message": "a: running; b: running.", "tasks": [{"id": "a"}, {"id": "b"}]})
    bench = Bench({"task_status": tasks})
    assert "running" in await bench.say("cancel the background task")
    assert bench.calls == [("task_status", {})]


async def test_a_task_started_the_turn_before_is_the_one_to_cancel() -> None:
    bench = Bench({"background_demo": Outcome("started", {"task_id": "77ab", "message": "started"})})
    await bench.say("start a background demo")
    await bench.say("cancel that task")
    assert bench.calls == [("task_cancel", {"task_id": "77ab"})]


FOLLOW_UPS = [
    ("look left", "again", [("move_head", {"direction": "left"})]),
    ("look left", "a bit more", [("move_head", {"direction": "left", "degrees": 43})]),
    ("look up", "less", [("move_head", {"direction": "up", "degrees": 5})]),
    ("look left", "the other way", [("move_head", {"direction": "right"})]),
    ("look left", "now to the right", [("move_head", {"direction": "right"})]),
    ("look left", "and up?", [("move_head", {"direction": "up"})]),
    ("look left", "go back", [("move_head", {"direction": "front"})]),
    ("turn left 40 degrees", "now the other way", [("rotate", {"direction": "right", "degrees": 40})]),
    ("turn left", "further", [("rotate", {"direction": "left", "degrees": 30})]),
    ("nod", "slower", [("nod", {"speed": "slow"})]),
    ("nod twice", "do it again, but faster", [("nod", {"times": 2, "speed": "fast"})]),
    ("tilt your head left", "other side", [("move_head", {"roll": 20})]),
    ("be happy", "more", [("express_emotion", {"emotion": "happy", "intensity": 1.0})]),
    ("be happy", "now sad", [("express_emotion", {"emotion": "sad"})]),
    ("nod and wave", "once more please", [("nod", {}), ("wave", {})]),
    ("raise your left antenna", "the other one", [("set_antennas", {"right": 0})]),
    ("shake your head", "again twice", [("shake", {"times": 2})]),
    ("what time is it", "again", [("get_time", {})]),
]


@pytest.mark.parametrize(("first", "then", "calls"), FOLLOW_UPS, ids=[f"{a} / {b}" for a, b, _ in FOLLOW_UPS])
async def test_a_follow_up_goes_on_from_the_turn_before(first: str, then: str, calls: list[Any]) -> None:
    bench = Bench()
    await bench.say(first)
    await bench.say("thank you")
    await bench.say(then)
    assert bench.calls == calls


@pytest.mark.parametrize("said", ["again", "more", "the other way", "faster", "undo"])
async def test_a_follow_up_of_nothing_does_nothing(said: str) -> None:
    bench = Bench()
    assert await bench.say(said)
    assert not bench.calls


async def test_a_guess_is_asked_about_and_done_after_a_yes() -> None:
    def doubtful(text: str, before: Any = ()) -> Plan:
        return Plan((Guess((Step("dance", {"name": "waltz"}),)),)) if text == "hm, whirl?" else UNDERSTAND(text, before)

    bench = Bench(understand=doubtful)
    assert "dance waltz" in await bench.say("hm, whirl?") and not bench.calls and not bench.understood
    await bench.say("yes please")
    assert bench.calls == [("dance", {"name": "waltz"})]
    bench = Bench(understand=doubtful)
    await bench.say("hm, whirl?")
    assert await bench.say("no") in book("en")["guess_no"] and not bench.calls


async def test_the_answer_to_its_question_completes_the_request() -> None:
    bench = Bench()
    assert await bench.say("remind me to ring the plumber") in book("en")["ask_when"]
    assert not bench.calls
    await bench.say("in twenty minutes")
    assert bench.calls == [("set_reminder", {"text": "ring the plumber", "in_minutes": 20})]


async def test_it_answers_in_the_language_it_is_spoken_to() -> None:
    bench = Bench({"nod": Outcome("ok", {"message": "I nodded."})})
    assert await bench.say("hoche la tête s'il te plaît") in book("fr")["told_nod"]
    assert await bench.say("wie heißt du?") in book("de")["name"]


async def test_two_jokes_in_a_row_are_two_jokes() -> None:
    bench = Bench()
    assert await bench.say("tell me a joke") != await bench.say("tell me a joke")


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=400))
async def test_any_text_gets_an_answer(said: str) -> None:
    assert await Bench().say(said) or not said.strip()


async def test_what_takes_a_model_is_explained_once_and_then_told_in_a_few_words() -> None:
    bench = Bench()
    first = await bench.say("why do people dream in colour?")
    assert "models pull chat" in first and not bench.understood
    second = await bench.say("what is the largest lake in Bolivia?")
    third = await bench.say("what is the largest lake in Africa?")
    assert second == third and "models pull chat" not in second and len(second) < 45
    fresh = Bench()
    assert "models pull chat" in await fresh.say("why do people fall in love?")


async def test_what_is_not_understood_is_explained_once() -> None:
    bench = Bench()
    first, second = await bench.say("asdf the qwerty"), await bench.say("the qwerty of asdf")
    assert "models pull chat" in first and "Try" in first
    assert second in book("en")["not_understood_again"]


@pytest.mark.parametrize("tool", ["play_move", "dance", "express_emotion", "set_personality"])
async def test_an_unknown_name_is_answered_with_three_near_ones(tool: str) -> None:
    names = [f"move_{number}" for number in range(50)] + ["moonwalk_left", "moon_dance"]
    argument = "emotion" if tool == "express_emotion" else "name"

    def asked(text: str, before: Any = ()) -> Plan:
        return Plan((Step(tool, {argument: "moonwalk"}),), text[:2])

    for language in ("en", "fr", "es", "de"):
        for start in ("known:", "there are:", "one of"):
            error = failed("INVALID_PARAMETER", "no move called 'moonwalk'", f"{start} {', '.join(names)}, or random")
            bench = Bench({tool: error}, understand=asked)
            reply = await bench.say(f"{language} do the moonwalk")
            assert "moonwalk left" in reply and "move 7" not in reply and len(reply) < 100, reply
