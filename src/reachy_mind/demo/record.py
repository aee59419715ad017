"""`DemoRecord`: everything that a demonstration showed, line by line, and the figures that it measured."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, Literal

LineKind = Literal["step", "narration", "person", "robot", "tool", "figure", "code", "note"]
"""`narration` is what the robot explains, `robot` what it answers, `note` what is not as it usually is."""


@dataclass(frozen=True)
class DemoLine:
    """Something that was shown."""

    kind: LineKind
    text: str
    at_s: float = 0.0
    """Since the demonstration began, or its film."""


class DemoRecord:
    """Lines in their order; `listeners` are told of each at once."""

    def __init__(self) -> None:
        self.lines: list[DemoLine] = []
        self.figures: dict[str, float] = {}
        self.listeners: list[Callable[[DemoLine], None]] = []
        self.restart_clock()

    def restart_clock(self) -> None:
        """Count the seconds of lines from now."""
        self._began = time.monotonic()

    def add(self, kind: LineKind, text: str) -> None:
        line = DemoLine(kind, text, round(time.monotonic() - self._began, 2))
        self.lines.append(line)
        for listener in self.listeners:
            listener(line)

    def figure(self, name: str, value: float, text: str) -> None:
        """A measured value: `name` for programs, `text` for people."""
        self.figures[name] = round(value, 4)
        self.add("figure", text)

    def texts(self, kind: LineKind) -> list[str]:
        return [line.text for line in self.lines if line.kind == kind]

    def as_dict(self) -> dict[str, Any]:
        return {"figures": self.figures, "lines": [asdict(line) for line in self.lines]}
