"""What time it will be, or was: "what time is it in two hours?", in four languages."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from text_to_num import alpha2digit

from reachy_mind.brains.reflex.plan import Plan, Talk
from reachy_mind.models.wordpiece import without_accents

MOST_WORDS = 11
"""Of a question that asks for this and nothing else."""
_HOURS, _MINUTES = r"(?:hours?|heures?|horas?|stunden?)", r"(?:minutes?|minutos?|minuten?)"
_ASKED = {
    "en": r"\bwhat(?:'s| is| will| was)? (?:the )?time\b.*\b(?:in|ago|from now)\b",
    "fr": r"\bquelle heure\b.*\b(?:dans|il y a)\b",
    "es": r"\bque hora\b.*\b(?:en|dentro de|hace)\b",
    "de": r"\b(?:wie ?viel uhr|wie spat|welche uhrzeit)\b.*\b(?:in|vor)\b",
}
_AGO = re.compile(r"\bago\b|\bil y a\b|\bhace\b|\bvor\b")
_HALF = re.compile(r"\bhalf an hour\b|\bune demi-?heure\b|\bmedia hora\b|\beiner halben stunde\b")


def plan(text: str, now: datetime) -> Plan | None:
    """The plan for a question for the time then; None for any other."""
    if len(text.split()) > MOST_WORDS or "," in text.strip(" ,"):
        return None
    said = without_accents(text.replace("\u2019", "'"))
    for language, pattern in _ASKED.items():
        if not re.search(pattern, said):
            continue
        ahead = _ahead(said, language)
        if ahead:
            then = now - ahead if _AGO.search(said) else now + ahead
            key = "clock_was" if _AGO.search(said) else "clock_will_be"
            return Plan((Talk("@calendar", text, key, f"{then:%H:%M}"),), language)
    return None


def _ahead(said: str, language: str) -> timedelta:
    """How long from now, as far as hours and minutes are said."""
    if _HALF.search(said):
        return timedelta(minutes=30)
    words = re.sub(r"\b(?:an?|une?|una?|eine[rm]?) (?=(?:hour|heure|hora|stunde|minut))", "1 ", said)
    digits = alpha2digit(words, language, threshold=0)
    hours = re.search(rf"(\d{{1,3}})\s*{_HOURS}\b", digits)
    minutes = re.search(rf"(\d{{1,4}})\s*{_MINUTES}\b", digits)
    return timedelta(hours=int(hours[1]) if hours else 0, minutes=int(minutes[1]) if minutes else 0)
