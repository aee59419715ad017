"""What the vendor's conversation app does with `/v1/realtime`, in its order.

script/test-conversation-app runs the app itself.
"""

from __future__ import annotations

import base64
import io
import json
from typing import Any

import pytest
from openai import AsyncOpenAI
from PIL import Image

from tests.server.realtime.client import RealtimeClient, connected
from tests.server.realtime.test_text import DANCE, LOOK, TEXT, result

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.process]

NATIVE: dict[str, Any] = {"type": "audio/pcm", "rate": None}
CAMERA = {
    "type": "function",
    "name": "camera",
    "description": "Take a picture with the camera and ask a question about it.",
    "parameters": {"type": "object", "properties": {"question": {"type": "string"}}, "required": ["question"]},
}


async def test_a_session_without_a_model_that_greets_and_moves(place: str) -> None:
    async with (
        AsyncOpenAI(base_url=f"http://{place}/v1", websocket_base_url=f"ws://{place}/v1", api_key="DUMMY") as openai,
        openai.realtime.connect() as connection,
    ):
        client = RealtimeClient(connection, 16000)
        session: Any = {
            "type": "realtime",
            "instructions": "You are a lighthouse keeper.",
            "audio": {
                "input": {
                    "format": NATIVE,
                    "transcription": {"model": "gpt-4o-transcribe", "language": "en"},
                    "turn_detection": {"type": "server_vad", "interrupt_response": True},
                },
                "output": {"format": NATIVE, "voice": "Aiden"},
            },
            "tools": [LOOK, DANCE, CAMERA],
            "tool_choice": "auto",
        }
        await connection.session.update(session=session)
        await client.write("Greet the user warmly, in one short sentence.")
        greeted = await client.until("response.done")
        assert greeted.response.status == "completed" and client.sound_s() > 0.3
        await client.speak("Look to the right.")
        call = await client.until("response.function_call_arguments.done")
        assert (call.name, json.loads(call.arguments)) == ("move_head", {"direction": "right"})
        await client.until("response.done", 2)
        await result(client, call, {"status": "looking right"})
        await connection.response.create()
        told = await client.until("response.done", 3)
        assert "right" in told.response.output[0].content[0].transcript.lower()
        await client.close()


async def test_a_line_is_said_word_for_word(place: str) -> None:
    line = "Ahoy there, sailor!"
    async with connected(place, **TEXT) as client:
        await client.write(f'Start the conversation by saying exactly this, and nothing else: "{line}"')
        assert (await client.until("response.done")).response.output[0].content[0].text == line


@pytest.mark.parametrize("apart", [False, True])
async def test_a_question_about_what_its_camera_sees_is_answered_by_our_eyes(place: str, apart: bool) -> None:
    file = io.BytesIO()
    Image.new("RGB", (64, 64)).save(file, "JPEG")
    picture = base64.b64encode(file.getvalue()).decode()
    async with connected(place, **TEXT, tools=[CAMERA]) as client:
        await client.write("What do you see?")
        call = await client.until("response.function_call_arguments.done")
        assert call.name == "camera" and "see" in json.loads(call.arguments)["question"].lower()
        await result(client, call, {"image_attached": True} if apart else {"b64_im": picture})
        if apart:
            content = [{"type": "input_image", "image_url": f"data:image/jpeg;base64,{picture}"}]
            await client.connection.conversation.item.create(
                item={"type": "message", "role": "user", "content": content}  # type: ignore[typeddict-item, list-item]
            )
        await client.connection.response.create()
        told = await client.until("response.done", 2)
        text = told.response.output[0].content[0].text
        assert "see" in text or "dark" in text  # with a detector it is too dark
