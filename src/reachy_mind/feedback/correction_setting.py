"""A pole in its clause, and what is around it: who it is about, whether it is a remark, a question, a story."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reachy_mind.brains.word_lists import lines, spaced
from reachy_mind.feedback.correction_tokens import Tagged, TaggedClause

_MODIFIERS = frozenset("sTSvMLEnd")
_BETWEEN = frozenset(
    spaced("to the of on de la le nach a it your in over any weit ruber vers um uh euh eh ahm er side")
)
"""Words that may stand between a modifier and its pole."""
BE = frozenset(lines("is|s|are|re|am|m|was|were|est|esta|ist|bist|i am"))
SUBJECTS_WITH_VERB = BE | frozenset(
    lines(
        """
        it is|that was|that is|that s|this is|it was|c est|c etait|es war|das war|das ist|fue|ha sido|you are|warst|war
        es
        """
    )
)
THAN = frozenset(spaced("than que als qu"))
YOU = frozenset(spaced("you your toi tu du dich te ti"))
YOURS = frozenset(lines("you|your|you are|it|it is|that was|it was|tu|ton|ta|tes|du|dein|deine|tus"))
SO = frozenset(
    lines(
        """
        so|so much|that much|this much|tan|tanto|tanta|si|autant|tant|so sehr|quite so|gar so|ganz so|tellement
        """
    )
)
TURNED_PAST = frozenset(spaced("looked turned moved nodded waved danced talked spoke went came"))
PAST = frozenset(lines("were|was|earlier|before|yesterday|last week|last time|hier|ayer|gestern"))
WISHES = frozenset(
    lines(
        """
        want|need|prefer|wish|hoping|expecting|like it|would|quiero|prefiero|i d like|i d prefer|i d rather|rather
        ideally|mochte|wunsche|i asked for|i said|should|wanted|i wanted|told you|i told you|i asked|i asked you to
        prefere|i d love|j aimerais|je veux
        """
    )
)
"""Words by which "I" speaks of what the robot should do."""


@dataclass(frozen=True, slots=True)
class CorrectionSetting:
    """A pole in its clause, and what is around it."""

    clause: TaggedClause
    at: int
    start: int
    """Where the words before the pole begin: after the pole before it."""
    end: int
    """Where the next pole is."""
    blamed: bool
    """Whether the words before find fault ("no", "but"), so that an order is another try."""
    ordered: bool
    """Whether it goes on with an order: the second half of "look up and to the left"."""
    follows: bool
    """Whether another clause is before this one."""
    apposed: bool
    """Whether what it is about comes after: "much too long, these trousers"."""
    praised: bool
    """Whether praise follows: a remark about the past is then no complaint."""

    @property
    def pole(self) -> Tagged:
        return self.clause.words[self.at]

    @property
    def left(self) -> Sequence[Tagged]:
        return self.clause.words[self.start : self.at]

    @property
    def right(self) -> Sequence[Tagged]:
        return self.clause.words[self.at + 1 : self.end]

    @property
    def modifiers(self) -> list[Tagged]:
        """The modifiers directly before the pole, the nearest first."""
        found: list[Tagged] = []
        for word in reversed(self.left):
            if word.tag in _MODIFIERS:
                found.append(word)
            elif word.words not in _BETWEEN and word.tag not in "Rr":
                break
        return found

    def has(self, tags: str) -> bool:
        """Whether one of the tags is among the words before the pole."""
        return any(word.tag in tags for word in self.left)

    def says(self, words: frozenset[str]) -> bool:
        """Whether one of the words is before the pole."""
        return any(word.words in words for word in self.left)


def foreign(setting: CorrectionSetting) -> bool:
    """Whether the subject is somebody or something else than the robot and what it did."""
    words = setting.clause.words[: setting.at]
    other = unknown = ours = False
    for place, word in enumerate(words):
        following = words[place + 1] if place + 1 < len(words) else None
        if word.tag in "YU" and not (other and word.words == "it"):
            other = unknown = False
            ours = ours or word.words in YOURS
        elif word.tag == "O":
            other = True
        elif other and setting.pole.tag != "V" and word.words in WISHES:
            other = False
        elif word.tag == "x":
            unknown = True
            named = place > 0 and words[place - 1].tag == "Z"
            other = other or (named and (not ours or (following is not None and following.words in BE)))
    return other or (unknown and not ours and not _unknown_order(setting))


def _unknown_order(setting: CorrectionSetting) -> bool:
    """Whether the only unknown word begins the clause and can be a verb: "pivot a bit more to the left"."""
    words = setting.clause.words[: setting.at]
    unknown = [place for place, word in enumerate(words) if word.tag == "x"]
    if unknown != [0] or any(word.words in BE for word in words):
        return False
    tags = {word.tag for word in setting.modifiers if not word.words.startswith(("keep", "carry"))}
    several = setting.pole.tag == "C" and " " in setting.pole.words
    return several or "M" in tags or (setting.pole.tag == "D" and any(word.size for word in setting.modifiers))


def attributive(setting: CorrectionSetting) -> bool:
    """Whether it describes a noun that is not ours: "higher prices"."""
    following = setting.clause.words[setting.at + 1 : setting.at + 2]
    if not following:
        return setting.apposed
    bare = setting.pole.tag == "D" and " " not in setting.pole.words
    return following[0].tag == "x" or (bare and following[0].tag in "YP" and following[0].words not in YOURS)


def negated(setting: CorrectionSetting) -> bool:
    """Whether a "not" before the pole belongs to it: between them is no unknown word but the verb that is negated."""
    for place in range(len(setting.left) - 1, -1, -1):
        if setting.left[place].tag == "N":
            return True
        if setting.left[place].tag == "x" and (not place or setting.left[place - 1].tag != "N"):
            return False
    return False


def remark(setting: CorrectionSetting) -> bool:
    """Whether it says how something is, with a subject and a verb."""
    return setting.says(SUBJECTS_WITH_VERB) and not setting.has("Ww")


def told(setting: CorrectionSetting) -> bool:
    """Whether it tells what happened: "you looked higher", "a bit more left did the trick"."""
    turned = any(word.words in TURNED_PAST or (word.tag == "x" and word.words[-2:] == "ed") for word in setting.left)
    did = any(word.words in BE or word.words in ("did", "worked", "helped") for word in setting.right[:1])
    wished = any(word.tag in "Ww" for word in [*setting.left, *setting.right])
    return not wished and (did or (turned and setting.says(frozenset({"you"}))))


def compares(setting: CorrectionSetting) -> bool:
    """Whether it compares: "slower than before"."""
    return any(word.words in THAN for word in setting.right)


def wished_not_too(setting: CorrectionSetting) -> bool:
    """ "not too fast": a wish, unless it says how it was."""
    words = [word.tag for word in setting.left]
    praise = setting.praised or any(word.words == "at all" for word in setting.right)
    return words[-2:] == ["N", "T"] and not praise and not setting.has("Y")


def of_time(word: Tagged) -> bool:
    """ "for a second", "a moment": not how far."""
    return word.words.rpartition(" ")[2] in ("moment", "second", "seconde", "segundito", "momento")
