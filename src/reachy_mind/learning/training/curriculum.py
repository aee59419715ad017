"""`Curriculum`: how hard the scenes of a training are, from easy ones to the whole task."""

from __future__ import annotations

from dataclasses import dataclass, replace

EASIEST, WHOLE = 0.25, 1.0
RISE = 0.25
ENOUGH = 0.7
"""Share of the practised episodes that must succeed before the scenes get harder."""


@dataclass(frozen=True)
class Curriculum:
    """`difficulty` is that of the next episodes. It only rises."""

    difficulty: float = EASIEST

    def after(self, success: float) -> Curriculum:
        """What comes after episodes with this share of successes."""
        if success < ENOUGH:
            return self
        return replace(self, difficulty=min(WHOLE, self.difficulty + RISE))
