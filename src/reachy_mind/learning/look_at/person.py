"""`CorrectingPerson`: somebody who watches where the robot looks and says in words what is wrong with it.

They name the worse of the two axes, the direction, sometimes the wrong one, and how far in one of four rough sizes.
Nothing else reaches the learner.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from reachy_mind.errors import InvalidParameter
from reachy_mind.learning.look_at.scene import Miss

PHRASES = Path(__file__).with_name("phrases.tsv")
PRAISE = "praise"
THRESHOLDS = (("tiny", 3.5), ("small", 8.0), ("medium", 16.0))
"""Degrees below which a size is used; more is large."""
SIZE_NOISE = 0.35
"""Standard deviation of the logarithm of how large a miss seems."""
ENGLISH_SHARE = 0.7

Phrases = Mapping[str, Mapping[str, Sequence[str]]]
"""Words by language and by what they say: `praise`, or axis, direction and size, such as `yaw + small`."""


@dataclass(frozen=True)
class Manners:
    """How reliable somebody is."""

    wrong_directions: float = 0.1
    size_noise: float = SIZE_NOISE


def load_phrases(file: Path = PHRASES) -> Phrases:
    """Lines of language, axis or `praise`, direction (+ or -), size and words, between tabs."""
    found: defaultdict[str, defaultdict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
        if not line or line.startswith("#"):
            continue
        try:
            language, axis, sign, size, words = line.split("\t")
        except ValueError:
            raise InvalidParameter(f"{file.name}, line {number}: not five fields between tabs") from None
        found[language][PRAISE if axis == PRAISE else f"{axis} {sign} {size}"].append(words)
    return found


class CorrectingPerson:
    """Says one thing after each look."""

    def __init__(self, rng: np.random.Generator, phrases: Phrases, manners: Manners = Manners()) -> None:  # noqa: B008
        self._rng, self._manners = rng, manners
        others = [language for language in phrases if language != "en"]
        english = not others or rng.random() < ENGLISH_SHARE
        self.language = "en" if english else others[int(rng.integers(len(others)))]
        self._phrases = phrases[self.language]

    def say(self, miss: Miss) -> str:
        """What they say about a look that misses by so much."""
        if miss.hit:
            return self._one_of(PRAISE)
        axis, degrees = ("yaw", miss.left) if abs(miss.left) > abs(miss.up) else ("pitch", miss.up)
        positive = (degrees > 0) != (self._rng.random() < self._manners.wrong_directions)
        seems = abs(degrees) * float(np.exp(self._rng.normal() * self._manners.size_noise))
        size = next((name for name, below in THRESHOLDS if seems < below), "large")
        return self._one_of(f"{axis} {'+' if positive else '-'} {size}")

    def _one_of(self, meaning: str) -> str:
        known = self._phrases[meaning]
        return known[int(self._rng.integers(len(known)))]
