"""`SpokenItem`: something said once by one speaker; files of many of them, and what a speaker is to say."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from reachy_mind.learning.keywords import phrases

Samples = NDArray[np.int16]
RATE_HZ = 16000
AUDIBLE = 0.02
"""The share of the highest sample from which on a sound is heard."""
LEAST_S = 0.15
"""Anything shorter is a failed synthesis."""
KINDS = (*phrases.KEYWORDS, "near", "holding", "sentence", "tail", "robot")


@dataclass(frozen=True)
class SpokenLine:
    """A text to say: `kind` is a keyword or one of the other kinds."""

    kind: str
    text: str


@dataclass(frozen=True)
class SpokenItem:
    line: SpokenLine
    speaker: str
    sound: Samples
    """Without the silence around it."""


def lines(count: int, shares: dict[str, int], seed: int) -> list[SpokenLine]:
    """So many lines of all kinds, in these shares, in random order."""
    random_ = random.Random(seed)  # noqa: S311 -- training data, no secret
    texts: dict[str, Sequence[str]] = {
        **phrases.KEYWORDS,
        "near": phrases.near(),
        "holding": phrases.holding(),
        "sentence": phrases.sentences(),
        "tail": phrases.TAILS,
        "robot": [*phrases.sentences(), *phrases.holding()],
    }
    kinds = random_.choices(list(shares), list(shares.values()), k=count)
    return [SpokenLine(kind, random_.choice(texts[kind])) for kind in kinds]


def trimmed(sound: NDArray[np.float32]) -> Samples | None:
    """The part that is heard, at full level; None where there is nothing."""
    highest = float(np.abs(sound).max(initial=0.0))
    loud = np.flatnonzero(np.abs(sound) > AUDIBLE * max(highest, 1e-6))
    if not len(loud) or loud[-1] - loud[0] < LEAST_S * RATE_HZ:
        return None
    return np.asarray(sound[loud[0] : loud[-1] + 1] * (0.7 / highest) * 32767, np.int16)


def raised(sound: NDArray[np.float32], height: float) -> NDArray[np.float32]:
    """Played faster by this factor, and so higher."""
    if height == 1.0:
        return sound
    from scipy.signal import resample_poly  # type: ignore[import-untyped]  # noqa: PLC0415 -- heavy

    return np.asarray(resample_poly(sound, RATE_HZ // 100, round(RATE_HZ / 100 * height)), np.float32)


def save(path: Path, items: Sequence[SpokenItem]) -> None:
    rows = [{**asdict(item.line), "speaker": item.speaker} for item in items]
    lengths = np.array([len(item.sound) for item in items], np.int64)
    sound = np.concatenate([item.sound for item in items]) if items else np.zeros(0, np.int16)
    np.savez(path, rows=np.array(json.dumps(rows)), lengths=lengths, sound=sound)


def load(folder: Path) -> Iterator[SpokenItem]:
    """All items of a folder's files."""
    for path in sorted(folder.glob("*.npz")):
        with np.load(path) as stored:
            rows, sound = json.loads(str(stored["rows"])), stored["sound"]
            ends = np.cumsum(stored["lengths"])
        for row, end, begin in zip(rows, ends, [0, *ends[:-1]], strict=True):
            yield SpokenItem(SpokenLine(row["kind"], row["text"]), row["speaker"], sound[begin:end])
