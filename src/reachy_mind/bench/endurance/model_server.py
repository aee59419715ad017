"""`FaultyModelServer`: a language model behind OpenAI's chat completions, on loopback, that fails as servers do.

It answers from the last words of the person, so that a right answer can be told from a wrong one.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
from collections.abc import AsyncIterator
from typing import Any, Final, Literal, Self

import uvicorn
from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse, StreamingResponse

from reachy_mind.access.loopback import listen
from reachy_mind.cancellation import cancel_and_wait

MODEL: Final = "endurance"
USUAL_S: Final = 0.05
SLOW_S: Final = 4.0
Mode = Literal["well", "slow", "hung", "errors", "garbage"]


def answer_to(question: str) -> str:
    """What the model says: it repeats the number that was asked about."""
    asked = re.search(r"number (\d+)", question)
    return f"I have thought about number {asked[1]}." if asked else "I have thought about it."


class FaultyModelServer:
    """Use as an async context manager; `become` changes how it answers. Hung requests stay so until then."""

    def __init__(self) -> None:
        self._mode: Mode = "well"
        self._changed = asyncio.Event()
        self.port = 0
        self.asked = 0
        app = FastAPI()
        app.add_api_route("/v1/models", self._models, methods=["GET"])
        app.add_api_route("/v1/chat/completions", self._complete, methods=["POST"], response_model=None)
        self._server = _ModelHttpServer(uvicorn.Config(app, log_config=None, timeout_graceful_shutdown=1))
        self._serving: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        listener = listen(0)
        self.port = listener.getsockname()[1]
        self._serving = asyncio.create_task(self._server.serve(sockets=[listener]), name="model server")
        return self

    async def __aexit__(self, *_: object) -> None:
        self.become("well")
        self._server.should_exit = True
        if self._serving is not None:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(5):
                    await asyncio.shield(self._serving)
            await cancel_and_wait(self._serving)

    def become(self, mode: Mode) -> None:
        self._mode = mode
        self._changed.set()
        self._changed = asyncio.Event()

    async def _models(self) -> dict[str, Any]:
        return {"object": "list", "data": [{"id": MODEL, "object": "model", "created": 1, "owned_by": "bench"}]}

    async def _complete(self, request: Request) -> Response:
        self.asked += 1
        asked = await request.json()
        match self._mode:
            case "errors":
                error = {"message": "model runner has unexpectedly stopped", "type": "server_error"}
                return JSONResponse({"error": error}, status_code=500)
            case "garbage":
                return Response("<html>It works!</html>", media_type="text/html")
            case "hung":
                await self._changed.wait()
        await asyncio.sleep(SLOW_S if self._mode == "slow" else USUAL_S)
        text = answer_to(_question(asked["messages"]))
        if asked.get("stream"):
            return StreamingResponse(_streamed(text), media_type="text/event-stream")
        return JSONResponse(_whole(text, asked.get("tools") or ()))


class _ModelHttpServer(uvicorn.Server):
    """Leaves signals to the benchmark."""

    @contextlib.contextmanager
    def capture_signals(self) -> Any:
        yield


def _question(messages: list[dict[str, Any]]) -> str:
    said = next((message["content"] for message in reversed(messages) if message["role"] == "user"), "")
    return said if isinstance(said, str) else " ".join(part.get("text", "") for part in said)


def _whole(text: str, tools: Any) -> dict[str, Any]:
    """With a call of the only tool that is offered to find out whether it can call tools."""
    message: dict[str, Any] = {"role": "assistant", "content": text}
    names = [tool["function"]["name"] for tool in tools]
    if len(names) == 1:
        function = {"name": names[0], "arguments": '{"room": "kitchen", "on": true}'}
        message["tool_calls"] = [{"id": "call_1", "type": "function", "function": function}]
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    usage = {"prompt_tokens": 10, "completion_tokens": 10, "total_tokens": 20}
    return _about("chat.completion") | {"choices": [choice], "usage": usage}


async def _streamed(text: str) -> AsyncIterator[str]:
    words = [f"{word} " for word in text.split()]
    words[-1] = words[-1].rstrip()
    deltas: list[tuple[dict[str, Any], str | None]] = [({"role": "assistant", "content": word}, None) for word in words]
    for delta, reason in [*deltas, ({}, "stop")]:
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        yield f"data: {json.dumps(_about('chat.completion.chunk') | {'choices': [choice]})}\n\n"
    yield "data: [DONE]\n\n"


def _about(kind: str) -> dict[str, Any]:
    return {"id": "chatcmpl-1", "object": kind, "created": 1, "model": MODEL}
