"""Sounds that a device is to play: from its control plane with its token, from others never with it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from reachy_mind.body import wav
from reachy_mind.errors import BadAnswer, InvalidParameter, LinkLost
from reachy_mind.fleet.agent.clip_download import fetch_clip
from reachy_mind.fleet.device.hub_address import HubAddress

PCM = b"\x01\x02" * 1600


@asynccontextmanager
async def server(answer: bytes, status: str = "200 OK") -> AsyncIterator[tuple[HubAddress, list[str]]]:
    """What it was asked, as text."""
    asked: list[str] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append((await reader.readuntil(b"\r\n\r\n")).decode())
        writer.write(
            f"HTTP/1.1 {status}\r\ncontent-length: {len(answer)}\r\nconnection: close\r\n\r\n".encode() + answer
        )
        writer.close()

    listening = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with listening:
        yield HubAddress(f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"), asked


async def test_a_clip_of_the_control_plane_is_fetched_with_the_token() -> None:
    async with server(wav.write(PCM)) as (hub, asked):
        assert await fetch_clip({"audio": "0190-ab"}, hub, "dev_x") == PCM
        assert asked[0].startswith("GET /fleet/v1/device/audio/0190-ab ")
        assert "authorization: bearer dev_x" in asked[0].lower()
        await fetch_clip({"audio": "../../x?y"}, hub, "dev_x")
        assert asked[1].startswith("GET /fleet/v1/device/audio/..%2F..%2Fx%3Fy ")


async def test_the_token_is_for_nobody_else(tmp_path: Path) -> None:
    async with server(wav.write(PCM)) as (hub, _), server(wav.write(PCM)) as (other, asked):
        with pytest.raises(InvalidParameter, match="https"):
            await fetch_clip({"url": other.http_url("/x.wav")}, hub, "dev_x")
        assert not asked


@pytest.mark.parametrize(
    ("content", "status", "error"),
    [
        (b"no sound", "200 OK", InvalidParameter),
        (b"", "404 Not Found", LinkLost),
        (bytes(2 << 20), "200 OK", BadAnswer),
    ],
)
async def test_what_is_no_sound_or_too_much_is_refused(content: bytes, status: str, error: type[Exception]) -> None:
    async with server(content, status) as (hub, _):
        with pytest.raises(error):
            await fetch_clip({"audio": "x"}, hub, "dev_x")


@pytest.mark.parametrize("payload", [{}, {"audio": 3}, {"url": ""}])
async def test_a_command_without_a_sound_is_refused(payload: dict[str, object]) -> None:
    with pytest.raises(InvalidParameter):
        await fetch_clip(payload, HubAddress("http://127.0.0.1:9"), "dev_x")
