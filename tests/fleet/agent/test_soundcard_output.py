"""The device's loudspeaker on a real PulseAudio server without hardware: what it plays is recorded there."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from reachy_mind.body.media.soundcard_microphone import SoundcardMicrophone
from reachy_mind.fleet.agent.sound import SoundOutput
from reachy_mind.fleet.agent.soundcard_output import SoundcardOutput
from tests.fakes.pulse import MISSING, Pulse, installed
from tests.waiting import until

pytestmark = [pytest.mark.process, pytest.mark.skipif(not installed(), reason=MISSING)]
RATE = 16000


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pulse]:
    with Pulse(tmp_path_factory.mktemp("sound") / "pulse") as started:
        yield started


@pytest.fixture
def pulse(server: Pulse, monkeypatch: pytest.MonkeyPatch) -> Pulse:
    for name, value in server.environment.items():
        monkeypatch.setenv(name, value)
    return server


def tone(seconds: float) -> bytes:
    t = np.arange(int(seconds * RATE)) / RATE
    return (16000 * np.sin(2 * np.pi * 440 * t)).astype("<i2").tobytes()


@pytest.mark.parametrize("rate", [RATE, 44100])
async def test_what_it_plays_is_heard_when_it_should_be(pulse: Pulse, rate: int) -> None:
    heard = bytearray()
    async with (
        SoundcardMicrophone(("pulse",)) as microphone,
        SoundOutput(lambda mixer: SoundcardOutput(mixer, ("pulse",), rate)) as sound,
    ):
        assert "pulse" in sound.device and str(rate) in sound.device and not sound.trouble

        async def listen() -> None:
            async for block in microphone:
                heard.extend(block)

        listening = asyncio.create_task(listen())
        try:

            async def both_run() -> bool:
                await sound.play(tone(0.1))
                return _loud(heard) > 0

            await until(both_run)
            before = _loud(heard)
            at = time.monotonic() + 0.3
            await sound.play(tone(1.0), at=at)
            assert at + 0.99 <= time.monotonic() < at + 10
            await until(lambda: _loud(heard) >= before + RATE * 8 // 10)
        finally:
            listening.cancel()
    spectrum = np.abs(np.fft.rfft(np.frombuffer(heard, "<i2").astype(float)))
    assert np.argmax(spectrum) * RATE / (len(heard) // 2) == pytest.approx(440, abs=5)


def _loud(heard: bytearray) -> int:
    """How many samples are not silent."""
    samples = np.frombuffer(bytes(heard), "<i2").astype(np.int32)
    return int(np.count_nonzero(np.abs(samples) > 500))


async def test_a_card_that_goes_away_is_said_to_be_gone_and_sounds_go_on_without_it(tmp_path: Path) -> None:
    with pytest.MonkeyPatch.context() as environment, Pulse(tmp_path / "pulse") as own:
        for name, value in own.environment.items():
            environment.setenv(name, value)
        async with SoundOutput(lambda mixer: SoundcardOutput(mixer, ("pulse",))) as sound:
            await asyncio.to_thread(own.kill)
            await until(lambda: sound.trouble)
            await sound.play(tone(0.1))
            assert sound.device == "no hardware"
