"""Speech in the formats of the OpenAI API: `wav` and `pcm` by ourselves, `mp3`, `flac` and `opus` by libsndfile."""

from __future__ import annotations

import io
import struct

import numpy as np

from reachy_mind.body.media import SAMPLE_RATE_HZ
from reachy_mind.body.media.soundcard import Resampler
from reachy_mind.errors import InvalidParameter, MissingExtra

RATE_HZ = 24000
"""What clients expect of `pcm`, which has no header."""
KINDS = {
    "wav": "audio/wav",
    "pcm": "audio/pcm",
    "mp3": "audio/mpeg",
    "flac": "audio/flac",
    "opus": "audio/ogg",
}
_FORMATS = {"mp3": ("MP3", "MPEG_LAYER_III"), "flac": ("FLAC", "PCM_16"), "opus": ("OGG", "OPUS")}
_ENDLESS = 0xFFFFFFFF


def require_known(kind: str) -> str:
    """The format, if it can be made. Raises InvalidParameter."""
    if kind not in KINDS:
        raise InvalidParameter(f"speech can't be made as {kind[:20]!r}", hint=f"one of: {', '.join(KINDS)}")
    return kind


def is_streamed(kind: str) -> bool:
    """Whether it can be sent while it is spoken."""
    return kind in ("wav", "pcm")


def upsampler() -> Resampler:
    return Resampler(SAMPLE_RATE_HZ, RATE_HZ)


def endless_wav_header() -> bytes:
    """The header of a WAV file whose length is not known yet, as players take it from a stream."""
    head = struct.pack("<4sI4s4sIHHIIHH", b"RIFF", _ENDLESS, b"WAVE", b"fmt ", 16, 1, 1, RATE_HZ, 2 * RATE_HZ, 2, 16)
    return head + struct.pack("<4sI", b"data", _ENDLESS - 36)


def encode(pcm: bytes, kind: str) -> bytes:
    """Speech of our rate as a whole file. Takes some milliseconds for each second. Raises MissingExtra."""
    try:
        import soundfile  # type: ignore[import-untyped]  # noqa: PLC0415
    except ImportError:
        raise MissingExtra(f"speech as {kind}", "speech") from None
    resampled = upsampler().feed(pcm, last=True)
    form, subtype = _FORMATS[kind]
    out = io.BytesIO()
    soundfile.write(out, np.frombuffer(resampled, "<i2"), RATE_HZ, format=form, subtype=subtype)
    return out.getvalue()
