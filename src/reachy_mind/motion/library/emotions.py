"""Thirty emotions, composed for this body: what the head's height, lean and tilt and two antennas can say.

Read a score as: get ready, do it, let it ring out. Anticipation goes the other way first; the two sides are never quite
alike; big feelings take the whole body. `emotion` plays one by its name or by any of the words of `words`.
"""

from __future__ import annotations

from reachy_mind.motion.library.joys import JOYS
from reachy_mind.motion.library.score import USUAL, Score
from reachy_mind.motion.library.sorrows import SORROWS
from reachy_mind.motion.library.thoughts import THOUGHTS
from reachy_mind.motion.library.words import meant
from reachy_mind.motion.moves import Frames

EMOTIONS: dict[str, Score] = JOYS | SORROWS | THOUGHTS


def emotion(name: str, intensity: float = USUAL, seed: int | None = None) -> Frames:
    """A performance of it, at an intensity from 0.1 to 1. Raises InvalidParameter for a feeling nobody here knows."""
    return EMOTIONS[meant(name, EMOTIONS)].frames(intensity, seed)
