"""`GestureRecognizer`: single, double and long presses from the closing and opening of contacts. No input or output.

It reacts to the first edge and ignores the bouncing after it, so nothing waits for a contact to settle. A button in
`immediate` acts when it is pressed; the others wait until it is clear whether a press is a single or a double one.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from reachy_mind.config.device_settings import DeviceSettings

Press = Literal["single", "double", "long"]


@dataclass(frozen=True)
class ButtonDown:
    """A button was pressed; what kind of press it is will be known later. For feedback."""

    button: str


@dataclass(frozen=True)
class ButtonGesture:
    """What somebody did with a button."""

    button: str
    press: Press


ButtonSignal = ButtonDown | ButtonGesture


@dataclass(frozen=True)
class GestureTiming:
    """In seconds. `bounce`: of a contact; `debounce`: after a press that was acted on, in which another is ignored;
    `double`: from the end of a press to the beginning of the next; `long`: how long a long press lasts."""

    bounce: float = 0.03
    debounce: float = 0.3
    double: float = 0.25
    long: float = 1.0

    @classmethod
    def of(cls, settings: DeviceSettings) -> GestureTiming:
        return cls(
            settings.bounce_ms / 1000,
            settings.debounce_ms / 1000,
            settings.double_press_ms / 1000,
            settings.long_press_s,
        )


class GestureRecognizer:
    """Times are of any clock that never jumps, and only grow."""

    def __init__(self, timing: GestureTiming, immediate: Collection[str] = ("red",)) -> None:
        self._timing, self._immediate = timing, frozenset(immediate)
        self._buttons: dict[str, _Contact] = {}

    def edge(self, button: str, *, down: bool, at: float) -> list[ButtonSignal]:
        """A contact closed or opened."""
        signals = self.advance(at)
        contact = self._buttons.get(button)
        if contact is None:
            contact = self._buttons[button] = _Contact(button, self._timing, immediate=button in self._immediate)
        return signals + contact.edge(down=down, at=at)

    def advance(self, now: float) -> list[ButtonSignal]:
        """What became clear by waiting until now."""
        signals: list[ButtonSignal] = []
        while (deadline := self.deadline()) is not None and deadline <= now:
            for contact in self._buttons.values():
                signals += contact.advance(deadline)
        return signals

    def deadline(self) -> float | None:
        """When to call `advance` next."""
        found = min((contact.deadline() for contact in self._buttons.values()), default=math.inf)
        return None if math.isinf(found) else found


class _Contact:
    """One button."""

    def __init__(self, button: str, timing: GestureTiming, *, immediate: bool) -> None:
        self._button, self._timing, self._immediate = button, timing, immediate
        self._raw = self._down = False
        self._changed_at = self._acted_at = -math.inf
        self._pressed_at = self._released_at = 0.0
        self._judged = True
        """Whether it is decided what the press is that lasts."""
        self._single_waits = False
        """Whether a press has ended that may become a double one."""

    def deadline(self) -> float:
        deadlines = [math.inf]
        if self._raw != self._down:
            deadlines.append(self._changed_at + self._timing.bounce)
        if self._down and not self._judged:
            deadlines.append(self._pressed_at + self._timing.long)
        if not self._down and self._single_waits:
            deadlines.append(self._released_at + self._timing.double)
        return min(deadlines)

    def edge(self, *, down: bool, at: float) -> list[ButtonSignal]:
        self._raw = down
        return self._accept(at) if at >= self._changed_at + self._timing.bounce else []

    def advance(self, now: float) -> list[ButtonSignal]:
        """Only called when its deadline has come."""
        if self.deadline() > now:
            return []
        if self._raw != self._down and now >= self._changed_at + self._timing.bounce:
            return self._accept(now)
        if self._down:
            self._judged = True
            self._single_waits = False
            return [self._act("long")]
        self._single_waits = False
        return [self._act("single")]

    def _accept(self, at: float) -> list[ButtonSignal]:
        if self._raw == self._down:
            return []
        self._down, self._changed_at = self._raw, at
        return self._press(at) if self._down else self._release(at)

    def _press(self, at: float) -> list[ButtonSignal]:
        self._judged = True
        if self._single_waits:
            self._single_waits, self._pressed_at = False, at
            return [ButtonDown(self._button), self._act("double")]
        if at < self._acted_at + self._timing.debounce:
            return []
        self._pressed_at = at
        if self._immediate:
            return [ButtonDown(self._button), self._act("single")]
        self._judged = False
        return [ButtonDown(self._button)]

    def _release(self, at: float) -> list[ButtonSignal]:
        if not self._judged:
            self._judged, self._single_waits, self._released_at = True, True, at
        return []

    def _act(self, press: Press) -> ButtonGesture:
        self._acted_at = self._pressed_at
        return ButtonGesture(self._button, press)
