"""Numbers, angles, lengths of time and moments, in the words of four languages.

Number words are read by text2num, units and times of day by the tables below; what comes out is English in digits
("tomorrow 8:30 in the morning", "1 hours 30 minutes"), which one piece of code reads for all.
"""

from __future__ import annotations

import re
from typing import Any

from text_to_num import alpha2digit

from reachy_mind.brains.reflex.numbers import plain
from reachy_mind.brains.reflex.tokens import Spoken
from reachy_mind.brains.reflex.units import TABLES
from reachy_mind.models.wordpiece import without_accents

UNIT_SECONDS = {"seconds": 1, "minutes": 60, "hours": 3600, "days": 86400, "weeks": 604800}
_DAY = r"(tomorrow|today|tonight|monday|tuesday|wednesday|thursday|friday|saturday|sunday)"
_PAST = {"half past": 30, "quarter past": 15, "quarter to": -15, "half": 30, "half to": -30}
_AFTERNOON = ("afternoon", "evening", "night", "tonight")
_USUAL_HOUR = {"morning": 9, "afternoon": 15, "evening": 19, "night": 21, "tonight": 20}


def english(text: str, language: str) -> str:
    """The text with digits, and with the units and times of its language in English."""
    if language not in TABLES:
        return text
    said = re.sub(r"\bcuarto(s?)\b", r"quarter\1", text.lower())  # which is a share of an hour here, not the fourth
    out = without_accents(alpha2digit(said, language, threshold=0)).replace("\u2019", "'")
    for old, new in TABLES[language]:
        out = old.sub(new, out)
    return out


def numbers_in(text: str, language: str = "en") -> list[float]:
    """All numbers, in order."""
    said = Spoken.of(english(text, language)).text
    return [float(found) for found in re.findall(r"(?<![\w:])-?\d+(?:\.\d+)?(?![\w:])", said)]


def number(text: str, language: str = "en") -> float | None:
    """The first number, if there is one."""
    found = numbers_in(text, language)
    return found[0] if found else None


def count(text: str, language: str = "en") -> int | None:
    """How many times."""
    said = without_accents(text.lower())
    for several, words in _COUNTS.items():
        if re.search(rf"\b(?:{words})\b", said):
            return several
    value = number(text, language)
    return round(value) if value is not None else None


def times(text: str, language: str = "en") -> int | None:
    """How many times, where a sentence says it in so many words."""
    said = without_accents(text.lower())
    for several, words in _COUNTS.items():
        if several < 3 and re.search(rf"\b(?:{words})\b", said):
            return several
    found = re.search(r"\b(\d+) times\b", Spoken.of(english(text, language)).text)
    return int(found[1]) if found else None


_COUNTS = {
    1: r"once|just one|only one|a single|just the one|une (?:seule )?fois|una (?:sola )?vez|einmal|ein mal",
    2: r"twice|a couple(?: of)?|couple|double|deux fois|dos veces|zweimal|zwei mal|doppelt|un par|ein paar ?mal",
    3: r"thrice|a few|several|quelques|plusieurs|unas cuantas|varias|algunas|mehrmals|ein paar",
}


def degrees(text: str, language: str = "en") -> float | None:
    """An angle: digits, words, or shares of a turn."""
    said = english(text, language).lower()
    value = number(said)
    if value is None or value in (0.25, 0.5, 0.75):
        for words, share in _TURNS.items():
            if re.search(words, said):
                return share
    return value


_TURNS = {
    r"three[- ]quarter": 270.0,
    r"quarter": 90.0,
    r"right angle": 90.0,
    r"one[- ]eighty|half|about[- ]face": 180.0,
    r"three[- ]sixty|full|whole|complete|circle|all the way": 360.0,
}


def percent(text: str, language: str = "en") -> float | None:
    """A share of a hundred."""
    said = english(text, language).lower()
    if (value := number(said)) is not None and not (value < 1 and "half" in said):
        return value
    for words, share in ((r"three quarters", 75.0), (r"half|halfway", 50.0), (r"quarter", 25.0), (r"third", 33.0)):
        if re.search(words, said):
            return share
    return None


def length(text: str, language: str = "en", unit: str = "") -> dict[str, int | float]:
    """A length of time as hours, minutes and seconds. A bare number is of the given unit."""
    said = re.sub(r"(\d+) ?h ?(\d{2})\b", r"\1 hours \2 minutes", english(text, language).lower())
    said = re.sub(r"\b(\d+):(\d{2})\b", r"\1 hours \2 minutes", said)
    said = Spoken.of(said).text
    found: dict[str, float] = {}
    for value, name in re.findall(r"(\d+(?:\.\d+)?)(?: more)? (seconds|minutes|hours|days|weeks)", said):
        found[name] = found.get(name, 0) + float(value)
    if tail := re.search(r"(\d+) (hours|minutes) (?:and )?(\d+)$", said):  # "an hour twenty"
        smaller = {"hours": "minutes", "minutes": "seconds"}[tail[2]]
        found[smaller] = found.get(smaller, 0) + float(tail[3])
    if not found and unit and (value := number(said)) is not None:
        found[unit] = value
    return _whole(found)


