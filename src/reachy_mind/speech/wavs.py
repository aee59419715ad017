"""WAV files as this room takes them: any rate, whole numbers or floats, several channels in, 16 kHz mono out."""

from __future__ import annotations

import io
import os
import struct
import wave
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO

from reachy_mind.errors import InvalidParameter
from reachy_mind.speech import samples

if TYPE_CHECKING:
    import numpy as np

SLOWEST_HZ, FASTEST_HZ = 4_000, 192_000
MOST_CHANNELS = 8
PIECE_S = 0.25
HINT = "16-bit WAV, or raw PCM of 16 kHz, 16 bits, one channel; `ffmpeg -i in.ogg -ar 16000 -ac 1 out.wav` makes one"
_WHOLE, _FLOAT, _EXTENSIBLE = 1, 3, 0xFFFE
_WIDTHS = {_WHOLE: (1, 2, 3, 4), _FLOAT: (4, 8)}
_MOST_CHUNKS = 100


def is_wav(data: bytes) -> bool:
    return data[:4] == b"RIFF" and data[8:12] == b"WAVE"


@dataclass(frozen=True)
class Sound:
    """The sound in an open file: where it is, and how it is written."""

    rate: int
    channels: int
    width: int
    """Bytes of a sample."""
    floats: bool
    begins: int
    length: int
    """Bytes."""

    @property
    def seconds(self) -> float:
        return self.length / (self.rate * self.channels * self.width)


def find(file: BinaryIO) -> Sound:
    """Raises InvalidParameter for what is no WAV file, or one that can't be read."""
    try:
        return _found(file)
    except (struct.error, EOFError):
        raise InvalidParameter("no WAV file that can be read: it ends too early", hint=HINT) from None


def pieces(file: BinaryIO, sound: Sound) -> Iterator[bytes]:
    """The sound of this room in a file, its channels averaged, a quarter of a second at a time."""
    import numpy as np  # noqa: PLC0415 -- kept out of `reachy-mind --help`

    resampler = None
    if sound.rate != samples.RATE:
        import soxr  # noqa: PLC0415 -- an extra

        resampler = soxr.ResampleStream(sound.rate, samples.RATE, 1, dtype="float32")
    frame = sound.width * sound.channels
    file.seek(sound.begins)
    left = sound.length
    while left:
        read = file.read(min(left, round(PIECE_S * sound.rate) * frame))
        left = left - len(read) if read else 0
        read = read[: len(read) // frame * frame]
        floats = _floats(read, sound).reshape(-1, sound.channels).mean(axis=1, dtype=np.float32)
        yield samples.to_pcm(floats if resampler is None else resampler.resample_chunk(floats, last=not left))


def read(data: bytes, longest_s: float) -> bytes:
    """The sound of a whole file. Raises InvalidParameter for what is none, and for too much."""
    file = io.BytesIO(data)
    sound = find(file)
    if sound.seconds > longest_s:
        raise InvalidParameter(f"more than {longest_s:.0f} s of sound", hint="cut it at a pause")
    return b"".join(pieces(file, sound))


def _found(file: BinaryIO) -> Sound:
    end = file.seek(0, os.SEEK_END)
    file.seek(0)
    if not end:
        raise InvalidParameter("no WAV file that can be read: it is empty", hint=HINT)
    if not is_wav(file.read(12)):
        raise InvalidParameter("no WAV file that can be read: it does not begin like one", hint=HINT)
    form: tuple[int, int, int, int] | None = None
    for _ in range(_MOST_CHUNKS):
        name, size = struct.unpack("<4sI", file.read(8))
        begins = file.tell()
        if name == b"fmt ":
            form = _form(file.read(min(size, 40)))
        elif name == b"data":
            if form is None:
                break
            kind, channels, rate, width = form
            frame = channels * width
            # Who writes into a pipe does not know the length, and promises more than there is.
            return Sound(rate, channels, width, kind == _FLOAT, begins, min(size, end - begins) // frame * frame)
        file.seek(begins + size + size % 2)
    raise InvalidParameter("no WAV file that can be read: there is no sound in it", hint=HINT)


def _form(chunk: bytes) -> tuple[int, int, int, int]:
    kind, channels, rate, _, _, bits = struct.unpack_from("<HHIIHH", chunk)
    if kind == _EXTENSIBLE:
        (kind,) = struct.unpack_from("<H", chunk, 24)
    if kind not in _WIDTHS:
        raise InvalidParameter(f"the sound of a WAV file is encoded in a way (number {kind}) not read here", hint=HINT)
    width = (bits + 7) // 8
    if not SLOWEST_HZ <= rate <= FASTEST_HZ or not 1 <= channels <= MOST_CHANNELS or width not in _WIDTHS[kind]:
        raise InvalidParameter(f"{rate} Hz, {channels} channels and {bits} bits can't be read", hint=HINT)
    return kind, channels, rate, width


def _floats(frames: bytes, sound: Sound) -> np.ndarray:
    import numpy as np  # noqa: PLC0415

    width = sound.width
    if sound.floats:
        read = np.frombuffer(frames, f"<f{width}").astype(np.float32)
        return np.clip(np.nan_to_num(read, nan=0.0, posinf=1.0, neginf=-1.0), -1.0, 1.0)
    if width == 1:  # the only unsigned one
        return (np.frombuffer(frames, np.uint8).astype(np.float32) - 128) / 128
    raw = np.frombuffer(frames, np.uint8).reshape(-1, width)
    wide = np.zeros((len(raw), 4), np.uint8)
    wide[:, 4 - width :] = raw
    return (wide.view("<i4")[:, 0] / 2.0**31).astype(np.float32)


def written(pcm: bytes) -> bytes:
    """A WAV file of this room's sound."""
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(samples.WIDTH)
        file.setframerate(samples.RATE)
        file.writeframes(pcm)
    return out.getvalue()
