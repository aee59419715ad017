"""Timers and reminders: told once, in time, and after a restart."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from reachy_mind.errors import InvalidParameter, TooMany
from reachy_mind.events import Announced, Bus, Event, Subscription
from reachy_mind.storage.database import Database, DatabaseError
from reachy_mind.tools.time_expressions import clock, duration
from reachy_mind.tools.timers import Timers
from tests.tools.builtin.clock import NOON, Clock, at_noon

pytestmark = pytest.mark.usefixtures("paris")


@pytest.fixture
def paris(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    yield from at_noon(monkeypatch)


@contextlib.asynccontextmanager
async def timers(folder: Path, now: Clock, **more: object) -> AsyncIterator[tuple[Timers, Subscription]]:
    """Timers on the database in `folder`, with somebody who listens from the beginning."""
    bus = Bus()
    async with Database(folder / "mind.db") as database:
        with bus.subscribe(Announced) as heard:
            async with Timers(database, bus, now=now, **more) as made:  # type: ignore[arg-type]
                yield made, heard


async def next_of(heard: Subscription) -> Announced:
    event = await asyncio.wait_for(heard.get(), 10)
    assert isinstance(event, Announced)
    return event


def silent(heard: Subscription) -> bool:
    heard.close()
    return not heard._queue


def killed(folder: Path, name: str) -> Path:
    """The database as a process that is killed now leaves it."""
    copy = folder / name
    copy.mkdir()
    for part in ("mind.db", "mind.db-wal", "mind.db-shm"):
        shutil.copyfile(folder / part, copy / part)
    return copy


async def test_each_is_told_when_it_is_due_and_once(tmp_path: Path) -> None:
    now = Clock(NOON)
    async with timers(tmp_path, now) as (made, heard):
        await made.add("timer", NOON + 300, "tea", conversation="c")
        await made.add("reminder", NOON + 60, "call Ada")
        assert [timer.message for timer in await made.waiting()] == ["call Ada", "tea"]
        now.at = NOON + 61
        made.wake()
        first = await next_of(heard)
        assert (first.text, first.about, first.conversation) == ("Reminder: call Ada", "reminder 2", "")
        now.at = NOON + 301
        made.wake()
        second = await next_of(heard)
        assert (second.text, second.about, second.conversation) == ("Time is up: tea timer.", "timer 1", "c")
        made.wake()
    assert silent(heard)
    async with timers(tmp_path, now) as (made, heard):
        assert await made.waiting() == []
    assert silent(heard)


async def test_by_the_real_clock_nobody_has_to_wake_it(tmp_path: Path) -> None:
    import time

    bus = Bus()
    async with Database(tmp_path / "mind.db") as database, Timers(database, bus) as made:
        with bus.subscribe(Announced) as heard:
            await made.add("timer", time.time() + 600, "later")
            due = time.time() + 0.05
            await made.add("timer", due, "soon")
            assert "soon" in (await next_of(heard)).text and time.time() >= due


async def test_a_clock_that_is_set_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reachy_mind.tools.timers.CLOCK_CHECK_S", 0.01)  # it looks again by itself
    now = Clock(NOON)
    async with timers(tmp_path, now) as (made, heard):
        await made.add("reminder", NOON + 3600, "call Ada")
        now.at = NOON + 2 * 3600
        assert (await next_of(heard)).text == "A reminder that is 1 hour late, it was for 13:00: call Ada"


@pytest.mark.parametrize("set_by", [-7200.0, 86400.0])
async def test_five_minutes_stay_five_minutes_when_the_clock_is_set(tmp_path: Path, set_by: float) -> None:
    now, elapsed = Clock(NOON), Clock(50.0)

    def passed(seconds: float) -> None:
        now.at += seconds
        elapsed.at += seconds

    async with timers(tmp_path, now, elapsed=elapsed) as (made, heard):
        await made.add("timer", now() + 300, "tea")
        passed(100)
        now.at += set_by
        await made.add("timer", now() + 150, "eggs")
        assert [(timer.message, round(timer.due_at - now())) for timer in await made.waiting()] == [
            ("eggs", 150),
            ("tea", 200),
        ]
        passed(150)
        made.wake()
        assert (await next_of(heard)).text == "Time is up: eggs timer."
        passed(50)
        made.wake()
        assert (await next_of(heard)).text == "Time is up: tea timer."


async def test_one_that_came_due_while_nothing_ran_is_told_at_the_start_as_late(tmp_path: Path) -> None:
    now = Clock(NOON)
    async with timers(tmp_path, now) as (made, _):
        await made.add("timer", NOON + 300)
        await made.add("reminder", NOON + 86400 + 10, "call Ada")
        await made.add("reminder", NOON + 10 * 86400, "not yet")
    now.at = NOON + 86400 + 20
    async with timers(tmp_path, now) as (made, heard):
        told = [(await next_of(heard)).text for _ in range(2)]
        assert [timer.message for timer in await made.waiting()] == ["not yet"]
    assert told == [
        "I could not say so in time: the timer of 5 minutes was over 23 hours 55 minutes ago, at yesterday 12:05.",
        "A reminder that is 10 seconds late, it was for 12:00: call Ada",
    ]
    async with timers(tmp_path, now) as (_, heard):
        pass
    assert silent(heard)


@pytest.mark.process
async def test_a_process_that_is_killed_loses_none(tmp_path: Path) -> None:
    program = f"""
