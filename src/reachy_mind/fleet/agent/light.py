"""`StatusLight`: the one thing that paints the light. Parts of the agent say what is; it decides what is seen."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from reachy_mind import log
from reachy_mind.fleet.agent.light_states import LightPattern, LightState, Overlay, Rgb, patterns, shown

REMEMBERED: Final = 200

_log = log.get(__name__)


class LightDriver(Protocol):
    """A light. `show` returns at once; what moves goes on by itself."""

    def show(self, pattern: LightPattern) -> None: ...

    def value(self) -> Rgb:
        """What its pins show now."""
        ...

    def close(self) -> None: ...


@dataclass(frozen=True)
class ShownPattern:
    """What was shown from a time on, by the monotonic clock."""

    at: float
    name: str
    pattern: LightPattern

    def as_dict(self) -> dict[str, Any]:
        pattern = self.pattern
        color = [round(part, 3) for part in pattern.color]
        return {
            "at": self.at,
            "name": self.name,
            "color": color,
            "effect": pattern.effect,
            "period_s": pattern.period_s,
        }


class StatusLight:
    """`on_change` is called when something else is `shown` from now on."""

    def __init__(self, driver: LightDriver, *, brightness: float, colors: Sequence[str] = ()) -> None:
        self._driver, self._colors = driver, colors
        self.on_change: Callable[[], None] = lambda: None
        self._patterns = patterns(brightness, colors)
        self._state: LightState = "off"
        self._overlays: set[Overlay] = set()
        self.history: deque[ShownPattern] = deque(maxlen=REMEMBERED)
        self._paint()

    @property
    def state(self) -> LightState:
        return self._state

    @property
    def overlays(self) -> frozenset[Overlay]:
        return frozenset(self._overlays)

    @property
    def shown(self) -> str:
        """The name of what is seen."""
        return shown(self._state, self._overlays)

    def set(self, state: LightState) -> None:
        self._state = state
        self._paint()

    def overlay(self, overlay: Overlay, *, on: bool) -> None:
        (self._overlays.add if on else self._overlays.discard)(overlay)
        self._paint()

    def set_brightness(self, brightness: float) -> None:
        self._patterns = patterns(brightness, self._colors)
        self._paint()

    def value(self) -> Rgb:
        """What the light's pins show now."""
        return self._driver.value()

    def close(self) -> None:
        """Dark, and given back."""
        self._overlays.clear()
        self.set("off")
        self._driver.close()

    def _paint(self) -> None:
        name = self.shown
        pattern = self._patterns[name]
        if self.history and (self.history[-1].name, self.history[-1].pattern) == (name, pattern):
            return
        try:
            self._driver.show(pattern)
        except Exception as error:  # noqa: BLE001 -- a broken light must not keep an emergency from being told
            _log.error("the light can't be painted", reason=f"{type(error).__name__}: {error}")
        self.history.append(ShownPattern(time.monotonic(), name, pattern))
        self.on_change()


class MemoryLight:
    """A light that is not there."""

    def __init__(self) -> None:
        self._pattern, self._since = LightPattern(), time.monotonic()

    def show(self, pattern: LightPattern) -> None:
        self._pattern, self._since = pattern, time.monotonic()

    def value(self) -> Rgb:
        level = self._pattern.level(time.monotonic() - self._since)
        red, green, blue = (part * level for part in self._pattern.color)
        return red, green, blue

    def close(self) -> None: ...
