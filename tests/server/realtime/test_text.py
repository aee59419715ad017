"""Written turns of `/v1/realtime`, with OpenAI's own client."""

from __future__ import annotations

import json
from typing import Any

import pytest
from websockets.exceptions import InvalidStatus

from reachy_mind.access.tokens import Tokens
from reachy_mind.mind import Mind
from tests.server.realtime.client import RealtimeClient, connected

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.process]

TEXT: dict[str, Any] = {"output_modalities": ["text"]}
LOOK = {
    "type": "function",
    "name": "move_head",
    "description": "Move your head in a given direction: left, right, up, down or front.",
    "parameters": {
        "type": "object",
        "properties": {"direction": {"type": "string", "enum": ["left", "right", "up", "down", "front"]}},
        "required": ["direction"],
    },
}
DANCE = {
    "type": "function",
    "name": "dance",
    "description": "Play a dance",
    "parameters": {
        "type": "object",
        "properties": {"move": {"type": "string"}, "repeat": {"type": "integer"}},
        "required": [],
    },
}


async def result(client: RealtimeClient, call: Any, output: Any) -> None:
    item = {"type": "function_call_output", "call_id": call.call_id, "output": json.dumps(output)}
    await client.connection.conversation.item.create(item=item)


async def test_a_written_question_is_answered_in_words(place: str) -> None:
    async with connected(place, **TEXT) as client:
        await client.write("What is seven times eight?")
        done = await client.until("response.done")
        assert done.response.status == "completed"
        assert "56" in done.response.output[0].content[0].text
        order = [kind for kind in client.kinds if kind.startswith("response.")]
        assert order == [
            "response.created",
            "response.output_item.added",
            "response.content_part.added",
            *["response.output_text.delta"] * order.count("response.output_text.delta"),
            "response.output_text.done",
            "response.content_part.done",
            "response.output_item.done",
            "response.done",
        ]


async def test_a_written_question_is_answered_aloud(place: str) -> None:
    async with connected(place, audio={"input": {"turn_detection": None}}) as client:
        await client.write("What is seven times eight?")
        done = await client.until("response.done")
        assert done.response.status == "completed" and "56" in done.response.output[0].content[0].transcript
        assert 0.5 < client.sound_s() < 8
        assert client.kinds.index("response.output_audio.done") > max(
            number for number, kind in enumerate(client.kinds) if kind == "response.output_audio.delta"
        )


async def test_a_tool_of_the_client_is_called_and_its_result_told(place: str) -> None:
    async with connected(place, **TEXT, tools=[LOOK, DANCE]) as client:
        await client.write("Look left please")
        call = await client.until("response.function_call_arguments.done")
        assert (call.name, json.loads(call.arguments)) == ("move_head", {"direction": "left"})
        assert (await client.until("response.done")).response.output[0].type == "function_call"
        await result(client, call, {"status": "looking at the window"})
        await client.connection.response.create()
        told = await client.until("response.done", 2)
        assert "window" in told.response.output[0].content[0].text


async def test_two_calls_follow_one_another_also_for_a_client_that_asks_for_no_words(place: str) -> None:
    async with connected(place, **TEXT, tools=[LOOK, DANCE]) as client:
        await client.write("Look up and then dance the waltz")
        made = []
        for number in (1, 2):
            call = await client.until("response.function_call_arguments.done", number)
            made.append((call.name, json.loads(call.arguments)))
            await client.until("response.done", number)
            await result(client, call, {"status": "started"})
        assert made == [("move_head", {"direction": "up"}), ("dance", {"move": "waltz"})]
        await client.write("What is two plus two?")
        told = await client.until("response.done", 3)
        assert "4" in told.response.output[0].content[0].text


async def test_what_the_client_has_no_tool_for_is_done_by_the_mind(place: str, shared: Mind) -> None:
    async with connected(place, **TEXT, tools=[LOOK]) as client:
        await client.write("Set a timer for nine minutes")
        done = await client.until("response.done")
        assert (
            "9 minutes" in done.response.output[0].content[0].text or "nine" in done.response.output[0].content[0].text
        )
        assert (await shared.act("time.list_timers"))["timers"]


async def test_calls_alone_are_made_without_words(place: str) -> None:
    async with connected(place, **TEXT, tools=[LOOK, DANCE]) as client:
        text = "You have been idle for a while. Dance!"
        item = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}
        await client.connection.conversation.item.create(item=item)
        await client.connection.response.create(response={"tool_choice": "required", "instructions": "Calls only."})
        call = await client.until("response.function_call_arguments.done")
        assert call.name == "dance"
        done = await client.until("response.done")
        assert [item.type for item in done.response.output] == ["function_call"]


