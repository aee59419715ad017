"""Anthropic's Messages API, as far as a brain uses it: `POST /v1/messages`, streamed.

What it answers is a script: a list of `Say` and `Use`, one for each request; after the last, the last again. Requests
are read with the types of the `anthropic` package, and so is every event that is sent; where it is not installed, by
hand. `fault` makes it fail in the ways the service does. Checked against the package's client and the command-line
program of the Claude Agent SDK; nothing here was checked against the real service.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import importlib.util
import json
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any, Literal
from uuid import uuid4

from pydantic import TypeAdapter, ValidationError

from tests.fakes.served import Served

KEY = "claude-key-for-tests"
MODEL = "claude-sonnet-5-5"
Fault = Literal["", "429", "500", "529", "401", "404", "cut", "cut in words", "garbage", "html", "bad json", "hangs"]
ERRORS = {
    "401": ("authentication_error", "invalid x-api-key"),
    "404": ("not_found_error", f"model: {MODEL}"),
    "429": ("rate_limit_error", "This request would exceed your rate limit"),
    "500": ("api_error", "Internal server error"),
    "529": ("overloaded_error", "Overloaded"),
}


@dataclass(frozen=True)
class Say:
    """Words, piece by piece; `pause_s` before each."""

    text: str
    pause_s: float = 0.0
    stop: str = "end_turn"


@dataclass(frozen=True)
class Use:
    """Tools that are to be called: names and arguments; arguments as text are sent as they are."""

    calls: Sequence[tuple[str, dict[str, Any] | str]]
    text: str = ""


@dataclass
class Asked:
    """One request that was right."""

    body: dict[str, Any]
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def words(self) -> str:
        """All that is in its messages, as text."""
        return json.dumps(self.body["messages"], ensure_ascii=False)

    @property
    def tools(self) -> list[str]:
        return [tool["name"] for tool in self.body.get("tools", ())]

    @property
    def system(self) -> str:
        system = self.body.get("system", "")
        return system if isinstance(system, str) else "\n".join(block["text"] for block in system)


class AnthropicServer(Served):
    """Use as a context manager; `url` is the base address."""

    def __init__(self, script: Sequence[Say | Use] = (), *, fault: Fault = "", times: int = 1_000_000) -> None:
        self.script, self.fault, self.times = list(script) or [Say("Well, hello there.")], fault, times
        self.asked: list[Asked] = []
        self.wrong: list[str] = []
        """What was wrong with requests and answers, in words."""
        self.arrived, self.gone, self.let_go = threading.Event(), threading.Event(), threading.Event()
        super().__init__(type("Handler", (_Request,), {"fake": self}))

    def __exit__(self, *about: object) -> None:
        self.let_go.set()
        super().__exit__(*about)

    def next(self) -> Say | Use:
        return self.script.pop(0) if len(self.script) > 1 else self.script[0]


class _Request(BaseHTTPRequestHandler):
    fake: AnthropicServer
    protocol_version = "HTTP/1.1"

    def do_HEAD(self) -> None:
        self._send(200, b"", "text/plain")

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        with contextlib.suppress(ConnectionError):
            self._answer(body)

    def _answer(self, content: bytes) -> None:  # noqa: PLR0911 -- one way out for each way to fail
        fake = self.fake
        if self.path.split("?")[0] != "/v1/messages":
            return self._error(404, "not_found_error", "Not found")
        try:
            body = _checked(json.loads(content))
        except (AssertionError, KeyError, ValueError, TypeError) as error:
            fake.wrong.append(repr(error)[:500])
            return self._error(400, "invalid_request_error", repr(error)[:200])
        if KEY not in (self.headers.get("x-api-key"), self.headers.get("Authorization", "").removeprefix("Bearer ")):
            return self._error(401, "authentication_error", "invalid x-api-key")
        fake.asked.append(Asked(body, dict(self.headers)))
        fake.arrived.set()
        fault = fake.fault if fake.times > 0 else ""
        fake.times -= 1
        if fault in ERRORS:
            return self._error(int(fault), *ERRORS[fault])
        if fault == "html":
            return self._send(200, b"<html>It works!</html>", "text/html")
        if fault == "hangs":
            return self._hang()
        answer = fake.next()
        if not body.get("stream"):
            fake.wrong.append("not streamed")
            return self._error(400, "invalid_request_error", "this fake only streams")
        return self._stream(answer, fault)

    def _stream(self, answer: Say | Use, fault: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        for number, event in enumerate(_events(answer)):
            if fault == "garbage" and number == 2:
                self.wfile.write(b'event: content_block_delta\ndata: {"type": "content_block_del\n\n')
                return
            if (fault == "cut" and number == 1) or (fault == "cut in words" and number == 4):
                return
            if fault == "bad json" and event["type"] == "content_block_delta" and "partial_json" in event["delta"]:
                event["delta"]["partial_json"] = '{"times": '
            if problem := _invalid(event):
                self.fake.wrong.append(problem)
            pause = answer.pause_s if isinstance(answer, Say) and event["type"] == "content_block_delta" else 0
            if pause and self.fake.let_go.wait(pause):
                return
            try:
                self.wfile.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())
                self.wfile.flush()
            except ConnectionError:
                self.fake.gone.set()
                raise

    def _hang(self) -> None:
        """Until the client goes away, or is let go."""
        self.close_connection = True
        self.connection.settimeout(0.02)
        while not self.fake.let_go.is_set():
            with contextlib.suppress(TimeoutError):
                try:
                    gone = not self.connection.recv(1)
                except ConnectionError:  # without a goodbye
                    gone = True
                if gone:
                    self.fake.gone.set()
                    return

    def _error(self, status: int, kind: str, message: str) -> None:
        told = {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"}
        self._send(status, json.dumps(told).encode(), "application/json")

    def _send(self, status: int, content: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        if status != 200:
            self.send_header("retry-after-ms", "10")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        pass


def _events(answer: Say | Use) -> Iterator[dict[str, Any]]:
    message = {"id": f"msg_{uuid4().hex}", "type": "message", "role": "assistant", "model": MODEL, "content": []}
    usage = {"input_tokens": 100, "output_tokens": 1, "cache_read_input_tokens": 0, "cache_creation_input_tokens": 0}
    yield {
        "type": "message_start",
        "message": message | {"stop_reason": None, "stop_sequence": None, "usage": usage},
    }
    index = 0
    if answer.text:
        yield {"type": "content_block_start", "index": index, "content_block": {"type": "text", "text": ""}}
        for word in answer.text.split(" "):
            piece = f"{word} " if not answer.text.endswith(word) else word
            yield {"type": "content_block_delta", "index": index, "delta": {"type": "text_delta", "text": piece}}
        yield {"type": "content_block_stop", "index": index}
        index += 1
    for name, given in answer.calls if isinstance(answer, Use) else ():
        block = {"type": "tool_use", "id": f"toolu_{uuid4().hex}", "name": name, "input": {}}
        yield {"type": "content_block_start", "index": index, "content_block": block}
        text = given if isinstance(given, str) else json.dumps(given)
        delta = {"type": "input_json_delta", "partial_json": text}
        yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
        index += 1
    stop = answer.stop if isinstance(answer, Say) else "tool_use"
    delta = {"stop_reason": stop, "stop_sequence": None}
    yield {"type": "message_delta", "delta": delta, "usage": {"output_tokens": 20}}
    yield {"type": "message_stop"}


def _checked(body: dict[str, Any]) -> dict[str, Any]:
    """The request, as strictly as the service reads it. Raises for what that would refuse."""
    assert isinstance(body["model"], str) and body["max_tokens"] > 0
    roles = [message["role"] for message in body["messages"]]
    assert roles and roles[0] == "user" and set(roles) <= {"user", "assistant", "system"}
    for message in body["messages"]:
        assert message["content"], "messages must have non-empty content"
    asked = {
        block["id"]
        for message in body["messages"]
        if isinstance(message["content"], list)
        for block in message["content"]
        if block["type"] == "tool_use"
    }
    for message in body["messages"]:
        for block in message["content"] if isinstance(message["content"], list) else ():
            assert block["type"] != "tool_result" or block["tool_use_id"] in asked, "a result of no call"
            assert block["type"] != "text" or block["text"].strip(), "text content blocks must be non-empty"
    for tool in body.get("tools", ()):
        assert len(tool["name"]) <= 128 and tool["input_schema"]["type"] == "object"
    if adapter := _adapter("MessageParam"):
        for message in body["messages"]:
            adapter.validate_python(message)
    return body


@functools.cache
def _adapter(name: str) -> TypeAdapter[Any] | None:
    """One of the package's own types; None where it is not installed."""
    if not importlib.util.find_spec("anthropic"):
        return None
    return TypeAdapter(getattr(importlib.import_module("anthropic.types"), name))


def _invalid(event: dict[str, Any]) -> str:
    """What is wrong with an event of ours; empty when nothing is."""
    try:
        if adapter := _adapter("RawMessageStreamEvent"):
            adapter.validate_python(event)
    except ValidationError as error:
        return str(error)[:500]
    return ""
