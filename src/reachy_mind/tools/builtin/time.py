"""Tools for the clock, timers and reminders."""

from __future__ import annotations

import asyncio
import os
import time
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from zoneinfo import ZoneInfo, available_timezones

from pydantic import BeforeValidator, Field

from reachy_mind.errors import InvalidParameter
from reachy_mind.tools.announcements import MOST_SAID, Announcement, missed_sentence
from reachy_mind.tools.definition import Tool, tool
from reachy_mind.tools.time_expressions import clock, duration, parse_time
from reachy_mind.tools.timers import Timer, Timers

if TYPE_CHECKING:
    from reachy_mind.tools.context import Context

DAY_S = 86400.0
MAX_TIMER_S = 30 * DAY_S
MAX_REMINDER_S = 366 * DAY_S
Label = Annotated[str, Field(max_length=100)]
# Models return the id as a number.
TimerId = Annotated[
    str,
    BeforeValidator(lambda given: str(given) if type(given) is int else given),
    Field(max_length=40, description="Number of the timer, from list_timers"),
]


@tool(group="time", tier="autonomous", read_only=True)
async def get_time(
    ctx: Context,  # noqa: ARG001
    place: Annotated[
        str, Field(max_length=100, description="City or timezone, such as Tokyo or Europe/Paris; leave out for here")
    ] = "",
) -> dict[str, Any]:
    """Tell the time, the date, the weekday and the timezone, here or in another place."""
    known = await asyncio.to_thread(_known_zones)
    if place.strip():
        zone = _find_zone(place.strip(), known)
        now = datetime.fromtimestamp(time.time(), ZoneInfo(zone))
    else:
        now = datetime.fromtimestamp(time.time()).astimezone()
        zone = await asyncio.to_thread(_local_zone, known) or now.tzname() or "UTC"
    where = f" in {_city(zone)}" if place.strip() else ""
    return {
        "message": f"It is {now:%H:%M}{where} on {now:%A}, {now.day} {now:%B %Y} ({zone}).",
        "time": f"{now:%H:%M:%S}",
        "date": f"{now:%Y-%m-%d}",
        "weekday": f"{now:%A}",
        "timezone": zone,
        "iso": now.isoformat(timespec="seconds"),
    }


@tool(group="time", tier="autonomous")
async def set_timer(
    ctx: Context,
    seconds: Annotated[float, Field(ge=0, description="How many seconds")] = 0,
    minutes: Annotated[float, Field(ge=0, description="How many minutes")] = 0,
    hours: Annotated[float, Field(ge=0, description="How many hours")] = 0,
    label: Annotated[Label, Field(description="What it is for, such as tea")] = "",
) -> dict[str, Any]:
    """Set a timer; people are told when its time is up."""
    length = seconds + minutes * 60 + hours * 3600
    if not 1 <= length <= MAX_TIMER_S:
        given = "no time was given" if not length else f"{length:g} seconds is no time for a timer"
        raise InvalidParameter(given, hint="from 1 second to 30 days: seconds, minutes, hours")
    timers = _timers(ctx)
    label = _one_line(label).removesuffix("timer").rstrip()
    timer = await timers.add(
        "timer",
        timers.now() + length,
        label,
        conversation=ctx.caller.conversation,
        person=await ctx.speaker(),
    )
    until = f" (until {clock(timer.due_at, timers.now())})" if length >= 60 else ""
    named = f"{label[:1].upper()}{label[1:]} timer" if label else "Timer"
    return {
        "message": f"{named} set for {duration(length)}{until}.{_announcement_note(timers)}",
        **_describe(timer, timers.now()),
    }


@tool(group="time", tier="autonomous")
async def set_reminder(
    ctx: Context,
    text: Annotated[str, Field(min_length=1, max_length=300, description="What to remind of, such as call Ada")],
    at: Annotated[
        str,
        Field(max_length=40, description="When: 18:30, tomorrow 09:00, friday 18:00 or 2026-03-04T09:00 (local time)"),
    ] = "",
    in_minutes: Annotated[float, Field(ge=0, description="Or: in how many minutes")] = 0,
) -> dict[str, Any]:
    """Remind people of something at a time of day, or in some minutes. Give `at` or `in_minutes`."""
    if not _one_line(text):
        raise InvalidParameter("the reminder is empty", hint="text: what to remind of")
    if bool(at.strip()) == bool(in_minutes):
        raise InvalidParameter("say when, in one way", hint="either at (18:30) or in_minutes (10)")
    timers = _timers(ctx)
    now = timers.now()
    due = parse_time(at, now) if at.strip() else now + in_minutes * 60
    if due <= now:
        raise InvalidParameter(f"{clock(due, now)} is over already", hint=f"it is {clock(now, now)} now")
    if due - now > MAX_REMINDER_S:
        raise InvalidParameter("that is more than a year away", hint="choose a time within a year")
    timer = await timers.add(
        "reminder", due, _one_line(text), conversation=ctx.caller.conversation, person=await ctx.speaker()
    )
    note = _announcement_note(timers)
    message = f"I'll remind you {_when(due, now)}: {timer.message}{f'.{note}' if note else ''}"
    return {"message": message, **_describe(timer, now)}


