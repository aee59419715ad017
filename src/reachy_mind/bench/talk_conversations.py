"""Conversations for `bench talk`, and how the answer to the last turn of one is judged.

Each line of a file has an `id`, a `kind`, the `turns` a person says, and `checks`: regular expressions for the answer
in lower case, of which one (`any`), each (`all`) or none (`none`) must be found; `tools` that must have been called in
this order, others between them or not; and `no_tools` where the robot must not act. `developing` is for developers to
look at; `held_out` is run once for a release, and nobody reads it.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

from reachy_mind.tools.definition import Tool

SETS = ("developing", "held_out")
FOLDER = Path(__file__).parent
EXPRESSIONS = frozenset(("express_emotion",))
"""Movements that belong to talking: a robot that shows what it feels does nothing it was not asked for."""
_CHECKS = frozenset(("any", "all", "none", "tools", "no_tools"))


@dataclass(frozen=True)
class TalkChecks:
    """What an answer must be like."""

    some: tuple[re.Pattern[str], ...] = ()
    every: tuple[re.Pattern[str], ...] = ()
    none: tuple[re.Pattern[str], ...] = ()
    tools: tuple[str, ...] = ()
    no_tools: bool = False

    @classmethod
    def read(cls, written: Mapping[str, Any]) -> TalkChecks:
        """Raises ValueError for a check that there is not, and for no check at all."""
        if unknown := set(written) - _CHECKS:
            raise ValueError(f"no such check: {', '.join(sorted(unknown))}")
        if not any(written.values()):
            raise ValueError("nothing is checked")
        some, every, none = (tuple(map(re.compile, written.get(name, ()))) for name in ("any", "all", "none"))
        return cls(some, every, none, tuple(written.get("tools", ())), bool(written.get("no_tools")))


@dataclass(frozen=True)
class Conversation:
    """One of the lines."""

    id: str
    kind: str
    turns: tuple[str, ...]
    checks: TalkChecks


@dataclass(frozen=True)
class TalkAnswer:
    """The answer to one turn."""

    text: str
    """What a person reads or hears: the reply, and what was said aloud."""
    called: tuple[str, ...] = ()
    """The tools whose calls went well, in order."""
    acted: tuple[str, ...] = ()
    """The tools with which the robot acted, or tried to."""
    first_word_ms: float | None = None
    """None for an answer without words."""
    turn_ms: float = 0.0
    error: str = ""


def conversations(name: str = SETS[0], folder: Path = FOLDER) -> list[Conversation]:
    """All of a set. Raises ValueError naming a line that is wrong."""
    file = folder / f"talk_{name}.jsonl"
    found: list[Conversation] = []
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            turns = tuple(row["turns"])
            if not turns or not all(isinstance(turn, str) and turn.strip() for turn in turns):
                raise ValueError("nothing is said")
            found.append(Conversation(row["id"], row["kind"], turns, TalkChecks.read(row["checks"])))
        except (ValueError, TypeError, KeyError, re.error) as error:
            raise ValueError(f"{file.name}:{number}: {error}") from error
    if len({each.id for each in found}) != len(found):
        raise ValueError(f"{file.name}: two conversations have the same id")
    return found


def mixed(every: Sequence[Conversation]) -> list[Conversation]:
    """All of them, in a random order that is always the same: one of each kind, then a second of each, and so on."""
    kinds: dict[str, list[Conversation]] = {}
    for each in every:
        kinds.setdefault(each.kind, []).append(each)
    for of_kind in kinds.values():
        random.Random(0).shuffle(of_kind)  # noqa: S311 -- the same ones every time
    rows = zip_longest(*kinds.values())
    return [each for row in rows for each in row if each is not None]


def is_action(tool: Tool) -> bool:
    """Whether calling it is an action of the robot's body; looking, remembering and telling the time are none."""
    return tool.group == "robot" and not tool.read_only and tool.name not in EXPRESSIONS


def judged(checks: TalkChecks, answer: TalkAnswer) -> list[str]:
    """The checks that an answer fails, in words; none when it is right."""
    return [*_in_words(checks, answer.text.lower()), *_in_deeds(checks, answer)]


def acted_wrongly(checks: TalkChecks, answer: TalkAnswer) -> bool:
    """Whether the robot acted where it should only have answered."""
    return checks.no_tools and bool(answer.acted)


def _in_words(checks: TalkChecks, said: str) -> Iterator[str]:
    if checks.some and not any(pattern.search(said) for pattern in checks.some):
        yield f"says none of {_patterns(checks.some)}"
    if missing := [pattern for pattern in checks.every if not pattern.search(said)]:
        yield f"does not say {_patterns(missing)}"
    if unfit := [pattern for pattern in checks.none if pattern.search(said)]:
        yield f"says {_patterns(unfit)}"


def _in_deeds(checks: TalkChecks, answer: TalkAnswer) -> Iterator[str]:
    calls = iter(answer.called)
    if missing := [name for name in checks.tools if name not in calls]:
        yield f"did not call {', '.join(missing)} in order"
    if acted_wrongly(checks, answer):
        yield f"called {', '.join(answer.acted)}"


def _patterns(patterns: Sequence[re.Pattern[str]]) -> str:
    return " | ".join(pattern.pattern for pattern in patterns)
