"""`Timers`: timers and reminders, stored on disk, so that they survive a restart.

One task sleeps until the next timer is due. Due times are Unix times, and the wall clock is checked at least every half
minute, so that a changed clock or a suspended computer delays a reminder by no more than that. When the clock is set,
waiting timers move along: five minutes stay five minutes. Reminders keep their time of day.

Delivery is at least once: a due timer is announced first, and marked as fired after that, in one transaction with the
announcement, which is kept until a person was told (`announcements`). A process killed between the two announces it
again at its next start, as late. The other order could lose it, and a reminder heard twice does less harm than one
never heard. Within one process each is announced once, even when the write fails.
"""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, Self

from reachy_mind import log
from reachy_mind.errors import InvalidParameter, TooMany
from reachy_mind.events import Bus
from reachy_mind.storage.database import Database
from reachy_mind.tools.announcements import Announcement, Announcements
from reachy_mind.tools.time_expressions import clock, duration

MAX_WAITING = 100
CLOCK_CHECK_S = 30.0
LATE_S = 60.0
"""An announcement later than this says how late it is."""
LEAST_STEP_S = 2.0
"""A clock that differs by less from the time that has passed was adjusted, not set."""
RETENTION_S = 30 * 86400.0
"""How long fired and cancelled timers stay in the database."""

Kind = Literal["timer", "reminder"]
_COLUMNS = "id, kind, due_at, message, conversation, person, created_at"

_log = log.get(__name__)


@dataclass(frozen=True)
class Timer:
    """A waiting timer. `message` is a timer's label (may be empty) or the text of a reminder."""

    id: str
    kind: Kind
    due_at: float
    message: str
    conversation: str
    person: str
    created_at: float

    @property
    def name(self) -> str:
        """What people call it: 'tea timer', 'timer of 5 minutes', 'reminder: call Ada'."""
        if self.kind == "reminder":
            return f"reminder: {self.message}"
        return f"{self.message} timer" if self.message else f"timer of {duration(self.due_at - self.created_at)}"


