"""Parses the time period in questions about earlier conversations, such as "what did we talk about yesterday?"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

_TALK = re.compile(
    r"\b(?:talk\w*|tell|told|discuss\w*|conversation\w*|chat\w*|spoke|speak|(?:did|have) (?:i|we) sa(?:y|id)"
    r"|parl\w+|discut\w+|racont\w+|di(?:t|re)|habl\w+|convers\w+|cont(?:e|amos|ado)|dij\w+|red(?:en|et|eten)"
    r"|gered\w+|gesproch\w+|sprach\w*|gesagt|erzahlt|unterh\w+)\b"
)
_TOPIC = re.compile(
    r"\b(?:about|concerning|regarding|de|sur|sobre|uber|von) (?!(?:yesterday|last|today|this|what|quoi|que|was|hier"
    r"|ayer|gestern|heute|hoy)\b)(?P<what>\S.*)"
)
_LAST = (
    r"last time|before|the last time|la derniere fois|derniere fois|la ultima vez|ultima vez|letztes mal|das letzte mal"
)
_DAYS = {
    0: r"today|this morning|this afternoon|earlier|aujourd ?hui|ce matin|hoy|esta manana|heute",
    1: r"yesterday|last night|hier|ayer|anoche|gestern",
    2: r"(?:the )?day before yesterday|avant ?hier|anteayer|vorgestern",
}
_WEEKDAYS = (
    ("monday", "lundi", "lunes", "montag"),
    ("tuesday", "mardi", "martes", "dienstag"),
    ("wednesday", "mercredi", "miercoles", "mittwoch"),
    ("thursday", "jeudi", "jueves", "donnerstag"),
    ("friday", "vendredi", "viernes", "freitag"),
    ("saturday", "samedi", "sabado", "samstag"),
    ("sunday", "dimanche", "domingo", "sonntag"),
)
_WEEK = r"last week|la semaine derniere|semaine derniere|la semana pasada|letzte woche"
_NUMBERS = {"a": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7}
_AGO = re.compile(
    rf"\b(?:(\d+|{'|'.join(_NUMBERS)}) days? ago|il y a (\d+) jours?|hace (\d+) dias?|vor (\d+) tag(?:en)?)\b"
)


@dataclass(frozen=True)
class Period:
    """`since` to `until` (Unix times); `rest`: the topic, if one was named; `last`: only the last conversation."""

    since: float
    until: float
    rest: str = ""
    last: bool = False


def parse_period(question: str, now: float) -> Period | None:
    """The period a question about earlier conversations means; None for other questions. `question`: normalized."""
    said = question.casefold()
    if not _TALK.search(said):
        return None
    today = datetime.fromtimestamp(now).astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
    found = _day(said, today)
    about = _TOPIC.search(said)
    rest = about["what"] if about else ""
    if found is not None:
        since, days, words = found
        return Period(since.timestamp(), (since + timedelta(days=days)).timestamp(), rest.replace(words, "").strip())
    if last := re.search(rf"\b(?:{_LAST})\b", said):
        return Period(0, now, rest.replace(last[0], "").strip(), last=True)
    if not rest and re.search(r"\bwe\b|\bnous\b|\bon\b|hablamos|\bwir\b", said):
        return Period(0, now, last=True)  # "what did we talk about?"
    return None


def _day(said: str, today: datetime) -> tuple[datetime, int, str] | None:
    for back in sorted(_DAYS, reverse=True):
        if found := re.search(rf"\b(?:{_DAYS[back]})\b", said):
            return today - timedelta(days=back), 1, found[0]
    if found := re.search(rf"\b(?:{_WEEK})\b", said):
        return today - timedelta(days=today.weekday() + 7), 7, found[0]
    if found := _AGO.search(said):
        number = next(number for number in found.groups() if number)
        back = min(_NUMBERS.get(number) or int(number), 3650)
        return today - timedelta(days=back), 1, found[0]
    for number, names in enumerate(_WEEKDAYS):
        if found := re.search(rf"\b(?:{'|'.join(names)})\b", said):
            return today - timedelta(days=(today.weekday() - number - 1) % 7 + 1), 1, found[0]
    return None
