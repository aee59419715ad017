"""Tools and calls as text: what goes in comes out, whatever a model writes around it."""

from __future__ import annotations

import json

import pytest

from reachy_mind.learning.tool_text import call_text, plain_messages, read_calls, tool_list
from reachy_mind.tools import schemas
from reachy_mind.tools.builtin import TOOLS

CALL = {"id": "1", "type": "function", "function": {"name": "nod", "arguments": '{"times": 2}'}}
NOD = [tool for tool in schemas.export(TOOLS, "chat") if tool["function"]["name"] == "nod"]


def test_calls_and_results_are_text_and_tools_stand_in_the_system_message() -> None:
    messages = [
        {"role": "system", "content": "You are a robot."},
        {"role": "user", "content": "nod twice"},
        {"role": "assistant", "content": "", "tool_calls": [CALL, CALL], "weight": 0},
        {"role": "tool", "tool_call_id": "1", "content": "ok"},
        {"role": "tool", "tool_call_id": "1", "content": "ok again"},
        {"role": "assistant", "content": "There."},
    ]
    system, *rest = plain_messages(messages, NOD)
    assert system["content"].startswith("You are a robot.") and "nod(times: integer 1 to 5" in system["content"]
    called = call_text("nod", {"times": 2})
    assert rest == [
        {"role": "user", "content": "nod twice"},
        {"role": "assistant", "content": f"{called}\n{called}"},
        {"role": "user", "content": "Result: ok\nResult: ok again"},
        {"role": "assistant", "content": "There."},
    ]
    assert plain_messages(messages[1:2], NOD)[0]["role"] == "system" and len(plain_messages(messages[1:2])) == 1


def test_arguments_may_be_text_or_an_object() -> None:
    as_object = {"function": {"name": "nod", "arguments": {"times": 2}}}
    one, other = (plain_messages([{"role": "assistant", "tool_calls": [call]}]) for call in (CALL, as_object))
    assert one == other


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "nod", "arguments": {"times": 2}}',
        'Sure!\n```json\n{"name": "nod", "arguments": {"times": 2}}\n```',
        '<tool_call>{"name": "nod", "arguments": {"times": 2}}</tool_call> {broken',
    ],
)
def test_calls_are_found_in_what_a_model_writes(text: str) -> None:
    assert read_calls(text) == [("nod", {"times": 2})]


def test_words_are_no_calls() -> None:
    for text in ("I nod.", "{}", '{"names": "nod"}', '{"name": 3}', "[1, 2", '{"name": '):
        assert read_calls(text) == []
    assert read_calls('{"name": "nod", "arguments": "twice"}') == [("nod", {})]


def test_every_built_in_tool_has_a_short_line() -> None:
    lines = tool_list(schemas.export(TOOLS, "chat")).splitlines()[1:]
    assert len(lines) == len(TOOLS) and not json.dumps(lines).count("null")
    assert sum(map(len, lines)) / len(lines) < 200
