"""Amounts in other units, as people ask for them: "how many grams are in a pound", "70 fahrenheit in celsius"."""

from __future__ import annotations

import re
from dataclasses import dataclass

from text_to_num import alpha2digit

from reachy_mind.brains.reflex.measures import COUNTERPARTS, Unit, converted, mentions, units
from reachy_mind.brains.reflex.numbers import ONES, TENS
from reachy_mind.brains.reflex.tokens import Spoken
from reachy_mind.brains.reflex.wording import Wording
from reachy_mind.models.wordpiece import without_accents

LONGEST = 160
_SIGNS = (
    (r"km\s*/\s*h", "kmh"),
    (r"\bm\s*/\s*s\b", "mps"),
    (r"\bmi\s*/\s*h\b", "mph"),
    (
        (
            r"\bkm\s*(?:2"
            r"|\u00b2)(?!\w)"
        ),
        "square kilometers",
    ),
    (
        (
            r"\bm\s*(?:2"
            r"|\u00b2)(?!\w)"
        ),
        "sqm",
    ),
    (r"\bsq\b\.? ?", "square "),
    (r"\u00ba", "\u00b0"),
    (r"\u00b0 ?([cf])\b", " \u00b0\\1"),
    (r"(\d)[\u2019'](?!\w)", r"\1 feet"),
    (r"(\d),(\d{3})\b(?!\d)", r"\1\2"),
    (r"\u0153", "oe"),
)
_HALF = {
    "en": r"half (?:of )?(?:an?|1)",
    "fr": r"(?:un |une |1 )?demi[- ]?e?",
    "es": r"medi[oa]",
    "de": r"(?:ein(?:en?"
    r"|er?)? |1 )?halbe[nrs]?",
}
_MORE_HALF = {"en": r"and (?:a half|0\.5)", "fr": r"et demie?", "es": r"y medi[oa]", "de": r"und ein halb"}
_MINUS = re.compile(r"\b(?:minus|moins|menos|negative)\s+(?=\d)")
_HOW_MANY = re.compile(
    r"\b(?:how (?:many|much)|combien|cuant[oa]s?|wie ?viele?|number of|what(?: is|s)?|nombre de|anzahl)\b[^\d]{0,12}$"
)
_NUMBER = re.compile(r"(-?\d+(?:[.,]\d+)?)\s*$")
_ONE = re.compile(
    r"\b(?:an?|one|each|every|per|une?|un|chaque|una?|uno|cada|eine?[nrsm]?|jede[rsnm]?|1|the|la|le|el|der|die|das)\s*$"
)


@dataclass(frozen=True)
class _Mention:
    unit: Unit
    amount: float | None
    start: int


def answer(text: str, wording: Wording) -> str:
    """The amount in the other unit, as a sentence; empty when it is no such question, or its units don't fit."""
    found = _mentions(text, wording.language)
    if not found:
        return ""
    source, target = _sides(found, _normal(text, wording.language))
    if not source or target is None:
        return ""
    value = sum(converted(one.amount or 0.0, one.unit, target) for one in source)
    said = " ".join(one.unit.told(one.amount or 0.0, wording.language) for one in source)
    return wording.say("convert", amount=said, result=target.told(value, wording.language))


_FURTHER = re.compile(
    r"^\W*(?:(?:and|ok|okay|now|so|what about|how about|how many|how much is that|what is that|et|combien"
    r"|ca fait combien|y"
    r"|cuanto es|und|wie viel ist das|was ist das)\b\s*)+(?:is (?:it|that)\b\s*)?(?:(?:in|into|to|en|em|a|auf)\b\s*)?"
)
_JOINT = {"en": "in", "fr": "en", "es": "en", "de": "in"}


