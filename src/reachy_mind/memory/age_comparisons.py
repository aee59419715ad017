"""Who is older, and by how much: questions that the ages that were told answer, in four languages.

"who is older?" compares the last two whose age was told, "who is the youngest?" all of them, "am I older than my wife?"
the two that are named. Without both ages there is no answer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from text_to_num import alpha2digit

from reachy_mind.memory import mentions
from reachy_mind.memory.answers import Answer
from reachy_mind.memory.fact_patterns import own_fact
from reachy_mind.memory.normalization import plain
from reachy_mind.memory.predicates import years
from reachy_mind.memory.relation_words import relation
from reachy_mind.memory.sentences import sentence
from reachy_mind.memory.subjects import Subject, fold

LONGEST = 160
_ASKED = {
    "en": (r"\b(?:older|elder|oldest|eldest)\b", r"\b(?:younger|youngest)\b", r"\b(?:oldest|eldest|youngest)\b"),
    "fr": (
        r"\bplus (?:age|agee|vieux|vieille)s?\b|\bainee?\b",
        r"\bplus jeunes?\b",
        r"\b(?:le|la) plus (?:age|agee|vieux|vieille|jeune) de\b",
    ),
    "es": (
        r"\bmayor(?:es)?\b|\bmas viej[oa]\b",
        r"\bmenor(?:es)?\b|\bmas joven\b",
        r"\b(?:el|la) (?:mayor|menor|mas) de\b",
    ),
    "de": (
        r"\b(?:alter|aelter|alteste[rsn]?|aelteste[rsn]?)\b",
        r"\b(?:junger|juenger|jungste[rsn]?|juengste[rsn]?)\b",
        r"\b(?:a|ae)lteste|\bj(?:u|ue)ngste",
    ),
}
"""Words for older, for younger, and for one of many."""
_QUESTION = re.compile(
    r"^(?:and |so |et |y |und |but )?(?:who|which|whose|is|am|are|how|by how|what|qui|lequel|laquelle|est ce que|est"
    r"|suis|de combien"
    r"|combien|quien|cual|es|soy|cuantos|cuanto|por|wer|welche[rs]?|ist|bin|um|wie)\b"
)
_FOLLOWS = re.compile(
    r"^(?:and |et |y |und )?(?:by how (?:much|many years)|how many years|how much|de combien(?: d annees)?"
    r"|(?:por )?cuantos anos"
    r"|por cuanto|um wie viele?(?: jahre)?|wie viele jahre)\W*$"
)
_SAID = {
    "en": ("{a} is older than {b}, by {n}", "{a} is younger than {b}, by {n}", "{a} and {b} are the same age"),
    "fr": ("{a} est plus âgé que {b}, de {n}", "{a} est plus jeune que {b}, de {n}", "{a} et {b} ont le même âge"),
    "es": ("{a} es mayor que {b}, por {n}", "{a} es menor que {b}, por {n}", "{a} y {b} tienen la misma edad"),
    "de": ("{a} ist älter als {b}, um {n}", "{a} ist jünger als {b}, um {n}", "{a} und {b} sind gleich alt"),
}
_YEAR = {"en": ("year", "years"), "fr": ("an", "ans"), "es": ("año", "años"), "de": ("Jahr", "Jahre")}
_YOU = {"en": "you", "fr": "toi", "es": "tú", "de": "du"}
_MOST = {
    "en": ("{a} is the oldest, with {n}", "{a} is the youngest, with {n}"),
    "fr": ("le plus âgé, c'est {a}, avec {n} ans", "le plus jeune, c'est {a}, avec {n} ans"),
    "es": ("el mayor es {a}, con {n}", "el menor es {a}, con {n}"),
    "de": ("am ältesten ist {a}, mit {n}", "am jüngsten ist {a}, mit {n}"),
}
_SECOND = {"my": "your", "our": "your", "ma": "ta", "mon": "ton", "mi": "tu", "mein": "dein", "meine": "deine"}
_ME = re.compile(r"\b(?:am i|i|me|je|moi|suis je|yo|soy|ich|bin)\b")


@dataclass(frozen=True)
class Aged:
    """Somebody whose age was told; without a subject the speaker."""

    subject: Subject | None
    years: int

    def shown(self, language: str) -> str:
        if self.subject is None:
            return _YOU[language]
        owner = self.subject.owner
        return " ".join(part for part in (_SECOND.get(owner, owner), self.subject.noun, self.subject.name) if part)


def reads(text: str) -> str:
    """The language of a question that compares ages; empty for any other text."""
    said = plain(text)
    if len(said) > LONGEST or not _QUESTION.match(said):
        return ""
    return next((each for each, words in _ASKED.items() if re.search(f"{words[0]}|{words[1]}", said)), "")


def answer(text: str, contents: Sequence[str], before: str = "") -> Answer | None:
    """The answer from memories, newest first; None when it is no such question, or an age is missing.

    `before`: the question before, for "by how many years?".
    """
    if _FOLLOWS.match(plain(text)):
        return answer(before, contents) if before and reads(before) else None
    language = reads(text)
    aged = ages(contents) if language else []
    if len(aged) < 2:
        return None
    said = plain(text)
    older, younger, most = _ASKED[language]
    asks_younger = bool(re.search(younger, said)) and not re.search(older, said)
    named = [one for one in aged if _is_named(one, said)]
    if (re.search(most, said) or len(aged) > 2) and len(named) < 2:
        best = sorted(aged, key=lambda one: one.years, reverse=not asks_younger)[0]
        told = _MOST[language][asks_younger].format(a=best.shown(language), n=best.years)
        return Answer(_sentence(told, language), known=True)
    if len(named) == 1 and len(aged) > 2:
        return None
    one, other = (named if len(named) >= 2 else aged)[:2]
    return Answer(_compared(one, other, language, asks_younger=asks_younger), known=True)


def _compared(one: Aged, other: Aged, language: str, *, asks_younger: bool) -> str:
    older, younger, same = _SAID[language]
    by = abs(one.years - other.years)
    if not by:
        return _sentence(same.format(a=one.shown(language), b=other.shown(language)), language)
    first, second = sorted((one, other), key=lambda each: each.years, reverse=not asks_younger)
    way = younger if asks_younger else older
    counted = f"{by} {_YEAR[language][by > 1]}"
    return _sentence(way.format(a=first.shown(language), b=second.shown(language), n=counted), language)


def _sentence(told: str, language: str) -> str:
    """With "you" as it is said: "you are older"."""
    told = told.replace("you is ", "you are ").replace("toi est ", "tu es ").replace("du ist ", "du bist ")
    told = told.replace("tú es ", "tú eres ") if language == "es" else told
    return sentence(told)


def ages(contents: Sequence[str]) -> list[Aged]:
    """Those whose ages were told, each once, the last first."""
    found: list[Aged] = []
    for content in dict.fromkeys(contents):
        own = own_fact(content)
        if own is not None and own.key == "age" and all(one.subject is not None for one in found):
            found.append(Aged(None, int(own.value)))
            continue
        for _, claim in mentions.claims_of([content]):
            number = _number(claim.predicate.value, claim.subject.language) if claim.aspect == "age" else None
            known = any(one.subject is not None and one.subject.is_like(claim.subject) for one in found)
            if number is not None and not known:
                found.append(Aged(claim.subject, number))
    return found


def _number(value: str, language: str) -> int | None:
    if language == "en":
        return years(value)
    digits = re.search(r"\d+", alpha2digit(value, language, threshold=0))
    return int(digits[0]) if digits else None


def _is_named(one: Aged, said: str) -> bool:
    """Whether a question names them: by name, by relation, or as "I"."""
    if one.subject is None:
        return bool(_ME.search(said))
    words = said.split()
    if one.subject.name and fold(one.subject.name).split(" ")[0] in words:
        return True
    kin = one.subject.relation
    return bool(kin) and any((found := relation(word)) is not None and found.name == kin for word in words)
