"""`KeywordWindows`: the last moments of sound before some times of a scene, as the encoder describes them, and the
keyword that had just been said then.

Scenes are made and encoded in processes, as many as there are cores, as long as the time allows.
"""

from __future__ import annotations

import math
import multiprocessing
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from reachy_mind.learning.keywords.clips import RATE_HZ, load
from reachy_mind.learning.keywords.scenes import LENGTH, NAMES, ListeningScene, SceneMaker, SpokenStore
from reachy_mind.speech.keyword_network import FEATURES, FRAMES, WINDOW, KeywordEncoder

SOON_S, LATE_S = 0.05, 0.34
"""A keyword is to be recognised between these times after its end."""
OVER_S = 0.8
"""From its beginning to this time after its end no other window is taken."""
YES_WINDOWS, NO_WINDOWS = 3, 28
"""Windows for each keyword, and without one for each scene."""
AUDIBLE = 0.004
"""Least effective value of the last half second of a window without a keyword: silence teaches little."""


@dataclass(frozen=True)
class KeywordWindows:
    """`labels`: 0 for none, else the number of the keyword, from 1."""

    features: NDArray[np.float16]
    labels: NDArray[np.int8]


def window_ends(scene: ListeningScene, random: np.random.Generator) -> list[tuple[int, int]]:
    """Samples of a scene at which windows end, and their labels."""
    found = []
    taken = np.zeros(LENGTH, bool)
    for word in (*scene.said, *scene.lost):
        taken[word.begin : word.end + round(OVER_S * RATE_HZ)] = True
    for word in scene.said:
        for _ in range(YES_WINDOWS):
            end = word.end + round(random.uniform(SOON_S, LATE_S) * RATE_HZ)
            if end < LENGTH:
                found.append((end, 1 + NAMES.index(word.name)))
    sound = _floats(scene)
    for end in random.integers(WINDOW, LENGTH, size=4 * NO_WINDOWS):
        last = sound[end - RATE_HZ // 2 : end]
        if not taken[end] and float(np.sqrt(np.mean(last**2))) > AUDIBLE * float(np.abs(sound).max()):
            found.append((int(end), 0))
        if sum(label == 0 for _, label in found) >= NO_WINDOWS:
            break
    return found


def _floats(scene: ListeningScene) -> NDArray[np.float32]:
    return np.asarray(scene.sound / np.float32(32768), np.float32)


class WindowMaker:
    """In a process of its own."""

    def __init__(self, speech: Path, encoder: Path) -> None:
        self._speech, self._encoder = SpokenStore(list(load(speech))), KeywordEncoder(encoder)

    def make(self, seed: int) -> KeywordWindows:
        scene = SceneMaker(self._speech, seed).scene()
        ends = window_ends(scene, np.random.default_rng(seed))
        sound = _floats(scene)
        features = np.zeros((len(ends), FRAMES, FEATURES), np.float16)
        for row, (end, _) in enumerate(ends):
            features[row] = self._encoder.features(sound[end - WINDOW : end])
        return KeywordWindows(features, np.array([label for _, label in ends], np.int8))


_maker: WindowMaker


def _start(speech: Path, encoder: Path) -> None:
    global _maker  # noqa: PLW0603 -- one for each worker process
    _maker = WindowMaker(speech, encoder)


def _make(seed: int) -> KeywordWindows:
    return _maker.make(seed)


def windows(speech: Path, encoder: Path, scenes: int, seed: int, seconds: float = math.inf) -> KeywordWindows:
    """Those of this many scenes, or of as many as the time allows."""
    end, found = time.monotonic() + seconds, list[KeywordWindows]()
    with multiprocessing.Pool(initializer=_start, initargs=(speech, encoder)) as pool:
        for made in pool.imap_unordered(_make, _seeds(scenes, seed)):
            found.append(made)
            if time.monotonic() > end:
                pool.terminate()
                break
    return KeywordWindows(
        np.concatenate([each.features for each in found]), np.concatenate([each.labels for each in found])
    )


def _seeds(count: int, seed: int) -> Iterator[int]:
    return (seed * 1_000_003 + number for number in range(count))
