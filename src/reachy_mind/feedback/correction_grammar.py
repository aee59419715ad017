"""What one pole in a clause asks for: the sense of "fast" in "not so fast", "fast enough", "the train was too fast"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from reachy_mind.feedback.correction_tokens import Clause, Tagged

_MODIFIERS = frozenset("sTSvMLEnd")
_BETWEEN = frozenset(
    {"to", "the", "of", "on", "de", "la", "le", "nach", "a", "it", "your", "in", "over", "any", "weit", "ruber", "vers"}
)
_BE = frozenset({"is", "s", "are", "re", "am", "m", "was", "were", "est", "esta", "ist", "bist", "i am"})
_REMARKS = _BE | {"it is", "that was", "that is", "that s", "this is", "it was", "c est", "c etait", "es war"}
_SUBJECTS_WITH_VERB = _REMARKS | {"das war", "das ist", "fue", "ha sido", "you are", "warst", "war", "es"}
_PLACED = _BE | {
    "stand",
    "standing",
    "sit",
    "sitting",
    "sits",
    "stands",
    "suis",
    "estoy",
    "steh",
    "sitz",
    "steht",
    "bin ich",
}
_THAN = frozenset({"than", "que", "als", "qu"})
_YOU = frozenset({"you", "your", "toi", "tu", "du", "dich", "te", "ti"})
_FAR = frozenset({"far", "weit", "loin", "lejos"})
_LITTLE = frozenset({"little", "peu", "un peu", "poco", "wenig"})
_PAST = frozenset(
    {"were", "was", "earlier", "before", "yesterday", "last week", "last time", "hier", "ayer", "gestern"}
)


@dataclass(frozen=True, slots=True)
class Setting:
    """A pole in its clause, and what is around it."""

    clause: Clause
    at: int
    start: int
    """Where the words before the pole begin: after the pole before it."""
    end: int
    """Where the next pole is."""
    blamed: bool
    """Whether the words before find fault ("no", "but"), so that an order is another try."""
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
            elif word.words not in _BETWEEN and word.tag != "R":
                break
        return found

    def has(self, tags: str) -> bool:
        """Whether one of the tags is among the words before the pole."""
        return any(word.tag in tags for word in self.left)

    def says(self, words: frozenset[str]) -> bool:
        """Whether one of the words is before the pole."""
        return any(word.words in words for word in self.left)


def sense(setting: Setting) -> int:
    """1: what the pole says is asked for; -1: its opposite; 0: neither."""
    if _asked(setting) or _over(setting):
        return 0
    return _RULES[setting.pole.tag](setting)


def _asked(setting: Setting) -> bool:
    """Whether it is a question for information."""
    if not setting.clause.asks or setting.pole.tag == "I":
        return False
    return not setting.has("TU") and not (setting.pole.tag in "QH" and any(word.size for word in setting.modifiers))


def _over(setting: Setting) -> bool:
    """Whether it was so and is now right."""
    return setting.praised and (setting.says(_PAST) or any(word.words in _PAST for word in setting.right))


def foreign(setting: Setting) -> bool:
    """Whether the subject is somebody or something else than the robot and what it did."""
    words, other, unknown = setting.clause.words, False, False
    for place, word in enumerate(words[: setting.at]):
        if word.tag in "YU":
            other = unknown = False
        elif word.tag == "O":
            other = True
        elif word.tag in "Ww" and setting.pole.tag != "V":
            other = False
        elif word.tag == "x":
            unknown = True
            other = other or (place > 0 and words[place - 1].tag == "Z")
    return other or unknown


def _attributive(setting: Setting) -> bool:
    """Whether it describes a noun that is not ours: "higher prices"."""
    following = setting.clause.words[setting.at + 1 : setting.at + 2]
    return bool(following) and following[0].tag == "x"


def _remark(setting: Setting) -> bool:
    """Whether it says how something is, with a subject and a verb."""
    return setting.says(_SUBJECTS_WITH_VERB) and not setting.has("Ww")


def _quality(setting: Setting) -> int:  # noqa: PLR0911 -- a pattern each
    if _attributive(setting) or foreign(setting):
        return 0
    tags = {word.tag for word in setting.modifiers}
    negated, enough = setting.has("N"), "E" in tags or any(word.tag == "E" for word in setting.right[:1])
    if enough:
        return 1 if negated else 0
    if "T" in tags or _misspelt_too(setting):
        return -1 if not negated or _wished_not_too(setting) else 0
    if tags & {"M", "L"}:
        return 0 if negated else 1 if "M" in tags else -1
    if negated and "v" in tags:
        return 1
    if setting.has("UK"):
        return -1
    if "S" in tags:
        return -1 if negated and not _remark(setting) else 0
    if any(word.size in ("tiny", "small") for word in setting.modifiers):
        return 0 if negated else -1
    starts = setting.left[:1]
    return 1 if starts and starts[0].tag in "GW" and setting.has("G") and not negated else 0


def _fault(setting: Setting) -> int:
    decided = _quality(setting)
    if decided or setting.has("N") or _attributive(setting) or foreign(setting):
        return decided
    if any(word.tag == "E" for word in [*setting.modifiers, *setting.right[:1]]):
        return 0
    excess = any(word.tag in "Svs" for word in setting.modifiers)
    return -1 if excess or (_remark(setting) and not setting.praised) else 0


def _habit(setting: Setting) -> int:
    if foreign(setting):
        return 0
    tags = {word.tag for word in setting.modifiers}
    if tags & {"M", "L"}:
        return 1 if "M" in tags else -1
    negated = setting.has("N") or any(word.tag == "N" for word in setting.right)
    if setting.has("UKT") or (negated and not _remark(setting)):
        return -1
    before = setting.left[-1:]
    yours = bool(before) and (before[0].words in _YOU or before[0].words in _BE)
    return -1 if not negated and setting.has("Y") and (yours or _remark(setting)) else 0


def _comparative(setting: Setting) -> int:  # noqa: PLR0911 -- a pattern each
    if _attributive(setting):
        return 0
    if _than_you(setting):
        return 1
    if _located(setting) and setting.pole.words in ("higher up", "lower down"):
        return 1
    if foreign(setting) or _new_topic(setting):
        return 0
    if any(word.words == "any" for word in setting.left) and setting.has("Ww") and not setting.has("N"):
        return -1
    if setting.has("NU"):
        return 0
    if _remark(setting):
        return 1 if setting.says(_PAST) and not _compares(setting) else -1 if _compares(setting) else 0
    if setting.praised and _compares(setting):
        return 0
    tags = {word.tag for word in setting.modifiers}
    return -1 if tags & {"T", "L"} else 1


def _new_topic(setting: Setting) -> bool:
    """Whether it asks for more about something else: "tell me more about whales"."""
    about = setting.pole.words.endswith(("more", "mas", "mehr", "plus")) and setting.pole.axis == "talk"
    return about and any(word.tag == "x" for word in setting.right)


def _order(setting: Setting) -> int:
    if foreign(setting) or setting.has("U") or _attributive(setting):
        return 0
    if setting.has("N"):
        return -1 if (setting.pole.axis, setting.pole.sign) == ("speed", 1) else 0
    return 1


def _idiom(setting: Setting) -> int:
    return 0 if any(word.tag == "x" for word in setting.left) or setting.has("p") else 1


def _direction(setting: Setting) -> int:  # noqa: PLR0911 -- a pattern each
    if _attributive(setting):
        return 0
    if _located(setting):
        return 1
    if foreign(setting):
        return 0
    words = setting.modifiers
    tags, sized = {word.tag for word in words}, _sized(setting)
    if "T" in tags:
        return -1 if not setting.has("N") or _wished_not_too(setting) else 0
    if setting.has("N"):
        if "E" in tags:
            return 1
        return -1 if "S" in tags or setting.says(_FAR) else 0
    if setting.has("KX"):
        return -1
    if setting.says(_FAR) and sized and (words[0].words in _FAR or words[-1].words in _FAR) and "M" not in tags:
        return -1
    if "L" in tags:
        return -1
    if "M" in tags or sized:
        return 1
    if any(word.tag == "M" or word.size for word in setting.right) and all(word.tag != "x" for word in setting.right):
        return 1
    return _bare_direction(setting)


def _bare_direction(setting: Setting) -> int:
    """A direction with nothing that says how much: an order, unless it is another try."""
    words = setting.clause.words
    if setting.pole.words == "right":
        return 1 if setting.has("w") and not _remark(setting) and setting.left[-1].tag in "wG" else 0
    if all(word.tag in "DFNJ" for word in words):
        return 1
    if _remark(setting) and setting.has("R") and not setting.praised:
        return -1  # "you're leaning to the left"
    if any(word.tag == "x" for word in setting.right) or _remark(setting):
        return 0
    return 1 if setting.blamed or setting.has("w") else 0


def _sized(setting: Setting) -> bool:
    """Whether it says how much; degrees alone do when no verb makes them an order."""
    words = setting.modifiers
    return any(word.size for word in words) or (any(word.tag == "d" for word in words) and not setting.has("G"))


def _movement(setting: Setting) -> int:
    """ "raise", "lower": an order like a direction."""
    if foreign(setting) or setting.has("NU"):
        return 0
    following = [word for word in setting.right if word.tag == "x"]
    if following:
        return 0
    sized = any(word.size for word in [*setting.modifiers, *setting.right])
    again = any(word.tag == "w" for word in [*setting.left, *setting.right])
    return 1 if sized or again or setting.blamed else 0


def _amount(setting: Setting) -> int:
    if foreign(setting):
        return 0
    tags = {word.tag for word in setting.modifiers}
    if setting.has("N"):
        return 1 if "E" in tags else 0
    if "T" in tags:
        return 1 if setting.says(_LITTLE) else -1
    return -1 if "L" in tags else 1 if "M" in tags else 0


def _degree(setting: Setting) -> int:
    """ "talk less", "move a bit more", "you talk too much", "don't move so much"."""
    if foreign(setting) or _of_a_noun(setting.right):
        return 0
    after, before = {word.tag for word in setting.right}, {word.tag for word in setting.modifiers}
    negated = setting.has("N") or "N" in after
    if negated:
        return 1 if "E" in after else -1 if "S" in after else 0
    if "T" in after:
        return 1 if any(word.words in _LITTLE and word.words != "un peu" for word in setting.right) else -1
    if "L" in after | before:
        return -1
    if "T" in before:
        return -1
    return 1 if "M" in after else 0


def _of_a_noun(words: Sequence[Tagged]) -> bool:
    """Whether "more" or "less" is of something: "tell me more stories"."""
    if any(word.tag == "x" for word in words[:1]):
        return True
    return any(word.tag in "MLTS" and following.tag in "xn" for word, following in pairwise(words))


def _located(setting: Setting) -> bool:
    """Whether it says where something or somebody is: "the mug is further left", "I'm on your left"."""
    if not setting.says(_PLACED) or setting.has("NGTp") or setting.pole.words == "right":
        return False
    if setting.pole.axis == "pitch" and setting.pole.tag == "D":
        return False
    more = any(word.tag in "Ms" for word in setting.modifiers)
    return more or "your" in setting.pole.words or (setting.has("O") and " " in setting.pole.words)


def _misspelt_too(setting: Setting) -> bool:
    """ "to loud", "2 fast": only where no verb can follow."""
    before = [word for word in setting.left if not word.size]
    if not before or before[-1].words not in ("to", "2"):
        return False
    return len(before) == 1 or before[-2].words in _SUBJECTS_WITH_VERB


def _wished_not_too(setting: Setting) -> bool:
    """ "not too fast": a wish, unless it says how it was."""
    words = [word.tag for word in setting.left]
    return words[-2:] == ["N", "T"] and not setting.has("Y") and not setting.praised


def _compares(setting: Setting) -> bool:
    return any(word.words in _THAN or word.tag == "=" for word in setting.right)


def _than_you(setting: Setting) -> bool:
    words = [word.words for word in setting.right]
    return any(word in _THAN for word in words) and any(word in _YOU for word in words) and not setting.says(_YOU)


_RULES = {
    "Q": _quality, "H": _fault, "h": _habit, "C": _comparative, "V": _order, "D": _direction, "A": _movement,
    "P": _amount, "G": _degree, "I": _idiom,
}  # fmt: skip
