"""`plan`: from a sentence to what to do about it, by rules alone.

    plan("look left, then nod twice and tell me your pose").steps  # move_head, nod, get_pose

The sentence is taken apart at its joints; each clause is read by the first rule that can make sense of all of it. What
is only told, asked about, forbidden or wanted under a condition is never done. A trained model may take the place of
this module: it has the same `plan`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from reachy_mind.brains import followups
from reachy_mind.brains.clauses import Clause, Segment, clause, segments
from reachy_mind.brains.manner import DIRECTIONS, Manner
from reachy_mind.brains.mood import CONDITIONS, PASSED_ON, QUESTIONS, REPORTS, REQUESTS, STARTERS, SUBJECTS
from reachy_mind.brains.phrases import FILLERS, NAMES
from reachy_mind.brains.plan import Aside, Before, Part, Pause, Plan, Setting, Step, Unknown, Words
from reachy_mind.brains.rules import (
    attention,
    clocks,
    dances,
    feelings,
    gestures,
    knowledge,
    places,
    senses,
    states,
    talk,
)
from reachy_mind.brains.rules.rule import Rule
from reachy_mind.brains.tokens import Spoken

LONGEST, MOST_SEGMENTS, MOST_STEPS = 2000, 60, 12
"""Characters, stretches between joints, and things done for one sentence."""

BOOKS = (followups, places, attention, gestures, feelings, dances, states, clocks, senses, knowledge, talk)
RULES: tuple[Rule, ...] = tuple(rule for book in BOOKS for rule in book.BOOK.rules)

_ON_AGAIN = ("please", "so", "now", "can", "could", "would", "reachy", "but", "ok", "okay", "then")


def plan(text: str, before: Sequence[Before] = ()) -> Plan:
    """What to do about a sentence, given the calls of the turn before. Never raises."""
    if len(text) > LONGEST:
        return Plan((Unknown(text[:80], "too_much"),))
    said, found = segments(Spoken.of(text))
    if len(found) > MOST_SEGMENTS:
        return Plan((Unknown(text[:80], "too_much"),))
    # After "look left", "right" alone may be meant as a yes.
    verb = followups.verb_of(before[-1]) if before and said.words[:1] != ("right",) else ""
    reader = _Reader(said, Setting(tuple(before), verb))
    parts: list[Part] = []
    for sentence in _sentences(found):
        parts.extend(reader.sentence(sentence))
    return Plan(tuple(_weeded(parts)))


def _sentences(found: Sequence[Segment]) -> list[list[Segment]]:
    sentences: list[list[Segment]] = []
    for segment in found:
        if not sentences or segment.joint == "sentence":
            sentences.append([])
        sentences[-1].append(segment)
    return sentences


class _Unit:
    """A clause in the making: the segments it has so far, and how it was read."""

    def __init__(self, said: Spoken, segment: Segment, setting: Setting, *, negated: bool = False) -> None:
        self._whole, self._setting = said, setting
        self.segment = segment
        self._inherits = negated
        self._read()

    def _read(self) -> None:
        self.said = self._whole.part(self.segment.first, self.segment.last)
        self.clause = clause(self.said)
        if self._inherits and not self.clause.asked:
            self.clause = replace(self.clause, negated=True)
        self.parts = read(self.clause, self._setting, self.said)

    def extend(self, segment: Segment) -> bool:
        """Go on to the end of a segment; not where that would make no sense of what makes sense without it."""
        alone = self.segment, self.parts
        self.segment = replace(self.segment, last=segment.last)
        self._read()
        if self.parts is None and alone[1] is not None and alone[0].joint != segment.joint == "soft":
            self.segment = alone[0]
            self._read()
            return False
        return True

    @property
    def empty(self) -> bool:
        return not self.clause.core

    @property
    def acts(self) -> bool:
        return bool(self.parts) and any(isinstance(part, Step | Pause) for part in self.parts or ())

    @property
    def first(self) -> str:
        return self.clause.core.words[0] if self.clause.core else ""

    @property
    def is_condition(self) -> bool:
        return not self.acts and not self.clause.asked and bool(CONDITIONS.fullmatch(_joined(self.said)))

    @property
    def is_talk(self) -> bool:
        """Not a request, as far as can be told."""
        return self.parts is None and not self.clause.asked and self.first not in REQUESTS


def _joined(said: Spoken) -> str:
    words, at = said.words, 0
    while length := FILLERS.at(words, at) or NAMES.at(words, at):
        at += length
    return " ".join(words[at:])


class _Reader:
    """Reads one sentence after another; each clause knows what the one before was about."""

    def __init__(self, said: Spoken, setting: Setting) -> None:
        self._said, self._setting = said, setting

    def sentence(self, found: Sequence[Segment]) -> list[Part]:
        units: list[_Unit] = []
        for segment in found:
            last = units[-1] if units else None
            unit = self._unit(segment, last)
            if last is not None and not _begins(last, unit) and last.extend(segment):
                self._turn_to(last)
            else:
                units.append(unit)
                self._turn_to(unit)
        if any(unit.is_condition for unit in units) and not all(unit.empty or unit.is_condition for unit in units[1:]):
            return [Unknown(_stretch(units).as_said(), "condition")]
        if len(units) == 1 and units[0].is_condition:
            return [Unknown(units[0].said.as_said(), "condition")]
        return [part for unit in units for part in self._answer(unit)]

    def _unit(self, segment: Segment, last: _Unit | None) -> _Unit:
        negated = last is not None and last.clause.negated and segment.joint == "and" and not last.empty
        return _Unit(self._said, segment, self._setting, negated=negated)

    def _turn_to(self, unit: _Unit) -> None:
        steps = [part for part in unit.parts or () if isinstance(part, Step)]
        if steps:
            done = tuple(Before(step.tool, step.args) for step in steps)
            self._setting = Setting(done, followups.verb_of(done[-1]) or self._setting.verb)

    def _answer(self, unit: _Unit) -> Sequence[Part]:
        if unit.parts is not None:
            return unit.parts
        if unit.empty:
            return ()
        why = "question" if unit.first in QUESTIONS and not unit.clause.asked else "unsure"
        if unit.is_talk and unit.first in SUBJECTS:
            return (Unknown(unit.said.as_said(), "talk"),)
        return (Unknown(unit.said.as_said(), "question" if why == "question" else "unsure"),)


def _stretch(units: Sequence[_Unit]) -> Spoken:
    first, last = units[0].said, units[-1].said
    return Spoken(first.source, (*first.tokens[:1], *last.tokens[-1:]))


def _begins(last: _Unit, unit: _Unit) -> bool:  # noqa: PLR0911 -- one question after the other
    """Whether a segment begins a clause of its own, or goes on with the last one."""
    joint = unit.segment.joint
    if last.empty:
        return True
    if kind := PASSED_ON.match(last.clause.full.text):
        if joint == "hard":
            return unit.acts or kind.lastgroup not in ("memory", "reminder", "tool")
        if kind["memory"] or kind["tool"]:
            return False
        if kind["reminder"]:
            return last.acts and unit.acts
        return unit.acts and (joint != "and" or not unit.first.isdigit())
    if last.is_condition:
        return True
    if last.is_talk and joint != "hard":
        opening = unit.said.words[0] if len(unit.said) else ""
        if joint == "and" or (REPORTS & set(last.said.words) and opening not in _ON_AGAIN):
            return False
    if joint == "hard":
        return True
    if _is_diagonal(last, unit) or (last.acts and _is_manner(unit)):
        return False
    if unit.parts is not None or unit.clause.negated:
        return not _is_murmur(unit)
    if unit.empty:
        return False
    return unit.first in STARTERS or unit.clause.asked or bool(CONDITIONS.fullmatch(unit.clause.core.text))


def _is_murmur(unit: _Unit) -> bool:
    return unit.parts is not None and len(unit.parts) == 1 and isinstance(unit.parts[0], Aside) and unit.empty


def _is_manner(unit: _Unit) -> bool:
    """ "look left, slowly": how the last one is to be done."""
    manner = Manner.of(list(unit.clause.core.words))
    if manner.strange or manner.directions or manner.parts or unit.first in STARTERS | {"again", "another"}:
        return False
    return bool(manner.speed or manner.times or manner.amount or manner.hold_s or manner.degrees)


def _is_diagonal(last: _Unit, unit: _Unit) -> bool:
    """ "up and to the left" is one place; "up, left" and "left and right" are two."""
    if unit.segment.joint != "and" or last.first not in places.VERBS | places.BARE:
        return False
    one, other = Manner.of(list(last.clause.core.words)), Manner.of(list(unit.clause.core.words))
    if other.strange or other.parts or len(other.directions) != 1 or len(one.directions) != 1:
        return False
    if not any(phrases.at(unit.clause.core.words, 0) for phrases in DIRECTIONS.values()) and unit.first not in (
        "to",
        "a",
        "slightly",
    ):
        return False
    axes = {way: axis for axis, ways in (("v", places.UPRIGHT), ("h", places.SIDES)) for way in ways}
    ways = axes.get(one.directions[0]), axes.get(other.directions[0])
    return None not in ways and ways[0] != ways[1]


def read(one: Clause, setting: Setting, said: Spoken) -> Sequence[Part] | None:
    """What a clause asks for; None when no rule makes sense of all of it."""
    if not one.core:
        one = Clause(said, said, one.asked, one.negated)
        if not said:
            return None
    for rule in RULES:
        answer = rule(one, setting)
        if answer is not None:
            parts = list(answer) if isinstance(answer, Sequence) else [answer]
            return _forbidden(parts, one) if one.negated else parts
    if one.negated:
        return [Words("All right, I won't.")]
    return None


def _forbidden(parts: list[Part], one: Clause) -> Sequence[Part]:
    acts = [part for part in parts if isinstance(part, Step | Pause)]
    if not acts:
        return parts
    if any(isinstance(part, Step) and part.tool in ("do_nothing", "stop") for part in acts):
        return [Words("All right, I carry on.")]
    return [Words(f"All right, I won't {_as_mine(one.core.text)}.")]


def _as_mine(words: str) -> str:
    swapped = {"your": "my", "yourself": "myself", "me": "you", "my": "your", "you": "I"}
    return " ".join(swapped.get(word.casefold(), word) for word in words.strip(" .!?,").split())


def _weeded(parts: list[Part]) -> list[Part]:
    """Without what needs no answer beside the rest, and with no more steps than a turn should have."""
    acts = any(isinstance(part, Step | Pause) for part in parts)
    content = [part for part in parts if not isinstance(part, Aside)]
    if acts:
        content = [part for part in content if not (isinstance(part, Unknown) and part.why == "talk")]
    if not content:
        asides = [part.text for part in parts if isinstance(part, Aside)]
        return [Words(asides[-1])] if asides else []
    kept: list[Part] = []
    done = 0
    for part in content:
        done += isinstance(part, Step | Pause)
        if done > MOST_STEPS:
            kept.append(Unknown(getattr(part, "said", "") or "the rest", "too_much"))
            break
        kept.append(part)
    return kept
