"""Microphone and loudspeaker of this machine, on a real PulseAudio server without hardware."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import numpy as np
import pytest

from reachy_mind.body.media import BLOCK_BYTES, SAMPLE_RATE_HZ, blocking_calls, microphone_buffer
from reachy_mind.body.media.soundcard import Resampler, find
from reachy_mind.body.media.soundcard_microphone import SoundcardMicrophone
from reachy_mind.body.media.soundcard_speaker import SoundcardSpeaker
from reachy_mind.errors import InvalidParameter, LinkLost, MissingExtra, NotReady
from tests.fakes.pulse import MISSING, Pulse, installed
from tests.waiting import until

pytestmark = pytest.mark.process

needs_pulse = pytest.mark.skipif(not installed(), reason=MISSING)
PULSE = ("pulse",)
RATES = (SAMPLE_RATE_HZ, 44100)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pulse]:
    with Pulse(tmp_path_factory.mktemp("sound") / "pulse") as started:
        yield started


@pytest.fixture
def pulse(server: Pulse, monkeypatch: pytest.MonkeyPatch) -> Pulse:
    """The server of this module's tests, for programs that look for one."""
    for name, value in server.environment.items():
        monkeypatch.setenv(name, value)
    return server


def tone(seconds: float, hz: float = 440.0, loud: float = 0.5) -> bytes:
    t = np.arange(int(seconds * SAMPLE_RATE_HZ)) / SAMPLE_RATE_HZ
    return (loud * 32767 * np.sin(2 * np.pi * hz * t)).astype("<i2").tobytes()


def asoundrc(folder: Path, text: str) -> None:
    (folder / ".asoundrc").write_text(text)


def samples(pcm: bytes) -> np.ndarray:
    return np.frombuffer(pcm, "<i2").astype(float)


def pitch(pcm: bytes) -> float:
    heard = samples(pcm)
    spectrum = np.abs(np.fft.rfft(heard * np.hanning(len(heard))))
    return float(np.argmax(spectrum) * SAMPLE_RATE_HZ / len(heard))


def loud(block: bytes) -> bool:
    return bool(np.abs(samples(block)).max() > 3000)


@needs_pulse
@pytest.mark.parametrize("rate", RATES)
async def test_what_the_loudspeaker_plays_the_microphone_hears(pulse: Pulse, rate: int) -> None:
    async with SoundcardMicrophone(PULSE, rate_hz=rate) as microphone, SoundcardSpeaker(PULSE, rate_hz=rate) as speaker:
        assert str(rate) in speaker.device and "pulse" in microphone.device
        blocks = aiter(microphone)
        await anext(blocks)  # from now on it hears
        playing = asyncio.create_task(speaker.write(tone(1.5)))
        heard = b""
        async for block in blocks:
            assert len(block) == BLOCK_BYTES
            if heard or loud(block):
                heard += block
            if len(heard) >= SAMPLE_RATE_HZ * 2:  # a second of it
                break
        await playing
        assert pitch(heard) == pytest.approx(440, abs=5)
        assert np.abs(samples(heard)).max() == pytest.approx(16384, rel=0.1)
        assert microphone.position - microphone.lost >= SAMPLE_RATE_HZ


@needs_pulse
@pytest.mark.parametrize("rate", RATES)
async def test_the_position_follows_what_left_and_ends_where_writing_did(pulse: Pulse, rate: int) -> None:
    async with SoundcardSpeaker(PULSE, rate_hz=rate) as speaker:
        for again in (1, 2):
            await speaker.write(tone(0.4))
            assert speaker.position < speaker.written == again * 6400
            await speaker.drained()
            assert speaker.position == speaker.written == again * 6400


@needs_pulse
@pytest.mark.parametrize("rate", RATES)
async def test_a_flush_forgets_what_was_not_played_and_the_next_is_heard(pulse: Pulse, rate: int) -> None:
    async with SoundcardMicrophone(PULSE) as microphone, SoundcardSpeaker(PULSE, rate_hz=rate) as speaker:
        blocks, heard = aiter(microphone), list[bytes]()
        await anext(blocks)  # from now on it hears

        async def hear() -> None:
            async for block in blocks:
                heard.append(block)

        hearing = asyncio.create_task(hear())
        await speaker.write(tone(0.9))
        await until(lambda: speaker.position >= 4800)
        dropped = await speaker.flush()
        assert 0 < dropped <= 9600 and speaker.written == 14400 - dropped
        await speaker.drained()
        assert speaker.position == speaker.written
        await speaker.write(tone(0.9, hz=1000))
        await speaker.drained()
        assert speaker.position == speaker.written == 14400 - dropped + 14400
        ended = len(heard)
        await until(lambda: len(heard) >= ended + 25)  # what is still on its way through the server
        hearing.cancel()
        low = [block for block in heard if loud(block) and pitch(block) < 700]
        high = [block for block in heard if loud(block) and pitch(block) > 900]
        # A busy machine may swallow some of it on its way: what is heard is what counts as played, or less.
        assert 0 < len(low) * 320 <= 14400 - dropped + 1600 and 0 < len(high) * 320 <= 14400 + 1600


@needs_pulse
async def test_writing_waits_while_a_second_is_to_be_played(pulse: Pulse) -> None:
    async with SoundcardSpeaker(PULSE) as speaker:
        writing = asyncio.create_task(speaker.write(tone(5)))
        await until(lambda: speaker.written >= SAMPLE_RATE_HZ)
        assert speaker.written - speaker.position <= 1.2 * SAMPLE_RATE_HZ and not writing.done()
        await speaker.flush()
        writing.cancel()
        with pytest.raises(InvalidParameter):
            await speaker.write(b"odd")


