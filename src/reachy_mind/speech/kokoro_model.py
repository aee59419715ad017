"""Kokoro in its worker's process: pronounces sentences and lets the network say them."""

from __future__ import annotations

import time
from functools import cache
from pathlib import Path

import numpy as np

from reachy_mind.models.speed_record import measured_once
from reachy_mind.speech import audio_format
from reachy_mind.speech.kokoro import runtime_version
from reachy_mind.speech.kokoro_network import RATE, KokoroNetwork, styles
from reachy_mind.speech.moods import Mood
from reachy_mind.speech.pronunciation import Pronunciation

MEASURED = "I can look around, and tell you what I see."
RUNS = 2
BRITISH = "b"
"""Begins the names of voices with that accent."""
LEVEL, PEAK = 0.125, 0.97
"""The loudness to which every voice is brought, as root mean square of what is said, and the loudest sample."""
MOST_GAIN = 3.0
AUDIBLE = 0.01
BLOCK = RATE // 50


class KokoroModel:
    """One network for all voices; the dictionaries of an accent are read when a voice with it speaks first."""

    def __init__(self, folder: str, threads: int) -> None:
        self._folder = Path(folder)
        self._network = KokoroNetwork(self._folder, threads)
        self._pronunciation = cache(lambda british: Pronunciation(self._folder, british=british))
        self._styles = cache(lambda voice: styles(self._folder, voice))

    def say(self, sentence: str, voice: str, speed: float, mood: Mood) -> bytes:
        """Nothing for a sentence without a word that it can pronounce."""
        sound = self._said(sentence, voice, speed * mood.engine_speed)
        return audio_format.coloured(levelled(sound), RATE, mood)

    def cpu_share(self, file: str, voice: str) -> float:
        return measured_once(Path(file), runtime_version(), lambda: self._measured(voice))

    def _said(self, sentence: str, voice: str, speed: float) -> np.ndarray:
        phonemes = self._pronunciation(voice.startswith(BRITISH)).phonemes(sentence)
        return self._network.say(phonemes, self._styles(voice), speed)

    def _measured(self, voice: str) -> float:
        self._said(MEASURED, voice, 1.0)  # reads files and fills caches
        shares = []
        for _ in range(RUNS):
            began = time.process_time()
            sound = self._said(MEASURED, voice, 1.0)
            shares.append((time.process_time() - began) * RATE / max(1, len(sound)))
        return round(min(shares), 4)


def levelled(sound: np.ndarray) -> np.ndarray:
    """Some voices are twice as loud as others: all are made equally loud, and none is clipped."""
    blocks = sound[: len(sound) // BLOCK * BLOCK].reshape(-1, BLOCK)
    levels = np.sqrt(np.mean(blocks**2, axis=1))
    spoken = levels[levels > AUDIBLE]
    if not len(spoken):
        return sound
    gain = min(LEVEL / float(np.sqrt(np.mean(spoken**2))), MOST_GAIN, PEAK / float(np.abs(sound).max()))
    return gain * sound
