"""A file as a microphone."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from reachy_mind.body.media import wav_devices
from reachy_mind.body.media.wav_devices import WavMicrophone, WavSpeaker
from reachy_mind.errors import NotReady

SECOND = 32000
LOUD = b"\x00\x40" * 8000


def hour() -> Iterator[bytes]:
    """Two sounds of half a second, at the beginning and at the end."""
    yield LOUD
    for _ in range(3599):
        yield bytes(SECOND)
    yield LOUD


async def heard(microphone: WavMicrophone) -> bytes:
    got = bytearray()
    async with asyncio.timeout(60):
        async for block in microphone:
            got += block
            if microphone.ended.is_set():
                return bytes(got)
    raise AssertionError


async def test_of_an_hour_of_silence_only_its_ends_are_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wav_devices, "SKIP_SILENCE_AFTER_S", 0.2)
    microphone = WavMicrophone("hour.wav", hour(), 3600, idle=lambda: True)
    got = await heard(microphone)
    assert got.count(b"\x00\x40") == 16000, "what is said is not skipped"
    assert len(got) < 3 * SECOND
    assert microphone.heard_s == pytest.approx(3600, abs=0.1)


async def test_while_an_answer_is_spoken_no_silence_is_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wav_devices, "SKIP_SILENCE_AFTER_S", 0.2)
    microphone = WavMicrophone("a.wav", iter([LOUD, bytes(SECOND), LOUD]), 2, idle=lambda: False)
    assert len(await heard(microphone)) >= 2 * SECOND


async def test_a_microphone_that_is_opened_again_goes_on_where_it_was() -> None:
    microphone = WavMicrophone("a.wav", iter([LOUD, b"\x01\x00" * 8000]), 1)
    async for _ in microphone:
        if microphone.heard_s >= 0.5:
            break
    assert b"\x00\x40" not in await heard(microphone)


async def test_what_can_not_be_written_is_said(tmp_path) -> None:
    for place in (tmp_path / "nowhere" / "a.wav", tmp_path):
        with pytest.raises(NotReady, match="can't be written"):
            WavSpeaker(place).save()
