"""Sound as Realtime clients send and get it (PCM of some rate, G.711), and as the pipeline has it: 16 kHz PCM."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reachy_mind.body.media import SAMPLE_RATE_HZ
from reachy_mind.body.media.soundcard import Resampler
from reachy_mind.errors import InvalidParameter

DEFAULT_RATE_HZ, G711_RATE_HZ = 24000, 8000
RATES_HZ = (8000, 16000, 24000, 44100, 48000)
BETA_NAMES = {"pcm16": "audio/pcm", "g711_ulaw": "audio/pcmu", "g711_alaw": "audio/pcma"}
_BIAS, _CLIP = 0x84, 32635


@dataclass(frozen=True)
class AudioFormat:
    kind: str = "audio/pcm"
    rate_hz: int = DEFAULT_RATE_HZ

    @property
    def bytes_per_s(self) -> int:
        return self.rate_hz * (2 if self.kind == "audio/pcm" else 1)

    def described(self) -> dict[str, Any]:
        if self.kind != "audio/pcm":
            return {"type": self.kind}
        return {"type": self.kind, "rate": None if self.rate_hz == SAMPLE_RATE_HZ else self.rate_hz}

    @property
    def beta_name(self) -> str:
        return next(name for name, kind in BETA_NAMES.items() if kind == self.kind)


def parse(wanted: Any) -> AudioFormat:
    """The format that a client asks for. A PCM rate of None is ours, as with some servers. Raises InvalidParameter."""
    if isinstance(wanted, str):
        wanted = {"type": BETA_NAMES.get(wanted, wanted)}
    if not isinstance(wanted, Mapping):
        raise InvalidParameter("a sound format that is no object", hint='such as {"type": "audio/pcm", "rate": 24000}')
    kind = wanted.get("type", "audio/pcm")
    if kind in ("audio/pcmu", "audio/pcma"):
        return AudioFormat(str(kind), G711_RATE_HZ)
    if kind != "audio/pcm":
        raise InvalidParameter(f"no sound format {str(kind)[:40]!r}", hint="audio/pcm, audio/pcmu or audio/pcma")
    rate = wanted.get("rate", DEFAULT_RATE_HZ)
    rate = SAMPLE_RATE_HZ if rate is None else rate
    if rate not in RATES_HZ:
        raise InvalidParameter(f"a rate of {str(rate)[:20]} Hz", hint=f"one of: {', '.join(map(str, RATES_HZ))}")
    return AudioFormat("audio/pcm", int(rate))


class AudioDecoder:
    """A client's sound as 16 kHz PCM."""

    def __init__(self, form: AudioFormat) -> None:
        self._form, self._resampler = form, Resampler(form.rate_hz, SAMPLE_RATE_HZ)

    def decode(self, text: Any, *, last: bool = False) -> bytes:
        """Raises InvalidParameter for what is no base64, or no whole number of samples."""
        try:
            data = base64.b64decode(text, validate=True)
        except (binascii.Error, TypeError, ValueError):
            raise InvalidParameter("the sound is no base64", hint="the bytes of the samples, in base64") from None
        if self._form.kind != "audio/pcm":
            table = _expanded(self._form.kind)
            data = table[np.frombuffer(data, np.uint8)].astype("<i2").tobytes()
        elif len(data) % 2:
            raise InvalidParameter(f"{len(data)} bytes are no whole number of samples", hint="16 bits, little-endian")
        return self._resampler.feed(data, last=last)


class AudioEncoder:
    """16 kHz PCM as a client's sound."""

    def __init__(self, form: AudioFormat) -> None:
        self._form, self._resampler = form, Resampler(SAMPLE_RATE_HZ, form.rate_hz)

    def encode(self, pcm: bytes) -> bytes:
        return self._packed(self._resampler.feed(pcm))

    def end(self) -> bytes:
        """The samples that were held back."""
        return self._packed(self._resampler.end() if self._form.rate_hz != SAMPLE_RATE_HZ else b"")

    def clear(self) -> None:
        self._resampler.clear()

    def _packed(self, pcm: bytes) -> bytes:
        if self._form.kind == "audio/pcm" or not pcm:
            return pcm
        samples = np.frombuffer(pcm, "<i2")
        return (_as_ulaw(samples) if self._form.kind == "audio/pcmu" else _as_alaw(samples)).tobytes()


def _as_ulaw(samples: NDArray[np.int16]) -> NDArray[np.uint8]:
    """G.711 mu-law."""
    wide = samples.astype(np.int32)
    sign = np.where(wide < 0, 0x80, 0)
    level = np.minimum(np.abs(wide), _CLIP) + _BIAS
    exponent = np.clip(np.floor(np.log2(level)).astype(np.int32) - 7, 0, 7)
    mantissa = (level >> (exponent + 3)) & 0x0F
    return np.asarray(~(sign | (exponent << 4) | mantissa) & 0xFF, np.uint8)


def _as_alaw(samples: NDArray[np.int16]) -> NDArray[np.uint8]:
    """G.711 A-law."""
    wide = samples.astype(np.int32) >> 3
    sign = np.where(wide >= 0, 0x80, 0)
    level = np.minimum(np.where(wide >= 0, wide, -wide - 1), 0xFFF)
    exponent = np.clip(np.floor(np.log2(np.maximum(level, 1))).astype(np.int32) - 4, 0, 7)
    mantissa = np.where(exponent == 0, level >> 1, level >> exponent) & 0x0F
    return np.asarray((sign | (exponent << 4) | mantissa) ^ 0x55, np.uint8)


@cache
def _expanded(kind: str) -> NDArray[np.int32]:
    """The sample of each byte."""
    code = np.arange(256, dtype=np.int32)
    if kind == "audio/pcmu":
        code = ~code & 0xFF
        level = (((code & 0x0F) << 3) + _BIAS) << ((code >> 4) & 7)
        return np.where(code & 0x80, _BIAS - level, level - _BIAS)
    code ^= 0x55
    exponent, mantissa = (code >> 4) & 7, code & 0x0F
    level = np.where(exponent == 0, (mantissa << 4) + 8, ((mantissa << 4) + 0x108) << np.maximum(exponent - 1, 0))
    return np.where(code & 0x80, level, -level)