async def test_a_rule_of_the_owner_holds_for_the_tools_of_a_client(place: str, shared: Mind) -> None:
    rules = "rules:\n- pattern: robot.dance\n  tier: forbidden\n  reason: the neighbours\n"
    shared.configuration.home.permissions_file.write_text(rules)
    shared.toolbox.permissions.reload()
    try:
        async with connected(place, **TEXT, tools=[DANCE]) as client:
            await client.write("Dance!")
            done = await client.until("response.done")
            assert "not allowed" in done.response.output[0].content[0].text
            assert "response.function_call_arguments.done" not in client.kinds
    finally:
        shared.configuration.home.permissions_file.write_text("rules: []\n")
        shared.toolbox.permissions.reload()


async def test_items_are_kept_read_and_removed(place: str) -> None:
    async with connected(place, **TEXT) as client:
        item = {"id": "mine", "type": "message", "role": "user", "content": [{"type": "input_text", "text": "hello"}]}
        await client.connection.conversation.item.create(item=item)
        await client.until("conversation.item.done")
        await client.connection.conversation.item.retrieve(item_id="mine")
        assert (await client.until("conversation.item.retrieved")).item.content[0].text == "hello"
        await client.connection.conversation.item.delete(item_id="mine")
        await client.until("conversation.item.deleted")
        await client.connection.conversation.item.delete(item_id="mine")
        assert (await client.until("error")).error.code == "item_not_found"


@pytest.mark.parametrize(
    ("event", "code"),
    [
        ("{not json", "invalid_json"),
        ("[]", "invalid_json"),
        ('{"type": "response.dance"}', "unknown_event"),
        ('{"type": "session.update", "session": {"type": "transcription"}}', "invalid_value"),
        ('{"type": "session.update", "session": {"tools": [{"type": "mcp"}]}}', "invalid_value"),
        ('{"type": "session.update", "session": {"audio": {"input": {"format": {"type": "ogg"}}}}}', "invalid_value"),
        ('{"type": "input_audio_buffer.append", "audio": "*"}', "invalid_value"),
        ('{"type": "input_audio_buffer.append"}', "invalid_value"),
        ('{"type": "input_audio_buffer.commit"}', "input_audio_buffer_commit_empty"),
        ('{"type": "response.cancel"}', "response_cancel_not_active"),
        ('{"type": "conversation.item.create", "item": {"type": "song"}}', "invalid_value"),
        (
            '{"type": "conversation.item.create", "item": {"type":"function_call_output","call_id":"x","output":"y"}}',
            "invalid_tool_call_output",
        ),
        ('{"type": "conversation.item.truncate", "item_id": "x", "audio_end_ms": 1}', "item_not_found"),
        ('{"type": "response.create", "response": {"output_modalities": ["smell"]}}', "invalid_value"),
    ],
)
async def test_what_is_wrong_is_told_and_the_session_goes_on(place: str, event: str, code: str) -> None:
    async with connected(place, **TEXT) as client:
        await client.connection.send_raw(event.encode() if event.startswith("{not") else event)
        error = (await client.until("error")).error
        assert error.code == code and error.type == "invalid_request_error", error
        await client.write("What is one plus one?")
        assert "2" in (await client.until("response.done")).response.output[0].content[0].text


async def test_a_client_that_may_only_talk_uses_its_own_tools_and_none_of_the_robot(place: str, shared: Mind) -> None:
    _, key = Tokens(shared.configuration.home).new("talker {id}", ("talk",))
    async with connected(place, key=key, **TEXT, tools=[LOOK]) as client:
        await client.write("Look left please")
        call = await client.until("response.function_call_arguments.done")
        assert call.name == "move_head"
        await result(client, call, {"status": "ok"})
        await client.write("Set a timer for ten minutes")
        told = await client.until("response.done", 2)
        assert "can't set a timer" in told.response.output[0].content[0].text


async def test_a_client_without_the_scope_and_with_an_unknown_token_is_not_let_in(place: str, shared: Mind) -> None:
    _, reader = Tokens(shared.configuration.home).new("reader {id}", ("read",))
    for key in (reader, "rm_unknown"):
        with pytest.raises(InvalidStatus, match="403"):
            async with connected(place, key=key):
                pass