def _whole(found: dict[str, float]) -> dict[str, int | float]:
    """Halves of an hour and of a minute as whole numbers of the next unit; days as hours."""
    amounts = {unit: found.get(unit, 0.0) for unit in ("hours", "minutes", "seconds")}
    amounts["hours"] += found.get("days", 0.0) * 24 + found.get("weeks", 0.0) * 168
    for unit, smaller in (("hours", "minutes"), ("minutes", "seconds")):
        part = amounts[unit] % 1
        amounts[unit] -= part
        amounts[smaller] += round(part * 60)
    return {unit: plain(value) for unit, value in amounts.items() if value}


def seconds(text: str, language: str = "en") -> float | None:
    """A length of time in seconds; a bare number is seconds."""
    found = length(text, language, "seconds")
    return sum(value * UNIT_SECONDS[unit] for unit, value in found.items()) if found else None


def moment(text: str, language: str = "en") -> dict[str, Any]:
    """When, as `set_reminder` takes it: {"at": "tomorrow 08:30"} or {"in_minutes": 20}; empty when it is not told."""
    said = re.sub(r"\b([01]?\d|2[0-3])\.([0-5]\d)\b", r"\1:\2", english(text, language).lower())
    said = Spoken.of(re.sub(r"\b(?:a|1|one) week\b", "7 days", said)).text
    clock = _clock(said)
    ahead = {} if clock else length(re.sub(r"\bin (\d+)$", r"\1 minutes", said))
    if ahead:
        total = sum(value * UNIT_SECONDS[unit] for unit, value in ahead.items())
        return {"in_minutes": plain(total / 60)}
    day = found[1] if (found := re.search(rf"\b{_DAY}\b", said)) else ""
    part = next((part for part in _USUAL_HOUR if re.search(rf"\b{part}\b", said)), "")
    if not clock:
        if not (day or part) or (day == "today" and not part):
            return {}
        clock = f"{_USUAL_HOUR.get(part, 9):02d}:00"
    day = "" if day in ("today", "tonight") else day
    return {"at": f"{day} {clock}".strip()}


_NO_LENGTH = r"(?! (?:minutes|hours|seconds|days))"
_SHIFTED = re.compile(
    rf"\b(half past|quarter past|quarter to|half to|half|0\.25 past|0\.5 past) (\d{{1,2}})\b{_NO_LENGTH}"
)
_HOUR = re.compile(
    r"(?:\b(?:at|by|around|about|of|for) |^)(\d{1,2})(?: oclock)?\b(?!\.\d| (?:minutes|hours|seconds|days|\d))"
    rf"|\b(\d{{1,2}}) (?:am|pm|oclock|in the)\b|\b{_DAY} (\d{{1,2}})\b"
)


def _clock(said: str) -> str:
    """A time of day as 18:30, or nothing."""
    late = any(re.search(rf"\b{part}\b", said) for part in _AFTERNOON) or bool(re.search(r"\bpm\b", said))
    early = bool(re.search(r"\b(?:am|morning)\b", said))
    if found := re.search(r"\b(noon|midday|midnight)\b", said):
        return "00:00" if found[1] == "midnight" else "12:00"
    shifted = _SHIFTED.search(said)
    if shifted:
        shift = {"0.25 past": 15, "0.5 past": 30}.get(shifted[1]) or _PAST[shifted[1]]
        return _of_day(int(shifted[2]), shift, late=late, early=early)
    if around := re.search(r"\b(\d{1,2})(?: minutes)? (past|to|before|after) (\d{1,2})\b(?! (?:minutes|hours))", said):
        sign = 1 if around[2] in ("past", "after") else -1
        return _of_day(int(around[3]), sign * int(around[1]), late=late, early=early)
    if exact := re.search(r"\b(\d{1,2})[:.h ]([0-5]\d)\b(?! (?:minutes|hours|seconds|days))", said):
        return _of_day(int(exact[1]), int(exact[2]), late=late, early=early or exact[1].startswith("0"))
    hour = _HOUR.search(said)
    if not hour:
        return ""
    spoken = hour[1] or hour[2] or hour[4]
    minutes = re.search(rf"\b{spoken} (\d{{2}})\b", said)
    return _of_day(int(spoken), int(minutes[1]) if minutes else 0, late=late, early=early)


def _of_day(hour: int, minutes: int, *, late: bool, early: bool) -> str:
    """People who say "at five" mean the afternoon: nobody is reminded of things before dawn unless they say so."""
    if early and hour == 12:
        hour = 0
    whole = hour * 60 + minutes
    if whole < 12 * 60 and (late or (not early and 60 <= whole < 7 * 60)):
        whole += 12 * 60
    if not 0 <= whole < 24 * 60 + 60:
        return ""
    return f"{whole // 60 % 24:02d}:{whole % 60:02d}"
