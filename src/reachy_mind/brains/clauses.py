"""From what somebody said to the clauses it is made of, each without the politeness around it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from reachy_mind.brains.manner import SPEEDS
from reachy_mind.brains.phrases import (
    FILLERS,
    FRAMES,
    GERUND_FRAMES,
    GERUNDS,
    HARD_JOINTS,
    NAMES,
    SOFT_JOINTS,
    TRAILERS,
    lines,
    spaced,
)
from reachy_mind.brains.tokens import SENTENCE_ENDS, Spoken, Token

Joint = Literal["start", "sentence", "hard", "soft", "and"]

NEGATIONS = lines(
    """do not|never|you should not|you must not|you do not have to|you do not need to|can you not|i do not want you to
    i would rather you did not|you need not|no need to|stop yourself from|please do not|you can not|could you not
    would you not|    you better not|do not you dare
    do not ever|refrain from|avoid|under no circumstances"""
)
_NEGATIONS = tuple(tuple(phrase.split()) for phrase in sorted(NEGATIONS, key=lambda phrase: -len(phrase)))
_LOOK_ALONE = frozenset(spaced("look turn glance face head rotate lean tilt spin"))


@dataclass(frozen=True)
class Segment:
    """Words between two joints: from the `first` of a sentence's words up to the `last`."""

    joint: Joint
    first: int
    last: int


@dataclass(frozen=True)
class Clause:
    """A clause without what is around it. `full` still has its end, for words that are passed on as they are."""

    core: Spoken
    full: Spoken
    asked: bool = False
    """Whether it came in the frame of a request: "could you ..."."""
    negated: bool = False


def _in_order(said: Spoken) -> Spoken:
    """ "nod after looking left" as "look left then nod"."""
    words = said.words
    if words[:2] == ("before", "you") and "," in words:  # "before you nod, look up"
        comma, t = words.index(","), said.tokens
        end = next((place for place in range(len(words)) if words[place] in SENTENCE_ENDS), len(words))
        if comma < end:
            joint = Token("then", t[comma].start, t[comma].end)
            return Spoken(said.source, (*t[comma + 1 : end], joint, *t[2:comma], *t[end:]))
    for at in range(1, len(words) - 1):
        if words[at] != "after":
            continue
        begins = at + 2 if words[at + 1] == "you" and at + 2 < len(words) else at + 1
        if begins == at + 1 and words[begins] not in GERUNDS:
            continue
        end = next((place for place in range(at, len(words)) if words[place] in SENTENCE_ENDS), len(words))
        start = next((place + 1 for place in range(at, -1, -1) if words[place] in SENTENCE_ENDS), 0)
        if any(word in ("then", "after", ",") for word in words[begins:end]) or start >= at:
            continue
        if words[begins] in GERUNDS:
            said, words = _base_verb(said, begins)
        joint = Token("then", said.tokens[at].start, said.tokens[at].end)
        t = said.tokens
        return Spoken(said.source, (*t[:start], *t[begins:end], joint, *t[start:at], *t[end:]))
    return said


def segments(said: Spoken) -> tuple[Spoken, list[Segment]]:
    """The stretches between joints, and the words they are stretches of."""
    said = _in_order(said)
    words = said.words
    found: list[Segment] = []
    joint: Joint = "start"
    begin = at = 0
    while at < len(words):
        length, kind = _joint(words, at)
        if not length or (words[at] == "," and _is_pace(words[begin:at])):
            at += 1
            continue
        if at > begin:
            found.append(Segment(joint, begin, at))
            joint = kind
        elif found and (kind == "sentence" or (kind == "hard" and joint != "sentence")):
            joint = kind
        at += length
        begin = at
        # "nod while looking up", "look up before nodding": the verb after such a joint is one like any other.
        if words[at - 1] in ("while", "before", "by") and at < len(words) and words[at] in GERUNDS:
            said, words = _base_verb(said, at)
    if begin < len(words):
        found.append(Segment(joint, begin, len(words)))
    return said, found


def _is_pace(words: tuple[str, ...]) -> bool:
    """ "then, slowly, nod": part of what comes."""
    return bool(words) and any(phrases.at(words, 0) == len(words) for phrases in SPEEDS.values())


def _joint(words: tuple[str, ...], at: int) -> tuple[int, Joint]:
    if words[at] in SENTENCE_ENDS:
        return 1, "sentence"
    hard, soft = HARD_JOINTS.at(words, at), SOFT_JOINTS.at(words, at)
    if words[at] == "while" and words[at - 1 : at] == ("a",):
        return 0, "soft"
    if hard and hard >= soft:
        return hard, "hard"
    if words[at] == "before" and at + 1 < len(words) and words[at + 1] in GERUNDS:
        return 1, "hard"
    return soft, "and" if soft and words[at : at + soft] in (("and",), ("and", "also")) else "soft"


def clause(said: Spoken) -> Clause:
    """A segment without fillers, names and frames."""
    asked = negated = False
    at, words = 0, said.words
    while at < len(words):
        if length := FILLERS.at(words, at) or NAMES.at(words, at):
            at += length
        elif length := _negation(words, at):
            at, negated = at + length, not negated
            if at < len(words) and words[at] in GERUNDS:
                said, words = _base_verb(said, at)
        elif (length := GERUND_FRAMES.at(words, at)) and at + length < len(words) and words[at + length] in GERUNDS:
            said, words = _base_verb(said, at + length)
            at, asked = at + length, True
        elif length := FRAMES.at(words, at):
            at, asked = at + length, True
        elif words[at] in ("no", "yes") and at + 1 < len(words) and words[at + 1] in ("look", "turn", "i", "please"):
            at += 1
        else:
            break
    full = said.part(at)
    return Clause(_verb_first(full.part(0, _end(full.words))), full, asked, negated)


def _verb_first(core: Spoken) -> Spoken:
    """ "quickly look up" as "look up quickly"."""
    length = max((phrases.at(core.words, 0) for phrases in SPEEDS.values()), default=0)
    if not length or length >= len(core) or core.words[length] in ("and", "dance", "than"):
        return core
    rest = length + 1 if core.words[length] == "," else length
    return Spoken(core.source, (*core.tokens[rest:], *core.tokens[:length]))


def _negation(words: tuple[str, ...], at: int) -> int:
    length = next((len(phrase) for phrase in _NEGATIONS if words[at : at + len(phrase)] == phrase), 0)
    return length if length > FRAMES.at(words, at) else 0  # "do not forget to nod" asks for it


def _base_verb(said: Spoken, at: int) -> tuple[Spoken, tuple[str, ...]]:
    token = said.tokens[at]
    changed = (*said.tokens[:at], Token(GERUNDS[token.word], token.start, token.end), *said.tokens[at + 1 :])
    said = Spoken(said.source, changed)
    return said, said.words


def _end(words: tuple[str, ...]) -> int:
    """Where the core ends: before politeness, names and the like."""
    end = len(words)
    while end:
        if words[end - 1] in (",", ":", "and"):
            end -= 1
        elif (length := TRAILERS.ending(words, end) or NAMES.ending(words, end)) and length < end:
            if words[end - length : end] == ("right", "now") and words[end - length - 1] in _LOOK_ALONE:
                length = 1
            end -= length
        else:
            break
    return end
