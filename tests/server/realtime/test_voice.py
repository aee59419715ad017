"""Spoken turns of `/v1/realtime`: what is said is understood and answered aloud, and can be interrupted."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from types import SimpleNamespace
from typing import Any

import pytest
import websockets

from reachy_mind.mind import Mind
from tests.fakes.people import said
from tests.server.realtime.client import RealtimeClient, connected
from tests.server.realtime.test_text import LOOK, result
from tests.waiting import until

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.process]


async def heard_as(client: RealtimeClient, shared: Mind) -> str:
    """The words of the sound that the client got."""
    import numpy as np
    import soxr

    samples = soxr.resample(np.frombuffer(bytes(client.sound), "<i2"), client.rate_hz, 16000).astype("<i2")
    return (await shared.speech.ears().transcribe(samples.tobytes(), language="en")).text.lower()


@pytest.mark.parametrize("rate_hz", [24000, 16000])
async def test_what_is_said_is_answered_aloud(place: str, shared: Mind, rate_hz: int) -> None:
    form = {"type": "audio/pcm", "rate": None if rate_hz == 16000 else rate_hz}
    audio = {"input": {"format": form, "transcription": {"model": "whisper-1"}}, "output": {"format": form}}
    async with connected(place, rate_hz, audio=audio) as client:
        await client.speak("What is seven times eight?")
        done = await client.until("response.done")
        assert done.response.status == "completed"
        heard = (await client.until("conversation.item.input_audio_transcription.completed")).transcript
        assert "seven" in heard.lower() or "7" in heard
        transcript = done.response.output[0].content[0].transcript
        assert "56" in transcript or "fifty" in transcript.lower()
        order = [
            "input_audio_buffer.speech_started",
            "input_audio_buffer.speech_stopped",
            "input_audio_buffer.committed",
            "conversation.item.added",
            "conversation.item.input_audio_transcription.completed",
            "response.created",
            "response.output_audio.delta",
            "response.output_audio.done",
            "response.done",
        ]
        assert [client.kinds.index(kind) for kind in order] == sorted(client.kinds.index(kind) for kind in order)
        assert "fifty" in await heard_as(client, shared) or "56" in await heard_as(client, shared)


async def test_a_tool_of_the_client_is_called_by_voice(place: str) -> None:
    async with connected(place, tools=[LOOK]) as client:
        await client.speak("Look to the left.")
        call = await client.until("response.function_call_arguments.done")
        assert (call.name, json.loads(call.arguments)) == ("move_head", {"direction": "left"})
        await client.until("response.done")
        await result(client, call, {"status": "looking at the window"})
        await client.connection.response.create(response={"instructions": "Answer concisely in speech."})
        done = await client.until("response.done", 2)
        assert "window" in done.response.output[0].content[0].transcript and client.sound_s() > 0.3


async def test_a_voice_interrupts_the_answer(place: str) -> None:
    async with connected(place) as client:
        await client.write("Tell me a story")
        await client.until("response.output_audio.delta", 20)
        talking = asyncio.create_task(client.speak("Excuse me, what time is it?"))
        await client.until("input_audio_buffer.speech_started")
        done = await client.until("response.done")
        assert done.response.status == "cancelled" and done.response.status_details.reason == "turn_detected"
        await talking
        number = 2
        while (await client.until("response.done", number)).response.status != "completed":
            number += 1


async def test_the_client_cancels_and_tells_what_was_heard(place: str) -> None:
    async with connected(place, audio={"input": {"turn_detection": None}}) as client:
        await client.write("Tell me a story")
        first = await client.until("response.output_audio.delta")
        await client.connection.response.cancel()
        done = await client.until("response.done")
        assert done.response.status == "cancelled" and done.response.status_details.reason == "client_cancelled"
        await client.connection.conversation.item.truncate(item_id=first.item_id, content_index=0, audio_end_ms=10)
        await client.until("conversation.item.truncated")
        await client.connection.conversation.item.retrieve(item_id=first.item_id)
        kept = (await client.until("conversation.item.retrieved")).item.content[0].transcript
        assert len(kept) < len(done.response.output[0].content[0].transcript)


async def test_without_turn_detection_the_client_commits(place: str) -> None:
    async with connected(place, audio={"input": {"turn_detection": None}}) as client:
        await client.send(await said("What is seven times eight?"))
        await client.connection.input_audio_buffer.commit()
        heard = await client.until("conversation.item.input_audio_transcription.completed")
        assert "seven" in heard.transcript.lower() or "7" in heard.transcript
        assert "response.created" not in client.kinds and "input_audio_buffer.speech_started" not in client.kinds
        await client.connection.response.create()
        assert "56" in (await client.until("response.done")).response.output[0].content[0].transcript
        await client.send(await said("Hello."))
        await client.connection.input_audio_buffer.clear()
        await client.until("input_audio_buffer.cleared")
        await client.connection.input_audio_buffer.commit()
        assert (await client.until("error")).error.code == "input_audio_buffer_commit_empty"


async def test_what_is_heard_waits_where_the_client_asks_for_responses(place: str) -> None:
    detection = {"type": "server_vad", "create_response": False}
    async with connected(place, audio={"input": {"turn_detection": detection}}) as client:
        await client.speak("What is seven times eight?")
        await client.until("conversation.item.input_audio_transcription.completed")
        assert "response.created" not in client.kinds
        await client.connection.response.create()
        assert "56" in (await client.until("response.done")).response.output[0].content[0].transcript


async def test_the_older_form_of_the_protocol(place: str) -> None:
    headers = {"OpenAI-Beta": "realtime=v1", "Authorization": "Bearer x"}
    async with websockets.connect(f"ws://{place}/v1/realtime?model=x", additional_headers=headers, proxy=None) as raw:
        client = Plain(raw)
        session = (await client.until("session.created")).session
        assert session["input_audio_format"] == "pcm16" and session["modalities"] == ["audio", "text"]
        flat = {"instructions": "Be kind.", "modalities": ["text", "audio"], "turn_detection": None}
        await client.send(type="session.update", session=flat | {"output_audio_format": "g711_ulaw"})
        assert (await client.until("session.updated")).session["output_audio_format"] == "g711_ulaw"
        content = [{"type": "input_text", "text": "What is seven times eight?"}]
        await client.send(type="conversation.item.create", item={"type": "message", "role": "user", "content": content})
        await client.until("conversation.item.created")
        await client.send(type="response.create")
        part = (await client.until("response.done")).response["output"][0]["content"][0]
        assert "56" in part["transcript"] and part["type"] == "audio"
        assert {"response.audio.delta", "response.audio_transcript.delta"} <= set(client.kinds)
        assert not [kind for kind in client.kinds if "output_audio" in kind or kind == "conversation.item.added"]


def left() -> list[str]:
    """Tasks of Realtime clients that are still there."""
    names = [task.get_name() for task in asyncio.all_tasks()]
    kinds = ("realtime", "client turn", "speech pipeline")
    return [name for name in names if name == "turn" or name.startswith(kinds)]


async def test_clients_that_leave_in_mid_answer_leave_nothing_behind(place: str) -> None:
    for aloud in (True, False, True):
        async with plain(place) as client:
            session = {"type": "realtime", "output_modalities": ["audio" if aloud else "text"], "tools": [LOOK]}
            await client.send(type="session.update", session=session)
            content = [{"type": "input_text", "text": "Tell me a story" if aloud else "Look left"}]
            item = {"type": "message", "role": "user", "content": content}
            await client.send(type="conversation.item.create", item=item)
            await client.send(type="response.create")
            await client.until("response.output_audio.delta" if aloud else "response.function_call_arguments.done")
            client.raw.transport.abort()
    await until(lambda: not left())


async def test_clients_that_leave_while_it_opens_leave_nothing_behind(place: str) -> None:
    for _ in range(3):
        async with plain(place) as client:
            await client.send(type="session.update", session={"type": "realtime"})
            await client.until("session.updated")
    await until(lambda: not left())


async def test_nonsense_of_all_kinds_does_not_end_a_session(place: str) -> None:
    async with plain(place) as client:
        wrong: list[Any] = [None, 5, "x", [], {}, [None], {"type": None}, {"content": [None]}, {"audio": {"input": 5}}]
        for kind, field in (
            *(("session.update", "session"), ("conversation.item.create", "item"), ("response.create", "response")),
            *(("input_audio_buffer.append", "audio"), ("conversation.item.truncate", "item_id")),
            *(("conversation.item.delete", "item_id"), ("response.cancel", "response_id")),
        ):
            for value in wrong:
                await client.send(type=kind, **{field: value})
        await client.send(type="session.update", session={"type": "realtime", "output_modalities": ["text"]})
        await client.until("session.updated")
        await client.send(type="response.create", response={"instructions": "What is one plus one?"})
        while "2" not in str((await client.until("response.done")).response["output"]):
            await client.send(type="response.create", response={"instructions": "What is one plus one?"})


async def test_too_many_clients_are_refused_and_a_place_becomes_free(place: str) -> None:
    async def accepted() -> bool:
        client = await stack.enter_async_context(plain(place))
        return (await client.until("session.created", "error")).type == "session.created"

    async with AsyncExitStack() as stack:
        async with asyncio.timeout(30):
            while await accepted():
                pass
    async with asyncio.timeout(30), AsyncExitStack() as stack:
        while not await accepted():
            await asyncio.sleep(0.1)


@asynccontextmanager
async def plain(place: str) -> AsyncIterator[Plain]:
    async with websockets.connect(f"ws://{place}/v1/realtime", proxy=None) as raw:
        yield Plain(raw)


class Plain:
    """A connection without OpenAI's package."""

    def __init__(self, raw: Any) -> None:
        self.raw, self.kinds = raw, list[str]()

    async def send(self, **event: Any) -> None:
        await self.raw.send(json.dumps(event))

    async def until(self, *kinds: str) -> Any:
        async with asyncio.timeout(30):
            while (event := json.loads(await self.raw.recv()))["type"] not in kinds:
                self.kinds.append(event["type"])
        self.kinds.append(event["type"])
        return SimpleNamespace(**event)