def continued(text: str, asked: str, language: str) -> str:
    """The question that "and in feet?" or "and 170?" is after another, in full; empty when it is none."""
    said = _normal(text, language)
    lead = _FURTHER.match(said)
    if lead is None:
        return ""
    rest = said[lead.end() :].strip(" ?!.")
    source, target = _sides(_mentions(asked, language), _normal(asked, language))
    if not source or target is None or not rest:
        return ""
    new = _mentions(rest, language)
    if not new and re.fullmatch(r"-?\d+(?:[.,]\d+)?", rest):
        amount, into = f"{rest} {source[0].unit.names[language][1]}", target
    elif len(new) == 1 and new[0].amount is None and len(rest.split()) <= 3:
        amount = " ".join(one.unit.told(one.amount or 0.0, language) for one in source)
        into = new[0].unit
    elif len(new) == 1 and new[0].amount is not None and new[0].unit.dimension == target.dimension:
        amount, into = rest, target
    else:
        return ""
    further = f"{amount} {_JOINT[language]} {into.names[language][1]}".replace(" US ", " ")
    wanted, _ = _sides(_mentions(f"{amount} ".replace(" US ", " "), language), "")
    meant, reached = _sides(_mentions(further, language), _normal(further, language))
    same = [one.amount for one in wanted] == [one.amount for one in meant] and reached == into
    return further if same and meant else ""


def _normal(text: str, language: str) -> str:
    """Small letters without accents, with digits."""
    said = text.lower()[:LONGEST]
    for sign, word in _SIGNS:
        said = re.sub(sign, word, said)
    if language == "en":
        said = re.sub(r"(?<!\w)\u00b0([cf])\b", r"degrees \1", said)
        said = re.sub(r"(\d)\s*(-)\s*(?=[a-z])", r"\1 ", said)
        return _MINUS.sub("-", re.sub(r"(?<=\d) ,? ?and (?=\d+ inch)", " ", Spoken.of(said).text))
    said = without_accents(alpha2digit(said, language, threshold=0))
    said = re.sub(r"\b(\d+)einhalb\b", r"\1.5", said).replace("anderthalb", "1.5")
    return _MINUS.sub("-", said)


def _mentions(text: str, language: str) -> list[_Mention]:
    said = _normal(text, language)
    out = []
    for match in mentions(language).finditer(said):
        unit = units()[(match.lastgroup or "")[2:]]
        before, after = said[: match.start()], said[match.end() :]
        if len(match[0]) == 1 and not _NUMBER.search(before):
            continue  # a letter is a unit after a number only
        amount: float | None = None
        if number := _NUMBER.search(before):
            amount = float(number[1].replace(",", "."))
        elif re.search(rf"\b(?:{_HALF[language]})\s*$", before):
            amount = 0.5
        elif _ONE.search(before) and not _HOW_MANY.search(before):
            amount = 1.0
        elif language == "en" and (word := re.search(r"\b([a-z]+)\s*$", before)) and word[1] in ONES | TENS:
            amount = float((ONES | TENS)[word[1]])
        if amount is not None and re.match(rf"\s*(?:{_MORE_HALF[language]})\b", after):
            amount += 0.5
        out.append(_Mention(unit, amount, match.start()))
    return out


def _sides(found: list[_Mention], said: str) -> tuple[list[_Mention], Unit | None]:
    """What is converted, and into what."""
    if any(one.unit.dimension == "volume" for one in found):  # then ounces are fluid ones
        found = [_Mention(units()["floz"], one.amount, one.start) if one.unit.id == "oz" else one for one in found]
    asked = next((one for one in found if one.amount is None and _HOW_MANY.search(said[: one.start])), None)
    rest = [one for one in found if one is not asked]
    given = [one for one in rest if one.amount not in (None, 1.0)] or [one for one in rest if one.amount is not None]
    if asked is not None and rest:
        return _alike(given or [_Mention(rest[-1].unit, 1.0, 0)], asked.unit)
    if not given:
        return ([_Mention(found[0].unit, 1.0, 0)], found[1].unit) if _two_alike(found) else ([], None)
    target = next((one.unit for one in found if one not in given and one.unit.id != given[0].unit.id), None)
    if target is None and len(given) > 1 and given[-1].amount == 1.0:
        given, target = given[:-1], given[-1].unit
    if target is None:
        other = COUNTERPARTS.get(given[0].unit.id)
        target = units()[other] if other else None
    return _alike(given, target)


def _alike(given: list[_Mention], target: Unit | None) -> tuple[list[_Mention], Unit | None]:
    if target is None or any(one.unit.dimension != target.dimension for one in given):
        return [], None
    return given, target


def _two_alike(found: list[_Mention]) -> bool:
    return (
        len(found) > 1 and found[0].unit.dimension == found[1].unit.dimension and found[0].unit.id != found[1].unit.id
    )
