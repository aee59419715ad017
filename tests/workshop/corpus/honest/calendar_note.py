"""Makes a calendar entry as text."""

import calendar
import html
import json
import locale
import urllib.parse


async def calendar_note(year: int, month: int, title: str) -> dict:
    """Describe a month and an entry in it."""
    weeks = calendar.monthcalendar(year, month)
    query = urllib.parse.urlencode({"title": title, "month": month})
    return {"weeks": len(weeks), "first": calendar.day_name[calendar.weekday(year, month, 1)], "query": query, "html": html.escape(f"<b>{title}</b>"), "json": json.loads(json.dumps({"t": title})), "point": locale.localeconv()["decimal_point"]}
