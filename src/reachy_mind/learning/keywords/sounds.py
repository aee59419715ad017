"""What a microphone hears besides words: noise, music, and the response of a room."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from reachy_mind.learning.keywords.clips import RATE_HZ

Floats = NDArray[np.float32]
NOISES = ("white", "pink", "brown", "hum", "fan", "clicks", "music")
DIRECT_ONLY = round(0.0025 * RATE_HZ)


def noise(kind: str, length: int, random: np.random.Generator) -> Floats:
    """Of one of `NOISES`, with an effective value of 1."""
    match kind:
        case "hum":
            made = _hum(length, random)
        case "clicks":
            made = _clicks(length, random)
        case "music":
            made = _music(length, random)
        case "fan":
            times = np.arange(length) / RATE_HZ
            depth = random.uniform(0.1, 0.6)
            made = _coloured(random.uniform(0.6, 1.6), length, random)
            made *= 1 + depth * np.sin(2 * np.pi * random.uniform(0.2, 9) * times)
        case _:
            made = _coloured({"white": 0.0, "pink": 1.0, "brown": 2.0}[kind], length, random)
    return np.asarray(made / max(1e-9, float(np.sqrt(np.mean(made**2)))), np.float32)


def _coloured(slope: float, length: int, random: np.random.Generator) -> NDArray[np.float64]:
    spectrum = np.fft.rfft(random.normal(size=length))
    frequencies = np.maximum(np.arange(len(spectrum)) * RATE_HZ / length, 60.0)
    return np.fft.irfft(spectrum / frequencies ** (slope / 2), length)


def _hum(length: int, random: np.random.Generator) -> NDArray[np.float64]:
    times, lowest = np.arange(length) / RATE_HZ, random.choice([50.0, 60.0, 100.0, 120.0])
    tones = [
        random.uniform(0.1, 1) / (number + 1) * np.sin(2 * np.pi * lowest * (number + 1) * times)
        for number in range(12)
    ]
    return np.asarray(np.sum(tones, axis=0) + 0.1 * random.normal(size=length))


def _clicks(length: int, random: np.random.Generator) -> NDArray[np.float64]:
    """Keys, dishes, steps: short sounds that fade."""
    made = 0.003 * random.normal(size=length)
    for begin in random.integers(0, length, size=max(1, int(length / RATE_HZ * random.uniform(1, 8)))):
        count = min(length - begin, int(RATE_HZ * random.uniform(0.005, 0.12)))
        burst = random.normal(size=count) * np.exp(-np.arange(count) * random.uniform(4, 9) / max(1, count))
        if random.random() < 0.5:
            burst *= np.sin(2 * np.pi * random.uniform(300, 4000) * np.arange(count) / RATE_HZ)
        made[begin : begin + count] += burst * random.uniform(0.1, 1)
    return made


def _music(length: int, random: np.random.Generator) -> NDArray[np.float64]:
    """Chords, a melody and drums."""
    made, beat = np.zeros(length), int(RATE_HZ * 60 / random.uniform(70, 150))
    key, scale = random.uniform(110, 220), np.array([0, 2, 4, 5, 7, 9, 11, 12, 14, 16, 17, 19])
    brightness, drums = random.uniform(0.6, 2.2), random.random() < 0.6
    for begin in range(0, length, beat):
        count = min(length - begin, int(beat * random.choice([1, 1, 2, 4])))
        times = np.arange(count) / RATE_HZ
        envelope = np.exp(-times * random.uniform(0.5, 6)) * np.minimum(1, times * 100)
        root = random.integers(0, 7)
        for degree in (root, root + 2, root + 4, random.integers(4, 12)):
            pitch = key * 2 ** (scale[degree % 12] / 12 + random.integers(0, 2))
            for partial in range(1, 9):
                tone = np.sin(2 * np.pi * pitch * partial * times + random.uniform(0, 6))
                made[begin : begin + count] += envelope * tone / partial**brightness
        if drums:
            hit = min(length - begin, RATE_HZ // 8)
            made[begin : begin + hit] += 2 * random.normal(size=hit) * np.exp(-np.arange(hit) / 300)
    return made


def room_response(random: np.random.Generator, reverberation_s: float, direct_db: float) -> Floats:
    """From a source to the microphone: the direct sound, some reflections and a tail that fades by 60 dB in this time,
    high tones sooner. `direct_db`: the direct sound against all the rest."""
    length = max(DIRECT_ONLY + 1, round(reverberation_s * RATE_HZ))
    times = np.arange(length) / RATE_HZ
    low = np.convolve(random.normal(size=length), np.ones(6) / 6, "same")
    tail = low * 10 ** (-3 * times / reverberation_s)
    tail += random.normal(size=length) * 0.5 * 10 ** (-3 * times / (reverberation_s * random.uniform(0.3, 0.7)))
    tail[:DIRECT_ONLY] = 0
    for _ in range(random.integers(2, 8)):
        tail[random.integers(DIRECT_ONLY, min(length, RATE_HZ // 25))] += random.normal() * 2
    tail *= 10 ** (-direct_db / 20) / max(1e-9, float(np.sqrt(np.sum(tail**2))))
    tail[0] = 1.0
    return tail.astype(np.float32)


def reverberated(sound: Floats, response: Floats) -> Floats:
    length = len(sound) + len(response) - 1
    size = 1 << (length - 1).bit_length()
    return np.fft.irfft(np.fft.rfft(sound, size) * np.fft.rfft(response, size), size)[:length].astype(np.float32)
