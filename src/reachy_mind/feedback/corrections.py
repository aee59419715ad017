"""Corrections in words: "a bit more to the left", "too fast", "good, but not so loud".

Rules on tagged words (`feedback.correction_words`), the same for English, French, Spanish and German. A false
correction changes what the robot does, so what is not understood is none: orders ("look left"), remarks about somebody
or something else ("the train is too slow"), questions, praise.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, cast

from reachy_mind.brains.word_lists import lines, spaced
from reachy_mind.feedback.correction_grammar import sense
from reachy_mind.feedback.correction_setting import CorrectionSetting, of_time
from reachy_mind.feedback.correction_tokens import Tagged, TaggedClause, clauses
from reachy_mind.feedback.meant import read_meant
from reachy_mind.feedback.readings import Axis, Correction, Size

__all__ = ["read_correction", "read_corrections", "read_meant"]

LONGEST_TEXT = 300
"""Characters: a correction is never longer."""
SIZE_ORDER: tuple[Size, ...] = ("tiny", "small", "medium", "large")
MOST_DEGREES: dict[Size, float] = {"tiny": 3, "small": 7, "medium": 15}
"""Up to how many degrees a number is of a size."""
MOST_CORRECTED = 25
"""Degrees: more is an order."""

TO_OTHERS = frozenset(lines("not you|talking to the|talking to my|talking to him|talking to her|talking to them"))
"""What says that the words were for somebody else."""
_VOICE = frozenset(
    spaced(
        """
        voice volume sound son voix volumen voz sonido stimme lautstarke speaker speak speaking sprich sprechen habla
        hablas hables parle parles sprichst redest red talk talking
        """
    )
)
_STRONG = frozenset(lines("fort|fuerte|strong|stark|kraftig|plus fort|moins fort|mas fuerte|menos fuerte"))
_CALM = frozenset(lines("calmer|ruhiger|mas suave|mas tranquilo|mas calmado|plus calmement"))
_MOVED = frozenset(
    spaced(
        """
        tete antennes antenne mouvement mouvements bouge bouges secoue secoues hoche cabeza antenas mueve mueves sacude
        sacudes movimiento movimientos movement movements head antennas antennen bewegung bewegungen
        """
    )
)
_TILT = frozenset({"the tilt", "tilt", "roll", "inclinaison", "inclinacion", "neigung"})
_PACE = frozenset(spaced("pace tempo vitesse velocidad geschwindigkeit rhythm rythme ritmo speed")) | {"the speed"}
_ANSWERS = frozenset(
    spaced(
        """
        answer answers reply replies explanation reponse reponses respuesta respuestas antwort antworten say tell speech
        sag sentence sentences words
        """
    )
) | {"say it again"}
_PARTS = frozenset(
    spaced(
        """
        head voice antenna antennas antennae eyes gaze nod wave dance turn bow tilt body ear ears tete voix antenne
        antennes regard cabeza voz antena antenas mirada baile kopf stimme antennen blick tanz
        """
    )
)
_NUMBERS = {
    word: number
    for number, words in {
        1: "one un une uno una ein eine", 2: "two deux dos zwei", 3: "three trois tres drei",
        4: "four quatre cuatro vier", 5: "five cinq cinco funf", 6: "six seis sechs", 8: "eight huit ocho acht",
        10: "ten dix diez zehn", 15: "fifteen quinze quince", 20: "twenty vingt veinte zwanzig",
        30: "thirty trente treinta dreissig", 40: "forty", 45: "fortyfive", 50: "fifty",
    }.items()
    for word in words.split()
}  # fmt: skip

_NOT_SO_FAR = re.compile(
    r"\W*(?:no\W+|hey\W+|nein\W+|non\W+)?"
    r"(?:not (?:quite )?(?:so|that) far|nicht (?:ganz )?so weit|pas (?:si|aussi) loin|no tan lejos)"
    r"(?:\W+(?:please|bitte|s'il te pla[iî]t|por favor))?\W*$",
    re.IGNORECASE,
)
"""It says nothing of a direction: what was done was too much."""
_LIKED = re.compile(
    r"\b(?:i (?:really )?(?:like|love) it (?:that|this|so)|ich mag es so|so (?:mag|gef[aä]llt) (?:ich|mir)"
    r"|j'aime (?:quand c'est|ça) aussi|me gusta as[ií] de)\b",
    re.IGNORECASE,
)
"""How somebody likes it is no complaint about it."""


def read_correction(text: str) -> Correction | None:
    """The correction in a text: of several the largest, of equal ones the first."""
    return max(read_corrections(text), key=lambda each: SIZE_ORDER.index(each.size), default=None)


def read_corrections(text: str) -> list[Correction]:
    """Every correction in a text, one for each axis, in the order they were said."""
    if not text or len(text) > LONGEST_TEXT:
        return []
    if _LIKED.search(text):
        return []
    if _NOT_SO_FAR.match(text):
        return [Correction("amplitude", -1)]
    parts = clauses(text)
    topic = frozenset(word.words for part in parts for word in part.words)
    if topic & TO_OTHERS or not any(word.axis for part in parts for word in part.words):
        return []
    found: dict[str, Correction] = {}
    contradicted: set[str] = set()
    for number in range(len(parts)):
        for each in _in_clause(parts, number, topic):
            known = found.setdefault(each.axis, each)
            if known.sign != each.sign:
                if number and _blames(parts[number - 1]):  # "up? no, down"
                    found[each.axis] = each
                else:
                    contradicted.add(each.axis)
    return [each for axis, each in found.items() if axis not in contradicted]


def _in_clause(parts: Sequence[TaggedClause], number: int, topic: frozenset[str]) -> list[Correction]:
    clause = parts[number]
    places = [place for place, word in enumerate(clause.words) if word.axis]
    directions = len({(word.axis, word.sign) for part in parts for word in part.words if word.tag == "D"})
    blamed = clause.opening == "B" or any(_blames(part) for part in parts[:number])
    praised = any(word.tag == "p" for part in parts[number:] for word in part.words)
    ordered = any(_orders(part) for part in parts[:number]) or (directions > 1 and not blamed)
    following = parts[number + 1].words if number + 1 < len(parts) else ()
    apposed = len(following) == 2 and following[0].tag in "ZSF" and following[1].tag == "x"
    found: list[Correction] = []
    start = 0
    for place, at in enumerate(places):
        end = places[place + 1] if place + 1 < len(places) else len(clause.words)
        setting = CorrectionSetting(
            clause, at, start, end, blamed, ordered, number > 0, apposed, praised and clause.opening != "B"
        )
        if (sign := sense(setting)) and (_degrees(setting) or 0) <= MOST_CORRECTED:
            found.append(_correction(setting, sign, topic))
        if clause.words[at].tag != "G":
            start = at + 1
    return found


def _orders(clause: TaggedClause) -> bool:
    """ "look up": what goes on with a bare direction is a part of the order."""
    return clause.words[0].tag in "GRA" and any(word.tag == "D" for word in clause.words)


def _blames(clause: TaggedClause) -> bool:
    """ "no", "wrong way", "not left"."""
    tags = [word.tag for word in clause.words]
    return tags == ["N"] or "f" in tags or tags == ["N", "D"]


def _correction(setting: CorrectionSetting, sense: int, topic: frozenset[str]) -> Correction:
    axis = cast("Axis", _axis(setting, topic))
    sign = cast("Literal[-1, 1]", setting.pole.sign * sense)
    return Correction(axis, sign, _size(setting), _object(setting.clause))


def _axis(setting: CorrectionSetting, topic: frozenset[str]) -> str:
    """The axis of the pole, or what it is with these words: "lower" is quieter when it is about the voice."""
    pole = setting.pole
    here = frozenset(word.words for word in setting.clause.words)
    near = topic if pole.tag == "D" else here
    tilted = any(word.tag in "Rr" for word in setting.clause.words) or bool(topic & _TILT)
    changes = (
        ("yaw", "roll", tilted),
        ("volume", "amplitude", pole.words in _STRONG and here & _MOVED),
        ("speed", "amplitude", pole.words in _CALM and here & _MOVED),
        ("amplitude", "volume", pole.words in _STRONG and here & _VOICE),
        ("pitch", "amplitude", "tone" in here),
        ("pitch", "volume", near & _VOICE),
        ("pitch", "speed", near & _PACE),
        ("duration", "talk", topic & _ANSWERS),
    )
    return next((other for axis, other, applies in changes if axis == pole.axis and applies), pole.axis)


def _size(setting: CorrectionSetting) -> Size:
    if (degrees := _degrees(setting)) is not None:
        return next((size for size, most in MOST_DEGREES.items() if degrees <= most), "large")
    for word in [*setting.modifiers, *setting.right, *setting.left]:
        if (
            word.size
            and not _part_of_too_much(setting.clause, word)
            and (setting.pole.axis == "duration" or not of_time(word))
        ):
            return cast("Size", word.size)
    return cast("Size", setting.pole.usual)


def _part_of_too_much(clause: TaggedClause, word: Tagged) -> bool:
    """ "far" of "too far", "much" of "so much": not how much, but that it is too much."""
    if word.words not in ("far", "much", "little", "viel", "mucho"):
        return False
    at = clause.words.index(word)
    before, after = clause.words[at - 1 : at], clause.words[at + 1 : at + 2]
    too = bool(before) and before[0].tag in "TS"
    return too or (word.words == "far" and not (after and after[0].tag in "TCM"))


def _degrees(setting: CorrectionSetting) -> float | None:
    words = setting.clause.words
    for place, word in enumerate(words):
        if word.tag == "d" and place and (number := words[place - 1].words) and words[place - 1].tag in "nYZ":
            ten = words[place - 2].words if place > 1 else ""
            return float(number) if number.isdigit() else _NUMBERS.get(ten, 0) + _NUMBERS.get(number, 0)
    return None


def _object(clause: TaggedClause) -> str:
    """The part of the robot or of what it did that is named."""
    for word in clause.words:
        if word.words.split()[-1] in _PARTS and word.tag in "YG":
            return word.words
    return ""
