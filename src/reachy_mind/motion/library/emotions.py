"""Thirty emotions, written for this body: the head's height, lean and tilt and two antennas.

A score has anticipation, action and follow-through. Anticipation goes the other way first, the two sides are never
quite alike, and strong emotions use the whole body. `emotion` builds one by its name or a synonym of `emotion_names`.
"""

from __future__ import annotations

from reachy_mind.motion.library.emotion_names import resolve_name
from reachy_mind.motion.library.negative_emotions import NEGATIVE_EMOTIONS
from reachy_mind.motion.library.positive_emotions import POSITIVE_EMOTIONS
from reachy_mind.motion.library.score import DEFAULT_INTENSITY, Score
from reachy_mind.motion.library.thinking_emotions import THINKING_EMOTIONS
from reachy_mind.motion.moves import Frames

EMOTIONS: dict[str, Score] = POSITIVE_EMOTIONS | NEGATIVE_EMOTIONS | THINKING_EMOTIONS


def emotion(name: str, intensity: float = DEFAULT_INTENSITY, seed: int | None = None) -> Frames:
    """An emotion as frames, at an intensity from 0.1 to 1. Raises InvalidParameter for an unknown name."""
    return EMOTIONS[resolve_name(name, EMOTIONS)].frames(intensity, seed)
