"""Sounds of activities on a device's disk: only what was announced gets there, and what is damaged is fetched again."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import io
import wave
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from reachy_mind.errors import BadAnswer, HashMismatch, InvalidParameter, LinkLost
from reachy_mind.fleet.activities.clip_cache import ClipCache
from reachy_mind.fleet.activities.payloads import ActivityClip
from reachy_mind.fleet.device.hub_address import HubAddress
from tests.fleet.activities.stage import Narrator, nowhere


def wav(seconds: float = 0.1) -> bytes:
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setnchannels(1)
        writer.setsampwidth(2)
        writer.setframerate(16000)
        writer.writeframes(b"\1\0" * round(16000 * seconds))
    return file.getvalue()


def announced(content: bytes, size: int | None = None) -> ActivityClip:
    return ActivityClip(
        audio="0190-aa", sha256=hashlib.sha256(content).hexdigest(), bytes=size or max(44, len(content))
    )


def kept(folder: Path) -> list[Path]:
    return list(folder.glob("*.pcm"))


class ClipServer:
    """Answers every request with `status` and `content`. `asked`: the heads of the requests."""

    def __init__(self, content: bytes, status: int = 200) -> None:
        self.content, self.status = content, status
        self.asked: list[str] = []
        self.port = 0

    @contextlib.asynccontextmanager
    async def serving(self, folder: Path, **about: int) -> AsyncIterator[ClipCache]:
        server = await asyncio.start_server(self._answer, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        async with server:
            yield ClipCache(folder, lambda: (HubAddress(f"http://127.0.0.1:{port}"), "dev_secret"), **about)

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.asked.append((await reader.readuntil(b"\r\n\r\n")).decode())
        writer.write(f"HTTP/1.1 {self.status} x\r\nContent-Length: {len(self.content)}\r\n\r\n".encode() + self.content)
        with contextlib.suppress(OSError):
            await writer.drain()
        writer.close()


async def test_a_clip_is_fetched_once_from_the_hub_and_kept(tmp_path: Path) -> None:
    server = ClipServer(wav())
    async with server.serving(tmp_path) as cache:
        first = await cache.clip(announced(server.content))
    assert len(first) == 3200
    (request,) = server.asked
    assert request.startswith("GET /fleet/v1/device/audio/0190-aa HTTP") and "Bearer dev_secret" in request
    assert await ClipCache(tmp_path, nowhere).clip(announced(server.content)) == first, "without a network"


async def test_a_damaged_file_is_fetched_again(tmp_path: Path) -> None:
    server = ClipServer(wav())
    async with server.serving(tmp_path) as cache:
        first = await cache.clip(announced(server.content))
        (file,) = kept(tmp_path)
        file.write_bytes(file.read_bytes()[:-1] + b"x")
        assert await cache.clip(announced(server.content)) == first
    assert len(server.asked) == 2


async def test_what_was_not_announced_is_not_kept(tmp_path: Path) -> None:
    good = wav()
    for content, clip, error in (
        (wav(0.2), announced(good), BadAnswer),
        (good[:-2] + b"xx", announced(good), HashMismatch),
        (good, announced(good, len(good) + 1), HashMismatch),
        (b"no sound" * 10, announced(b"no sound" * 10), InvalidParameter),
    ):
        async with ClipServer(content).serving(tmp_path) as cache:
            with pytest.raises(error):
                await cache.clip(clip)
    assert kept(tmp_path) == []


async def test_a_clip_that_is_gone_is_not_tried_again_and_a_hub_that_is_away_is(tmp_path: Path) -> None:
    for status, error in ((404, BadAnswer), (503, LinkLost), (401, LinkLost)):
        async with ClipServer(b"", status).serving(tmp_path) as cache:
            with pytest.raises(error):
                await cache.clip(announced(wav()))
    with pytest.raises(LinkLost):
        await ClipCache(tmp_path, nowhere).clip(announced(wav()))


async def test_what_was_unused_for_longest_makes_room(tmp_path: Path) -> None:
    clips = [wav(seconds) for seconds in (0.1, 0.2, 0.3)]
    server = ClipServer(b"")
    async with server.serving(tmp_path, kept_bytes=17_000) as cache:
        for content in clips:
            server.content = content
            await cache.clip(announced(content))
    assert sorted(len(file.read_bytes()) - 32 for file in kept(tmp_path)) == [6400, 9600]


async def test_a_sentence_is_spoken_once_for_each_voice_and_language(tmp_path: Path) -> None:
    cache, narrator = ClipCache(tmp_path, nowhere), Narrator()
    for language in ("en", "en", "de"):
        assert len(await cache.text("Hello there.", language, narrator)) == 6400
    other = Narrator()
    other.name = "another"
    await cache.text("Hello there.", "en", other)
    assert narrator.spoken == [("Hello there.", "en"), ("Hello there.", "de")] and len(other.spoken) == 1
