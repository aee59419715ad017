"""WAV files in and out of the simulator: anything PCM to 16 kHz mono, and 16 kHz mono to 16 bits."""

from __future__ import annotations

import io
import math
import wave

import numpy as np

from reachy_mind.errors import InvalidParameter
from reachy_mind.sim.room import RATE_HZ, Samples

LONGEST_S = 300
_HINT = "send a WAV file of PCM samples, as `sox in.mp3 -b 16 -r 16000 -c 1 out.wav` writes"


def read(data: bytes) -> Samples:
    """The sound of a WAV file, channels averaged, at our rate, in -1..1. Raises InvalidParameter."""
    try:
        with wave.open(io.BytesIO(data)) as file:
            rate, channels, width, length = (
                file.getframerate(),
                file.getnchannels(),
                file.getsampwidth(),
                file.getnframes(),
            )
            if rate < 4000 or length > LONGEST_S * rate:
                raise InvalidParameter(
                    f"{length / max(rate, 1):.0f} s of sound at {rate} Hz can't be used",
                    hint=f"at most {LONGEST_S} s, at 4000 Hz or more",
                )
            frames = file.readframes(length)
    except (wave.Error, EOFError) as error:
        raise InvalidParameter(
            f"not a WAV file that can be read: {error or 'it ends too early'}", hint=_HINT
        ) from error
    frames = frames[: len(frames) // (width * channels) * (width * channels)]  # a header may promise more than there is
    if not frames:
        raise InvalidParameter("the WAV file has no sound in it", hint=_HINT)
    sound = _numbers(frames, width).reshape(-1, channels).mean(axis=1)
    return _at_our_rate(sound, rate).astype(np.float32)


def _numbers(frames: bytes, width: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    if width == 1:  # the only unsigned one
        return (np.frombuffer(frames, dtype=np.uint8).astype(float) - 128) / 128
    raw = np.frombuffer(frames, dtype=np.uint8).reshape(-1, width)
    wide = np.zeros((len(raw), 4), dtype=np.uint8)
    wide[:, 4 - width :] = raw
    return wide.view("<i4")[:, 0] / 2.0**31


def _at_our_rate(
    sound: np.ndarray[tuple[int, ...], np.dtype[np.float64]], rate: int
) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    if rate == RATE_HZ:
        return sound
    step = rate // math.gcd(rate, RATE_HZ)
    wanted = math.ceil(len(sound) * RATE_HZ / rate)
    padded = (len(sound) // step + 2) * step  # whole periods of both rates, and silence where the ends would meet
    there = padded // step * (RATE_HZ // math.gcd(rate, RATE_HZ))
    return np.fft.irfft(np.fft.rfft(sound, padded)[: there // 2 + 1], there)[:wanted] * (there / padded)


def write(pcm: bytes) -> bytes:
    """A WAV file of 16-bit mono PCM at our rate."""
    file = io.BytesIO()
    with wave.open(file, "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(RATE_HZ)
        out.writeframes(pcm)
    return file.getvalue()


def to_pcm(block: Samples) -> bytes:
    """16-bit little-endian; what is too loud is cut off, as a converter does."""
    return np.clip(np.rint(block * 32768), -32768, 32767).astype("<i2").tobytes()


def from_pcm(data: bytes) -> Samples:
    """Raises InvalidParameter for half a sample."""
    if len(data) % 2:
        raise InvalidParameter(
            f"{len(data)} bytes are no whole number of samples", hint="send 16-bit PCM, mono, 16 kHz"
        )
    return np.frombuffer(data, dtype="<i2").astype(np.float32) / np.float32(32768)
