"""What feedback says: a reward, a stop, a correction of what was done, or what was meant instead."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Axis = Literal["yaw", "pitch", "roll", "speed", "volume", "amplitude", "duration", "count", "distance", "talk"]
"""What a correction changes. Positive is left, up, leaning to its left, faster, louder, larger, longer, more often,
farther away, more words."""
Size = Literal["tiny", "small", "medium", "large"]
Button = Literal["stop", "bad", "good", "great"]

BUTTONS: dict[Button, float] = {"stop": -1.0, "bad": -0.5, "good": 0.5, "great": 1.0}
"""The rewards of the live buttons."""


@dataclass(frozen=True)
class Correction:
    """A change to what was done: along which axis, in which direction, how much, and of what."""

    axis: Axis
    sign: Literal[-1, 1]
    size: Size = "medium"
    object: str = ""
    """What it is about, in the person's words; empty: the last action."""

    def as_dict(self) -> dict[str, Any]:
        return {"axis": self.axis, "sign": self.sign, "size": self.size}


@dataclass(frozen=True)
class FeedbackReading:
    """What one piece of feedback says."""

    reward: float
    confidence: float
    stop: bool = False
    correction: Correction | None = None
    source: str = "model"
    """How the reward was found: `stop`, `button`, `rating`, `judge` or `model`."""

    def as_dict(self) -> dict[str, Any]:
        correction = self.correction.as_dict() if self.correction else None
        return {
            "reward": round(self.reward, 3),
            "confidence": round(self.confidence, 3),
            "stop": self.stop,
            "correction": correction,
        }