@needs_pulse
async def test_a_late_reader_loses_the_oldest_and_is_told_how_much(
    pulse: Pulse, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(microphone_buffer, "MAX_BLOCKS", 5)
    async with SoundcardMicrophone(PULSE) as microphone:
        blocks, read = aiter(microphone), 0
        while microphone.lost == 0:
            await anext(blocks)
            read += 1
            await asyncio.sleep(0.2)  # what makes a reader late
        assert microphone.lost % 320 == 0 and microphone.position == microphone.lost + 320 * read


@needs_pulse
async def test_a_device_that_vanishes_ends_reading_and_writing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def read(microphone: SoundcardMicrophone) -> None:
        async for _ in microphone:
            pass

    async def play(speaker: SoundcardSpeaker) -> None:
        while True:
            await speaker.write(tone(1))

    with Pulse(tmp_path / "pulse") as pulse:
        for name, value in pulse.environment.items():
            monkeypatch.setenv(name, value)
        async with SoundcardMicrophone(PULSE) as microphone, SoundcardSpeaker(PULSE) as speaker:
            await anext(aiter(microphone))
            pulse.kill()
            with pytest.raises(LinkLost, match="has gone"):
                await read(microphone)
            with pytest.raises(LinkLost, match="can't be used"):
                await play(speaker)


async def drained(blocks: AsyncIterator[bytes]) -> None:
    async for _ in blocks:
        pass


@needs_pulse
async def test_a_device_that_was_unplugged_is_opened_again_when_it_is_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Pulse(tmp_path / "pulse") as pulse:
        for name, value in pulse.environment.items():
            monkeypatch.setenv(name, value)
        microphone = SoundcardMicrophone(PULSE)
        async with microphone, asyncio.timeout(20):
            blocks = aiter(microphone)
            await anext(blocks)
            await asyncio.to_thread(pulse.unplug)
            with pytest.raises(LinkLost, match="has gone"):
                await drained(blocks)
        with pytest.raises(NotReady):
            await microphone.__aenter__()
        await asyncio.to_thread(pulse.plug)
        async with microphone, asyncio.timeout(20):
            await anext(aiter(microphone))


@needs_pulse
async def test_a_sound_server_that_hangs_holds_nobody_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocking_calls, "BLOCKING_CALL_TIMEOUT_S", 0.5)
    with Pulse(tmp_path / "pulse") as pulse:
        for name, value in pulse.environment.items():
            monkeypatch.setenv(name, value)
        pulse.process.send_signal(signal.SIGSTOP)
        try:
            async with asyncio.timeout(20):
                with pytest.raises(NotReady, match="does not answer"):
                    await SoundcardMicrophone(PULSE).__aenter__()
        finally:
            pulse.process.send_signal(signal.SIGCONT)

        async def hears() -> bool:
            try:
                async with SoundcardMicrophone(PULSE) as microphone:
                    return bool(await anext(aiter(microphone)))
            except NotReady:
                return False

        await until(hears)  # what hung comes back, and is closed


@needs_pulse
async def test_devices_are_named_by_number_or_part_of_a_name_and_others_refused(pulse: Pulse) -> None:
    by_name = await asyncio.to_thread(find, ("PUL",), "input")
    assert by_name.name == "pulse" and by_name == await asyncio.to_thread(find, (str(by_name.number),), "input")
    assert by_name == await asyncio.to_thread(find, ("nobody's", "pulse"), "input"), "the first that is there"
    assert (await asyncio.to_thread(find, ("",), "output")).rate == SAMPLE_RATE_HZ
    for wanted in ("nobody's", "77"):
        with pytest.raises(NotReady, match="no microphone") as refused:
            await SoundcardMicrophone((wanted,)).__aenter__()
        assert "pulse" in refused.value.hint
        with pytest.raises(NotReady, match="no loudspeaker"):
            await SoundcardSpeaker((wanted,)).__aenter__()


@needs_pulse
async def test_a_device_that_came_later_is_found(pulse: Pulse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(NotReady):
        await asyncio.to_thread(find, ("reachymini_audio_src",), "input")
    asoundrc(tmp_path, "pcm.reachymini_audio_src { type pulse }")
    assert (await asyncio.to_thread(find, ("reachymini_audio_src",), "input")).name == "reachymini_audio_src"


async def test_what_is_not_open_is_said() -> None:
    with pytest.raises(NotReady, match="not open"):
        await anext(aiter(SoundcardMicrophone()))
    with pytest.raises(LinkLost, match="not open"):
        await SoundcardSpeaker().write(tone(0.1))
    with pytest.raises(LinkLost, match="not open"):
        await SoundcardSpeaker().flush()


async def test_without_a_library_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sounddevice", None)
    for device in (SoundcardMicrophone(), SoundcardSpeaker()):
        with pytest.raises(MissingExtra) as refused:
            await device.__aenter__()
        assert "reachy-mind[media]" in refused.value.hint


@pytest.mark.parametrize("rate", [8000, 22050, 44100, 48000])
def test_a_resampled_tone_keeps_its_pitch_and_its_length(rate: int) -> None:
    there, back = Resampler(SAMPLE_RATE_HZ, rate), Resampler(rate, SAMPLE_RATE_HZ)
    played = tone(1.0)
    theirs = b"".join(there.feed(played[at : at + BLOCK_BYTES]) for at in range(0, len(played), BLOCK_BYTES))
    theirs += there.end()
    assert len(theirs) / 2 == pytest.approx(rate, abs=2)
    ours = back.feed(theirs) + back.end()
    assert len(ours) == pytest.approx(len(played), abs=4) and pitch(ours) == pytest.approx(440, abs=2)
