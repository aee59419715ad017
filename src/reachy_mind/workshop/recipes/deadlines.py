"""Times of day at which something ends: "until noon", "jusqu'à midi", "this afternoon"; as seconds from now."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from reachy_mind.brains.reflex import quantities

DAY_S = 86_400.0

_UNTIL = r"(?:until|till?|up to|jusqu'? ?(?:[aà]|au|en)?(?: la| l'| le)?|hasta(?: la| las| el)?|bis(?: zum| zur| um)?)"
_HOURS: tuple[tuple[str, int], ...] = (
    (r"noon|midday|lunch(?: ?time)?|midi|mediod[ií]a|mittags?|mittagessen|d[eé]jeuner|almuerzo", 12),
    (r"(?:this |the )?evening|tonight|dinner(?: ?time)?|(?:ce )?soir|d[iî]ner|cena|(?:heute )?abends?|abendessen", 19),
    (r"bed ?time|(?:esta )?noche", 22),
    (r"midnight|the end of the day|minuit|medianoche|mitternacht", 24),
)
_PERIODS: tuple[tuple[str, int], ...] = (
    (r"this morning|ce matin|esta ma[nñ]ana|heute (?:vormittag|morgen)", 12),
    (r"this afternoon|cet apr[eè]s[- ]midi|esta tarde|heute nachmittag", 18),
    (r"this evening|ce soir|heute abend", 22),
    (r"(?:all|the whole|for the rest of the) day(?: long)?|toute la journ[eé]e|todo el d[ií]a|den ganzen tag", 24),
)
_ENDS = tuple((re.compile(rf"\b{_UNTIL}\s*(?:the )?(?:{words})\b", re.IGNORECASE), hour) for words, hour in _HOURS)
_LASTS = tuple((re.compile(rf"\b(?:{words})\b", re.IGNORECASE), hour) for words, hour in _PERIODS)
_CLOCK = re.compile(
    rf"\b{_UNTIL}\s*(?P<clock>(?:half |quarter )?(?:past |to )?\d{{1,2}}(?:[:.h]\d{{2}})?"
    r"(?:\s*(?:o'?clock|am|pm|uhr|heures?|h)\b)?|\w+ o'?clock|(?:half|quarter) (?:past|to) \w+)(?!\w)"
    rf"|\b(?:hasta las?|bis um|jusqu'[aà])\s+(?P<spoken>[\w ]+?)(?: heures?| uhr)?(?=[,.;]|$)",
    re.IGNORECASE,
)


def read(text: str, language: str, now: datetime | None = None) -> tuple[str, float | None]:
    """The text without the time of day at which something ends, and the seconds that are left until then."""
    now = now or datetime.now().astimezone()
    for patterns in (_ENDS, _LASTS):
        for pattern, hour in patterns:
            if found := pattern.search(text):
                return _without(text, found), _left(now, hour * 60)
    if found := _CLOCK.search(text):
        clock = _at(found["clock"] or found["spoken"], language)
        if re.fullmatch(r"\d\d:\d\d", clock):
            minutes = int(clock[:2]) * 60 + int(clock[3:])
            passed = minutes <= now.hour * 60 + now.minute and not re.search(r"\bam\b|\d\s*am", found[0], re.IGNORECASE)
            return _without(text, found), _left(now, minutes + 720 if passed and minutes < 720 else minutes)
    return text, None


def _at(clock: str, language: str) -> str:
    """A time of day as 17:00; empty when it is none."""
    value = None if language == "en" or re.search(r"\d", clock) else quantities.number(clock, language)
    said = clock if value is None else f"{value:g}"
    return str(quantities.moment(f"at {re.sub(r'(?<=[0-9])h$', ':00', said)}", "en").get("at", ""))


def _left(now: datetime, minutes: int) -> float:
    """Whole minutes until a minute of the day, today or else tomorrow."""
    end = now.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(minutes=minutes)
    left = (end - now).total_seconds()
    return max(60.0, round((left if left > 0 else left + DAY_S) / 60) * 60.0)


def _without(text: str, found: re.Match[str]) -> str:
    return f"{text[: found.start()].rstrip()} {text[found.end() :].lstrip()}".strip()
