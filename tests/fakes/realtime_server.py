"""A server of OpenAI's Realtime protocol (GA) on this machine, which hears by loudness and answers by a script.

Everything it sends and everything it is sent is checked against the types of OpenAI's own package; what does not fit is
in `wrong`. It keeps the conversation as the protocol says: items in order, inserted, deleted, truncated. `mood` makes
it fail in the ways such servers do. Written against those types and the documentation: error codes and the order of
events were not checked against the real service.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
from collections import deque
from dataclasses import dataclass, field
from http import HTTPStatus
from itertools import count
from typing import Annotated, Any, Literal, Self

import numpy as np
from openai.types.realtime import RealtimeClientEvent, RealtimeServerEvent
from pydantic import Field, TypeAdapter, ValidationError
from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

RATE_HZ = 24000
LOUD = 400.0
"""Root mean square of a voice."""
BEGINS_S, PIECE_S = 0.06, 0.1
KEY = "realtime-key-for-tests"
Mood = Literal[
    "well",
    "refuses",
    "busy",
    "rate limited",
    "fails",
    "cut",
    "not json",
    "no fields",
    "bad base64",
    "never",
    "active",
    "silent",
    "deaf",
]

_noise = np.random.default_rng(7)
_sent: TypeAdapter[Any] = TypeAdapter(Annotated[RealtimeServerEvent, Field(discriminator="type")])
_received: TypeAdapter[Any] = TypeAdapter(Annotated[RealtimeClientEvent, Field(discriminator="type")])


@dataclass(frozen=True)
class Speaks:
    """A noise of so many seconds and these words; only the words where text is asked for. `pace`: how much faster it
    comes than it is heard; 0: all at once."""

    text: str
    seconds: float = 0.4
    pace: float = 0.0


@dataclass(frozen=True)
class Calls:
    """A tool, with arguments as the model wrote them."""

    name: str
    arguments: str = "{}"


Plan = Speaks | Calls


@dataclass
class Talk:
    """One connection."""

    socket: ServerConnection
    key: str
    session: dict[str, Any] = field(default_factory=dict)
    items: list[dict[str, Any]] = field(default_factory=list)
    truncated: dict[str, int] = field(default_factory=dict)
    sound: bytearray = field(default_factory=bytearray)
    spoke: bool = False
    unheard: bytearray = field(default_factory=bytearray)
    voice_s: float = 0.0
    silence_s: float = 0.0
    speaking: bool = False
    heard: str = ""
    responding: asyncio.Task[None] | None = None
    response: str = ""

    @property
    def words(self) -> list[str]:
        """Everything in it, in order, in words."""
        return [_words(item) for item in self.items]


class RealtimeServer:
    """Use as `async with`. `plans` are answered one response each; `hears`, what each voice said."""

    def __init__(self, mood: Mood = "well", *, key: str = "") -> None:
        self.mood, self.key = mood, key
        self.plans: deque[Plan] = deque()
        self.hears: deque[str] = deque()
        self.answers_itself = False
        """As servers do that know no `create_response`."""
        self.talks: list[Talk] = []
        self.received: list[dict[str, Any]] = []
        self.wrong: list[str] = []
        self.cancelled: list[str] = []
        self._count = count(1)
        self._server: Server | None = None
        self._stack = contextlib.AsyncExitStack()
        self._news = asyncio.Condition()

    @property
    def url(self) -> str:
        assert self._server is not None
        return f"ws://127.0.0.1:{next(iter(self._server.sockets)).getsockname()[1]}/v1/realtime"

    @property
    def talk(self) -> Talk:
        """The latest."""
        return self.talks[-1]

    async def __aenter__(self) -> Self:
        self._server = await self._stack.enter_async_context(
            serve(self._serve, "127.0.0.1", 0, process_request=self._door, close_timeout=0.2)
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    async def until(self, kind: str, times: int = 1) -> dict[str, Any]:
        """A message of this type was sent so often; the last of them."""
        async with asyncio.timeout(20), self._news:
            while len(found := [event for event in self.received if event["type"] == kind]) < times:
                await self._news.wait()
        return found[times - 1]

    async def cut(self) -> None:
        """All lines, without a word."""
        for talk in self.talks:
            talk.socket.transport.abort()
            await talk.socket.wait_closed()

    def _door(self, connection: ServerConnection, request: Request) -> Response | None:
        status = {"refuses": HTTPStatus.UNAUTHORIZED, "busy": HTTPStatus.TOO_MANY_REQUESTS}.get(self.mood)
        if self.key and request.headers.get("Authorization") != f"Bearer {self.key}":
            status = HTTPStatus.UNAUTHORIZED
        if not request.path.startswith("/v1/realtime?model="):
            status = HTTPStatus.NOT_FOUND
        return connection.respond(status, "no\n") if status is not None else None

    async def _serve(self, socket: ServerConnection) -> None:
        assert socket.request is not None
        talk = Talk(socket, socket.request.headers.get("Authorization", ""))
        self.talks.append(talk)
        await self._send(talk, "session.created", session={"type": "realtime", "model": "fake"})
        with contextlib.suppress(ConnectionClosed):
            async for message in socket:
                event = json.loads(message)
                try:
                    _received.validate_python(event)
                except ValidationError as error:
                    self.wrong.append(f"received {event['type']}: {error}")
                await self._take(talk, event)
                async with self._news:
                    self.received.append(event)
                    self._news.notify_all()
        if talk.responding is not None:
            talk.responding.cancel()

    async def _send(self, talk: Talk, kind: str, **about: Any) -> None:
        event = {"type": kind, "event_id": f"event_{next(self._count)}", **about}
        try:
            _sent.validate_python(event)
        except ValidationError as error:
            self.wrong.append(f"sent {kind}: {error}")
        with contextlib.suppress(ConnectionClosed):
            await talk.socket.send(json.dumps(event))

    async def _complain(self, talk: Talk, event: dict[str, Any], code: str) -> None:
        error = {"type": "invalid_request_error", "code": code, "message": f"it is {code}"}
        await self._send(talk, "error", error=error | {"event_id": event.get("event_id")})

    async def _take(self, talk: Talk, event: dict[str, Any]) -> None:
        match event["type"]:
            case "session.update":
                await self._update(talk, event)
            case "input_audio_buffer.append":
                await self._hear(talk, base64.b64decode(event["audio"]))
            case "conversation.item.create":
                await self._put(talk, event["item"], event.get("previous_item_id"))
            case "conversation.item.delete" | "conversation.item.truncate":
                await self._change(talk, event)
            case "response.create":
                await self._respond(talk, event)
            case "response.cancel":
                if talk.responding is None or event.get("response_id") not in (None, talk.response):
                    await self._complain(talk, event, "response_cancel_not_active")
                else:
                    await self._stop(talk, "client_cancelled")

    async def _update(self, talk: Talk, event: dict[str, Any]) -> None:
        new = event["session"]
        voice = new.get("audio", {}).get("output", {}).get("voice")
        if voice and talk.spoke:
            await self._complain(talk, event, "cannot_update_voice")
            return
        talk.session = {**talk.session, **new, "audio": {**talk.session.get("audio", {}), **new.get("audio", {})}}
        await self._send(talk, "session.updated", session=talk.session)

    # The conversation

    async def _put(self, talk: Talk, item: dict[str, Any], after: str | None = None) -> None:
        item = {"id": f"item_{next(self._count)}", "status": "completed", "object": "realtime.item"} | item
        ids = [each["id"] for each in talk.items]
        if after not in (None, "root", *ids):
            self.wrong.append(f"nothing can be put after {after}")
        at = len(ids) if after is None else 0 if after == "root" else ids.index(after) + 1
        talk.items.insert(at, item)
        await self._send(talk, "conversation.item.added", item=item, previous_item_id=after)
        await self._send(talk, "conversation.item.done", item=item, previous_item_id=after)

    async def _change(self, talk: Talk, event: dict[str, Any]) -> None:
        found = next((item for item in talk.items if item["id"] == event["item_id"]), None)
        if found is None:
            await self._complain(talk, event, "item_not_found")
        elif event["type"].endswith("delete"):
            talk.items.remove(found)
            await self._send(talk, "conversation.item.deleted", item_id=found["id"])
        else:
            talk.truncated[found["id"]] = event["audio_end_ms"]
            about = {"item_id": found["id"], "content_index": 0, "audio_end_ms": event["audio_end_ms"]}
            await self._send(talk, "conversation.item.truncated", **about)

    # Ears

    async def _hear(self, talk: Talk, pcm: bytes) -> None:
        talk.sound += pcm
        talk.unheard += pcm
        block = RATE_HZ // 50 * 2
        while len(talk.unheard) >= block and self.mood != "deaf":
            samples = np.frombuffer(bytes(talk.unheard[:block]), "<i2").astype(float)
            del talk.unheard[:block]
            loud = float(np.sqrt(np.mean(samples**2))) > LOUD
            talk.voice_s = talk.voice_s + 0.02 if loud else 0.0
            talk.silence_s = 0.0 if loud else talk.silence_s + 0.02
            if not talk.speaking and talk.voice_s >= BEGINS_S:
                talk.speaking = True
                talk.heard = f"item_{next(self._count)}"
                at = 1000 * len(talk.sound) // (2 * RATE_HZ)
                await self._send(talk, "input_audio_buffer.speech_started", audio_start_ms=at, item_id=talk.heard)
            elif talk.speaking and talk.silence_s >= self._detection(talk)["silence_duration_ms"] / 1000:
                talk.speaking = False
                await self._understand(talk, talk.heard)

    @staticmethod
    def _detection(talk: Talk) -> dict[str, Any]:
        found: dict[str, Any] = talk.session["audio"]["input"]["turn_detection"]
        return found

    async def _understand(self, talk: Talk, item: str) -> None:
        at = 1000 * len(talk.sound) // (2 * RATE_HZ)
        await self._send(talk, "input_audio_buffer.speech_stopped", audio_end_ms=at, item_id=item)
        await self._send(talk, "input_audio_buffer.committed", item_id=item, previous_item_id=None)
        words = self.hears.popleft() if self.hears else ""
        content = [{"type": "input_audio", "transcript": words}]
        await self._put(talk, {"id": item, "type": "message", "role": "user", "content": content})
        if self.answers_itself or self._detection(talk)["create_response"]:
            self._begin(talk, {})
        about = {"item_id": item, "content_index": 0, "transcript": words}
        usage = {"type": "duration", "seconds": 1.0}
        await self._send(talk, "conversation.item.input_audio_transcription.completed", **about, usage=usage)

    # Responses

    async def _respond(self, talk: Talk, event: dict[str, Any]) -> None:
        match self.mood:
            case "rate limited":
                await self._complain(talk, event, "rate_limit_exceeded")
            case "active":
                self.mood = "well"
                await self._complain(talk, event, "conversation_already_has_active_response")
            case "not json":
                await talk.socket.send("{not json")
            case "no fields":
                await talk.socket.send('{"type": "response.created"}')
            case "never":
                pass
            case _ if talk.responding is not None:
                await self._complain(talk, event, "conversation_already_has_active_response")
            case _:
                self._begin(talk, event.get("response") or {})

    def _begin(self, talk: Talk, wanted: dict[str, Any]) -> None:
        talk.response = f"resp_{next(self._count)}"
        talk.responding = asyncio.create_task(self._answer(talk, talk.response, wanted))

    async def _stop(self, talk: Talk, reason: str) -> None:
        responding, talk.responding = talk.responding, None
        assert responding is not None
        responding.cancel()
        await asyncio.wait([responding])
        self.cancelled.append(talk.response)
        details = {"type": "cancelled", "reason": reason}
        await self._done(talk, talk.response, "cancelled", details)

    async def _done(self, talk: Talk, response: str, status: str, details: dict[str, Any] | None = None) -> None:
        usage = {"input_tokens": 100, "output_tokens": 20, "total_tokens": 120}
        about = {"id": response, "object": "realtime.response", "status": status, "status_details": details}
        await self._send(talk, "response.done", response=about | {"usage": usage})

    async def _answer(self, talk: Talk, response: str, wanted: dict[str, Any]) -> None:
        await self._send(
            talk, "response.created", response={"id": response, "object": "realtime.response", "status": "in_progress"}
        )
        plan = self.plans.popleft() if self.plans else Speaks("I have nothing to add.")
        status, details = "completed", None
        if self.mood == "fails":
            error = {"type": "server_error", "code": "server_error", "message": "it broke"}
            status, details = "failed", {"type": "failed", "error": error}
        elif self.mood != "silent" and isinstance(plan, Calls):
            await self._call(talk, response, plan)
        elif self.mood != "silent":
            await self._speak(talk, response, plan, aloud="text" not in wanted.get("output_modalities", ["audio"]))
        if talk.response == response:
            talk.responding = None
        await self._done(talk, response, status, details)

    async def _call(self, talk: Talk, response: str, plan: Calls) -> None:
        item = {
            "id": f"item_{next(self._count)}",
            "type": "function_call",
            "name": plan.name,
            "arguments": plan.arguments,
            "call_id": f"call_{next(self._count)}",
        }
        place = {"response_id": response, "output_index": 0}
        await self._send(talk, "response.output_item.added", **place, item=item)
        about = {"item_id": item["id"], "call_id": item["call_id"], "name": plan.name}
        await self._send(talk, "response.function_call_arguments.done", **place, **about, arguments=plan.arguments)
        await self._put(talk, item)
        await self._send(talk, "response.output_item.done", **place, item=item | {"status": "completed"})

    async def _speak(self, talk: Talk, response: str, plan: Speaks, *, aloud: bool) -> None:
        item: dict[str, Any] = {
            "id": f"item_{next(self._count)}",
            "type": "message",
            "role": "assistant",
            "content": [],
        }
        place = {"response_id": response, "output_index": 0}
        await self._send(talk, "response.output_item.added", **place, item=item)
        where = place | {"item_id": item["id"], "content_index": 0}
        kind = "output_audio_transcript" if aloud else "output_text"
        content = [
            {"type": "output_audio", "transcript": plan.text} if aloud else {"type": "output_text", "text": plan.text}
        ]
        await self._put(talk, item | {"content": content})
        for word in plan.text.split(" "):
            await self._send(
                talk, f"response.{kind}.delta", **where, delta=word if word == plan.text.split(" ")[0] else f" {word}"
            )
        if aloud:
            await self._sound(talk, where, plan)
        await self._send(
            talk, "response.output_item.done", **place, item=item | {"content": content, "status": "completed"}
        )

    async def _sound(self, talk: Talk, where: dict[str, Any], plan: Speaks) -> None:
        talk.spoke = True
        left = plan.seconds
        while left > 0:
            if self.mood == "cut":
                talk.socket.transport.abort()
                return
            noise = noise_of(min(PIECE_S, left), RATE_HZ)
            delta = "*" if self.mood == "bad base64" else base64.b64encode(noise).decode()
            await self._send(talk, "response.output_audio.delta", **where, delta=delta)
            left -= PIECE_S
            if plan.pace:
                await asyncio.sleep(PIECE_S / plan.pace)
        await self._send(talk, "response.output_audio.done", **where)


def noise_of(seconds: float, rate: int) -> bytes:
    """As loud as a voice, and never the same: an echo canceller takes what is alike for an echo."""
    return _noise.normal(0, 3000, round(seconds * rate)).astype("<i2").tobytes()


def _words(item: dict[str, Any]) -> str:
    match item["type"]:
        case "message":
            parts = (part.get("text") or part.get("transcript") or part["type"] for part in item["content"])
            return f"{item['role']}: {' '.join(parts)}"
        case "function_call":
            return f"call: {item['name']}({item['arguments']})"
        case _:
            return f"output: {item['output']}"
