"""The vendor's SDK in a process of its own: a fake SDK, the real process and pipes, a fake daemon."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest

from reachy_mind.body.address import Address
from reachy_mind.body.media import BLOCK_BYTES, Media, microphone_buffer, vendor_sdk
from reachy_mind.body.media.providers import MediaChoice, provide
from reachy_mind.config.configuration import load
from reachy_mind.errors import LinkLost, NotReady
from tests.body.media.films import seen
from tests.fakes import vendor_sdk as fake_sdk
from tests.fakes.daemon import Misbehaviour, misbehaving
from tests.waiting import until

pytestmark = pytest.mark.process

PCM = (8000 * np.sin(np.arange(16000) / 10)).astype("<i2").tobytes()


@pytest.fixture
def manner() -> Misbehaviour:
    return Misbehaviour()


@pytest.fixture
async def daemon(manner: Misbehaviour) -> AsyncIterator[Address]:
    async with misbehaving(manner) as address:
        yield address


@pytest.fixture
def done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[Any]]:
    """What was done with the SDK so far."""
    log = tmp_path / "sdk.jsonl"
    monkeypatch.setenv("FAKE_SDK_LOG", str(log))
    return lambda: [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []


@pytest.fixture
def media(daemon: Address, tmp_path: Path, done: Callable[[], list[Any]]) -> Media:
    """The provider, with a Python that finds the fake SDK."""
    settings = load(flags={"media.vendor_python": fake_sdk.python(tmp_path)}).settings
    return provide(MediaChoice("vendor", "it was asked for"), settings, daemon)


def children() -> list[int]:
    """The running media processes; one that has ended and is not yet awaited counts no more."""
    found = []
    for child in psutil.Process().children():
        with contextlib.suppress(psutil.NoSuchProcess):  # also a zombie
            found += [child.pid] if "vendor_process.py" in " ".join(child.cmdline()) else []
    return found


async def test_a_process_that_hangs_is_ended_and_replaced_though_the_microphone_has_it_open(
    media: Media, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vendor_sdk, "SILENCE_S", 1.2)
    async with media.camera() as camera:
        async with media.microphone() as microphone:
            [hung] = children()
            os.kill(hung, signal.SIGSTOP)
            with pytest.raises(LinkLost, match="no sign of life"):
                async for _ in microphone:
                    pass
            with pytest.raises(LinkLost, match="no sign of life"):
                await camera.frame()
        await until(lambda: hung not in children())
    async with media.camera() as camera:
        assert seen(await camera.frame())


async def test_one_process_serves_all_three_and_ends_with_the_last(
    media: Media, daemon: Address, done: Callable[[], list[Any]]
) -> None:
    assert media.provider == "vendor"
    async with media.camera() as camera:
        size, grey = seen(await camera.frame())
        assert size == (64, 36) and grey == pytest.approx(90, abs=3)
        async with media.microphone() as microphone:
            async for block in microphone:
                assert len(block) == BLOCK_BYTES
                if microphone.position >= 6400:
                    break
            async with media.speaker() as speaker:
                assert len(children()) == 1
                await speaker.write(PCM[:6400])
                await speaker.drained()
                assert speaker.position == speaker.written == 3200
        await camera.frame()
    assert children() == []
    calls = done()
    assert calls[0] == ["opened", "webrtc", "127.0.0.1", "lite", daemon.http]
    assert sum(call[1] for call in calls if call[0] == "push") == 3200
    assert {call[3] for call in calls if call[0] == "push"} == {"float32"}
    assert max(call[2] for call in calls if call[0] == "push") == pytest.approx(8000 / 32768, rel=0.02)
    assert calls[-1] == ["close"]


async def test_what_is_heard_is_the_first_channel(media: Media) -> None:
    heard = b""
    async with media.microphone() as microphone:
        async for block in microphone:
            heard += block
            if len(heard) >= 16000:
                break
    wave = np.frombuffer(heard, "<i2").astype(float)
    assert np.abs(wave).max() == pytest.approx(16384, rel=0.02)
    pitch = np.argmax(np.abs(np.fft.rfft(wave * np.hanning(len(wave))))) * 16000 / len(wave)
    assert pitch == pytest.approx(440, abs=5)


async def test_a_flush_clears_the_sdk_and_counts_what_nobody_hears(media: Media, done: Callable[[], list[Any]]) -> None:
    async with media.speaker() as speaker:
        await speaker.write(PCM)
        dropped = await speaker.flush()
        assert 0 < dropped <= 16000 and speaker.written == speaker.position == 16000 - dropped
        assert ["clear_player"] in done()
        await speaker.write(PCM[:3200])
        await speaker.drained()
        assert speaker.position == 16000 - dropped + 1600


async def test_each_loudspeaker_counts_from_its_own_start(media: Media) -> None:
    async with media.camera():  # so that it is one process
        for _ in range(2):
            async with media.speaker() as speaker:
                await speaker.write(PCM[:1600])
                await speaker.drained()
                assert speaker.position == speaker.written == 800


async def test_a_second_loudspeaker_or_microphone_is_refused_and_harms_nobody(media: Media) -> None:
    async with media.speaker() as speaker, media.microphone() as microphone:
        for another in (media.speaker, media.microphone):
            with pytest.raises(NotReady, match="open already"):
                await another().__aenter__()
        await speaker.write(PCM[:1600])
        await speaker.drained()
        await anext(aiter(microphone))
    assert children() == []


async def test_a_late_reader_loses_the_oldest(media: Media, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(microphone_buffer, "MAX_BLOCKS", 5)
    async with media.microphone() as microphone:
        read = 0
        blocks = aiter(microphone)
        while microphone.lost == 0:
            await anext(blocks)
            read += 1
            await asyncio.sleep(0.2)  # what makes a reader late
        assert microphone.position == microphone.lost + 320 * read


@pytest.mark.parametrize(
    ("wrong", "part", "told"),
    [
        ("refuses", "camera", "ConnectionRefusedError: nobody signals here"),
        ("hangs up", "microphone", "its process ended"),
        ("no camera", "camera", "there is no camera"),
        ("no sound", "microphone", "there is no microphone"),
        ("no sound", "speaker", "there is no loudspeaker"),
    ],
)
async def test_what_the_sdk_has_not_is_said(
    media: Media, monkeypatch: pytest.MonkeyPatch, wrong: str, part: str, told: str
) -> None:
    monkeypatch.setenv("FAKE_SDK", wrong)
    with pytest.raises(NotReady, match=told) as refused:
        await getattr(media, part)().__aenter__()
    assert children() == []
    if wrong == "hangs up":
        assert "Segmentation fault" in refused.value.hint


@pytest.mark.parametrize(("wrong", "told"), [("blind", "gave none"), ("dies looking", "process ended")])
async def test_a_look_that_fails_is_said(media: Media, monkeypatch: pytest.MonkeyPatch, wrong: str, told: str) -> None:
    monkeypatch.setenv("FAKE_SDK", wrong)
    async with media.camera() as camera, media.microphone() as microphone:
        with pytest.raises(LinkLost, match=told):
            await camera.frame()
        if wrong == "dies looking":
            with pytest.raises(LinkLost, match="has gone"):
                await asyncio.wait_for(_drained(aiter(microphone)), 20)
    assert children() == []


async def test_a_process_that_is_killed_ends_what_waits_for_it(media: Media) -> None:
    async with media.speaker() as speaker, media.microphone() as microphone:
        writing = asyncio.create_task(speaker.write(PCM * 5))
        await anext(aiter(microphone))
        psutil.Process(children()[0]).kill()
        with pytest.raises(LinkLost, match="process ended"):
            await writing
        with pytest.raises(LinkLost):
            await speaker.flush()
    async with media.camera() as camera:  # and it can be had again
        assert seen(await camera.frame())[0] == (64, 36)


async def test_a_process_that_does_not_end_is_killed(media: Media, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vendor_sdk, "STOP_TIMEOUT_S", 0.3)
    async with media.camera() as camera:
        await camera.frame()
        psutil.Process(children()[0]).suspend()
    assert children() == []


async def test_a_daemon_without_media_or_with_others_using_them_is_said(media: Media, manner: Misbehaviour) -> None:
    manner.media = {"available": False, "released": False, "no_media": True}
    with pytest.raises(NotReady, match="without media"):
        await media.camera().__aenter__()
    manner.media = {"available": False, "released": True, "no_media": False}
    with pytest.raises(NotReady, match="another program"):
        await media.camera().__aenter__()


@pytest.mark.parametrize(
    ("python", "told"), [("/no/such/python", "can't be started"), (os.devnull, "can't be started")]
)
async def test_a_python_that_is_none_is_said(daemon: Address, python: str, told: str) -> None:
    settings = load(flags={"media.vendor_python": python}).settings
    with pytest.raises(NotReady, match=told):
        await provide(MediaChoice("vendor", ""), settings, daemon).camera().__aenter__()


async def test_a_python_without_the_sdk_is_said(daemon: Address) -> None:
    settings = load(flags={"media.vendor_python": sys.executable}).settings
    with pytest.raises(NotReady, match="No module named 'reachy_mini'"):
        await provide(MediaChoice("vendor", ""), settings, daemon).camera().__aenter__()


async def _drained(blocks: AsyncIterator[bytes]) -> None:
    async for _ in blocks:
        pass


async def test_it_is_cancelled_cleanly_while_it_starts(media: Media) -> None:
    opening = asyncio.create_task(media.camera().__aenter__())
    await until(children)
    opening.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await opening
    assert children() == []
