"""Requests that were written without sight of the training sentences, and how an answer to one is judged.

Each line of `requests.jsonl` has a `text`, perhaps the turn `after` which it is said, the calls that are right
(`tools`, or else one of `or`), its language and its kind. Names and order of tools must be the same. Of the arguments,
those that are written must be there: numbers and choices exactly, free text by its words, what is left out by its
default.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from reachy_mind.brains.reflex.plan import Ask, Guess, Plan, Step, Unknown
from reachy_mind.models.wordpiece import without_accents

FILE = Path(__file__).with_name("requests.jsonl")
Verdict = Literal["right", "arguments", "asked", "missed", "wrong"]
"""Right; right tools with other arguments; asked back or not understood; answered in words alone; another action."""

_DEFAULTS: Mapping[tuple[str, str], Any] = {
    ("nod", "times"): 2, ("shake", "times"): 2, ("wave", "times"): 3, ("wave", "side"): "left",
    ("rotate", "degrees"): 90, ("dance", "name"): "random", ("dance", "repeat"): 1,
    ("express_emotion", "intensity"): 0.7, ("listen", "duration_seconds"): 3, ("take_photo", "save"): True,
}  # fmt: skip
_FREE = frozenset(("text", "content", "query", "label", "place", "value", "name", "names", "key"))
_ANY = frozenset((("analyze_scene", "prompt"), ("describe_image", "prompt"), ("create_tool", "description")))
"""Wording that is for the tool to make sense of."""
_LITTLE = frozenset("the a an my your to of for is are le la les un une de du el los der die das".split())  # noqa: SIM905


@dataclass(frozen=True)
class ReflexRequest:
    """One of the lines."""

    text: str
    language: str
    kind: str
    wanted: tuple[tuple[tuple[str, Mapping[str, Any]], ...], ...]
    """Lists of calls, each of them right."""
    after: str = ""

    @property
    def needs_calls(self) -> bool:
        return all(self.wanted)


def requests(file: Path = FILE) -> Iterator[ReflexRequest]:
    """All of them."""
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.strip():
            row = json.loads(line)
            lists = [row["tools"], *row.get("or", [])]
            if row["kind"] == "program":
                lists += [[{"name": "create_tool", "args": {}}], []]
            wanted = tuple(tuple((call["name"], call["args"]) for call in calls) for calls in lists)
            yield ReflexRequest(row["text"], row["lang"], row["kind"], wanted, row.get("after", ""))


def judged(request: ReflexRequest, made: Plan) -> Verdict:
    """How good a plan is for a request."""
    steps = made.steps
    named = [calls for calls in request.wanted if [name for name, _ in calls] == [step.tool for step in steps]]
    if named:
        return "right" if any(_fits(calls, steps) for calls in named) else "arguments"
    if steps:
        return "wrong"
    return "asked" if any(isinstance(part, Ask | Guess | Unknown) for part in made.parts) else "missed"


def _fits(calls: Sequence[tuple[str, Mapping[str, Any]]], steps: Sequence[Step]) -> bool:
    return all(_same(tool, args, step.args) for (tool, args), step in zip(calls, steps, strict=True))


def _same(tool: str, wanted: Mapping[str, Any], got: Mapping[str, Any]) -> bool:
    if tool == "set_timer" and _seconds(wanted) != _seconds(got):
        return False
    for name, value in wanted.items():
        if (tool == "set_timer" and name in ("seconds", "minutes", "hours")) or (tool, name) in _ANY:
            continue
        given = got.get(name, _DEFAULTS.get((tool, name)))
        if given is None or not _alike(name if tool != "dance" else "", value, given):
            return False
    return True


def _alike(name: str, wanted: Any, given: Any) -> bool:
    if name in _FREE:
        said = _words(given)
        return all(any(word[:4] == other[:4] for other in said) for word in _words(wanted) - _LITTLE)
    if isinstance(wanted, int | float) and not isinstance(wanted, bool):
        return isinstance(given, int | float) and abs(given - wanted) < 1e-6
    return str(given).lower() == str(wanted).lower()


def _words(value: Any) -> set[str]:
    return set(re.findall(r"\w+", without_accents(" ".join(value) if isinstance(value, list) else str(value))))


def _seconds(args: Mapping[str, Any]) -> float:
    return float(args.get("seconds", 0) + 60 * args.get("minutes", 0) + 3600 * args.get("hours", 0))
