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
AROUND_STEPS = 6
"""How far from the aligned end the quietest moment is looked for."""
FADE = STEP // 2


def boundary(whole: np.ndarray, beginning: np.ndarray) -> int:
    """The sample of a sentence at which this beginning of it ends. Both start with their first sound."""
    there, said = _spectra(whole), _spectra(beginning)
    end = _aligned_end(there, said)
    loudness = there.mean(axis=1)
    low, high = max(1, end - AROUND_STEPS), min(len(loudness), end + AROUND_STEPS + 1)
    return (low + int(loudness[low:high].argmin())) * STEP + WINDOW // 2 if high > low else len(whole)


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
