"""`DemoRecord`: everything that a demonstration showed, line by line, and the figures that it measured."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

LineKind = Literal["step", "narration", "person", "robot", "tool", "figure", "code", "note"]
"""`narration` is what the robot explains, `robot` what it answers, `note` what is not as it usually is."""


@dataclass(frozen=True)
class DemoLine:
    """Something that was shown."""

    kind: LineKind
    text: str


class DemoRecord:
    """Lines in their order; `listeners` are told of each at once."""

    def __init__(self) -> None:
        self.lines: list[DemoLine] = []
        self.figures: dict[str, float] = {}
        self.listeners: list[Callable[[DemoLine], None]] = []

    def add(self, kind: LineKind, text: str) -> None:
        line = DemoLine(kind, text)
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
        return {"figures": self.figures, "lines": [{"kind": line.kind, "text": line.text} for line in self.lines]}
