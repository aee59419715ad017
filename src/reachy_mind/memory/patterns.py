"""When somebody is usually here, and what they usually ask for then: found in their turns, never kept.

A pattern is an hour of the day at which something happened on at least three days, and on most of the days that count.
"""

from __future__ import annotations

import json
import time
from collections import defaultdict
from dataclasses import asdict, dataclass
from datetime import date, datetime
from typing import Any

from reachy_mind.database import Database

DAYS = 60
"""How far back is looked."""
LEAST = 3
SHARE = 0.6
WEEKDAYS = ("Mondays", "Tuesdays", "Wednesdays", "Thursdays", "Fridays", "Saturdays", "Sundays")
LISTED = 10


@dataclass(frozen=True)
class Pattern:
    """`what`: `here`, or the tool that is asked for; `hour` of this machine's clock; `times`: on so many days."""

    what: str
    days: str
    hour: int
    times: int

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


async def usual(database: Database, person: str, now: float | None = None) -> list[Pattern]:
    """The patterns of somebody, the surest first."""
    since = (now if now is not None else time.time()) - DAYS * 86400
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
    return sorted(found, key=lambda one: (-one.times, one.hour))[:LISTED]


def _regular(dates: set[date], active: set[date]) -> list[tuple[str, int]]:
    """On which days: every day, weekdays, or certain ones."""
    if len(dates) < LEAST:
        return []
    if len(dates) >= SHARE * len(active) and len({day.weekday() for day in dates}) >= LEAST:
        working = all(day.weekday() < 5 for day in dates)
        return [("weekdays" if working and len(active) > len(dates) else "every day", len(dates))]
    regular = []
    for number, name in enumerate(WEEKDAYS):
        on = sum(day.weekday() == number for day in dates)
        if on >= LEAST and on >= SHARE * sum(day.weekday() == number for day in active):
            regular.append((name, on))
    return regular
