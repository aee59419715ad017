"""Small phrases in the four languages: "how do you say thank you in French?", "and in German?".

The phrases are rows in `translations.yaml`. What is not there is left to a brain that thinks.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import yaml

from reachy_mind.brains.reflex.games.remarks import heard
from reachy_mind.brains.reflex.plan import Plan, Talk
from reachy_mind.profiles.phrasebook import LANGUAGES

MOST_BEFORE = 4
_NAMES = {
    "en": r"english|anglais|ingles|englisch",
    "fr": r"french|francais|frances|franzosisch",
    "es": r"spanish|espagnol|espanol|spanisch",
    "de": r"german|allemand|aleman|deutsch",
}
_LANGUAGE = rf"(?P<language>{'|'.join(_NAMES.values())})"
_ASKED = {
    "en": re.compile(
        rf"^(?:can you tell me |do you know |tell me |and )*(?:how (?:do|would|can) (?:you|i|we) say|what(?:'s"
        rf"| is)(?: the word for)?"
        rf"|how is|translate|say)(?: the word)? (?P<phrase>.+?) (?:in|into|to) {_LANGUAGE}(?: please)?$"
    ),
    "fr": re.compile(
        rf"^(?:et )?(?:comment (?:dit on|on dit|dire|se dit|tu dis)|traduis|c'est quoi) (?P<phrase>.+?) en {_LANGUAGE}$"
    ),
    "es": re.compile(rf"^(?:y )?(?:como se dice|como dices|traduce|di) (?P<phrase>.+?) (?:en|al) {_LANGUAGE}$"),
    "de": re.compile(
        rf"^(?:und )?(?:wie sagt man|wie heisst|wie sage ich|ubersetze|was heisst) (?P<phrase>.+?) auf {_LANGUAGE}$"
    ),
}
_OTHER = re.compile(rf"^(?:and |et |y |und )?(?:in|en|auf) {_LANGUAGE}(?: please)?$")
_OTHER_PHRASE = re.compile(r"^(?:and |et |y |und )(?P<phrase>[\w' ]{2,30})$")


def plan(text: str, before: Sequence[str]) -> Plan | None:
    """The plan for a question for a phrase in another language; None for any other, and for what is not known."""
    asked: tuple[str, str, str] | None = None
    for said in (*before[-MOST_BEFORE:], text):
        asked = _read(said, asked)
    if asked is None:
        return None
    language, phrase, wanted = asked
    row = next((row for row in _rows() if phrase in map(heard, row[language])), None)
    told = row[wanted][0] if row is not None else ""
    return Plan((Talk("@translate", text, "translated", told),), language) if told else None


_TO_SAY = re.compile(rf"\b(?:say|dis|di|sage?) (?P<phrase>[\w' ]+?) (?:in|en|auf) {_LANGUAGE}\b")


def spoken(made: Plan, text: str) -> Plan:
    """The plan in which "say hello in Spanish" says it so, where the phrase is known."""
    found = _TO_SAY.search(heard(text))
    steps = [step for step in made.steps if step.tool == "speak"]
    if found is None or len(steps) != 1:
        return made
    row = next((row for row in _rows() if found["phrase"] in map(heard, row[made.language])), None)
    if row is None:
        return made
    say = replace(steps[0], args=dict(steps[0].args) | {"text": row[_named(found["language"])][0]})
    return replace(made, parts=tuple(say if part is steps[0] else part for part in made.parts))


def _read(said: str, before: tuple[str, str, str] | None) -> tuple[str, str, str] | None:
    """The language of the question, the phrase, and the language it is wanted in."""
    words = heard(said)
    for language, pattern in _ASKED.items():
        if found := pattern.match(words):
            return language, found["phrase"].strip(" '"), _named(found["language"])
    if before is not None and (other := _OTHER.match(words)):
        return before[0], before[1], _named(other["language"])
    if before is not None and (phrase := _OTHER_PHRASE.match(words)):
        return before[0], phrase["phrase"], before[2]
    return None


def _named(word: str) -> str:
    return next(language for language, names in _NAMES.items() if re.fullmatch(names, word))


@cache
def _rows() -> tuple[dict[str, tuple[str, ...]], ...]:
    """The phrases, each by language, the usual one first."""
    rows = yaml.safe_load(Path(__file__).with_name("translations.yaml").read_text(encoding="utf-8"))
    return tuple(
        {
            language: tuple(part.split("/"))
            for language, part in zip(LANGUAGES, map(str.strip, row.split("|")), strict=True)
        }
        for row in rows
    )
