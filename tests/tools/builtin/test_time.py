"""Asking for the time, setting timers and reminders, and taking them back."""

from __future__ import annotations

import contextlib
import time
from collections.abc import AsyncIterator, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from reachy_mind.events import Announced
from reachy_mind.tools.builtin.time import TOOLS
from reachy_mind.tools.context import Caller
from reachy_mind.tools.definition import Outcome
from reachy_mind.tools.timers import Timers
from reachy_mind.tools.toolbox import Toolbox
from tests.tools.bench import toolbox
from tests.tools.builtin.clock import NOON, Clock, at_noon

pytestmark = pytest.mark.usefixtures("paris")


@pytest.fixture
def paris(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    yield from at_noon(monkeypatch)


@contextlib.asynccontextmanager
async def box(tmp_path: Path, now: Clock | None = None, **more: Any) -> AsyncIterator[Toolbox]:
    async with toolbox(tmp_path, tools=TOOLS) as made:
        assert made.parts.database is not None
        async with Timers(made.parts.database, made.parts.bus, now=now or Clock(NOON), **more) as timers:
            made.parts.timers = timers
            yield made


def refused(outcome: Outcome) -> dict[str, str]:
    assert outcome.status == "error" and outcome.error is not None, outcome
    assert outcome.error["code"] == "INVALID_PARAMETER" and outcome.error["hint"]
    return outcome.error


@pytest.mark.parametrize(
    ("place", "zone"),
    [
        ("", "Europe/Paris"),
        ("Tokyo", "Asia/Tokyo"),
        ("new york", "America/New_York"),
        ("America/New_York", "America/New_York"),
        ("Berlin, Germany", "Europe/Berlin"),
        ("UTC", "UTC"),
    ],
)
async def test_the_time_here_and_elsewhere(tmp_path: Path, place: str, zone: str) -> None:
    async with box(tmp_path) as made:
        before = int(time.time())
        outcome = await made.call("get_time", {"place": place})
        after = time.time()
    assert outcome.status == "ok", outcome.error
    told = datetime.fromisoformat(outcome.data["iso"])
    assert before <= told.timestamp() <= after and outcome.data["timezone"] == zone
    assert outcome.data["weekday"] in outcome.data["message"] and f"{told:%H:%M}" in outcome.data["message"]
    assert outcome.data["date"] == f"{told:%Y-%m-%d}"


@pytest.mark.parametrize("place", ["Atlantis", "../../etc/passwd", "/etc/localtime", "Berlim"])
async def test_a_place_without_a_timezone(tmp_path: Path, place: str) -> None:
    async with box(tmp_path) as made:
        error = refused(await made.call("get_time", {"place": place}))
    if place == "Berlim":
        assert "Europe/Berlin" in error["hint"]


@pytest.mark.parametrize(
    ("args", "message", "seconds"),
    [
        ({"minutes": 5}, "Timer set for 5 minutes (until 12:05).", 300),
        ({"minutes": 5, "label": "tea"}, "Tea timer set for 5 minutes (until 12:05).", 300),
        ({"minutes": 5, "label": "tea timer"}, "Tea timer set for 5 minutes (until 12:05).", 300),
        ({"seconds": 20}, "Timer set for 20 seconds.", 20),
        ({"hours": 1, "minutes": 30}, "Timer set for 1 hour 30 minutes (until 13:30).", 5400),
        ({"hours": 24}, "Timer set for 1 day (until tomorrow 12:00).", 86400),
        ({"minutes": "2.5"}, "Timer set for 2 minutes 30 seconds (until 12:02).", 150),
    ],
)
async def test_a_timer_is_set(tmp_path: Path, args: dict[str, Any], message: str, seconds: int) -> None:
    async with box(tmp_path) as made:
        outcome = await made.call("set_timer", args)
        assert outcome.status == "ok", outcome.error
        assert outcome.data["message"] == message and outcome.data["seconds_left"] == seconds


async def test_a_timer_rings_in_its_own_conversation(tmp_path: Path) -> None:
    now = Clock(NOON)
    async with box(tmp_path, now) as made:
        with made.parts.bus.subscribe(Announced) as heard:
            await made.call("set_timer", {"minutes": 5}, caller=Caller(conversation="c"))
            now.at = NOON + 300
            assert made.parts.timers is not None
            made.parts.timers.wake()
            event = await heard.get()
        assert isinstance(event, Announced)
        assert (event.text, event.conversation) == ("Time is up: timer of 5 minutes.", "c")


@pytest.mark.parametrize(
    "args",
    [
        {},
        {"minutes": 0},
        {"minutes": -5},
        {"seconds": 0.2},
        {"hours": 24 * 31},
        {"minutes": float("inf")},
        {"minutes": "five"},
        {"minutes": 1, "label": "x" * 200},
    ],
)
async def test_no_timer_for_nonsense(tmp_path: Path, args: dict[str, Any]) -> None:
    async with box(tmp_path) as made:
        refused(await made.call("set_timer", args))
        assert (await made.call("list_timers")).data["timers"] == []


@pytest.mark.parametrize(
    ("when", "due"),
    [
        ({"in_minutes": 10}, "2026-03-03T12:10:00+01:00"),
        ({"at": "18:30"}, "2026-03-03T18:30:00+01:00"),
        ({"at": "at 6:30 pm"}, "2026-03-03T18:30:00+01:00"),
        ({"at": "09:00"}, "2026-03-04T09:00:00+01:00"),
        ({"at": "12:00"}, "2026-03-04T12:00:00+01:00"),
        ({"at": "12 AM"}, "2026-03-04T00:00:00+01:00"),
        ({"at": "Tomorrow at 9:00"}, "2026-03-04T09:00:00+01:00"),
        ({"at": "friday 18:00"}, "2026-03-06T18:00:00+01:00"),
        ({"at": "tuesday 18:00"}, "2026-03-03T18:00:00+01:00"),
        ({"at": "tuesday 9:00"}, "2026-03-10T09:00:00+01:00"),
        ({"at": "2026-03-04T09:00"}, "2026-03-04T09:00:00+01:00"),
        ({"at": "2026-03-04 09:00:30"}, "2026-03-04T09:00:30+01:00"),
        ({"at": "2026-03-04T09:00Z"}, "2026-03-04T10:00:00+01:00"),
        ({"at": "2026-07-01T09:00"}, "2026-07-01T09:00:00+02:00"),  # summer time
        ({"at": "2026-03-29T02:30"}, "2026-03-29T03:30:00+02:00"),  # an hour that does not exist
    ],
)
async def test_a_reminder_is_set_for_the_moment_meant(tmp_path: Path, when: dict[str, Any], due: str) -> None:
    async with box(tmp_path) as made:
        outcome = await made.call("set_reminder", {"text": "call Ada", **when})
        assert outcome.status == "ok", outcome.error
        assert outcome.data["due"] == due
        listed = (await made.call("list_timers")).data["timers"]
        assert [(timer["kind"], timer["label"], timer["due"]) for timer in listed] == [("reminder", "call Ada", due)]


async def test_a_reminder_says_back_what_it_understood(tmp_path: Path) -> None:
    async with box(tmp_path) as made:
        outcome = await made.call("set_reminder", {"text": " call\nAda\x07 ", "at": "tomorrow 09:00"})
    assert outcome.data["message"] == "I'll remind you in 21 hours, tomorrow 09:00: call Ada"


@pytest.mark.parametrize(
    "args",
    [
        {"text": "call Ada"},
        {"text": "call Ada", "at": "18:30", "in_minutes": 5},
        {"text": "call Ada", "at": "25:00"},
        {"text": "call Ada", "at": "13 pm"},
        {"text": "call Ada", "at": "5"},
        {"text": "call Ada", "at": "soon"},
        {"text": "call Ada", "at": "2026-03-04"},
        {"text": "call Ada", "at": "today 09:00"},
        {"text": "call Ada", "at": "2026-03-03T11:59"},
        {"text": "call Ada", "at": "0001-01-01T00:00"},
        {"text": "call Ada", "at": "9999-12-31T23:59"},
        {"text": "call Ada", "in_minutes": -1},
        {"text": "call Ada", "in_minutes": 1e9},
        {"text": " \n", "in_minutes": 5},
        {"at": "18:30"},
    ],
)
async def test_no_reminder_for_nonsense_or_the_past(tmp_path: Path, args: dict[str, Any]) -> None:
    async with box(tmp_path) as made:
        refused(await made.call("set_reminder", args))
        assert (await made.call("list_timers")).data["timers"] == []


async def test_what_waits_is_listed_the_next_one_first(tmp_path: Path) -> None:
    async with box(tmp_path) as made:
        assert (await made.call("list_timers")).data["message"] == "No timer or reminder is waiting."
        await made.call("set_reminder", {"text": "call Ada", "at": "tomorrow 09:00"})
        await made.call("set_timer", {"minutes": 5, "label": "tea"})
        outcome = await made.call("list_timers")
    assert outcome.data["message"] == (
        "2. tea timer, in 5 minutes, at 12:05; 1. reminder: call Ada, in 21 hours, tomorrow 09:00."
    )


@pytest.mark.parametrize(
    ("args", "cancelled"),
    [
        ({"timer_id": "2"}, ["2"]),
        ({"timer_id": 2}, ["2"]),
        ({"label": "Tea"}, ["1"]),
        ({"label": "tea timer"}, ["1"]),
        ({"label": "ada"}, ["3"]),
        ({"label": "the moon"}, None),
        ({"label": "timer"}, ["2"]),
        ({"timer_id": "9"}, None),
        ({}, None),
        ({"every": True}, ["1", "2", "3"]),
    ],
)
async def test_one_of_several_is_cancelled(tmp_path: Path, args: dict[str, Any], cancelled: list[str] | None) -> None:
    async with box(tmp_path) as made:
        await made.call("set_timer", {"minutes": 5, "label": "tea"})
        await made.call("set_timer", {"minutes": 10})
        await made.call("set_reminder", {"text": "call Ada", "in_minutes": 60})
        outcome = await made.call("cancel_timer", args)
        left = {timer["timer_id"] for timer in (await made.call("list_timers")).data["timers"]}
    if cancelled is None:
        assert "2. timer of 10 minutes" in refused(outcome)["hint"] and left == {"1", "2", "3"}
    else:
        assert outcome.data["cancelled"] == cancelled and left == {"1", "2", "3"} - set(cancelled)


async def test_the_only_one_needs_no_name(tmp_path: Path) -> None:
    async with box(tmp_path) as made:
        refused(await made.call("cancel_timer"))
        await made.call("set_timer", {"minutes": 5, "label": "tea"})
        assert (await made.call("cancel_timer")).data["message"] == "Cancelled the tea timer."


async def test_where_nobody_would_hear_it_that_is_said(tmp_path: Path) -> None:
    async with box(tmp_path, announce=False) as made:
        message = (await made.call("set_timer", {"minutes": 5})).data["message"]
        assert message.endswith("while the robot's mind is running.")


async def test_without_timers_there_is_still_a_clock(tmp_path: Path) -> None:
    async with toolbox(tmp_path, tools=TOOLS) as made:
        assert (await made.call("get_time")).status == "ok"
        outcome = await made.call("set_timer", {"minutes": 5})
    assert outcome.status == "error" and outcome.error is not None and outcome.error["code"] == "NOT_READY"
