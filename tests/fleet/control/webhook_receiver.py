"""A real HTTP server on loopback that keeps what is posted to it."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

from reachy_mind.access.loopback import listen


@dataclass
class WebhookReceiver:
    """`answers`: the statuses to answer with, then 204; None: no answer at all."""

    port: int
    answers: list[int | None] = field(default_factory=list)
    head: str = ""
    """More lines of the head of an answer."""
    requests: list[tuple[str, dict[str, str], bytes]] = field(default_factory=list)

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        return f"http://{self.host}/alarm?key=hidden"

    @property
    def payloads(self) -> list[dict[str, Any]]:
        return [json.loads(body) for _, _, body in self.requests]

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode().strip().split("\r\n")
            headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
            body = await reader.readexactly(int(headers.get("content-length", "0")))
            self.requests.append((first, headers, body))
            status = self.answers.pop(0) if self.answers else 204
            if status is None:
                await reader.read()  # until the caller gives up
            else:
                writer.write(f"HTTP/1.1 {status} Said\r\n{self.head}Content-Length: 0\r\n\r\n".encode())
                await writer.drain()
        writer.close()


@contextlib.asynccontextmanager
async def webhook_receiver() -> AsyncIterator[WebhookReceiver]:
    listener = listen(0)
    receiver = WebhookReceiver(listener.getsockname()[1])
    server = await asyncio.start_server(receiver.serve, sock=listener)
    try:
        yield receiver
    finally:
        server.close()
        await server.wait_closed()
