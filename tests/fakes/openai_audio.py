"""OpenAI's audio routes, as its documentation has them: speech to text from a form, text to speech as PCM at 24 kHz."""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler
from typing import Any

from tests.fakes.served import Served

WORDS = "Look to the left."
SECOND = b"\x10\x20" * 24000


class OpenAIAudio(Served):
    """Use as a context manager. What was asked for is in `heard`, `spoken` and `keys`."""

    def __init__(self) -> None:
        self.heard: list[bytes] = []
        self.spoken: list[dict[str, Any]] = []
        self.keys: set[str] = set()
        fake = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                content = self.rfile.read(int(self.headers["Content-Length"]))
                fake.keys.add(self.headers["Authorization"])
                if self.path == "/v1/audio/transcriptions":
                    fake.heard.append(content)
                    self.answer(json.dumps({"text": WORDS}).encode(), "application/json")
                else:
                    fake.spoken.append(json.loads(content))
                    self.answer(SECOND, "audio/pcm")

            def answer(self, content: bytes, kind: str) -> None:
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_: object) -> None:
                pass

        super().__init__(Handler)
