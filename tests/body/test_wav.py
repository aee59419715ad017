"""WAV files of every supported format, and what is refused."""

from __future__ import annotations

import io
import struct

import numpy as np
import pytest

from reachy_mind.body.wav import from_pcm, read_chunks, read_header, read_pcm, to_pcm, write
from reachy_mind.errors import InvalidParameter

PCM, FLOAT, EXTENSIBLE = 1, 3, 0xFFFE


def wav(form: int, data: bytes, *, rate: int = 48000, channels: int = 1, bits: int = 16, extra: bytes = b"") -> bytes:
    frame = channels * bits // 8
    head = struct.pack("<HHIIHH", form, channels, rate, rate * frame, frame, bits) + extra
    chunks = b"LIST\x03\0\0\0abc\0" + b"fmt " + struct.pack("<I", len(head)) + head
    chunks += b"data" + struct.pack("<I", len(data)) + data
    return b"RIFF" + struct.pack("<I", 4 + len(chunks)) + b"WAVE" + chunks


def tone(rate: int = 48000) -> np.ndarray:
    return 0.5 * np.sin(2 * np.pi * 440 * np.arange(rate) / rate)


def packed(sound: np.ndarray, bits: int) -> bytes:
    if bits == 8:
        return (sound * 127 + 128).astype(np.uint8).tobytes()
    whole = (sound * (2 ** (bits - 1) - 1)).astype("<i4")
    return whole.view(np.uint8).reshape(-1, 4)[:, : bits // 8].tobytes()


def extensible(form: int, bits: int) -> bytes:
    return struct.pack("<HHI", 22, bits, 4) + struct.pack("<H", form) + bytes(14)


@pytest.mark.parametrize(
    "data",
    [
        *(wav(PCM, packed(tone(), bits), bits=bits) for bits in (8, 16, 24, 32)),
        wav(FLOAT, tone().astype("<f4").tobytes(), bits=32),
        wav(FLOAT, tone().astype("<f8").tobytes(), bits=64),
        wav(EXTENSIBLE, packed(tone(), 24), bits=24, extra=extensible(PCM, 24)),
        wav(EXTENSIBLE, tone().astype("<f4").tobytes(), bits=32, extra=extensible(FLOAT, 32)),
        wav(PCM, packed(np.repeat(tone(44100), 2), 16), rate=44100, channels=2),
        wav(PCM, packed(tone(8000), 16), rate=8000),
        wav(PCM, packed(tone(16000), 16), rate=16000),
    ],
)
def test_a_tone_is_the_same_in_every_kind_of_file(data: bytes) -> None:
    heard = np.frombuffer(read_pcm(data, 10), "<i2")
    assert len(heard) == pytest.approx(16000, abs=2)
    assert int(np.abs(np.fft.rfft(heard[:16000], 16000)).argmax()) == 440
    assert np.abs(heard).max() == pytest.approx(16384, rel=0.05)


def test_channels_of_opposite_phase_do_not_cancel_each_other() -> None:
    noise = np.random.default_rng(3).normal(0, 0.1, 32000)
    both = np.stack((noise, -noise), axis=1).ravel()
    heard = np.frombuffer(read_pcm(wav(PCM, packed(both, 16), rate=16000, channels=2), 10), "<i2")
    assert len(heard) == 32000
    assert np.std(heard[8000:]) == pytest.approx(3276, rel=0.1)


def test_a_header_that_promises_more_than_there_is_and_one_that_knows_no_length_are_read() -> None:
    data = wav(PCM, packed(tone(16000), 16), rate=16000)
    for length in (b"\xff\xff\xff\xff", b"\0\0\0\x70"):
        promised = data[: -32000 - 4] + length + data[-32000:]
        assert len(read_pcm(promised, 10)) == 32000
    assert len(read_pcm(data[:-16001], 10)) == 15998, "half a sample at the end is no sound"


def test_floats_that_are_no_numbers_are_silence_and_too_loud_ones_are_clipped() -> None:
    wild = np.array([np.nan, np.inf, -np.inf, 1e30, 0.5] * 100, "<f4").tobytes()
    heard = np.frombuffer(read_pcm(wav(FLOAT, wild, rate=16000, bits=32), 10), "<i2")
    assert list(heard[:5]) == [0, 32767, -32768, 32767, 16384]


def test_a_file_at_our_own_rate_keeps_every_sample() -> None:
    pcm = np.arange(-32768, 32768, dtype="<i2").tobytes()
    assert read_pcm(write(pcm)) == pcm
    assert to_pcm(from_pcm(pcm)) == pcm


def test_a_file_without_sound_is_empty() -> None:
    assert read_pcm(write(b"")) == b""


def test_an_hour_is_read_piece_by_piece() -> None:
    class Hour(io.BytesIO):
        most = 0

        def read(self, size: int | None = -1) -> bytes:
            Hour.most = max(Hour.most, size or 0)
            return super().read(size)

    file = Hour(wav(PCM, bytes(3600 * 8000), rate=8000, bits=8))
    sound = read_header(file)
    assert sound.seconds == 3600 and len(next(read_chunks(file, sound))) <= 4000
    assert Hour.most <= 2000


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b"Dear diary, today it spoke to me.", "begin"),
        (b"RIFF\0\0\0\0WAVE", "too early"),
        (b"RIFF\0\0\0\0WAVEfmt \x10\0\0\0abc", "too early"),
        (b"RIFF\0\0\0\0WAVE" + b"junk\0\0\0\0" * 200, "no sound"),
        (b"RIFF\0\0\0\0WAVEdata\0\0\0\0", "no sound"),
        (wav(7, bytes(8000), rate=8000, bits=8), "number 7"),
        (wav(PCM, bytes(8000), rate=1, bits=8), "1 Hz"),
        (wav(PCM, bytes(8000), channels=9), "9 channels"),
        (wav(PCM, bytes(8000), channels=0), "0 channels"),
        (wav(FLOAT, bytes(8000), bits=16), "16 bits"),
        (wav(PCM, bytes(48000 * 30), rate=48000), "more than 10 s"),
    ],
)
def test_what_can_not_be_read_is_named(data: bytes, reason: str) -> None:
    with pytest.raises(InvalidParameter, match=reason):
        read_pcm(data, 10)
