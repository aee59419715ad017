"""WAV files as this room takes them: any rate, width and number of channels in, 16 kHz mono out."""

from __future__ import annotations

import io
import wave
from typing import TYPE_CHECKING

from reachy_mind.errors import InvalidParameter
from reachy_mind.speech import samples

if TYPE_CHECKING:
    import numpy as np

SLOWEST_HZ, FASTEST_HZ = 4_000, 192_000
MOST_CHANNELS = 8
HINT = "16-bit WAV, or raw PCM of 16 kHz, 16 bits, one channel; `ffmpeg -i in.ogg -ar 16000 -ac 1 out.wav` makes one"


def is_wav(data: bytes) -> bool:
    return data[:4] == b"RIFF" and data[8:12] == b"WAVE"


def read(data: bytes, longest_s: float) -> bytes:
    """The sound of a WAV file, its channels averaged. Raises InvalidParameter for what is none, and for too much."""
    try:
        with wave.open(io.BytesIO(data)) as file:
            rate, channels, width = file.getframerate(), file.getnchannels(), file.getsampwidth()
            frames = file.readframes(file.getnframes())
    except (wave.Error, EOFError, ValueError) as error:
        raise InvalidParameter(f"no WAV file that can be read: {error or 'it ends too early'}", hint=HINT) from None
    if not SLOWEST_HZ <= rate <= FASTEST_HZ or not 1 <= channels <= MOST_CHANNELS or not 1 <= width <= 4:
        raise InvalidParameter(f"{rate} Hz, {channels} channels and {8 * width} bits can't be read", hint=HINT)
    frames = frames[: len(frames) // (width * channels) * (width * channels)]  # headers promise more than there is
    if len(frames) > longest_s * rate * width * channels:
        raise InvalidParameter(f"more than {longest_s:.0f} s of sound", hint="cut it at a pause")
    return samples.to_pcm(_floats(frames, width).reshape(-1, channels).mean(axis=1), rate) if frames else b""


def _floats(frames: bytes, width: int) -> np.ndarray:
    import numpy as np  # noqa: PLC0415 -- kept out of `reachy-mind --help`

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
