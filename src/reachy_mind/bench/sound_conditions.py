"""Speech as a microphone in a room gets it: with noise, reverberation or both. The same every time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from reachy_mind.body import wav
from reachy_mind.models.store import Store
from reachy_mind.speech import audio_format, moonshine

LOUDNESS = 0.5
"""The highest sample of what is altered."""
SPOKEN = 0.05
"""The share of the highest sample above which a sample counts as speech."""
REVERBERATION_S, DIRECT = 0.5, 0.7
MEASURED_ROOM, MEASURED_FILE, MEASURED_S = "measured-room", "living_room_1.wav", 0.6
"""An asset, its impulse response, and how much of that is heard: what follows is the noise of the measurement."""
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
    return in_room(response, sound)


def in_room(response: np.ndarray, sound: np.ndarray) -> np.ndarray:
    """In the room of an impulse response."""
    length = len(sound) + len(response)
    return _levelled(np.fft.irfft(np.fft.rfft(sound, length) * np.fft.rfft(response, length), length))


def measured_room(store: Store) -> np.ndarray | None:
    """The impulse response of a living room; None where it was not pulled."""
    if not store.is_ready(MEASURED_ROOM):
        return None
    file = store.path(MEASURED_ROOM) / MEASURED_FILE
    response = audio_format.to_floats(wav.read_pcm(file.read_bytes(), LONGEST_RECORDING_S))
    begins = int(np.abs(response).argmax())
    heard = response[max(0, begins - 32) : begins + round(MEASURED_S * audio_format.RATE)]
    return heard * np.minimum(1.0, np.linspace(4, 0, len(heard)))


def _reverberant_and_noisy(sound: np.ndarray, seed: int) -> np.ndarray:
    return noisy(reverberant(sound, REVERBERATION_S, seed), 10, seed)


def _with_seed(alter: Callable[..., np.ndarray], amount: float, sound: np.ndarray, seed: int) -> np.ndarray:
    return alter(sound, amount, seed)


Alteration = Callable[[np.ndarray, int], np.ndarray]
CONDITIONS: dict[str, Alteration] = {
    "clean": lambda sound, _: sound,
    "10db": partial(_with_seed, noisy, 10),
    "5db": partial(_with_seed, noisy, 5),
    "room": partial(_with_seed, reverberant, REVERBERATION_S),
    "room_10db": _reverberant_and_noisy,
}
"""By name: sound and a seed to sound."""


def conditions(store: Store) -> Mapping[str, Alteration]:
    """With the measured room, where it was pulled, besides the computed one."""
    response = measured_room(store)
    if response is None:
        return CONDITIONS
    measured: dict[str, Alteration] = {
        "measured_room": lambda sound, _: in_room(response, sound),
        "measured_room_10db": lambda sound, seed: noisy(in_room(response, sound), 10, seed),
    }
    return CONDITIONS | measured


def read_aloud() -> list[Clip]:
    """Two recordings of people, in the package moonshine-voice."""
    folder = moonshine.library_folder() / "assets"
    return [
        (text, wav.read_pcm((folder / name).read_bytes(), LONGEST_RECORDING_S)) for name, text in RECORDINGS.items()
    ]


def under_conditions(clips: list[Clip], alterations: Mapping[str, Alteration]) -> dict[str, list[Clip]]:
    """These clips as they are heard in each condition."""
    return {
        name: [
            (text, audio_format.to_pcm(alter(audio_format.to_floats(pcm), seed)))
            for seed, (text, pcm) in enumerate(clips)
        ]
        for name, alter in alterations.items()
    }


def _levelled(sound: np.ndarray) -> np.ndarray:
    highest = float(np.abs(sound).max(initial=0.0))
    return np.asarray(sound * (LOUDNESS / max(highest, 1e-9)), np.float32)