@tool(group="time", tier="autonomous", read_only=True)
async def list_timers(ctx: Context) -> dict[str, Any]:
    """List the timers and reminders that are waiting, those that were missed, and those of the last day."""
    timers = _timers(ctx)
    await timers.announce_overdue()
    waiting, now = await timers.waiting(), timers.now()
    past, _ = await timers.announcements.listed(since=now - DAY_S)
    missed = [one for one in await timers.announcements.missed() if _is_timer(one)]
    recent = [one for one in past if _is_timer(one)]
    if missed and ctx.caller.kind in ("person", "brain"):  # who asks is told
        await timers.announcements.told(missed, ctx.caller.channel)
    lines = "; ".join(f"{timer.id}. {timer.name}, {_when(timer.due_at, now)}" for timer in waiting)
    told = [missed_sentence(missed, now), f"{lines}." if lines else "No timer or reminder is waiting."]
    if recent and not missed and not waiting:
        last = [f"at {clock(one.at, now)}: {one.text.rstrip('.')}" for one in reversed(recent[:MOST_SAID])]
        told.append(f"The last {'one was' if len(last) == 1 else 'ones were'} {'; '.join(last)}.")
    return {
        "message": " ".join(filter(None, told)),
        "timers": [_describe(timer, now) for timer in waiting],
        "missed": [one.as_dict() for one in missed],
        "recent": [one.as_dict() for one in recent],
    }


def _is_timer(announcement: Announcement) -> bool:
    return announcement.about.split(" ")[0] in ("timer", "reminder")


@tool(group="time", tier="autonomous")
async def cancel_timer(
    ctx: Context,
    timer_id: TimerId = "",
    label: Annotated[Label, Field(description="Or: its label or text")] = "",
    every: Annotated[bool, Field(description="Cancel all of them")] = False,
) -> dict[str, Any]:
    """Cancel a timer or reminder by number or label. With only one waiting, neither is needed."""
    timers = _timers(ctx)
    waiting = await timers.waiting()
    if not waiting:
        raise InvalidParameter("no timer or reminder is waiting", hint="there is nothing to cancel")
    chosen = waiting if every else [_select(waiting, _one_line(timer_id) or _one_line(label))]
    cancelled = [await timers.cancel(timer.id) for timer in chosen]
    names = "; ".join(f"the {timer.name}" for timer in cancelled)
    return {"message": f"Cancelled {names}.", "cancelled": [timer.id for timer in cancelled]}


def _select(waiting: list[Timer], word: str) -> Timer:
    """The timer meant by number, by its label or part of it; the only one, when `word` is empty."""
    said = word.casefold().removesuffix("timer").strip()
    tests = (
        lambda timer: timer.id == word,
        lambda timer: timer.message.casefold() == said,
        lambda timer: bool(said) and said in timer.name.casefold(),
    )
    found = next((hits for test in tests if (hits := [timer for timer in waiting if test(timer)])), []) if word else []
    if not word or (not said and not found):
        found = waiting
    if len(found) == 1:
        return found[0]
    listed = "; ".join(f"{timer.id}. {timer.name}" for timer in found or waiting)
    reason = f"no timer {word!r} is waiting" if not found else "which one? There is more than one"
    raise InvalidParameter(reason, hint=f"say the number: {listed}")


def _timers(ctx: Context) -> Timers:
    return ctx.need(ctx.parts.timers, "clock for timers")


def _describe(timer: Timer, now: float) -> dict[str, Any]:
    return {
        "timer_id": timer.id,
        "kind": timer.kind,
        "label": timer.message,
        "due": datetime.fromtimestamp(timer.due_at).astimezone().isoformat(timespec="seconds"),
        "seconds_left": max(round(timer.due_at - now), 0),
    }


def _when(due: float, now: float) -> str:
    said = clock(due, now)
    return f"in {duration(due - now)}, at {said}" if said[0].isdigit() else f"in {duration(due - now)}, {said}"


def _announcement_note(timers: Timers) -> str:
    """A note for a process that does not announce timers."""
    return "" if timers.announcing else " It is told only while the robot's mind is running."


def _one_line(text: str) -> str:
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())


@cache
def _known_zones() -> dict[str, str]:
    """All timezones by name and by city, in lower case."""
    names = sorted(available_timezones())
    cities = {name.rpartition("/")[2].replace("_", " ").casefold(): name for name in names if "/" in name}
    return cities | {name.casefold(): name for name in names}


def _find_zone(place: str, known: dict[str, str]) -> str:
    city = place.partition(",")[0].strip().replace("_", " ").casefold()  # "Paris, France"
    for word in (place.casefold(), place.casefold().replace(" ", "_"), city):
        if word in known:
            return known[word]
    import difflib  # noqa: PLC0415 -- only for a misspelt name

    near = [known[word] for word in difflib.get_close_matches(city, list(known), n=3)]
    hint = f"did you mean {' or '.join(near)}?" if near else "a timezone such as Europe/Paris, or its main city"
    raise InvalidParameter(f"no timezone is known for {place[:60]!r}", hint=hint)


def _local_zone(known: dict[str, str]) -> str:
    """The IANA name of this computer's timezone; empty when unknown."""
    named = os.environ.get("TZ", "").removeprefix(":")
    if not named:
        named = str(Path("/etc/localtime").resolve()).partition("zoneinfo/")[2]
    return known.get(named.casefold(), "")


def _city(zone: str) -> str:
    return zone.rpartition("/")[2].replace("_", " ")


TOOLS: tuple[Tool, ...] = (get_time, set_timer, set_reminder, list_timers, cancel_timer)
