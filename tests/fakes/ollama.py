"""Ollama as far as it is asked what it can do: version, tags, show. Written against its documentation."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from http.server import BaseHTTPRequestHandler
from typing import Any

from tests.fakes.served import Served


class OllamaServer(Served):
    """`models`: abilities by name, the oldest first."""

    def __init__(self, models: Mapping[str, Sequence[str]]) -> None:
        self.models = models
        super().__init__(type("Handler", (_Request,), {"fake": self}))


class _Request(BaseHTTPRequestHandler):
    fake: OllamaServer

    def do_GET(self) -> None:
        tags = [
            {"name": name, "model": name, "modified_at": f"2026-10-{day:02}T10:00:00Z", "size": 1}
            for day, name in enumerate(self.fake.models, 1)
        ]
        self._send({"/api/version": {"version": "0.14.1"}, "/api/tags": {"models": tags}}.get(self.path))

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        abilities = self.fake.models.get(asked["model"])
        self._send({"capabilities": list(abilities), "details": {}} if abilities is not None else None)

    def _send(self, told: Any) -> None:
        content = json.dumps(told or {"error": "not found"}).encode()
        self.send_response(200 if told else 404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        pass
