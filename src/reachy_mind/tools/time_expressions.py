"""Times in words: `parse_time` reads them as people and small models write them (`18:30`, `6 pm`, `tomorrow 9:00`,
`friday 18:00`, ISO); `clock` and `duration` say them.
"""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta
from datetime import time as time_of_day

from reachy_mind.errors import InvalidParameter

_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_WORDS = re.compile(
    rf"(?:on )?(?:(?P<day>today|tomorrow|{'|'.join(_DAYS)})[ ,]*)?(?:at )?"
    r"(?P<hour>\d{1,2})(?:[:.h](?P<minute>\d{2})(?::\d{2})?)?\s*(?P<half>[ap]\.?m\.?)?",
    re.IGNORECASE,
)
_HINT = "18:30, tomorrow 09:00, friday 18:00 or 2026-03-04T09:00"


def parse_time(text: str, now: float) -> float:
    """The Unix time meant, in the computer's own timezone unless `text` names an offset.

    A time of day alone is its next occurrence; so is one on a weekday. Raises InvalidParameter.
    """
    said = " ".join(text.split())
    match = _WORDS.fullmatch(said)
    if match is None:
        return _iso(said)
    try:
        clock = _time_of_day(match)
    except ValueError:
        raise InvalidParameter(f"{text[:40]!r} is no time of day", hint=_HINT) from None
    today = datetime.fromtimestamp(now).astimezone().date()
    day = (match["day"] or "").lower()
    if day in ("today", "tomorrow"):
        return _local(today + timedelta(days=day == "tomorrow"), clock)
    ahead, step = ((_DAYS.index(day) - today.weekday()) % 7, 7) if day else (0, 1)
    first = _local(today + timedelta(days=ahead), clock)
    return first if first > now else _local(today + timedelta(days=ahead + step), clock)


def _time_of_day(match: re.Match[str]) -> time_of_day:
    hour, minute = int(match["hour"]), int(match["minute"] or 0)
    if match["half"]:
        if not 1 <= hour <= 12:
            raise ValueError(hour)
        hour = hour % 12 + (12 if match["half"][0] in "pP" else 0)
    elif match["minute"] is None:
        raise ValueError("a bare number")  # 5: o'clock, or minutes?
    return time_of_day(hour, minute)


def _iso(said: str) -> float:
    try:
        read = datetime.fromisoformat(said)
        if len(said) <= len("2026-03-04"):
            raise ValueError("a day alone")
        return read.timestamp()
    except (ValueError, OverflowError, OSError):
        raise InvalidParameter(f"{said[:40]!r} is no time that can be read", hint=_HINT) from None


def _local(day: date, clock: time_of_day) -> float:
    # Without a timezone it is the computer's; the hour that a clock change skips becomes the one after it.
    return datetime.combine(day, clock).timestamp()


def duration(seconds: float) -> str:
    """A duration in words, its two largest units: '1 hour 5 minutes'."""
    left = max(round(seconds), 1)
    parts = []
    for size, unit in ((86400, "day"), (3600, "hour"), (60, "minute"), (1, "second")):
        count, left = divmod(left, size)
        if count:
            parts.append(f"{count} {unit}{'' if count == 1 else 's'}")
    return " ".join(parts[:2])


def clock(at: float, now: float) -> str:
    """A moment as people say it, seen from `now`: '14:35', 'tomorrow 14:35', 'Tuesday 3 March 14:35'."""
    moment, today = datetime.fromtimestamp(at).astimezone(), datetime.fromtimestamp(now).astimezone().date()
    time_of_day, days = f"{moment:%H:%M}", (moment.date() - today) // timedelta(days=1)
    match days:
        case 0:
            return time_of_day
        case 1:
            return f"tomorrow {time_of_day}"
        case -1:
            return f"yesterday {time_of_day}"
    year = f" {moment.year}" if moment.year != today.year else ""
    return f"{moment:%A} {moment.day} {moment:%B}{year} {time_of_day}"
