"""Speech as a microphone in a room gets it: with noise, reverberation or both. The same every time."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from reachy_mind.body import wav
from reachy_mind.speech import audio_format, moonshine

LOUDNESS = 0.5
"""The highest sample of what is altered."""
SPOKEN = 0.05
"""The share of the highest sample above which a sample counts as speech."""
REVERBERATION_S, DIRECT = 0.5, 0.7
DIRECT_ONLY_S = 0.003
RECORDINGS = {
    "beckett.wav": "Ever tried. Ever failed. No matter. Try again. Fail again. Fail better.",
    "two_cities.wav": """It was the best of times, it was the worst of times, it was the age of wisdom, it was the age
of foolishness, it was the epoch of belief, it was the epoch of incredulity, it was the season of light, it was the
season of darkness, it was the spring of hope, it was the winter of despair, we had everything before us, we had nothing
before us, we were all going direct to heaven, we were all going direct the other way. In short, the period was so far
like the present period, that some of its noisiest authorities insisted on its being received, for good or for evil, in
the superlative degree of comparison only.""",
}
"""Read by people; in the folder assets of moonshine-voice."""
LONGEST_RECORDING_S = 60.0
Clip = tuple[str, bytes]


def noisy(sound: np.ndarray, below_db: float, seed: int) -> np.ndarray:
    """With pink noise, this far below the speech."""
    random = np.random.default_rng(seed)
    spectrum = np.fft.rfft(random.normal(size=len(sound)))
    lowest = max(1, 50 * len(sound) // audio_format.RATE)
    noise = np.fft.irfft(spectrum / np.sqrt(np.maximum(np.arange(len(spectrum)), lowest)), len(sound))
    loud = np.abs(sound) > SPOKEN * np.abs(sound).max(initial=0.0)
    speech = float(np.sqrt(np.mean(sound[loud] ** 2))) if loud.any() else 1.0
    return _levelled(sound + noise * speech / np.sqrt(np.mean(noise**2)) * 10 ** (-below_db / 20))


def reverberant(sound: np.ndarray, seconds: float, seed: int) -> np.ndarray:
    """In a room whose sound takes this long to fall by 60 dB, the speaker as far away as its reverberation is loud."""
    random = np.random.default_rng(seed)
    times = np.arange(round(seconds * audio_format.RATE)) / audio_format.RATE
    response = random.normal(size=len(times)) * 10 ** (-3 * times / seconds)
    response[: round(DIRECT_ONLY_S * audio_format.RATE)] = 0
    response /= np.sqrt(np.sum(response**2))
    response[0] = DIRECT
    length = len(sound) + len(response)
    return _levelled(np.fft.irfft(np.fft.rfft(sound, length) * np.fft.rfft(response, length), length))


def _reverberant_and_noisy(sound: np.ndarray, seed: int) -> np.ndarray:
    return noisy(reverberant(sound, REVERBERATION_S, seed), 10, seed)


def _with_seed(alter: Callable[..., np.ndarray], amount: float, sound: np.ndarray, seed: int) -> np.ndarray:
    return alter(sound, amount, seed)


CONDITIONS: dict[str, Callable[[np.ndarray, int], np.ndarray]] = {
    "clean": lambda sound, _: sound,
    "10db": partial(_with_seed, noisy, 10),
    "5db": partial(_with_seed, noisy, 5),
    "room": partial(_with_seed, reverberant, REVERBERATION_S),
    "room_10db": _reverberant_and_noisy,
}
"""By name: sound and a seed to sound."""


def under_conditions(spoken: list[Clip]) -> dict[str, list[Clip]]:
    """These clips and the recordings, as they are heard in each condition."""
    folder = moonshine.library_folder() / "assets"
    recorded = {name: wav.read_pcm((folder / name).read_bytes(), LONGEST_RECORDING_S) for name in RECORDINGS}
    clips = [*spoken, *((RECORDINGS[name], pcm) for name, pcm in recorded.items())]
    return {
        name: [
            (text, audio_format.to_pcm(alter(audio_format.to_floats(pcm), seed)))
            for seed, (text, pcm) in enumerate(clips)
        ]
        for name, alter in CONDITIONS.items()
    }


def _levelled(sound: np.ndarray) -> np.ndarray:
    highest = float(np.abs(sound).max(initial=0.0))
    return np.asarray(sound * (LOUDNESS / max(highest, 1e-9)), np.float32)
