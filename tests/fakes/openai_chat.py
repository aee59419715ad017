"""A model server as OpenAI documents it: chat completions, Responses and the list of models, streamed or not.

    with ModelServer([use("nod", times=2), say("I nodded.")]) as server:
        ... openai.url = server.base

Every request is read by the openai package's own types, and so is every answer before it goes out: what is wrong with a
request is in `wrong`. Answers come from a script, one a request, or from a function of the request. `Fault` makes one
fail as servers do. Written against the package; nothing here was checked against the real services.
"""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Callable, Iterable, Sequence
from http.server import BaseHTTPRequestHandler
from typing import Any

from tests.fakes.openai_wire import Answer, Asked, Fault, Made, Step, checked, hand_to, say, types, use
from tests.fakes.served import Served

MODEL = "gemma3:4b"

__all__ = ["MODEL", "Answer", "Asked", "Fault", "ModelServer", "hand_to", "say", "use"]


class ModelServer(Served):
    """Use as a context manager. `key`: who has another, or none, is refused."""

    def __init__(
        self,
        script: Iterable[Step] | Callable[[Asked], Step] = (),
        *,
        key: str = "",
        models: Sequence[str] = (MODEL,),
    ) -> None:
        self.script = script if callable(script) else iter(tuple(script))
        self.key, self.models = key, models
        types()  # which take a second to import, and no answer should
        self.asked: list[Asked] = []
        self.wrong: list[str] = []
        """What was wrong with requests, in words; and requests after the end of the script."""
        self.arrived, self.let_go, self.gone = threading.Event(), threading.Event(), threading.Event()
        """A request is there; those that hang may go; a client did not wait for its answer."""
        super().__init__(type("Handler", (_Request,), {"fake": self}))

    @property
    def base(self) -> str:
        return f"{self.url}/v1"

    def next(self, asked: Asked) -> Step:
        self.asked.append(asked)
        self.arrived.set()
        if callable(self.script):
            return self.script(asked)
        step = next(self.script, None)
        if step is None:
            self.wrong.append(f"a request after the end of the script: {asked.items[-1]}")
            return Answer("I have nothing more to say.")
        return step

    def __exit__(self, *about: object) -> None:
        self.let_go.set()
        super().__exit__(*about)


class _Request(BaseHTTPRequestHandler):
    fake: ModelServer
    protocol_version = "HTTP/1.1"  # streams come in chunks, so that a cut one can be told from a whole one

    def do_GET(self) -> None:
        if self.path.removesuffix("/") != "/v1/models":
            return self._error(404, "page not found")
        made = [{"id": name, "object": "model", "created": 1, "owned_by": "tests"} for name in self.fake.models]
        return self._send(200, {"object": "list", "data": made})

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        with contextlib.suppress(ConnectionError):
            self._answer(body)

    def _answer(self, body: bytes) -> None:
        fake = self.fake
        if self.path not in ("/v1/chat/completions", "/v1/responses"):
            return self._error(404, "page not found")
        if fake.key and self.headers.get("Authorization") != f"Bearer {fake.key}":
            return self._error(401, "Incorrect API key provided")
        try:
            told = json.loads(body)
            checked(self.path, told)
        except (ValueError, TypeError, AssertionError) as error:
            fake.wrong.append(repr(error)[:2000])
            return self._error(400, f"invalid request: {error!r}"[:500])
        asked = Asked(self.path, told, {name.lower(): value for name, value in self.headers.items()})
        if told["model"] not in fake.models:
            return self._error(404, f"model '{told['model']}' not found")
        step = fake.next(asked)
        if isinstance(step, Fault):
            return self._fail(asked, step)
        made = Made(asked, step)
        return self._stream(made.pieces()) if told.get("stream") else self._send(200, made.whole())

    def _fail(self, asked: Asked, fault: Fault) -> None:  # noqa: PLR0911 -- one way out for each way to fail
        match fault.kind:
            case "busy":
                return self._error(429, "Rate limit reached for requests", retry_after=f"{fault.after:g}")
            case "broken":
                return self._error(500, "model runner has unexpectedly stopped")
            case "refused":
                return self._error(401, "Incorrect API key provided")
            case "no model":
                return self._error(404, "model not found, try pulling it first")
            case "redirects":
                return self._error(307, "moved", location="http://elsewhere.invalid/v1/chat/completions")
            case "nonsense":
                return self._send(200, "<html>It works!</html>")
            case "hangs":
                return self._hang()
        pieces = list(Made(asked, Answer(fault.words)).pieces())
        half = pieces[: max(2, len(pieces) // 2)]
        if fault.kind == "slow":
            return self._stream(half, pause=self._hang)
        if fault.kind == "malformed":
            return self._stream([*half, '{"id": "chatcmpl-1", "choi'])
        self.close_connection = True  # in the middle of it
        return self._stream(half, end=False)

    def _stream(self, pieces: Iterable[Any], *, end: bool = True, pause: Callable[[], None] | None = None) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for piece in pieces:
            self._chunk(f"data: {piece if isinstance(piece, str) else json.dumps(piece)}\n\n".encode())
        if pause is not None:
            return pause()
        if end:
            self._chunk(b"data: [DONE]\n\n" if self.path.endswith("completions") else b"")
            self.wfile.write(b"0\r\n\r\n")
        return self.wfile.flush()

    def _chunk(self, content: bytes) -> None:
        if content:
            self.wfile.write(f"{len(content):x}\r\n".encode() + content + b"\r\n")
            self.wfile.flush()

    def _hang(self) -> None:
        """Until the client goes away, or is let go."""
        self.connection.settimeout(0.02)
        while not self.fake.let_go.is_set():
            with contextlib.suppress(TimeoutError):
                if not self.connection.recv(1):
                    self.fake.gone.set()
                    break
        self.close_connection = True

    def _error(self, status: int, message: str, **headers: str) -> None:
        told = {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": None}}
        self._send(status, told, **{name.replace("_", "-").title(): value for name, value in headers.items()})

    def _send(self, status: int, told: Any, **headers: str) -> None:
        content = told.encode() if isinstance(told, str) else json.dumps(told).encode()
        self.send_response(status)
        about = {"Content-Type": "application/json", "Content-Length": str(len(content))} | headers
        for name, value in about.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        pass
