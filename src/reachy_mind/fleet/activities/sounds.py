"""Sounds of activities as samples: decoded clips, beeps, a beat; mixing them. numpy is loaded when first used."""

from __future__ import annotations

import io
import wave
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from reachy_mind.errors import InvalidParameter
from reachy_mind.fleet.activities.timed_player import RATE, SAMPLE_BYTES

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BEEP_HZ: Final = {"high": 880.0, "low": 440.0}
BEEP_S: Final = 0.2
CLICK_HZ: Final = (1600.0, 1200.0)
"""The first of each four beats is higher."""
CLICK_S: Final = 0.03
BEATS_A_BAR: Final = 4
LOUDNESS: Final = 0.4
EDGE_S: Final = 0.004
"""Faded in and out: without it a tone begins with a crackle."""


def duration_ms(pcm: bytes) -> int:
    return len(pcm) * 1000 // (RATE * SAMPLE_BYTES)


def decode_wav(content: bytes) -> bytes:
    """The samples of a WAV file (16 bit, mono) at our rate. Raises InvalidParameter."""
    try:
        with wave.open(io.BytesIO(content)) as file:
            rate, frames = file.getframerate(), file.readframes(file.getnframes())
            fits = file.getnchannels() == 1 and file.getsampwidth() == SAMPLE_BYTES and 8000 <= rate <= 48000
    except (wave.Error, EOFError, ValueError) as error:
        raise InvalidParameter(f"the clip is no WAV file: {error}") from error
    if not fits:
        raise InvalidParameter("the clip is not of 16 bit, mono, 8 to 48 kHz")
    return frames if rate == RATE else _resampled(frames, rate)


def beep(kind: str) -> bytes:
    """A short tone: "high" or "low"."""
    return _pcm(_tone(BEEP_HZ[kind], BEEP_S))


def beat(bpm: int, seconds: float) -> bytes:
    """Clicks, the first one at once."""
    import numpy as np  # noqa: PLC0415 -- heavy

    samples = np.zeros(round(seconds * RATE))
    clicks = [_tone(hz, CLICK_S) for hz in CLICK_HZ]
    for number in range(int(seconds * bpm / 60) + 1):
        first = round(number * 60 / bpm * RATE)
        click = clicks[0 if number % BEATS_A_BAR == 0 else 1][: max(0, len(samples) - first)]
        samples[first : first + len(click)] += click
    return _pcm(samples)


def mixed(sounds: Sequence[tuple[int, bytes]]) -> bytes:
    """Sounds at their offsets (in samples) as one; what would be too loud is limited."""
    import numpy as np  # noqa: PLC0415 -- heavy

    if len(sounds) == 1 and sounds[0][0] == 0:
        return sounds[0][1]
    total = np.zeros(max(offset + len(pcm) // SAMPLE_BYTES for offset, pcm in sounds), np.int32)
    for offset, pcm in sounds:
        samples = np.frombuffer(pcm, "<i2")
        total[offset : offset + len(samples)] += samples
    whole: bytes = np.clip(total, -32768, 32767).astype("<i2").tobytes()
    return whole


def _tone(hz: float, seconds: float) -> NDArray[np.float64]:
    import numpy as np  # noqa: PLC0415 -- heavy

    samples: NDArray[np.float64] = LOUDNESS * np.sin(2 * np.pi * hz * np.arange(round(seconds * RATE)) / RATE)
    edge = round(EDGE_S * RATE)
    samples[:edge] *= np.linspace(0, 1, edge)
    samples[-edge:] *= np.linspace(1, 0, edge)
    return samples


def _pcm(samples: Any) -> bytes:
    import numpy as np  # noqa: PLC0415 -- heavy

    pcm: bytes = (np.clip(samples, -1, 1) * 32767).astype("<i2").tobytes()
    return pcm


def _resampled(frames: bytes, rate: int) -> bytes:
    """By a mean over each output sample's width, then linear: enough for voices and tunes of a small loudspeaker."""
    import numpy as np  # noqa: PLC0415 -- heavy

    samples = np.frombuffer(frames, "<i2").astype(np.float64)
    if rate > RATE:
        width = max(1, round(rate / RATE))
        samples = np.convolve(samples, np.ones(width) / width, mode="same")
    places = np.arange(int(len(samples) * RATE / rate)) * (rate / RATE)
    pcm: bytes = np.interp(places, np.arange(len(samples)), samples).astype("<i2").tobytes()
    return pcm
