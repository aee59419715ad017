"""What one pole in a clause asks for: the sense of "fast" in "not so fast", "fast enough", "the train was too fast"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from reachy_mind.feedback.correction_tokens import Clause, Tagged

_MODIFIERS = frozenset("sTSvMLEnd")
_BETWEEN = frozenset(
    {
        "to",
        "the",
        "of",
        "on",
        "de",
        "la",
        "le",
        "nach",
        "a",
        "it",
        "your",
        "in",
        "over",
        "any",
        "weit",
        "ruber",
        "vers",
        "um",
        "uh",
        "euh",
        "eh",
        "ahm",
        "er",
        "side",
    }
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
_YOURS = frozenset(
    {
        "you",
        "your",
        "you are",
        "it",
        "it is",
        "that was",
        "it was",
        "tu",
        "ton",
        "ta",
        "tes",
        "du",
        "dein",
        "deine",
        "tus",
    }
)
_WITH_DIRECTION = frozenset({"to", "the", "please", "pls", "plz", "now", "on", "there", "bitte", "por favor", "oh", "hey",
                             "vers", "la", "le", "jetzt", "ahora", "still", "again", "stp", "svp", "yes", "ok"})  # fmt: skip
_WISHES = frozenset(
    {
        "want", "need", "prefer", "wish", "hoping", "expecting", "like it", "would", "quiero", "prefiero", "i d like",
        "i d prefer", "i d rather", "rather", "ideally", "mochte", "wunsche", "i asked for", "i said", "should", "wanted",
        "i wanted", "told you", "i told you", "i asked", "i asked you to", "prefere", "i d love", "j aimerais", "je veux",
    }
)  # fmt: skip
_CHANGES = frozenset({"increase", "boost", "reduce", "decrease", "augmente", "aumenta", "diminue", "disminuye", "pick up",
                      "erhoh", "erhohe", "reduzier", "reduziere", "reduce la", "cut down", "bring down"})  # fmt: skip
_MANNERS = frozenset({"doucement", "despacito", "tranquilo", "sachte", "mollo", "con calma", "gently gently", "gemach"})
_MORE = frozenset(
    {"more", "mas", "mehr", "plus", "some more", "even more", "noch mehr", "encore plus", "de plus", "meh"}
)
_POSSIBLE = frozenset({"possible", "posible", "moglich", "as possible", "can"})
_ADVERBS = frozenset(
    {"slowly", "quickly", "softly", "quietly", "loudly", "lentement", "rapidement", "despacio", "deprisa", "langsam"}
)
_SO = frozenset({"so", "so much", "that much", "this much", "tan", "tanto", "tanta", "si", "autant", "tant", "so sehr",
                 "quite so", "gar so", "ganz so", "tellement"})  # fmt: skip
_SAID = frozenset({"i said", "told you", "i told you", "i meant", "clearly said"})
_TURNED_PAST = frozenset({"looked", "turned", "moved", "nodded", "waved", "danced", "talked", "spoke", "went", "came"})
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


def sense(setting: Setting) -> int:
    """1: what the pole says is asked for; -1: its opposite; 0: neither."""
    if _asked(setting) or _over(setting) or _utmost(setting):
        return 0
    return _RULES[setting.pole.tag](setting)


def _utmost(setting: Setting) -> bool:
    """ "as far left as you can", "le plus haut possible", "the louder I talk": an order."""
    possible = any(word.words in _POSSIBLE for word in setting.right)
    before = setting.left[-1].words if setting.left else ""
    superlative = before in ("le", "la", "les", "lo") and setting.pole.words.startswith(("plus ", "mas "))
    return possible or (setting.pole.tag == "C" and (superlative or before == "the"))


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
    words = setting.clause.words[: setting.at]
    other = unknown = ours = False
    for place, word in enumerate(words):
        following = words[place + 1] if place + 1 < len(words) else None
        if word.tag in "YU" and not (other and word.words == "it"):
            other = unknown = False
            ours = ours or word.words in _YOURS
        elif word.tag == "O":
            other = True
        elif other and setting.pole.tag != "V" and word.words in _WISHES:
            other = False
        elif word.tag == "x":
            unknown = True
            named = place > 0 and words[place - 1].tag == "Z"
            other = other or (named and (not ours or (following is not None and following.words in _BE)))
    return other or (unknown and not ours and not _unknown_order(setting))


def _unknown_order(setting: Setting) -> bool:
    """Whether the only unknown word begins the clause and can be a verb: "pivot a bit more to the left"."""
    words = setting.clause.words[: setting.at]
    unknown = [place for place, word in enumerate(words) if word.tag == "x"]
    if unknown != [0] or any(word.words in _BE for word in words):
        return False
    tags = {word.tag for word in setting.modifiers if not word.words.startswith(("keep", "carry"))}
    several = setting.pole.tag == "C" and " " in setting.pole.words
    return several or "M" in tags or (setting.pole.tag == "D" and any(word.size for word in setting.modifiers))


def _attributive(setting: Setting) -> bool:
    """Whether it describes a noun that is not ours: "higher prices"."""
    following = setting.clause.words[setting.at + 1 : setting.at + 2]
    if not following:
        return setting.apposed
    bare = setting.pole.tag == "D" and " " not in setting.pole.words
    return following[0].tag == "x" or (bare and following[0].tag in "YP" and following[0].words not in _YOURS)


def _negated(setting: Setting) -> bool:
    """Whether a "not" before the pole belongs to it: no unknown word is between."""
    for word in reversed(setting.left):
        if word.tag == "N":
            return True
        if word.tag == "x":
            return False
    return False


def _remark(setting: Setting) -> bool:
    """Whether it says how something is, with a subject and a verb."""
    return setting.says(_SUBJECTS_WITH_VERB) and not setting.has("Ww")


def _quality(setting: Setting) -> int:  # noqa: PLR0911 -- a pattern each
    if _attributive(setting) or foreign(setting):
        return 0
    tags = {word.tag for word in setting.modifiers}
    negated, enough = _negated(setting), "E" in tags or any(word.tag == "E" for word in setting.right[:1])
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
        return -1 if (negated and not _remark(setting)) or (not negated and _so_that(setting)) else 0
    if any(word.size for word in setting.modifiers) and setting.pole.words == "hoch" and not _remark(setting):
        return 1  # "ein Stück hoch" is upwards
    if any(word.size in ("tiny", "small") for word in setting.modifiers):
        return 0 if negated or _manner(setting) else -1
    made = setting.left[:1] and setting.left[0].words in ("make it", "keep it") and not negated
    return 1 if made and not setting.says(_BE) else 0


def _manner(setting: Setting) -> bool:
    """Whether it says how to do something new: "nod very slowly", "a slow wave"."""
    following = setting.right[:1]
    named = bool(following) and (
        following[0].tag in "GR" or (following[0].tag == "Y" and following[0].words not in _YOURS)
    )
    adverb = setting.pole.words in _ADVERBS and not setting.has("YU")
    return adverb or named or (setting.has("GRA") and not setting.has("YU")) or setting.says(frozenset({"be"}))


def _so_that(setting: Setting) -> bool:
    """ "so fast that I could not follow", "so small nobody saw it"."""
    following = setting.right[:1]
    return bool(following) and (following[0].tag == "O" or following[0].words in ("that", "nobody", "que", "dass"))


def _fault(setting: Setting) -> int:
    decided = _quality(setting)
    if decided or setting.has("N") or _attributive(setting) or foreign(setting):
        return decided
    if any(word.tag == "E" for word in [*setting.modifiers, *setting.right[:1]]):
        return 0
    if any(word.words in ("here", "outside", "upstairs", "there", "hier", "ici", "aqui") for word in setting.right):
        return 0
    excess = any(word.tag in "Svs" and word.words not in ("as", "aussi", "such a") for word in setting.modifiers)
    if setting.pole.words == "long" and [word.words for word in setting.clause.words] == ["so", "long"]:
        return 0  # a goodbye
    return -1 if (excess and not _manner(setting)) or (_remark(setting) and not setting.praised) else 0


def _habit(setting: Setting) -> int:
    if foreign(setting):
        return 0
    tags = {word.tag for word in setting.modifiers}
    if tags & {"M", "L"}:
        return 1 if "M" in tags else -1
    negated = setting.has("N") or any(word.tag == "N" for word in setting.right)
    if setting.has("UKT"):
        return -1
    if negated:
        return -1 if not setting.has("Y") or setting.pole.words.startswith("tu ") else 0
    before = setting.left[-1:]
    yours = bool(before) and (before[0].words in _YOU or before[0].words in _BE)
    return -1 if setting.has("Y") and (yours or _remark(setting)) and not setting.praised else 0


def _comparative(setting: Setting) -> int:  # noqa: PLR0911 -- a pattern each
    if _attributive(setting):
        return 0
    if _than_you(setting):
        return 1
    if setting.pole.words == "kleiner" and len(setting.clause.words) == 1 and setting.follows:
        return 0  # "bravo, Kleiner" is to a little one
    if _located(setting) and setting.pole.words in ("higher up", "lower down"):
        return 1
    if foreign(setting) or _new_topic(setting):
        return 0
    if any(word.words == "any" for word in setting.left) and setting.has("Ww") and not setting.has("N"):
        return -1
    if setting.has("NU"):
        return 0
    if _told(setting) or (_compares(setting) and setting.has("Y") and not _remark(setting) and not setting.has("Ww")):
        return 0
    if _remark(setting):
        return 1 if setting.says(_PAST) and not _compares(setting) else -1 if _compares(setting) else 0
    if setting.praised and (_compares(setting) or _welcomed(setting)):
        return 0
    tags = {word.tag for word in setting.modifiers}
    return -1 if tags & {"T", "L"} else 1


def _welcomed(setting: Setting) -> bool:
    """Whether what changed is praised: "much quieter, thank you", "you looked higher this time, well done"."""
    much = any(word.size == "large" for word in setting.modifiers) and not setting.has("GWw")
    return much or setting.says(_TURNED_PAST) or any(word.words in _BE for word in setting.right[:1])


def _told(setting: Setting) -> bool:
    """Whether it tells what happened: "you looked higher", "a bit more left did the trick"."""
    verbs = [
        word.words
        for word in setting.left
        if word.words in _TURNED_PAST or (word.tag == "x" and word.words[-2:] == "ed")
    ]
    did = any(word.words in _BE or word.words in ("did", "worked", "helped") for word in setting.right[:1])
    wished = any(word.tag in "Ww" for word in [*setting.left, *setting.right])
    return not wished and (did or (bool(verbs) and setting.says(frozenset({"you"}))))


def _new_topic(setting: Setting) -> bool:
    """Whether it asks for more about something else: "tell me more about whales"."""
    about = setting.pole.words.endswith(("more", "mas", "mehr", "plus")) and setting.pole.axis == "talk"
    return about and any(word.tag == "x" for word in setting.right)


def _order(setting: Setting) -> int:
    if foreign(setting) or setting.has("U") or _attributive(setting):
        return 0
    if setting.pole.words in _MANNERS and any(word.tag in "GRA" for word in setting.clause.words):
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
        return -1 if any(word.words in _SO for word in words) or setting.says(_FAR) else 0
    if _turned_too_far(setting):
        return -1
    if _told(setting):
        return 0
    if (
        setting.says(_FAR)
        and sized
        and not setting.has("GR")
        and (words[0].words in _FAR or words[-1].words in _FAR)
        and "M" not in tags
    ):
        return -1
    if "L" in tags:
        return -1
    if "M" in tags or sized:
        return 1
    after = setting.right[:1] if setting.pole.words == "right" else setting.right
    if any(word.tag == "M" or (word.size and not of_time(word)) for word in after) and all(
        word.tag != "x" for word in setting.right
    ):
        return 1
    return _bare_direction(setting)


def _turned_too_far(setting: Setting) -> bool:
    """ "stop turning left", "drifted to the left", "leaning to the left", "left too much"."""
    stopped = any(word.tag == "K" for word in setting.clause.words[:2]) and setting.has("K")
    return stopped or setting.has("Xr") or any(word.tag in "TX" for word in setting.right)


def _bare_direction(setting: Setting) -> int:
    """A direction with nothing that says how much: an order, unless it is another try."""
    words = setting.clause.words
    if setting.pole.words == "right":
        said = setting.left[-1:] and (
            setting.left[-1].words in _SAID or (setting.has("w") and setting.left[-1].tag == "G")
        )
        return 1 if said or (setting.blamed and len(words) == 1 and setting.clause.opening != "B") else 0
    if all(word.tag in "DNf" or word.words in _WITH_DIRECTION for word in words):
        return 0 if setting.ordered else 1
    if any(word.tag == "x" for word in setting.right) or _remark(setting):
        return 0
    if setting.pole.axis == "pitch" and _of_an_axis(setting):
        return 1
    return 1 if setting.blamed or setting.has("w") else 0


def _sized(setting: Setting) -> bool:
    """Whether it says how much; degrees alone do when no verb makes them an order."""
    words = setting.modifiers
    sized = any(word.size and not of_time(word) for word in words)
    return sized or (any(word.tag == "d" for word in words) and not setting.has("GRA"))


def of_time(word: Tagged) -> bool:
    """ "for a second", "a moment": not how far."""
    return word.words.rpartition(" ")[2] in ("moment", "second", "seconde", "segundito", "momento")


def _movement(setting: Setting) -> int:
    """ "raise", "lower": an order like a direction."""
    if foreign(setting) or setting.has("U") or any(word.tag == "x" for word in setting.right):
        return 0
    if setting.has("N"):
        return -1 if any(word.tag == "S" for word in setting.right) else 0
    if _of_an_axis(setting):
        return 1
    if any(word.tag == "d" for word in setting.right):
        return 0
    sized = any(word.size for word in [*setting.modifiers, *setting.right])
    again = any(word.tag == "w" for word in [*setting.left, *setting.right])
    return 1 if (sized or again or setting.blamed) and setting.pole.words not in _CHANGES else 0


def _of_an_axis(setting: Setting) -> bool:
    """Whether something that goes up and down is named: "bring the pace down", "reduce the volume"."""
    return any(
        word.tag == "P" or word.words in ("voice", "speed", "stimme", "voix", "voz") for word in setting.clause.words
    )


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
    if foreign(setting) or _of_a_noun(setting.right) or setting.end < len(setting.clause.words):
        return 0
    after, before = {word.tag for word in setting.right}, {word.tag for word in setting.modifiers}
    negated = setting.has("N") or "N" in after
    if negated:
        excess = any(word.words in _SO for word in setting.right)
        return 1 if "E" in after else -1 if excess else 0
    if "T" in after and not _too_much(setting.right):
        return 0
    if "T" in after:
        return 1 if any(word.words in _LITTLE and word.words != "un peu" for word in setting.right) else -1
    if "L" in after | before:
        return -1
    if "T" in before:
        return -1
    return 1 if any(word.words in _MORE for word in setting.right) else 0


def _too_much(words: Sequence[Tagged]) -> bool:
    """Whether "too" is "too much" or ends the words: "zu" is also a preposition."""
    at = next(place for place, word in enumerate(words) if word.tag == "T")
    return at == len(words) - 1 or bool(words[at + 1].size) or words[at].words not in ("zu", "to")


def _of_a_noun(words: Sequence[Tagged]) -> bool:
    """Whether "more" or "less" is of something: "tell me more stories"."""
    if any(word.tag == "x" for word in words[:1]):
        return True
    return any(word.tag in "MLTS" and following.tag in "xnOY" for word, following in pairwise(words))


def _located(setting: Setting) -> bool:
    """Whether it says where something or somebody is: "the mug is further left", "I'm on your left"."""
    if setting.clause.asks or setting.says(frozenset({"what", "who", "which", "whats"})):
        return False
    if not setting.says(_PLACED) or setting.has("NGTprwR") or setting.pole.words == "right":
        return False
    if setting.pole.axis == "pitch" and setting.pole.tag == "D":
        return False
    more = any(word.tag in "Ms" for word in setting.modifiers)
    return more or "your" in setting.pole.words


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
