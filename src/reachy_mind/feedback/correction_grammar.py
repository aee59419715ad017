"""What one pole in a clause asks for: the sense of "fast" in "not so fast", "fast enough", "the train was too fast"."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from reachy_mind.brains.word_lists import lines, spaced
from reachy_mind.feedback.correction_directions import direction_sense, located, movement_sense
from reachy_mind.feedback.correction_setting import (
    BE,
    PAST,
    SO,
    SUBJECTS_WITH_VERB,
    THAN,
    TURNED_PAST,
    YOU,
    YOURS,
    CorrectionSetting,
    attributive,
    compares,
    foreign,
    negated,
    remark,
    told,
    wished_not_too,
)
from reachy_mind.feedback.correction_tokens import Tagged

_LITTLE = frozenset(lines("little|peu|poco|wenig"))
_MORE = frozenset(lines("more|mas|mehr|plus|some more|even more|noch mehr|encore plus|de plus|meh"))
_MANNERS = frozenset(lines("doucement|despacito|sachte|mollo|con calma|gently gently|gemach"))
_ADVERBS = frozenset(spaced("slowly quickly softly quietly loudly lentement rapidement despacio deprisa langsam"))
_POSSIBLE = frozenset(lines("possible|posible|moglich|as possible|can"))
_AROUND = frozenset(spaced("here outside upstairs there hier ici aqui"))


def sense(setting: CorrectionSetting) -> int:
    """1: what the pole says is asked for; -1: its opposite; 0: neither."""
    if _asked(setting) or _over(setting) or _utmost(setting):
        return 0
    return _RULES[setting.pole.tag](setting)


def _utmost(setting: CorrectionSetting) -> bool:
    """ "as far left as you can", "le plus haut possible", "the louder I talk": an order."""
    possible = any(word.words in _POSSIBLE for word in setting.right)
    before = setting.left[-1].words if setting.left else ""
    superlative = before in ("le", "la", "les", "lo") and setting.pole.words.startswith(("plus ", "mas "))
    return possible or (setting.pole.tag == "C" and (superlative or before == "the"))


def _asked(setting: CorrectionSetting) -> bool:
    """Whether it is a question for information."""
    if not setting.clause.asks or setting.pole.tag == "I":
        return False
    return not setting.has("TU") and not (setting.pole.tag in "QH" and any(word.size for word in setting.modifiers))


def _over(setting: CorrectionSetting) -> bool:
    """Whether it was so and is now right."""
    return setting.praised and (setting.says(PAST) or any(word.words in PAST for word in setting.right))


def _quality(setting: CorrectionSetting) -> int:  # noqa: PLR0911 -- a pattern each
    if attributive(setting) or foreign(setting):
        return 0
    tags = {word.tag for word in setting.modifiers}
    not_so, enough = negated(setting), "E" in tags or any(word.tag == "E" for word in setting.right[:1])
    if enough:
        return 1 if not_so else 0
    if "T" in tags or _misspelt_too(setting):
        return -1 if not not_so or wished_not_too(setting) else 0
    if tags & {"M", "L"}:
        return 0 if not_so else 1 if "M" in tags else -1
    if not_so and "v" in tags:
        return 1
    if setting.has("UK"):
        return -1
    if "S" in tags:
        return -1 if (not_so and not remark(setting)) or (not not_so and _so_that(setting)) else 0
    if any(word.size for word in setting.modifiers) and setting.pole.words == "hoch" and not remark(setting):
        return 1  # "ein Stück hoch" is upwards
    if any(word.size in ("tiny", "small") for word in setting.modifiers):
        return 0 if not_so or _manner(setting) else -1
    made = setting.left[:1] and setting.left[0].words in ("make it", "keep it") and not not_so
    return 1 if made and not setting.says(BE) else 0


def _manner(setting: CorrectionSetting) -> bool:
    """Whether it says how to do something new: "nod very slowly", "a slow wave"."""
    following = setting.right[:1]
    named = bool(following) and following[0].tag in "GRY" and following[0].words not in YOURS
    adverb = setting.pole.words in _ADVERBS and not setting.has("YU")
    return adverb or named or (setting.has("GRA") and not setting.has("YU")) or setting.says(frozenset({"be"}))


def _so_that(setting: CorrectionSetting) -> bool:
    """ "so fast that I could not follow", "so small nobody saw it"."""
    following = setting.right[:1]
    return bool(following) and (following[0].tag == "O" or following[0].words in ("that", "nobody", "que", "dass"))


def _fault(setting: CorrectionSetting) -> int:
    decided = _quality(setting)
    if decided or setting.has("N") or attributive(setting) or foreign(setting):
        return decided
    if any(word.tag == "E" for word in [*setting.modifiers, *setting.right[:1]]):
        return 0
    if any(word.words in _AROUND for word in setting.right):
        return 0
    excess = any(word.tag in "Svs" and word.words not in ("as", "aussi", "such a") for word in setting.modifiers)
    if setting.pole.words == "long" and [word.words for word in setting.clause.words] == ["so", "long"]:
        return 0  # a goodbye
    return -1 if (excess and not _manner(setting)) or (remark(setting) and not setting.praised) else 0


def _habit(setting: CorrectionSetting) -> int:
    if foreign(setting):
        return 0
    tags = {word.tag for word in setting.modifiers}
    if tags & {"M", "L"}:
        return 1 if "M" in tags else -1
    if setting.has("UKT"):
        return -1
    if setting.has("N") or any(word.tag == "N" for word in setting.right):
        return -1 if not setting.has("Y") or setting.pole.words.startswith("tu ") else 0
    before = setting.left[-1:]
    yours = bool(before) and (before[0].words in YOU or before[0].words in BE)
    return -1 if setting.has("Y") and (yours or remark(setting)) and not setting.praised else 0


def _comparative(setting: CorrectionSetting) -> int:  # noqa: PLR0911 -- a pattern each
    if attributive(setting):
        return 0
    if _than_you(setting):
        return 1
    if setting.pole.words == "kleiner" and len(setting.clause.words) == 1 and setting.follows:
        return 0  # "bravo, Kleiner" is to a little one
    if located(setting) and setting.pole.words in ("higher up", "lower down"):
        return 1
    if foreign(setting) or _new_topic(setting):
        return 0
    if any(word.words == "any" for word in setting.left) and setting.has("Ww") and not setting.has("N"):
        return -1
    if setting.has("NU"):
        return 0
    if told(setting) or (compares(setting) and setting.has("Y") and not remark(setting) and not setting.has("Ww")):
        return 0
    if remark(setting):
        return 1 if setting.says(PAST) and not compares(setting) else -1 if compares(setting) else 0
    if setting.praised and (compares(setting) or _welcomed(setting)):
        return 0
    tags = {word.tag for word in setting.modifiers}
    return -1 if tags & {"T", "L"} else 1


def _welcomed(setting: CorrectionSetting) -> bool:
    """Whether what changed is praised: "much quieter, thank you", "you looked higher this time, well done"."""
    much = any(word.size == "large" for word in setting.modifiers) and not setting.has("GWw")
    return much or setting.says(TURNED_PAST) or any(word.words in BE for word in setting.right[:1])


def _new_topic(setting: CorrectionSetting) -> bool:
    """Whether it asks for more about something else: "tell me more about whales", "a longer story about whales"."""
    about = setting.pole.words.endswith(("more", "mas", "mehr", "plus")) and setting.pole.axis == "talk"
    noun = bool(setting.right) and setting.right[0].tag == "Y" and setting.right[0].words not in YOURS
    return (about or noun) and any(word.tag == "x" for word in setting.right)


def _order(setting: CorrectionSetting) -> int:
    if foreign(setting) or setting.has("U") or attributive(setting):
        return 0
    if setting.pole.words in _MANNERS and any(word.tag in "GRA" for word in setting.clause.words):
        return 0
    if setting.has("N"):
        return -1 if (setting.pole.axis, setting.pole.sign) == ("speed", 1) else 0
    return 1


def _idiom(setting: CorrectionSetting) -> int:
    return 0 if any(word.tag == "x" for word in setting.left) or setting.has("p") else 1


def _amount(setting: CorrectionSetting) -> int:
    if foreign(setting):
        return 0
    tags = {word.tag for word in setting.modifiers}
    if setting.has("N"):
        return 1 if "E" in tags else 0
    if "T" in tags:
        return 1 if setting.says(_LITTLE) else -1
    return -1 if "L" in tags else 1 if "M" in tags else 0


def _degree(setting: CorrectionSetting) -> int:
    """ "talk less", "move a bit more", "you talk too much", "don't move so much"."""
    if foreign(setting) or _of_a_noun(setting.right) or setting.end < len(setting.clause.words):
        return 0
    after, before = {word.tag for word in setting.right}, {word.tag for word in setting.modifiers}
    if setting.has("N") or "N" in after:
        excess = any(word.words in SO for word in setting.right)
        return 1 if "E" in after else -1 if excess else 0
    if "T" in after:
        little = any(word.words in _LITTLE for word in setting.right)
        return 0 if not _too_much(setting.right) else 1 if little else -1
    if "L" in after | before or "T" in before:
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


def _misspelt_too(setting: CorrectionSetting) -> bool:
    """ "to loud", "2 fast": only where no verb can follow."""
    before = [word for word in setting.left if not word.size]
    if not before or before[-1].words not in ("to", "2"):
        return False
    return len(before) == 1 or before[-2].words in SUBJECTS_WITH_VERB


def _than_you(setting: CorrectionSetting) -> bool:
    words = [word.words for word in setting.right]
    return any(word in THAN for word in words) and any(word in YOU for word in words) and not setting.says(YOU)


_RULES = {
    "Q": _quality, "H": _fault, "h": _habit, "C": _comparative, "V": _order, "D": direction_sense, "A": movement_sense,
    "P": _amount, "G": _degree, "I": _idiom,
}  # fmt: skip
