"""What a small model answered: words, steps, or whom to ask instead; as far as it got."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pydantic_core import from_json

RESULT = "$result"
"""Stands in an argument for what the step before found."""


@dataclass(frozen=True)
class Step:
    """A call to make."""

    tool: str
    args: dict[str, Any]

    def with_result(self, found: str) -> Step:
        """With what the step before found in place of its mark; where there was none, without the argument."""
        if not found:
            return Step(self.tool, {name: value for name, value in self.args.items() if value != RESULT})
        args = {
            name: value.replace(RESULT, found) if isinstance(value, str) else value for name, value in self.args.items()
        }
        return Step(self.tool, args)


@dataclass(frozen=True)
class Intent:
    """One of the three; none of them for an answer that made no sense."""

    say: str = ""
    steps: tuple[Step, ...] = ()
    hand_to: str = ""


def saying(text: str) -> str:
    """The words of an answer that is still being written; empty when it has none, or none yet."""
    told = _read(text, partial=True)
    said = told.get("say") if isinstance(told, dict) else None
    return said if isinstance(said, str) else ""


def intent(text: str) -> Intent:
    """A whole answer. Of one that was cut off, the steps that were written to their end."""
    told = _read(text)
    if told is None:
        told = _read(text, partial=True)
        if isinstance(told, dict) and isinstance(steps := told.get("do"), list):
            told = {"do": steps[:-1]}  # the last one may lack arguments
    match told:
        case {"say": str(said)}:
            return Intent(say=said.strip())
        case {"hand_to": str(name)}:
            return Intent(hand_to=name)
        case {"do": list(steps)}:
            return Intent(steps=_steps(steps))
    return Intent()


def _steps(written: Sequence[Any]) -> tuple[Step, ...]:
    """Each once after the other: a small model that loses its thread writes the same step to the end."""
    found: list[Step] = []
    for each in written:
        match each:
            case dict() if len(each) == 1:
                ((name, args),) = each.items()
                step = Step(str(name), dict(args) if isinstance(args, dict) else {})
                if not found or found[-1] != step:
                    found.append(step)
    return tuple(found)


def _read(text: str, *, partial: bool = False) -> Any:
    try:
        return from_json(text, allow_partial="trailing-strings" if partial else False)
    except ValueError:
        return None
