"""Kokoro in its worker's process: pronounces sentences and lets the network say them."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np

from reachy_mind.models.speed_record import measured_once
from reachy_mind.speech import audio_format
from reachy_mind.speech.kokoro import runtime_version
from reachy_mind.speech.kokoro_network import RATE, KokoroNetwork, styles
from reachy_mind.speech.pronunciation import Pronunciation

MEASURED = "I can look around, and tell you what I see."
RUNS = 2
GAIN, PEAK = 1.4, 0.97
"""Brings it to the loudness of the other voices; no sample becomes louder than the second."""


class KokoroModel:
    def __init__(self, folder: str, voice: str, speed: float, threads: int) -> None:
        self._pronunciation = Pronunciation(Path(folder), british=voice.startswith("b"))
        self._network = KokoroNetwork(Path(folder), threads)
        self._styles = styles(Path(folder), voice)
        self._speed = speed

    def say(self, sentence: str) -> bytes:
        """Nothing for a sentence without a word that it can pronounce."""
        phonemes = self._pronunciation.phonemes(sentence)
        sound = self._network.say(phonemes, self._styles, self._speed)
        loudest = float(np.abs(sound).max(initial=PEAK / GAIN))
        return audio_format.to_pcm(min(GAIN, PEAK / loudest) * sound, RATE)

    def cpu_share(self, file: str) -> float:
        return measured_once(Path(file), runtime_version(), self._measured)

    def _measured(self) -> float:
        phonemes = self._pronunciation.phonemes(MEASURED)
        shares = []
        for _ in range(RUNS + 1):  # the first run also fills caches
            began = time.process_time()
            sound = self._network.say(phonemes, self._styles, self._speed)
            shares.append((time.process_time() - began) * RATE / max(1, len(sound)))
        return round(min(shares[1:]), 4)
