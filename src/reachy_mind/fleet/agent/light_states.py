"""What the status light shows: a state, with overlays above it, and the pattern that each of them has."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

Rgb = tuple[float, float, float]
"""Red, green and blue, from 0 to 1."""
LightState = Literal["off", "idle", "listening", "processing", "speaking", "error"]
Overlay = Literal["emergency", "muted", "offline"]
Effect = Literal["solid", "pulse", "flash"]
DARKEST: Final = 0.08
"""How bright a pulse is at least."""


@dataclass(frozen=True)
class LightPattern:
    """A color and what is done with it; `period_s` is of a pulse or of a flash."""

    color: Rgb = (0.0, 0.0, 0.0)
    effect: Effect = "solid"
    period_s: float = 1.0

    def level(self, t: float) -> float:
        """How bright it is `t` seconds after it began, from 0 to 1."""
        part = (t / self.period_s) % 1.0
        if self.effect == "flash":
            return 1.0 if part < 0.5 else 0.0
        if self.effect == "pulse":
            return DARKEST + (1 - DARKEST) * (0.5 - 0.5 * math.cos(2 * math.pi * part))
        return 1.0


PATTERNS: Final[Mapping[str, LightPattern]] = {
    "off": LightPattern(),
    "idle": LightPattern((0.0, 0.0, 1.0)),
    "listening": LightPattern((0.0, 0.0, 1.0), "pulse", 1.6),
    "processing": LightPattern((1.0, 1.0, 0.0)),
    "speaking": LightPattern((0.0, 1.0, 0.0)),
    "error": LightPattern((1.0, 0.0, 0.0)),
    "emergency": LightPattern((1.0, 0.0, 0.0), "flash", 0.5),
    "muted": LightPattern((1.0, 0.0, 1.0)),
    "offline": LightPattern((1.0, 0.35, 0.0), "pulse", 4.0),
}
_QUIET: Final = ("off", "idle")


def shown(state: LightState, overlays: Collection[Overlay]) -> str:
    """Which of `PATTERNS` is seen. An emergency covers everything; that it does not listen covers what is no work of
    it; that it is offline is seen while nothing happens."""
    if "emergency" in overlays:
        return "emergency"
    if state == "error":
        return "error"
    if "muted" in overlays and state in (*_QUIET, "listening"):
        return "muted"
    if "offline" in overlays and state == "idle":
        return "offline"
    return state


def patterns(brightness: float, colors: Sequence[str] = ()) -> dict[str, LightPattern]:
    """The patterns with this brightness and other colors (`idle=#000040`). An emergency is never dimmed."""
    changed = dict(PATTERNS)
    for text in colors:
        name, _, digits = text.partition("=#")
        red, green, blue = (int(digits[place : place + 2], 16) / 255 for place in (0, 2, 4))
        before = changed[name]
        changed[name] = LightPattern((red, green, blue), before.effect, before.period_s)
    return {name: pattern if name == "emergency" else _dimmed(pattern, brightness) for name, pattern in changed.items()}


def _dimmed(pattern: LightPattern, brightness: float) -> LightPattern:
    red, green, blue = (part * brightness for part in pattern.color)
    return LightPattern((red, green, blue), pattern.effect, pattern.period_s)
