"""A chat endpoint with a model that sees and reads, as OpenAI documents it and Ollama and llama.cpp serve it.

It reads the request as strictly as they do (roles, parts, a data: address with a JPEG) and answers from the picture
itself: which colours it has on the left and on the right. To text alone it answers with what stands between the first
`<said>` and `</said>`. `mood` makes it fail in the ways such servers do. Written
against the documentation; nothing here was checked against the real services.
"""

from __future__ import annotations

import base64
import contextlib
import io
import json
import re
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any, Literal

import numpy as np
from PIL import Image

from tests.fakes.served import Served

MODEL = "gemma3:4b"
KEY = "vision-key-for-tests"
Mood = Literal[
    "well",
    "busy",
    "broken",
    "hangs",
    "nonsense",
    "no choices",
    "huge",
    "silent",
    "blind",
    "redirects",
    "declines",
    "says",
]
COLOURS = {
    "red": (255, 0, 0),
    "green": (0, 255, 0),
    "blue": (0, 0, 255),
    "white": (255, 255, 255),
    "black": (0, 0, 0),
    "yellow": (255, 255, 0),
}


@dataclass
class Asked:
    """One question that was asked rightly."""

    system: str
    question: str
    size: tuple[int, int]
    key: str
    rest: dict[str, Any] = field(default_factory=dict)


class VisionServer(Served):
    """Use as a context manager; `url` with `/v1` is the base address. `key`: who has none is refused."""

    def __init__(self, mood: Mood = "well", *, key: str = "", says: Any = "") -> None:
        self.mood, self.key, self.says = mood, key, says
        self.asked: list[Asked] = []
        self.wrong: list[str] = []
        """What was wrong with requests, in words."""
        self.arrived = threading.Event()
        self.let_go = threading.Event()
        self.gone = threading.Event()
        """A client that did not wait for its answer."""
        self.requests = 0
        super().__init__(type("Handler", (_Request,), {"fake": self}))

    @property
    def base(self) -> str:
        return f"{self.url}/v1"

    def __exit__(self, *about: object) -> None:
        self.let_go.set()
        super().__exit__(*about)


class _Request(BaseHTTPRequestHandler):
    fake: VisionServer

    def do_GET(self) -> None:
        self.fake.requests += 1
        self._error(404, "page not found")

    do_HEAD = do_GET  # noqa: N815 -- the library's name

    def do_POST(self) -> None:
        self.fake.requests += 1
        body = self.rfile.read(int(self.headers["Content-Length"]))
        with contextlib.suppress(ConnectionError):
            self._answer(body)

    def _answer(self, body: bytes) -> None:  # noqa: PLR0911, PLR0912 -- one way out for each way to fail
        fake = self.fake
        if self.path != "/v1/chat/completions":
            return self._error(404, "page not found")
        if fake.key and self.headers.get("Authorization") != f"Bearer {fake.key}":
            return self._error(401, "Incorrect API key provided")
        try:
            asked, picture = _read(json.loads(body), self.headers)
        except (AssertionError, KeyError, ValueError, TypeError, OSError) as error:
            fake.wrong.append(repr(error))
            return self._error(400, f"invalid request: {error!r}")
        fake.asked.append(asked)
        fake.arrived.set()
        if asked.rest["model"] != MODEL:
            return self._error(404, f"model '{asked.rest['model']}' not found")
        said: Any = (
            fake.says if fake.mood == "says" else told(asked.question) if picture is None else described(picture)
        )
        match fake.mood:
            case "busy":
                return self._error(429, "Rate limit reached for requests")
            case "broken":
                return self._error(500, "model runner has unexpectedly stopped")
            case "blind":
                return self._error(400, "this model is missing data required for image input")
            case "redirects":
                return self._send(307, b"", Location="http://elsewhere.invalid/v1/chat/completions")
            case "nonsense":
                return self._send(200, b"<html>It works!</html>")
            case "no choices":
                return self._send(200, b'{"choices": []}')
            case "huge":
                return self._huge()
            case "silent":
                said = ""
            case "hangs":
                self._hang()
                if fake.gone.is_set():
                    return None
        message = {"role": "assistant", "content": said}
        if fake.mood == "declines":
            message |= {"content": None, "refusal": "I'm sorry, I can't do that."}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        answer = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": MODEL, "choices": [choice]}
        return self._send(200, json.dumps(answer).encode())

    def _hang(self) -> None:
        """Until the client goes away, or is let go."""
        self.connection.settimeout(0.05)
        while not self.fake.let_go.is_set():
            with contextlib.suppress(TimeoutError):
                if not self.connection.recv(1):
                    self.fake.gone.set()
                    return

    def _huge(self) -> None:
        self.send_response(200)
        self.end_headers()
        for _ in range(64):
            self.wfile.write(b" " * (1 << 20))

    def _error(self, status: int, message: str) -> None:
        told = {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": None}}
        self._send(status, json.dumps(told).encode())

    def _send(self, status: int, content: bytes, **headers: str) -> None:
        self.send_response(status)
        for name, value in (
            {"Content-Type": "application/json", "Content-Length": str(len(content))} | headers
        ).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        pass


def _read(body: dict[str, Any], headers: Any) -> tuple[Asked, Image.Image | None]:
    """What was asked, and the picture if there is one. Raises for whatever a server of this kind would refuse."""
    assert headers["Content-Type"] == "application/json"
    assert isinstance(body["model"], str) and body.get("stream", False) is False
    assert 0 < body["max_tokens"] <= 4096 and 0 <= body.get("temperature", 1) <= 2
    system, user = body["messages"]
    assert system["role"] == "system" and isinstance(system["content"], str) and user["role"] == "user"
    rest = {name: value for name, value in body.items() if name != "messages"}
    key = headers.get("Authorization", "")
    if isinstance(user["content"], str):
        return Asked(system["content"], user["content"], (0, 0), key, rest), None
    (image,) = [part["image_url"]["url"] for part in user["content"] if part["type"] == "image_url"]
    (text,) = [part["text"] for part in user["content"] if part["type"] == "text"]
    assert len(user["content"]) == 2 and image.startswith("data:image/jpeg;base64,")
    data = base64.b64decode(image.partition(",")[2], validate=True)
    assert data.startswith(b"\xff\xd8"), "no JPEG"
    picture = Image.open(io.BytesIO(data)).convert("RGB")
    return Asked(system["content"], text, picture.size, key, rest), picture


def described(picture: Image.Image) -> str:
    """Which colour it has on its left and on its right."""
    pixels = np.asarray(picture, dtype=float)
    half = pixels.shape[1] // 2
    left, right = (_colour(side.reshape(-1, 3).mean(axis=0)) for side in (pixels[:, :half], pixels[:, half:]))
    return f"I see {left} on the left and {right} on the right."


def told(text: str) -> str:
    """What was said first."""
    found = re.search(r"<said>(.*?)</said>", text)
    return f"The person said: {found[1]}." if found else ""


def _colour(mean: np.ndarray) -> str:
    return min(COLOURS, key=lambda name: float(np.abs(mean - COLOURS[name]).sum()))
