"""What a direction in a clause asks for: "left" in "a bit more left", "too far left", "look left"."""

from __future__ import annotations

from reachy_mind.brains.word_lists import lines, spaced
from reachy_mind.feedback.correction_setting import (
    BE,
    SO,
    CorrectionSetting,
    attributive,
    foreign,
    of_time,
    remark,
    told,
    wished_not_too,
)
from reachy_mind.feedback.correction_tokens import FAR

_PLACED = BE | frozenset(lines("stand|standing|sit|sitting|sits|stands|suis|estoy|steh|sitz|steht|bin ich"))
_WITH_DIRECTION = frozenset(
    lines(
        """
        to|the|please|pls|plz|now|on|there|bitte|por favor|oh|hey|vers|la|le|jetzt|ahora|still|again|stp|svp|yes|ok
        """
    )
)
"""What may stand beside a direction that is said alone."""
_SAID = frozenset(lines("i said|told you|i told you|i meant|clearly said"))
_CHANGES = frozenset(
    lines(
        """
        increase|boost|reduce|decrease|augmente|aumenta|diminue|disminuye|pick up|erhoh|erhohe|reduzier|reduziere
        reduce la|cut down|bring down
        """
    )
)
"""Verbs that need a noun of an axis."""
_NAMED = frozenset(spaced("voice speed stimme voix voz"))
_JUST = frozenset(spaced("just only juste seulement solo nur"))
_PUT = frozenset(spaced("put place mets pon stell leg"))
"""What is done with things; the robot has no hands."""
_ASKING = frozenset(spaced("what who which"))


def direction_sense(setting: CorrectionSetting) -> int:  # noqa: PLR0911 -- a pattern each
    if attributive(setting) or setting.says(_PUT):
        return 0
    if located(setting):
        return 1
    if foreign(setting):
        return 0
    words = setting.modifiers
    tags, sized = {word.tag for word in words}, _sized(setting)
    if "T" in tags:
        return -1 if not setting.has("N") or wished_not_too(setting) else 0
    if setting.has("N"):
        if "E" in tags:
            return 1
        return -1 if any(word.words in SO for word in words) or setting.says(FAR) else 0
    if _turned_too_far(setting):
        return -1
    if told(setting):
        return 0
    if "L" in tags or (sized and "M" not in tags and _a_bit_far(setting)):
        return -1
    if "M" in tags or sized:
        return 1
    return 1 if _sized_after(setting) else _bare_direction(setting)


def _a_bit_far(setting: CorrectionSetting) -> bool:
    """ "a bit far left"."""
    words = setting.modifiers
    return not setting.has("GR") and (words[0].words in FAR or words[-1].words in FAR)


def _sized_after(setting: CorrectionSetting) -> bool:
    """ "left a bit"; "right" is also a word of agreement, so that it must follow at once."""
    if any(word.tag == "x" for word in setting.right):
        return False
    right = [word for word in setting.right if word.words not in _JUST]
    after = right[:1] if setting.pole.words == "right" else right
    return any(word.tag == "M" or (word.size and not of_time(word)) for word in after)


def _turned_too_far(setting: CorrectionSetting) -> bool:
    """ "stop turning left", "drifted to the left", "leaning to the left", "left too much"."""
    stopped = any(word.tag == "K" for word in setting.clause.words[:2]) and setting.has("K")
    return stopped or setting.has("Xr") or any(word.tag in "TX" for word in setting.right)


def _bare_direction(setting: CorrectionSetting) -> int:
    """A direction with nothing that says how much: an order, unless it is another try."""
    words = setting.clause.words
    if setting.pole.words == "right":
        before = setting.left[-1] if setting.left else None
        said = before is not None and (before.words in _SAID or (setting.has("w") and before.tag == "G"))
        return 1 if said or (setting.blamed and len(words) == 1 and setting.clause.opening != "B") else 0
    if all(word.tag in "DNf" or word.words in _WITH_DIRECTION for word in words):
        return 0 if setting.ordered else 1
    if any(word.tag == "x" for word in setting.right) or remark(setting):
        return 0
    if setting.pole.axis == "pitch" and _of_an_axis(setting):
        return 1
    return 1 if setting.blamed or setting.has("w") else 0


def _sized(setting: CorrectionSetting) -> bool:
    """Whether it says how much; degrees alone do when no verb makes them an order."""
    words = setting.modifiers
    sized = any(word.size and not of_time(word) for word in words)
    return sized or (any(word.tag == "d" for word in words) and not setting.has("GRA"))


def movement_sense(setting: CorrectionSetting) -> int:
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


def _of_an_axis(setting: CorrectionSetting) -> bool:
    """Whether something that goes up and down is named: "bring the pace down", "reduce the volume"."""
    return any(word.tag == "P" or word.words in _NAMED for word in setting.clause.words)


def located(setting: CorrectionSetting) -> bool:
    """Whether it says where something or somebody is: "the mug is further left", "I'm on your left"."""
    if setting.clause.asks or setting.says(_ASKING):
        return False
    if not setting.says(_PLACED) or setting.has("NGTprwR") or setting.pole.words == "right":
        return False
    if setting.pole.axis == "pitch" and setting.pole.tag == "D":
        return False
    more = any(word.tag in "Ms" for word in setting.modifiers)
    return more or "your" in setting.pole.words
