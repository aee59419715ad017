"""What a brain without a language model makes of a sentence: things to do and things to say, in order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from reachy_mind.brains.brain import ToolCall


@dataclass(frozen=True)
class Step:
    """A tool to call. `said` is what it was understood from; `note` is what to tell about it beforehand."""

    tool: str
    args: dict[str, Any] = field(default_factory=dict)
    said: str = ""
    note: str = ""
    quiet: bool = False
    """Whether nothing is told about how it went."""
    phrase: str = ""
    """The key of the phrasebook for what to tell beforehand, in the language of the turn."""
    then_only: bool = False
    """Whether it is left out unless the call before it succeeded: "commit it and push it"."""


@dataclass(frozen=True)
class Pause:
    """Stay as it is for a while."""

    seconds: float


@dataclass(frozen=True)
class Words:
    """An answer that takes no tool."""

    text: str


@dataclass(frozen=True)
class Aside:
    """Words that want no answer when something else is said or asked for with them."""

    text: str


@dataclass(frozen=True)
class Talk:
    """Something that wants an answer and no tool: what kind of talk it is, as the reader's labels have it.

    `phrase` is the key of the phrasebook where it is not the kind's own, with `what` in its gap.
    """

    kind: str
    said: str
    phrase: str = ""
    what: str = ""


@dataclass(frozen=True)
class Ask:
    """Something is missing: `what` to ask for, and the step it is missing in."""

    what: Literal["duration", "when", "place", "thing", "which"]
    step: Step


@dataclass(frozen=True)
class Guess:
    """What may have been meant: to be asked about before anything is done."""

    steps: tuple[Step, ...]


@dataclass(frozen=True)
class Play:
    """A turn in the game that is open in this conversation: what the player said."""

    said: str


@dataclass(frozen=True)
class Unknown:
    """What was not understood: `talk` tells something, a `condition` can't be waited for, the rest is `unsure`."""

    said: str
    why: Literal["unsure", "talk", "question", "condition", "too_much"] = "unsure"


@dataclass(frozen=True)
class Condition:
    """Parts that depend on what came of the parts before: "nod if it is even, else shake your head"."""

    said: str
    """The condition in words: "it is even"."""
    test: Callable[[str, Sequence[ToolCall]], bool | None]
    """Whether it holds, from the words and calls of the turn so far; None when rules can't tell."""
    then: tuple[Part, ...] = ()
    otherwise: tuple[Part, ...] = ()

    def holds(self, said: str, calls: Sequence[ToolCall]) -> bool | None:
        return self.test(said, calls)


Part = Step | Pause | Words | Aside | Talk | Ask | Guess | Play | Unknown | Condition


@dataclass(frozen=True)
class Plan:
    """What to do about a sentence, and the language it was said in."""

    parts: tuple[Part, ...] = ()
    language: str = "en"
    sure: float = field(default=1.0, compare=False)
    """How sure it is that this was meant: 0 to 1."""

    @property
    def steps(self) -> tuple[Step, ...]:
        return tuple(part for part in self.parts if isinstance(part, Step))

    @property
    def unknown(self) -> tuple[Unknown, ...]:
        return tuple(part for part in self.parts if isinstance(part, Unknown))

    @property
    def understood(self) -> bool:
        """Whether there is an answer to all of it."""
        return bool(self.parts) and not any(
            isinstance(part, Unknown | Guess) or (isinstance(part, Talk) and part.kind == "@knowledge")
            for part in self.parts
        )


@dataclass(frozen=True)
class Before:
    """A call of the turn before, for "again" and "more"."""

    tool: str
    args: Mapping[str, Any]
    data: Any = None


@dataclass(frozen=True)
class Setting:
    """What a clause is understood against: the last turn that did something, and the clause before in this one."""

    before: Sequence[Before] = ()
    verb: str = ""
    """What a clause without a verb is about: "look left, then right"."""
