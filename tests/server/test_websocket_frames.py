"""Sockets that only send: they end with the client, and a failure is told."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

import pytest
from fastapi import FastAPI, WebSocket
from fastapi.testclient import TestClient

from reachy_mind.server.websocket_frames import send_until_closed
from tests.waiting import until_sync


class Source:
    """Texts of a socket. `fails`: it breaks after the first one, in place of waiting for more."""

    def __init__(self, *, fails: bool) -> None:
        self.fails, self.closed = fails, False

    async def texts(self) -> AsyncGenerator[str]:
        try:
            yield "one"
            if self.fails:
                raise RuntimeError("the camera is on fire")
            await asyncio.Event().wait()
        finally:
            self.closed = True


def client(source: Source) -> TestClient:
    app = FastAPI()

    @app.websocket("/ws")
    async def serve(websocket: WebSocket) -> None:
        await websocket.accept()
        await send_until_closed(websocket, source.texts(), "test")

    return TestClient(app)


def test_it_ends_when_the_client_leaves(capsys: pytest.CaptureFixture[str]) -> None:
    source = Source(fails=False)
    with client(source).websocket_connect("/ws") as socket:
        assert socket.receive_text() == "one"
        assert not source.closed
        socket.close()
        until_sync(lambda: source.closed)
    assert "failed" not in capsys.readouterr().err


def test_a_failure_of_what_is_sent_is_in_the_log(capsys: pytest.CaptureFixture[str]) -> None:
    source = Source(fails=True)
    with client(source).websocket_connect("/ws") as socket:
        assert socket.receive_text() == "one"
        until_sync(lambda: source.closed)
    told = capsys.readouterr().err
    assert "a WebSocket failed" in told and "on fire" in told