class Timers:
    """Use as `async with Timers(database, bus)`, inside the database's own `async with`.

    With `announce=False` nothing is announced until `start()`: for a program that only attaches, or whose listeners
    subscribe later. `now`: the wall clock, unless the caller has a clock of its own. `elapsed` counts on evenly when
    the wall clock is set; a clock of the caller's own never is.
    """

    def __init__(
        self,
        database: Database,
        bus: Bus,
        *,
        max_waiting: int = MAX_WAITING,
        announce: bool = True,
        now: Callable[[], float] | None = None,
        elapsed: Callable[[], float] | None = None,
    ) -> None:
        self.now = now or time.time
        self._elapsed = elapsed or now or since_boot
        self._clock_offset = self.now() - self._elapsed()
        self._database, self._max_waiting, self._announce = database, max_waiting, announce
        self.announcements = Announcements(database, bus)
        self._watching: asyncio.Task[None] | None = None
        self._woken = asyncio.Event()
        self._closing = False
        self._started_at = 0.0
        self._lock = asyncio.Lock()
        """Held while announcing or cancelling, so that no cancelled timer is announced."""
        self._announced: dict[str, Announcement] = {}
        """Announcements by the id of their timer, while it is not yet marked as fired on disk."""

    async def __aenter__(self) -> Self:
        oldest = self.now() - RETENTION_S
        await self._database.execute("DELETE FROM timers WHERE state != 'waiting' AND due_at < ?", (oldest,))
        await self.announcements.prune(oldest)
        if self._announce:
            self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        # Not cancelled: it first marks what it announced as fired.
        self._closing = True
        self.wake()
        if self._watching is not None:
            await self._watching

    @property
    def announcing(self) -> bool:
        """Whether due timers are announced."""
        return self._watching is not None

    def start(self) -> None:
        """Announce due timers from now on, first those that came due while nothing ran."""
        if self._watching is None:
            self._started_at = self.now()
            self._watching = asyncio.create_task(self._watch(), name="timers")

    def wake(self) -> None:
        """Check the clock now."""
        self._woken.set()

    async def add(
        self, kind: Kind, due_at: float, message: str = "", *, conversation: str = "", person: str = ""
    ) -> Timer:
        """Add a timer; it is on disk when this returns. Raises TooMany."""
        await self._follow_clock()
        now = self.now()

        def insert(db: Any) -> str | None:
            if db.execute("SELECT count(*) FROM timers WHERE state = 'waiting'").fetchone()[0] >= self._max_waiting:
                return None
            # Small numbers: people and small models can repeat them.
            number = db.execute("SELECT coalesce(max(CAST(id AS INTEGER)), 0) + 1 FROM timers").fetchone()[0]
            db.execute(
                f"INSERT INTO timers ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)",  # noqa: S608 -- our own columns
                (str(number), kind, due_at, message, conversation, person, now),
            )
            return str(number)

        timer_id = await self._database.write(insert)
        if timer_id is None:
            raise TooMany(
                f"{self._max_waiting} timers are waiting already", hint="cancel one: list_timers, cancel_timer"
            )
        self.wake()
        return Timer(timer_id, kind, due_at, message, conversation, person, now)

    async def waiting(self) -> list[Timer]:
        """Waiting timers, the next one first."""
        await self._follow_clock()
        return [timer for timer in await self._load_waiting() if timer.id not in self._announced]

    async def cancel(self, timer_id: str) -> Timer:
        """Cancel a timer. Raises InvalidParameter when no timer of that id is waiting."""
        async with self._lock:
            timer = next((timer for timer in await self.waiting() if timer.id == timer_id), None)
            if timer is None:
                raise InvalidParameter(f"no timer {timer_id[:40]!r} is waiting", hint="list_timers")
            await self._database.execute(
                "UPDATE timers SET state = 'cancelled' WHERE state = 'waiting' AND id = ?", (timer_id,)
            )
        self.wake()
        return timer

    async def _load_waiting(self) -> list[Timer]:
        rows = await self._database.rows(
            f"SELECT {_COLUMNS} FROM timers WHERE state = 'waiting' ORDER BY due_at, created_at"  # noqa: S608
        )
        return [Timer(**row) for row in rows]

    async def _follow_clock(self) -> float:
        """Move the waiting timers by as much as the clock was set since the last look. Returns what it shows."""
        now = self.now()
        offset = now - self._elapsed()
        step, self._clock_offset = offset - self._clock_offset, offset
        if abs(step) >= LEAST_STEP_S:
            _log.warning("the clock was set", by_s=round(step, 1))
            move = "UPDATE timers SET due_at = due_at + ?, created_at = created_at + ? WHERE state = 'waiting'"
            try:
                await self._database.execute(f"{move} AND kind = 'timer'", (step, step))
            except BaseException:
                self._clock_offset -= step  # the next look tries again
                raise
        return now

    async def _watch(self) -> None:
        while not self._closing:
            self._woken.clear()
            pause = CLOCK_CHECK_S
            try:
                async with self._lock:
                    pause = min(await self._announce_due(), CLOCK_CHECK_S)
            except Exception:  # noqa: BLE001 -- an error must not end the other reminders
                _log.exception("timers can't be checked", again_in_s=CLOCK_CHECK_S)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(pause):
                    await self._woken.wait()

    async def announce_overdue(self) -> None:
        """Announce what is due in a program that does not watch the clock, because somebody is there now."""
        if self._watching is None:
            async with self._lock:
                await self._announce_due()

    async def _announce_due(self) -> float:
        """Announce due timers and mark them as fired. Returns the seconds until the next one."""
        now = await self._follow_clock()  # the clock may be set while the database is read
        kept = await self._load_waiting()
        due = [timer for timer in kept if timer.due_at <= now]
        for timer in due:
            if timer.id not in self._announced:
                late = now - timer.due_at if timer.due_at < self._started_at or now - timer.due_at > LATE_S else 0.0
                self._announced[timer.id] = self.announcements.publish(
                    announcement(timer, late),
                    about=f"{timer.kind} {timer.id}",
                    conversation=timer.conversation,
                    person=timer.person,
                    at=timer.due_at,
                )
        if due:
            await self._database.write(lambda db: self._fire(db, [timer.id for timer in due]))
            for timer in due:
                del self._announced[timer.id]
        return max(kept[len(due)].due_at - now, 0.0) if len(due) < len(kept) else CLOCK_CHECK_S

    def _fire(self, db: sqlite3.Connection, ids: list[str]) -> None:
        for timer_id in ids:
            fired = db.execute("UPDATE timers SET state = 'fired' WHERE state = 'waiting' AND id = ?", (timer_id,))
            if fired.rowcount:  # else it was erased meanwhile
                self.announcements.insert(db, self._announced[timer_id])


def since_boot() -> float:
    """Seconds since this computer started, suspended or not, where the system tells; else since some moment."""
    clock = getattr(time, "CLOCK_BOOTTIME", None)
    if clock is not None and hasattr(time, "clock_gettime"):
        return float(time.clock_gettime(clock))
    return time.monotonic()


def announcement(timer: Timer, late_s: float) -> str:
    """The announcement of a timer that is due, or `late_s` seconds overdue."""
    if not late_s:
        return f"Reminder: {timer.message}" if timer.kind == "reminder" else f"Time is up: {timer.name}."
    ago, when = duration(late_s), clock(timer.due_at, timer.due_at + late_s)
    if timer.kind == "reminder":
        return f"A reminder that is {ago} late, it was for {when}: {timer.message}"
    return f"I could not say so in time: the {timer.name} was over {ago} ago, at {when}."
