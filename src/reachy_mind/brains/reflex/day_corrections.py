"""Another day than the one just said: "no, Thursday, not Tuesday", "sorry, in four days", "and the day after?".

What was asked or set with the wrong day is asked or set again with the right one; a reminder is moved. A day that was
only told is corrected by the memory (`memory/discourse.py`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta

from reachy_mind.brains.brain import Past, Turn
from reachy_mind.brains.reflex import dates, reckoning
from reachy_mind.brains.reflex.plan import Plan, Step, Talk
from reachy_mind.memory import clauses, day_words
from reachy_mind.models.wordpiece import without_accents
from reachy_mind.profiles.phrasebook import LANGUAGES

_SET = ("set_reminder", "set_timer")
_DAY_AFTER = frozenset(
    (
        "and the day after", "and the day after that", "the day after", "the day after that", "and the next day",
        "et le jour d'apres", "et le lendemain", "et le jour suivant", "y al dia siguiente", "y el dia siguiente",
        "y el dia despues", "und am tag danach", "und der tag danach", "und am nachsten tag",
    )
)  # fmt: skip


def plan(turn: Turn, today: date, understand: Callable[[str], Plan]) -> Plan | None:
    """The plan for a turn that says another day than the one before; None for any other."""
    last = turn.history[-1] if turn.history else None
    if last is None:
        return None
    said = without_accents(turn.text)
    if said.strip(" ?.!") in _DAY_AFTER or _UNTIL_THEN.search(said):
        return _until_then(last, today) if _UNTIL_THEN.search(said) else _day_after(last, today)
    swapped = day_words.swapped(turn.text, last.said) or day_words.exchanged(turn.text, last.said)
    if not swapped:
        return None
    made = understand(swapped)
    before = [call for call in last.calls if call.name in _SET]
    again = [step for step in made.steps if step.tool in _SET]
    if before and again:
        label = str(before[-1].args.get("text") or before[-1].args.get("label") or "")
        moved = replace(again[-1], args=dict(before[-1].args) | _when(again[-1]))
        return Plan(
            (Step("cancel_timer", {"label": label} if label else {}, turn.text, quiet=True), moved), made.language
        )
    if any(clauses.statements(last.said)):
        return None  # it was told, and nothing was asked
    asks = Talk("@calendar", swapped)
    languages = dict.fromkeys((made.language, *LANGUAGES))
    spoken = next((each for each in languages if reckoning.can_answer(asks, each, today)), "")
    return Plan((asks,), spoken) if spoken else None


def _when(step: Step) -> dict[str, object]:
    """When a reminder is due, without what it is about."""
    return {name: value for name, value in step.args.items() if name not in ("text", "label")}


_UNTIL_THEN = re.compile(r"\b(?:how (?:many days|long)|combien de jours|cuantos dias|wie (?:viele tage"
r"|lange))\b.*\b(?:until then|till then"
                         r"|to go|left|jusque-? ?la|hasta entonces|faltan|bis dahin)\W*$")  # fmt: skip


def _until_then(last: Past, today: date) -> Plan | None:
    """ "how many days until then?", where a day was told."""
    for language in LANGUAGES:
        day = dates.date_in(dates.normal(last.reply, language), language, today)
        if day is not None and day > today:
            asked = f"{_HOW_LONG[language]} {dates.told(day, language)}"
            return Plan((Talk("@calendar", asked),), language)
    return None


_HOW_LONG = {
    "en": "how many days until",
    "fr": "combien de jours jusqu'au",
    "es": "cuántos días hasta el",
    "de": "wie viele Tage bis",
}


def _day_after(last: Past, today: date) -> Plan | None:
    for language in LANGUAGES:
        day = dates.date_in(dates.normal(last.reply, language), language, today)
        if day is not None:
            asked = _ASKED[language].format(dates.told(day + timedelta(days=1), language))
            return Plan((Talk("@calendar", asked),), language)
    return None


_ASKED = {"en": "what day is {}", "fr": "quel jour est le {}", "es": "qué día es el {}", "de": "welcher Tag ist der {}"}
