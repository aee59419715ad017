"""WAV files: reads any PCM or float WAV as 16 kHz mono, writes 16-bit WAV.

Sound is passed as `Samples` (float32 between -1 and 1) or as PCM (16-bit little-endian bytes), always 16 kHz mono.
"""

from __future__ import annotations

import io
import math
import os
import struct
import wave
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from reachy_mind.body.channels import ChannelMixer
from reachy_mind.errors import InvalidParameter

RATE_HZ = 16_000
SAMPLE_BYTES = 2
MIN_RATE_HZ, MAX_RATE_HZ = 4_000, 192_000
MAX_CHANNELS = 8
CHUNK_S = 0.25
HINT = "16-bit WAV, or raw PCM of 16 kHz, 16 bits, one channel; `ffmpeg -i in.ogg -ar 16000 -ac 1 out.wav` makes one"
_PCM, _FLOAT, _EXTENSIBLE = 1, 3, 0xFFFE
_SAMPLE_BYTES = {_PCM: (1, 2, 3, 4), _FLOAT: (4, 8)}
_MAX_HEADER_CHUNKS = 100

Samples = NDArray[np.float32]


def is_wav(data: bytes) -> bool:
    return data[:4] == b"RIFF" and data[8:12] == b"WAVE"


@dataclass(frozen=True)
class WavHeader:
    """The sample format of an open WAV file, and where its samples are."""

    rate_hz: int
    channels: int
    sample_bytes: int
    floats: bool
    data_offset: int
    data_bytes: int

    @property
    def frame_bytes(self) -> int:
        return self.sample_bytes * self.channels

    @property
    def seconds(self) -> float:
        return self.data_bytes / (self.rate_hz * self.frame_bytes)


def read_header(file: BinaryIO) -> WavHeader:
    """Raises InvalidParameter for a file that is not WAV or has a format that is not supported."""
    try:
        return _parse_header(file)
    except (struct.error, EOFError):
        raise InvalidParameter("no WAV file that can be read: it ends too early", hint=HINT) from None


def read_chunks(file: BinaryIO, header: WavHeader) -> Iterator[Samples]:
    """The sound of an open file, a quarter of a second at a time. Several channels are mixed: `ChannelMixer`."""
    resampler = None
    if header.rate_hz != RATE_HZ:
        import soxr  # noqa: PLC0415 -- most files are at our rate

        resampler = soxr.ResampleStream(header.rate_hz, RATE_HZ, 1, dtype="float32")
    file.seek(header.data_offset)
    left = header.data_bytes
    mixer = ChannelMixer(header.channels, header.rate_hz)
    early = mixer.late
    while left:
        data = file.read(min(left, round(CHUNK_S * header.rate_hz) * header.frame_bytes))
        left = left - len(data) if data else 0
        data = data[: len(data) // header.frame_bytes * header.frame_bytes]
        mono = mixer.mixed(_decode(data, header).reshape(-1, header.channels))
        if not left:
            mono = np.concatenate((mono, mixer.mixed(np.zeros((mixer.late, header.channels), np.float32))))
        mono, early = mono[early:], max(0, early - len(mono))
        yield mono if resampler is None else resampler.resample_chunk(mono, last=not left)


def read(data: bytes, max_s: float = math.inf) -> Samples:
    """The sound of a whole file. Raises InvalidParameter, also for a file longer than `max_s`."""
    file = io.BytesIO(data)
    header = read_header(file)
    if header.seconds > max_s:
        raise InvalidParameter(f"more than {max_s:.0f} s of sound", hint="cut it at a pause")
    return np.concatenate([np.zeros(0, np.float32), *read_chunks(file, header)])


def read_pcm(data: bytes, max_s: float = math.inf) -> bytes:
    """As `read`, in 16-bit PCM."""
    return to_pcm(read(data, max_s))


def write(pcm: bytes) -> bytes:
    """A 16-bit WAV file of 16 kHz mono PCM."""
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(SAMPLE_BYTES)
        file.setframerate(RATE_HZ)
        file.writeframes(pcm)
    return out.getvalue()


def to_pcm(samples: Samples) -> bytes:
    """16-bit PCM. Louder samples are clipped."""
    return np.clip(np.rint(samples * 32768), -32768, 32767).astype("<i2").tobytes()


def from_pcm(pcm: bytes) -> Samples:
    """Raises InvalidParameter for half a sample."""
    if len(pcm) % SAMPLE_BYTES:
        raise InvalidParameter(f"{len(pcm)} bytes are no whole number of samples", hint="send 16-bit PCM, mono, 16 kHz")
    return np.frombuffer(pcm, "<i2").astype(np.float32) / np.float32(32768)


def _parse_header(file: BinaryIO) -> WavHeader:
    end = file.seek(0, os.SEEK_END)
    file.seek(0)
    if not end:
        raise InvalidParameter("no WAV file that can be read: it is empty", hint=HINT)
    if not is_wav(file.read(12)):
        raise InvalidParameter("no WAV file that can be read: it does not begin like one", hint=HINT)
    sample_format: tuple[int, int, int, int] | None = None
    for _ in range(_MAX_HEADER_CHUNKS):
        name, size = struct.unpack("<4sI", file.read(8))
        offset = file.tell()
        if name == b"fmt ":
            sample_format = _parse_format(file.read(min(size, 40)))
        elif name == b"data":
            if sample_format is None:
                break
            encoding, channels, rate_hz, sample_bytes = sample_format
            frame_bytes = channels * sample_bytes
            # A program that writes into a pipe does not know the length, and announces more than it writes.
            whole = min(size, end - offset) // frame_bytes * frame_bytes
            return WavHeader(rate_hz, channels, sample_bytes, encoding == _FLOAT, offset, whole)
        file.seek(offset + size + size % 2)
    raise InvalidParameter("no WAV file that can be read: there is no sound in it", hint=HINT)


def _parse_format(chunk: bytes) -> tuple[int, int, int, int]:
    """Encoding, channels, rate and bytes of a sample."""
    encoding, channels, rate_hz, _, _, bits = struct.unpack_from("<HHIIHH", chunk)
    if encoding == _EXTENSIBLE:
        (encoding,) = struct.unpack_from("<H", chunk, 24)
    if encoding not in _SAMPLE_BYTES:
        raise InvalidParameter(f"a WAV file with encoding number {encoding} is not supported", hint=HINT)
    sample_bytes = (bits + 7) // 8
    supported = sample_bytes in _SAMPLE_BYTES[encoding] and 1 <= channels <= MAX_CHANNELS
    if not supported or not MIN_RATE_HZ <= rate_hz <= MAX_RATE_HZ:
        raise InvalidParameter(f"{rate_hz} Hz, {channels} channels and {bits} bits can't be read", hint=HINT)
    return encoding, channels, rate_hz, sample_bytes


def _decode(frames: bytes, header: WavHeader) -> Samples:
    width = header.sample_bytes
    if header.floats:
        samples = np.frombuffer(frames, f"<f{width}").astype(np.float32)
        return np.clip(np.nan_to_num(samples, nan=0.0, posinf=1.0, neginf=-1.0), -1.0, 1.0)
    if width == 1:  # the only unsigned format
        return (np.frombuffer(frames, np.uint8).astype(np.float32) - 128) / np.float32(128)
    raw = np.frombuffer(frames, np.uint8).reshape(-1, width)
    wide = np.zeros((len(raw), 4), np.uint8)
    wide[:, 4 - width :] = raw
    return (wide.view("<i4")[:, 0] / 2.0**31).astype(np.float32)
