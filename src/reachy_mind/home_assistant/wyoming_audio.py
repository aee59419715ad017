"""Sound of Wyoming events as 16 kHz PCM, and back."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from wyoming.audio import AudioChunk

from reachy_mind.body.media import SAMPLE_RATE_HZ
from reachy_mind.body.media.soundcard import Resampler
from reachy_mind.errors import InvalidParameter

RATES_HZ = range(8000, 96001)
CHUNK_BYTES = 2048


class WyomingInput:
    """The sound of one recording; its first piece says what form it has."""

    def __init__(self) -> None:
        self._form = (0, 0, 0)
        self._resampler: Resampler | None = None

    def pcm(self, chunk: AudioChunk) -> bytes:
        """Raises InvalidParameter."""
        form = (chunk.rate, chunk.width, chunk.channels)
        if form != self._form:
            if chunk.rate not in RATES_HZ or chunk.width != 2 or chunk.channels not in (1, 2):
                raise InvalidParameter(f"sound of {form}", hint="16 bits, one or two channels, 8 to 96 kHz")
            self._form, self._resampler = form, Resampler(chunk.rate, SAMPLE_RATE_HZ)
        frame = 2 * chunk.channels
        samples = np.frombuffer(chunk.audio[: len(chunk.audio) // frame * frame], "<i2").reshape(-1, chunk.channels)
        assert self._resampler is not None
        return self._resampler.feed(samples.mean(axis=1).astype("<i2").tobytes())


def chunks(pcm: bytes) -> Iterator[AudioChunk]:
    """16 kHz PCM in pieces."""
    for at in range(0, len(pcm), CHUNK_BYTES):
        yield AudioChunk(SAMPLE_RATE_HZ, 2, 1, pcm[at : at + CHUNK_BYTES])
