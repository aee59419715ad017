"""Usage patterns of a person: when they are usually here, and what they ask for then. Computed, never stored.

A pattern is an hour of the day at which something happened on at least three days, and on most of their active days.
"""

from __future__ import annotations

import json
import time
from collections import defaultdict
from dataclasses import asdict, dataclass
from datetime import date, datetime
from typing import Any

from reachy_mind.storage.database import Database

HISTORY_DAYS = 60
"""How far back turns count."""
LEAST_DAYS = 3
LEAST_SHARE = 0.6
WEEKDAYS = ("Mondays", "Tuesdays", "Wednesdays", "Thursdays", "Fridays", "Saturdays", "Sundays")
MOST_PATTERNS = 10


@dataclass(frozen=True)
class Pattern:
    """`what`: `here`, or a tool; `hour`: in this machine's time zone; `times`: number of days."""

    what: str
    days: str
    hour: int
    times: int

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


async def find_patterns(database: Database, person: str, now: float | None = None) -> list[Pattern]:
    """The patterns of a person, the most frequent first."""
    since = (now if now is not None else time.time()) - HISTORY_DAYS * 86400
    rows = await database.rows(
        "SELECT started_at, tools FROM turns WHERE person = ? AND started_at >= ? AND said <> ''", (person, since)
    )
    seen: dict[tuple[str, int], set[date]] = defaultdict(set)
    for row in rows:
        at = datetime.fromtimestamp(row["started_at"]).astimezone()
        for what in ("here", *(call["name"] for call in json.loads(row["tools"]) if call.get("status") == "ok")):
            seen[what, at.hour].add(at.date())
    active = {day for days in seen.values() for day in days}
    found = [
        Pattern(what, days, hour, times)
        for (what, hour), dates in seen.items()
        for days, times in _regular(dates, active)
    ]
    return sorted(found, key=lambda one: (-one.times, one.hour))[:MOST_PATTERNS]


def _regular(dates: set[date], active: set[date]) -> list[tuple[str, int]]:
    """The names of the days with a pattern (every day, weekdays, or single ones), and how often."""
    if len(dates) < LEAST_DAYS:
        return []
    if len(dates) >= LEAST_SHARE * len(active) and len({day.weekday() for day in dates}) >= LEAST_DAYS:
        working = all(day.weekday() < 5 for day in dates)
        return [("weekdays" if working and len(active) > len(dates) else "every day", len(dates))]
    regular = []
    for number, name in enumerate(WEEKDAYS):
        on = sum(day.weekday() == number for day in dates)
        if on >= LEAST_DAYS and on >= LEAST_SHARE * sum(day.weekday() == number for day in active):
            regular.append((name, on))
    return regular
