"""`ChoicePolicy`: what each person means by a request, learned from "no, I meant dance".

The nearest taught request decides. It must say the same as what is said now (`request_words`): a request that merely
shares words with it goes to the brain, as before. A correction counts at once and outweighs older ones; ratings of what
came of it raise or lower it, and a learned choice that is rated badly is not chosen again. A policy holds nothing but
examples: removing the lesson of an example undoes it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from reachy_mind.feedback.request_words import RequestWords

LEAST_LIKENESS = 0.85
LEAST_VOTE, MOST_VOTES = 0.5, 1.5
"""What a choice must have more of to be made, and the most that ratings can add up to: one correction outweighs it."""
FADED = 0.5
"""What is left of the votes of other choices when a person says that they meant this one."""
DOUBT = 0.25
LONGEST_REQUEST = 120
"""Characters: what is longer is told once. A request is quoted to people, and to the models of brains."""
MOST_EXAMPLES = 500
"""Examples of one person for requests that begin alike; the oldest are left out beyond that."""


@dataclass(frozen=True)
class ChosenCall:
    """A tool by its bare name, and its arguments."""

    tool: str
    args: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class ChoiceExample:
    """What a person meant by a request, or did not mean: calls, or a brain or agent that should answer it."""

    person: str
    request: str
    lesson: int
    calls: tuple[ChosenCall, ...] = ()
    handoff: str = ""
    weight: float = 1.0
    """1: meant, -1: not meant; a rating in between."""
    source: Literal["correction", "rating"] = "correction"
    """A rating alone teaches no choice: praise for one volume is no wish for the same volume each time."""


@dataclass(frozen=True)
class LearnedChoice:
    """What a person means by a request. Who makes the calls makes them through the gate of the turn."""

    calls: tuple[ChosenCall, ...]
    handoff: str
    confidence: float
    lesson: int
    """The correction that it comes from."""
    request: str
    """What was said when it was taught."""


@dataclass(frozen=True)
class _Taught:
    example: ChoiceExample
    words: RequestWords
    key: str
    """The choice as text: equal for equal choices."""


@dataclass
class _Vote:
    weight: float = 0.0
    likeness: float = 0.0
    taught: ChoiceExample | None = None


class ChoicePolicy:
    """The choices of all people, in memory. The first `add` reads a list of words, which takes 0.2 s."""

    def __init__(self, examples: Iterable[ChoiceExample] = ()) -> None:
        self._people: dict[str, dict[str, list[_Taught]]] = {}
        for example in examples:
            self.add(example)

    def add(self, example: ChoiceExample) -> None:
        """Learn from one more example, the newest of its person."""
        words = RequestWords.of(example.request)
        if not words.stands_alone:
            return
        taught = self._people.setdefault(example.person, {}).setdefault(words.initials, [])
        taught.append(_Taught(example, words, _key(example)))
        del taught[:-MOST_EXAMPLES]

    def remove(self, lesson: int) -> None:
        """Leave out what was learned in this lesson."""
        for known in self._people.values():
            for initials, taught in known.items():
                known[initials] = [each for each in taught if each.example.lesson != lesson]

    def forget(self, person: str) -> None:
        """Leave out all that this person taught."""
        self._people.pop(person, None)

    def choose(self, person: str, request: str) -> LearnedChoice | None:
        """What this person means by a request; None when they never taught it, or taught no choice that still holds."""
        known = self._people.get(person)
        if not known:
            return None
        said = RequestWords.of(request)
        votes = _votes(known.get(said.initials, ()), said)
        if not votes:
            return None
        best = max(votes.values(), key=lambda vote: vote.weight)
        if best.taught is None or best.weight <= LEAST_VOTE:
            return None
        others = sum(max(vote.weight, 0.0) for vote in votes.values() if vote is not best)
        sure = best.likeness * best.weight / (best.weight + others + DOUBT)
        taught = best.taught
        return LearnedChoice(taught.calls, taught.handoff, round(sure, 3), taught.lesson, taught.request)


def can_be_taught(request: str) -> bool:
    """Whether what is meant by a request can be learned: it is short, and means the same each time, as "the other one"
    does not."""
    return len(request) <= LONGEST_REQUEST and RequestWords.of(request).stands_alone


def _votes(known: Sequence[_Taught], said: RequestWords) -> dict[str, _Vote]:
    """The votes for each choice that was taught for this request, by the examples in their order."""
    votes: dict[str, _Vote] = {}
    for each in known:
        likeness = said.likeness(each.words)
        if likeness < LEAST_LIKENESS:
            continue
        vote = votes.setdefault(each.key, _Vote())
        if each.example.source == "correction" and each.example.weight > 0:
            for other in votes.values():
                other.weight *= FADED if other is not vote else 1.0
            vote.taught, vote.likeness = each.example, likeness
            vote.weight = max(vote.weight, 0.0)
        vote.weight = min(vote.weight + each.example.weight, MOST_VOTES)
    return votes


def _key(example: ChoiceExample) -> str:
    calls = [[call.tool, dict(call.args)] for call in example.calls]
    return json.dumps([example.handoff, calls], sort_keys=True, default=str)
