"""Chat for programs of the OpenAI API, with OpenAI's own client."""

from __future__ import annotations

import json
from typing import Any

import pytest
from openai import APIStatusError, AsyncOpenAI, BadRequestError, NotFoundError

from reachy_mind.mind import Mind

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.process]

MODEL = "gpt-4o-mini"
"""Programs have a model of OpenAI's in their settings: it is answered by the mind."""


def function(name: str, about: str = "", **properties: Any) -> dict[str, Any]:
    parameters = {"type": "object", "properties": properties, "required": list(properties)}
    return {"type": "function", "function": {"name": name, "description": about, "parameters": parameters}}


async def ask(client: AsyncOpenAI, *said: str, **more: Any) -> Any:
    roles = ("user", "assistant")
    messages = [{"role": roles[number % 2], "content": text} for number, text in enumerate(said)]
    return await client.chat.completions.create(model=MODEL, messages=messages, **more)  # type: ignore[arg-type]


async def test_a_question_gets_the_answer_of_the_mind(client: AsyncOpenAI) -> None:
    answer = await ask(client, "What is seven times eight?")
    assert "56" in answer.choices[0].message.content and answer.choices[0].finish_reason == "stop"
    assert answer.model == "reachy-mind" and answer.model_extra["reachy_mind"]["brain"] == "reflex"


async def test_it_streams(client: AsyncOpenAI) -> None:
    pieces = []
    async for chunk in await ask(client, "Tell me a joke", stream=True, stream_options={"include_usage": True}):
        pieces.append(chunk)
    words = "".join(piece.choices[0].delta.content or "" for piece in pieces if piece.choices)
    assert len(words) > 20 and pieces[-2].choices[0].finish_reason == "stop" and pieces[-1].usage is not None


async def test_what_was_said_before_is_told_by_the_client(client: AsyncOpenAI) -> None:
    answer = await ask(client, "My name is Ada.", "Hello Ada!", "What did I just say?")
    assert "Ada" in answer.choices[0].message.content


async def test_robot_tools_are_run_by_the_mind(client: AsyncOpenAI, shared: Mind) -> None:
    answer = await ask(client, "Set a timer for ten minutes")
    assert answer.choices[0].message.tool_calls is None
    tool = answer.model_extra["reachy_mind"]["tools"][0]
    assert (tool["name"], tool["status"]) == ("set_timer", "ok")
    assert len((await shared.act("time.list_timers"))["timers"]) == 1


async def test_a_function_of_the_client_is_returned_as_a_call_and_its_result_is_told(client: AsyncOpenAI) -> None:
    directions = {"type": "string", "enum": ["LEFT", "RIGHT"]}
    tools = [function("move_head", "Turns the head", direction=directions)]
    asked: list[Any] = [{"role": "user", "content": "Please look to the left"}]
    answer = await client.chat.completions.create(model=MODEL, messages=asked, tools=tools)  # type: ignore[arg-type]
    choice = answer.choices[0]
    assert choice.finish_reason == "tool_calls" and choice.message.tool_calls is not None
    call = choice.message.tool_calls[0]
    assert call.type == "function" and call.function.name == "move_head"
    assert json.loads(call.function.arguments) == {"direction": "LEFT"}
    asked += [choice.message.model_dump(exclude_none=True)]
    asked += [{"role": "tool", "tool_call_id": call.id, "content": '{"status": "looking at the window"}'}]
    answer = await client.chat.completions.create(model=MODEL, messages=asked, tools=tools)  # type: ignore[arg-type]
    assert answer.choices[0].finish_reason == "stop"
    assert "window" in answer.choices[0].message.content


async def test_two_calls_come_one_after_the_other_and_none_twice(client: AsyncOpenAI) -> None:
    tools = [function("nod"), function("dance", move={"type": "string"})]
    asked: list[Any] = [{"role": "user", "content": "Nod and then dance the waltz"}]
    made = []
    while True:
        stream = await client.chat.completions.create(model=MODEL, messages=asked, tools=tools, stream=True)  # type: ignore[call-overload]
        chunks = [chunk async for chunk in stream if chunk.choices]
        calls = [call for chunk in chunks for call in chunk.choices[0].delta.tool_calls or ()]
        if not calls:
            break
        made.append((calls[0].function.name, json.loads(calls[0].function.arguments)))
        asked.append({"role": "assistant", "tool_calls": [calls[0].model_dump(exclude={"index"})]})
        asked.append({"role": "tool", "tool_call_id": calls[0].id, "content": "done"})
    assert made == [("nod", {}), ("dance", {"move": "waltz"})]


async def test_a_function_that_is_not_ours_is_called_by_its_name(client: AsyncOpenAI) -> None:
    tools = [function("openGarage", "Open the garage door")]
    for said in ("open garage", "Please open the garage door"):
        answer = await ask(client, said, tools=tools)
        calls = answer.choices[0].message.tool_calls
        assert calls and calls[0].function.name == "openGarage", said


async def test_without_tools_nothing_is_done(client: AsyncOpenAI) -> None:
    answer = await ask(client, "Set a timer for ten minutes", tool_choice="none")
    assert answer.model_extra["reachy_mind"]["tools"][0]["status"] == "denied"


@pytest.mark.parametrize(
    ("more", "about"),
    [
        ({"messages": []}, "messages"),
        ({"messages": [{"role": "assistant", "content": "hello"}]}, "nothing to answer"),
        ({"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}]}]}, "image_url"),
        ({"messages": [{"role": "robot", "content": "hello"}]}, "robot"),
        ({"n": 2}, "n:"),
        ({"response_format": {"type": "json_object"}}, "response_format"),
        ({"tools": [{"type": "web_search"}]}, "web_search"),
        ({"tools": [function("no such name")]}, "no such name"),
        ({"tool_choice": {"type": "function", "function": {"name": "nod"}}}, "not declared"),
        ({"messages": [{"role": "user", "content": "nod"}, {"role": "tool", "tool_call_id": "x"}]}, "'x'"),
    ],
)
async def test_what_is_wrong_is_told_as_clients_expect(client: AsyncOpenAI, more: dict[str, Any], about: str) -> None:
    for stream in (False, True):
        body = {"model": MODEL, "messages": [{"role": "user", "content": "hello"}], "stream": stream} | more
        with pytest.raises(BadRequestError) as raised:
            await client.post("/chat/completions", body=body, cast_to=object)
        error = raised.value
        assert about in error.message and error.type == "invalid_request_error" and error.code == "INVALID_PARAMETER"


async def test_models(client: AsyncOpenAI) -> None:
    listed = [model.id async for model in client.models.list()]
    assert listed[0] == "reachy-mind" and any("moonshine" in name for name in listed)
    model = await client.models.retrieve("reachy-mind")
    assert "cedar" in (model.model_extra or {})["voices"]
    with pytest.raises(NotFoundError, match="GET /v1/models"):
        await client.models.retrieve("gpt-9")


async def test_a_token_needs_the_scope(client: AsyncOpenAI, shared: Mind) -> None:
    from reachy_mind.access.tokens import Tokens

    tokens = Tokens(shared.configuration.home)
    _, reader = tokens.new("reader", ("read",))
    _, talker = tokens.new("talker", ("talk",))
    assert (await ask(client.with_options(api_key=talker), "hello")).choices
    for key, status, kind in ((reader, 403, "permission_error"), ("rm_unknown", 401, "authentication_error")):
        with pytest.raises(APIStatusError) as raised:
            await ask(client.with_options(api_key=key), "hello")
        assert raised.value.status_code == status and raised.value.type == kind
