"""Days in what people say, and what was said before with another day in their place: "no, Thursday, not Tuesday"."""

from __future__ import annotations

import re

_WEEKDAYS = (
    r"mondays?|tuesdays?|wednesdays?|thursdays?|fridays?|saturdays?|sundays?|lundi|mardi|mercredi|jeudi|vendredi|samedi"
    r"|dimanche|lunes|martes|mi[eé]rcoles|jueves|viernes|s[aá]bado|domingo|montag|dienstag|mittwoch|donnerstag|freitag"
    r"|samstag|sonntag|today|tomorrow|tonight|aujourd'hui|demain|hoy|ma[nñ]ana|heute|morgen|[uü]bermorgen"
)
_MONTHS = (
    r"january|february|march|april|may|june|july|august|september|october|november|december|janvier|f[eé]vrier|mars"
    r"|avril|mai|juin|juillet|ao[uû]t|septembre|octobre|d[eé]cembre|enero|febrero|marzo|abril|mayo|junio|julio|agosto"
    r"|septiembre|octubre|noviembre|diciembre|januar|februar|m[aä]rz|juni|juli|oktober|dezember"
)
_SPANS = (
    r"(?!what|which|the|this|next|last|quel|ce|qu[eé]|este|welche|dies|am)\w+"
    r" (?:days?|weeks?|months?|hours?|minutes?|jours?|semaines?|mois|heures?|d[ií]as?|semanas?|meses|horas?|tagen?"
    r"|wochen?|monaten?|stunden?|minuten?)"
)
_KINDS = tuple(re.compile(rf"\b(?:{words})\b", re.I) for words in (_WEEKDAYS, _MONTHS, _SPANS))
_CORRECTION = re.compile(
    r"^\W*(?:(?:no|nope|sorry|wait|oops|actually|i meant?|i said|non|pardon|je voulais dire|j'ai dit|perd[oó]n|digo"
    r"|quise decir|nein|ich meinte|ich sagte|entschuldigung|moment)\b[\s,.!]*)+"
    r"(?:(?:it's|it is|that's|make it|on|in|next|for|the|c'est|le|la|en|dans|pour|es|el|para|es ist|ist|am|im|den|der)"
    r"\b\s*)*(?P<right>[\w']+(?: [\w']+)?)"
    r"(?:[\s,]+(?:and )?(?:not|pas|no|nicht)(?: (?:on|le|el|am|in|im|en))?(?: (?P<wrong>[\w']+(?: [\w']+)?))?)?\W*$",
    re.I,
)


_ANOTHER = re.compile(
    r"^\W*(?:and|et|y|und|what about|how about)\b[\s,]*(?:(?:in|on|for|en|au|le|el|im|am|f\u00fcr|pour"
    r"|para)\b\s*)*(?P<right>[\w']+)\W*$",
    re.I,
)


def exchanged(said: str, before: str) -> str:
    """The question before with the day or month of "and in March?" in it; empty where there is none."""
    found = _ANOTHER.match(said.replace("\u2019", "'"))
    for kind in _KINDS[:2]:
        if found is not None and kind.fullmatch(found["right"]):
            days = list(kind.finditer(before))
            return f"{before[: days[0].start()]}{found['right']}{before[days[0].end() :]}" if len(days) == 1 else ""
    return ""


def swapped(said: str, before: str) -> str:
    """What was said before with the day of a correction in it; empty where this is no correction of a day in it."""
    found = _CORRECTION.match(said.replace("\u2019", "'"))
    if found is None:
        return ""
    for kind in _KINDS:
        if kind.fullmatch(found["right"]) is None:
            continue
        days = list(kind.finditer(before))
        named = [day for day in days if found["wrong"] and day[0].casefold() == found["wrong"].casefold()]
        if len(days) != 1 and not named:
            return ""
        old = (named or days)[-1]
        if old[0].casefold() == found["right"].casefold():
            return ""
        return f"{before[: old.start()]}{found['right']}{before[old.end() :]}"
    return ""
