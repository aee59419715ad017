"""The model on this machine in a team of the Agents SDK: what it answers becomes calls, handoffs and words."""

from __future__ import annotations

import asyncio
import json

import pytest
from agents import Agent, FunctionTool, RunConfig, Runner

from reachy_mind.brains.agents.brief import Ability, Brief, grammatical
from reachy_mind.brains.agents.intent import Intent, Step, intent, saying
from reachy_mind.brains.agents.local import LocalModel
from reachy_mind.brains.thought import NoThought
from tests.fakes.llamas import log, scripted

__all__ = ["scripted"]
QUIET = RunConfig(tracing_disabled=True)
RESULTS = {
    "take_photo": {"status": "ok", "data": {"message": "I took a photo."}},
    "analyze_scene": {"status": "ok", "data": {"message": "I see a duck."}},
    "speak": {"status": "ok", "data": {"message": 'I said "I see a duck".'}},
    "look_at_object": {"status": "error", "error": {"code": "NOT_READY", "message": "The camera is off.", "hint": ""}},
    "search_web": {"status": "ok", "data": {"message": "1 result.", "results": [{"title": "Cup", "text": "Peru won"}]}},
}


class Crew:
    """A coordinator and one who sees, on one model; the calls they made."""

    def __init__(self, model):
        self.model, self.calls = LocalModel(model), []
        tools = [self._tool(name) for name in RESULTS]
        self.eyes = Agent(name="VisionAgent", handoff_description="looks", tools=tools, model=self.model)
        self.head = Agent(name="ReachyCoordinator", model=self.model, tools=tools[:1], handoffs=[self.eyes])

    def _tool(self, name):
        async def called(_, arguments):
            self.calls.append((name, json.loads(arguments)))
            return f"<result>{json.dumps(RESULTS[name])}</result>"

        schema = {"type": "object", "properties": {"text": {"type": "string"}}, "additionalProperties": False}
        return FunctionTool(name, f"{name} does it.", schema, called, strict_json_schema=False)

    async def ask(self, text, agent=None):
        """The answer, and the words in the pieces they came in."""
        run = Runner.run_streamed(agent or self.eyes, text, run_config=QUIET)
        deltas = [
            event.data.delta
            async for event in run.stream_events()
            if getattr(getattr(event, "data", None), "type", "") == "response.output_text.delta"
        ]
        return run.final_output, deltas


def do(*steps):
    return json.dumps({"do": list(steps)})


async def test_words_stream_steps_run_in_order_with_what_was_found_and_agents_hand_over(scripted, tmp_path):
    answers = (
        '{"say": "A good morning to you all!"}',
        do({"take_photo": {"text": "$result"}}, {"analyze_scene": {}}, {"speak": {"text": "$result"}}),
        do({"look_at_object": {}}, {"take_photo": {}}),
        '{"hand_to": "VisionAgent"}',
        do({"analyze_scene": {}}),
        do({"search_web": {}}),
        '{"say": "Peru won it."}',
    )
    async with scripted(*answers) as llama:
        crew = Crew(llama)
        said, deltas = await crew.ask("Good morning")
        assert said == "".join(deltas) == "A good morning to you all!" and len(deltas) > 3
        said, _ = await crew.ask("Take a photo and describe what you see.")
        assert said == "I took a photo. I see a duck."
        assert crew.calls == [("take_photo", {}), ("analyze_scene", {}), ("speak", {"text": "I see a duck."})]
        crew.calls.clear()
        said, _ = await crew.ask("Find the duck and take a photo")
        assert said == "The camera is off." and crew.calls == [("look_at_object", {})]  # the rest made no sense then
        said, _ = await crew.ask("What do you see?", crew.head)
        assert said == "I see a duck."
        said, _ = await crew.ask("Who won the cup?")
        assert said == "Peru won it."
    asked = [row["asked"] for row in log(tmp_path)]
    assert len(asked) == len(answers)  # never between the steps of a plan
    assert "Peru won" in asked[-1]["messages"][-1]["content"]
    assert asked[0]["messages"][:-1] == asked[1]["messages"][:-1]  # so it is read once


async def test_nonsense_ends_in_a_sentence_and_a_cancelled_turn_in_silence(scripted, tmp_path, until):
    answers = ('{"say": " "}', '{"do": [{"take_', {"refuse": [500, "boom"]}, {"text": '{"say": "Well', "hang": True})
    async with scripted(*answers, do({"take_photo": {}})) as llama:
        crew = Crew(llama)
        for _ in range(3):
            with pytest.raises(NoThought) as lost:
                await crew.ask("Say something")
            assert lost.value.message.endswith(".") and lost.value.hint
        turn = asyncio.create_task(crew.ask("Tell me a story"))
        await until(lambda: len(log(tmp_path)) == 4)
        turn.cancel()
        await asyncio.wait([turn])
        await until(lambda: {"hung_up": True} in log(tmp_path))
        assert (await crew.ask("Photo, please"))[0] == "I took a photo."


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ('{"say": "Hello"}', Intent(say="Hello")),
        ('{"hand_to": "VisionAgent"}', Intent(hand_to="VisionAgent")),
        (do({"nod": {}}, {"nod": {}}, {"wave": {}}), Intent(steps=(Step("nod", {}), Step("wave", {})))),
        ('{"do": [{"nod": {"times": 2}}, {"rotate": {"deg', Intent(steps=(Step("nod", {"times": 2}),))),
        *((bad, Intent()) for bad in ("", "null", "[]", "{}", '{"do": 3}', '{"do": [7]}', '{"say": 4}', "hello")),
    ],
)  # fmt: skip
def test_an_answer_means_words_steps_or_somebody_else_as_far_as_it_was_written(written, meant):
    assert intent(written) == meant


def test_words_of_a_half_written_answer():
    assert [saying(text) for text in ("", '{"sa', '{"say": "Go', '{"say": "Good \\', '{"do": [{"say')][2] == "Go"
    assert saying('{"do": [{"speak": {"text": "x') == ""


def test_a_tool_is_offered_every_day_or_when_there_is_a_word_for_it():
    of = {name: Ability(name, f"{name}.", {"type": "object"}) for name in ("nod", "check_mail", "check_oven")}
    brief = Brief(tuple(of.values()))
    names = json.dumps(brief.schema("is there any mail?"))
    assert "nod" in names and "check_mail" in names and "check_oven" not in names
    assert "check" not in json.dumps(brief.messages()) and "check" not in json.dumps(brief.schema("check this"))


def test_arguments_that_say_nothing_are_left_out():
    about = {"minutes": {"type": "number"}, "times": {"default": 2}, "save": {"default": True}, "on": {}}
    brief = Brief((Ability("nod", "", {"properties": about, "required": ["on"]}),))
    made = {"minutes": 0, "times": 2, "save": False, "on": 0}
    assert brief.trimmed(Step("nod", made)).args == {"save": False, "on": 0}


def test_a_schema_is_put_in_words_that_grammars_have():
    mode = {"$ref": "#/$defs/Mode"}
    odd = {
        "type": "object",
        "properties": {
            "mode": mode,
            "text": {"type": "string", "maxLength": 9, "pattern": "^a"},
            "self": {"$ref": "#"},
        },
        "$defs": {"Mode": {"enum": ["on", "off"]}},
        "required": ["mode"],
        "if": {},
    }
    assert grammatical(odd) == {
        "type": "object",
        "properties": {"mode": {"enum": ["on", "off"]}, "text": {"type": "string"}, "self": {}},
        "required": ["mode"],
        "additionalProperties": False,
    }
