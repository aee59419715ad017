"""Questions about a number that are answered with yes or no: prime, even, odd, divisible, in four languages."""

from __future__ import annotations

import re

from text_to_num import alpha2digit

from reachy_mind.brains.reflex.plan import Plan, Talk
from reachy_mind.models.wordpiece import without_accents

LARGEST = 10**9
_N = r"(?P<n>\d{1,9})"
_ASKED = {
    "en": (
        rf"^(?:and )?is {_N} (?:an? )?(?P<what>prime|even|odd)(?: number)?$",
        rf"^(?:and )?is {_N} divisible by (?P<by>\d+)$",
    ),
    "fr": (
        rf"^(?:et )?(?:est-ce que )?{_N} est(?:-il)? (?:un nombre )?(?P<what>premier|pair|impair)$",
        rf"^(?:et )?(?:est-ce que )?{_N} est(?:-il)? divisible par (?P<by>\d+)$",
    ),
    "es": (
        rf"^(?:y )?(?:es )?{_N} (?:es )?(?:un numero )?(?P<what>primo|par|impar)$",
        rf"^(?:y )?(?:es )?{_N} (?:es )?divisible (?:por|entre) (?P<by>\d+)$",
    ),
    "de": (
        rf"^(?:und )?ist {_N} (?:eine )?(?P<what>primzahl|gerade|ungerade)(?: zahl)?$",
        rf"^(?:und )?ist {_N} durch (?P<by>\d+) teilbar$",
    ),
}
_PRIME, _EVEN = ("prime", "premier", "primo", "primzahl"), ("even", "pair", "par", "gerade")


def plan(text: str) -> Plan | None:
    """The plan for such a question; None for any other."""
    for language, patterns in _ASKED.items():
        said = without_accents(alpha2digit(text.lower(), language, threshold=0)).strip(" ?!.\u00bf")
        found = next((match for pattern in patterns if (match := re.match(pattern, said))), None)
        if found is None:
            continue
        number, what = int(found["n"]), found.groupdict().get("what", "")
        holds = _holds(number, what, int(found.groupdict().get("by") or 0))
        return Plan((Talk("@arithmetic", text, "number_yes" if holds else "number_no", str(number)),), language)
    return None


def _holds(number: int, what: str, by: int) -> bool:
    if by:
        return number % by == 0
    if what in _PRIME:
        return number > 1 and all(number % each for each in range(2, int(number**0.5) + 1))
    return (number % 2 == 0) == (what in _EVEN)