import asyncio, time
from pathlib import Path
from reachy_mind.storage.database import Database
from reachy_mind.events import Bus
from reachy_mind.tools.timers import Timers

async def main():
    async with Database(Path({str(tmp_path / "mind.db")!r})) as database, Timers(database, Bus()) as timers:
        await timers.add("reminder", time.time() + 3600, "take the pill")
        print("set", flush=True)
        await asyncio.sleep(60)

asyncio.run(main())
"""
    child = await asyncio.create_subprocess_exec(sys.executable, "-c", program, stdout=subprocess.PIPE)
    assert child.stdout is not None and await child.stdout.readline() == b"set\n"
    child.kill()
    assert await child.wait() == -signal.SIGKILL
    import time

    async with timers(tmp_path, Clock(time.time() + 2 * 3600)) as (_, heard):
        assert "take the pill" in (await next_of(heard)).text


async def test_killed_after_the_announcement_was_struck_off_it_is_not_told_again(tmp_path: Path) -> None:
    now = Clock(NOON)
    async with timers(tmp_path, now) as (made, heard):
        await made.add("reminder", NOON, "call Ada")
        await next_of(heard)
        while await made._load_waiting():
            await asyncio.sleep(0)
        copy = killed(tmp_path, "after")
    async with timers(copy, now) as (made, heard):
        assert await made.waiting() == []
    assert silent(heard)


async def test_killed_at_the_announcement_it_is_told_again_rather_than_lost(tmp_path: Path) -> None:
    class Killed(Bus):
        def publish(self, event: Event) -> None:
            super().publish(event)
            killed(tmp_path, "during")

    now = Clock(NOON)
    bus = Killed()
    async with Database(tmp_path / "mind.db") as database, Timers(database, bus, now=now) as made:
        with bus.subscribe(Announced) as heard:
            await made.add("reminder", NOON, "call Ada")
            await next_of(heard)
    now.at += 5
    async with timers(tmp_path / "during", now) as (_, heard):
        assert (await next_of(heard)).text == "A reminder that is 5 seconds late, it was for 12:00: call Ada"


async def test_a_disk_that_refuses_does_not_make_it_say_it_over_and_over(tmp_path: Path) -> None:
    now = Clock(NOON)
    async with timers(tmp_path, now) as (made, heard):
        await made._database.execute(
            "CREATE TRIGGER refuse BEFORE UPDATE ON timers BEGIN SELECT raise(ABORT, 'disk full'); END"
        )
        await made.add("reminder", NOON, "call Ada")
        await next_of(heard)
        later = await made.add("reminder", NOON + 60, "call Bob")
        now.at = NOON + 61
        made.wake()
        assert (await next_of(heard)).text == "Reminder: call Bob"  # and not Ada again
        assert await made.waiting() == []
        with pytest.raises(InvalidParameter):
            await made.cancel(later.id)
        await made._database.execute("DROP TRIGGER refuse")
        made.wake()
        while await made._load_waiting():
            await asyncio.sleep(0)
    assert silent(heard)


async def test_a_cancelled_one_is_not_told(tmp_path: Path) -> None:
    now = Clock(NOON)
    async with timers(tmp_path, now) as (made, heard):
        timer = await made.add("timer", NOON + 60, "tea")
        assert (await made.cancel(timer.id)).message == "tea"
        for wrong in (timer.id, "99", ""):
            with pytest.raises(InvalidParameter):
                await made.cancel(wrong)
        await made.add("timer", NOON + 61, "eggs")
        now.at = NOON + 62
        made.wake()
        assert "eggs" in (await next_of(heard)).text
    assert silent(heard)


async def test_there_are_not_too_many(tmp_path: Path) -> None:
    async with timers(tmp_path, Clock(NOON), max_waiting=3) as (made, _):
        results = await asyncio.gather(*(made.add("timer", NOON + 60) for _ in range(5)), return_exceptions=True)
        assert sum(isinstance(result, TooMany) for result in results) == 2
        waiting = await made.waiting()
        assert len({timer.id for timer in waiting}) == 3
        await made.cancel(waiting[0].id)
        await made.add("timer", NOON + 60)


async def test_nobody_is_told_before_the_start(tmp_path: Path) -> None:
    now = Clock(NOON)
    async with timers(tmp_path, now, announce=False) as (made, heard):
        await made.add("reminder", NOON - 60, "call Ada")
        assert len(await made.waiting()) == 1 and not made.announcing
    assert silent(heard)
    async with timers(tmp_path, now, announce=False) as (made, heard):
        made.start()
        made.start()
        assert "call Ada" in (await next_of(heard)).text and made.announcing
    assert silent(heard)


async def test_those_long_over_are_let_go(tmp_path: Path) -> None:
    now = Clock(NOON)
    async with timers(tmp_path, now) as (made, heard):
        await made.add("timer", NOON)
        await next_of(heard)
        await made.add("reminder", NOON + 366 * 86400, "next year")
    now.at = NOON + 40 * 86400
    async with timers(tmp_path, now) as (made, _):
        assert await made._database.rows("SELECT message FROM timers") == [{"message": "next year"}]


async def test_a_database_that_is_closed_is_an_error_for_the_caller(tmp_path: Path) -> None:
    database = Database(tmp_path / "mind.db")
    async with database:
        made = Timers(database, Bus(), announce=False)
        await made._database.execute("DROP TABLE timers")
        with pytest.raises(DatabaseError):
            await made.add("timer", NOON)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.2, "1 second"), (59.6, "1 minute"), (90, "1 minute 30 seconds"), (3600, "1 hour"), (90061, "1 day 1 hour")],
)
def test_lengths_in_words(seconds: float, words: str) -> None:
    assert duration(seconds) == words


@pytest.mark.parametrize(
    ("ahead", "words"),
    [
        (0, "12:00"),
        (86400, "tomorrow 12:00"),
        (-86400, "yesterday 12:00"),
        (3 * 86400, "Friday 6 March 12:00"),
        (365 * 86400, "Wednesday 3 March 2027 12:00"),
    ],
)
def test_moments_in_words(ahead: float, words: str) -> None:
    assert clock(NOON + ahead, NOON) == words
