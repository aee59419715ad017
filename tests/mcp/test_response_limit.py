"""A remote MCP server that sends too much is given up; no redirect is followed, and no header goes where it leads."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
from collections.abc import AsyncIterator

import pytest

from reachy_mind.mcp import response_limit
from reachy_mind.mcp.config_file import McpServerEntry
from reachy_mind.mcp.remote_server import RemoteServer
from tests.waiting import until


@contextlib.asynccontextmanager
async def answering(head: str, body: bytes = b"") -> AsyncIterator[tuple[str, list[bytes]]]:
    """The address of an HTTP server that always answers so, and what it was sent."""
    heard: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            heard.append(await reader.readuntil(b"\r\n\r\n"))
            writer.write(f"HTTP/1.1 {head}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
            await writer.drain()
            await reader.read()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/mcp", heard
    finally:
        server.close()


async def trouble(url: str) -> str:
    """Why the server at this address can't be used."""
    source = McpServerEntry("fake", url=url, headers={"X-Key": "FAKE_KEY"}, enabled=True)
    async with RemoteServer(source, lambda *_: None) as remote:
        await until(lambda: remote.trouble)
        return remote.trouble


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_KEY", "open sesame")


async def test_a_response_beyond_the_limit_is_not_read_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(response_limit, "MAX_RESPONSE_BYTES", 100_000)
    async with answering("200 OK\r\nContent-Type: application/json", b" " * 1_000_000) as (url, _):
        assert "more than 100000 bytes" in await trouble(url)


async def test_a_compressed_response_is_refused() -> None:
    head = "200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip"
    async with answering(head, gzip.compress(b" " * 1_000_000)) as (url, _):
        assert "compressed" in await trouble(url)


@pytest.mark.parametrize("status", ["302 Found", "307 Temporary Redirect"])
async def test_a_redirect_is_not_followed_and_takes_no_key_along(status: str) -> None:
    async with (
        answering("200 OK") as (elsewhere, heard),
        answering(f"{status}\r\nLocation: {elsewhere}") as (url, asked),
    ):
        assert elsewhere in await trouble(url)
        assert b"open sesame" in asked[0] and not heard
