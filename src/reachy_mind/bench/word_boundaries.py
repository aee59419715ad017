"""`boundary`: where a word ends in a spoken sentence, for a pause in the middle of its melody.

A voice that is given "Set a timer for" alone says it as if that were all. So the whole sentence is cut: its beginning,
spoken alone, is aligned with it (dynamic time warping of spectra), and the cut is where it is quietest around the end.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from reachy_mind.speech import audio_format

STEP = audio_format.RATE // 100
WINDOW = 4 * STEP
BANDS = 20
LOWEST_HZ, HIGHEST_HZ = 100.0, 6000.0
AROUND = 6 * STEP
"""How far from the aligned end the quietest moment is looked for, in samples."""
FAR_COSTS = 1.5 / AROUND
"""What a moment so far away has to be quieter by."""
FADE = STEP // 2


def boundary(whole: np.ndarray, beginning: np.ndarray) -> int:
    """The sample of a sentence at which this beginning of it ends. Both start with their first sound."""
    end = _aligned_end(_spectra(whole), _spectra(beginning)) * STEP + WINDOW // 2
    low, high = max(0, end - AROUND), min(len(whole), end + AROUND)
    quiet = [_loudness(whole, at) + abs(at - end) * FAR_COSTS for at in range(low, high, FADE)]
    return low + int(np.argmin(quiet)) * FADE if quiet else len(whole)


def _loudness(sound: np.ndarray, at: int) -> float:
    """Around a sample, in powers of e."""
    around = sound[max(0, at - STEP // 2) : at + STEP // 2].astype(np.float64)
    return float(np.log(np.mean(around**2) + 10.0))


def with_pauses(sound: np.ndarray, cuts: list[tuple[int, int]]) -> np.ndarray:
    """The sound with silences: (sample, length), in order."""
    pieces, begin = [], 0
    for at, length in cuts:
        before, silence = sound[begin:at].astype(np.float64), np.zeros(length)
        fade = min(FADE, len(before))
        if fade:
            before[-fade:] *= np.linspace(1, 0, fade)
        pieces += [before, silence]
        begin = at
    return np.concatenate([*pieces, sound[begin:].astype(np.float64)]).astype(sound.dtype)


def _spectra(sound: np.ndarray) -> np.ndarray:
    """The logarithm of the energy in some bands, every ten milliseconds."""
    padded = np.pad(sound.astype(np.float64), (0, WINDOW))
    frames = np.lib.stride_tricks.sliding_window_view(padded, WINDOW)[::STEP] * np.hanning(WINDOW)
    power = np.abs(np.fft.rfft(frames, axis=1)) ** 2
    edges = np.geomspace(LOWEST_HZ, HIGHEST_HZ, BANDS + 1) * WINDOW / audio_format.RATE
    bands = [power[:, int(low) : max(int(low) + 1, int(high))].mean(axis=1) for low, high in pairwise(edges)]
    return np.log(np.stack(bands, axis=1) + 1e3)


def _aligned_end(whole: np.ndarray, beginning: np.ndarray) -> int:
    """The frame of the whole that the last frame of the beginning fits best."""
    distance = np.linalg.norm(beginning[:, None] - whole[None], axis=2)
    cost = np.cumsum(distance[0])
    for row in distance[1:]:
        diagonal = np.concatenate([[np.inf], cost[:-1]])
        best = np.minimum(cost, diagonal) + row
        for at in range(1, len(best)):
            best[at] = min(best[at], best[at - 1] + row[at])
        cost = best
    return int((cost / (len(beginning) + np.arange(len(cost)) + 1)).argmin())
