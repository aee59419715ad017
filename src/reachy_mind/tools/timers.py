"""`Timers`: timers and reminders, kept on disk, so that they outlive the program.

One task sleeps until the next is due. Due times are Unix times and the wall clock is looked at again at least every
half minute, so that a clock that was set, or a computer that slept, delays a reminder by no more than that.

A due one is announced first and struck off after that: at least once. A process killed between the two tells it again
at its next start, as late. The other order would lose it, and a reminder heard twice does less harm than one that
nobody heard. Within one process each is announced once, even while the disk refuses to strike it off.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal, Self

from reachy_mind import log
from reachy_mind.database import Database
from reachy_mind.errors import InvalidParameter
from reachy_mind.events import Announced, Bus
from reachy_mind.tools.tasks import TooMany

MOST = 100
LOOK_AGAIN_S = 30.0
LATE_S = 60.0
KEPT_S = 30 * 86400.0
"""How long those that are over stay in the database."""

Kind = Literal["timer", "reminder"]
_COLUMNS = "id, kind, due_at, message, conversation, person, created_at"

_log = log.get(__name__)


@dataclass(frozen=True)
class Timer:
    """One that waits. `message` is a timer's label (it may have none) or what a reminder is about."""

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

    With `announce=False` they are kept but nobody is told, for a program that only looks in, and for one whose
    listeners come later and which then calls `start()`.
    """

    def __init__(
        self,
        database: Database,
        bus: Bus,
        *,
        most: int = MOST,
        announce: bool = True,
        now: Callable[[], float] = time.time,
    ) -> None:
        self.now = now
        self._database, self._bus, self._most, self._announce = database, bus, most, announce
        self._watching: asyncio.Task[None] | None = None
        self._woken = asyncio.Event()
        self._closing = False
        self._began = 0.0
        self._turn = asyncio.Lock()
        """One at a time tells or takes back, so that nothing is told that was taken back."""
        self._told: set[str] = set()
        """Announced, and not struck off yet."""

    async def __aenter__(self) -> Self:
        await self._database.execute(
            "DELETE FROM timers WHERE state != 'waiting' AND due_at < ?", (self.now() - KEPT_S,)
        )
        if self._announce:
            self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        # Not cancelled: what was announced is struck off before it ends.
        self._closing = True
        self.wake()
        if self._watching is not None:
            await self._watching

    @property
    def announcing(self) -> bool:
        """Whether those that come due are told."""
        return self._watching is not None

    def start(self) -> None:
        """Tell those that are due, from now on, beginning with those that came due while nothing ran."""
        if self._watching is None:
            self._began = self.now()
            self._watching = asyncio.create_task(self._watch(), name="timers")

    def wake(self) -> None:
        """Look at the clock now."""
        self._woken.set()

    async def add(
        self, kind: Kind, due_at: float, message: str = "", *, conversation: str = "", person: str = ""
    ) -> Timer:
        """Keep one; it is on disk when this returns. Raises TooMany."""
        now = self.now()

        def insert(db: Any) -> str | None:
            if db.execute("SELECT count(*) FROM timers WHERE state = 'waiting'").fetchone()[0] >= self._most:
                return None
            # Small numbers: people and small models can repeat them.
            number = db.execute("SELECT coalesce(max(CAST(id AS INTEGER)), 0) + 1 FROM timers").fetchone()[0]
            db.execute(
                f"INSERT INTO timers ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)",  # noqa: S608 -- our own columns
                (str(number), kind, due_at, message, conversation, person, now),
            )
            return str(number)

        made = await self._database.write(insert)
        if made is None:
            raise TooMany(f"{self._most} timers are waiting already", hint="cancel one: list_timers, cancel_timer")
        self.wake()
        return Timer(made, kind, due_at, message, conversation, person, now)

    async def waiting(self) -> list[Timer]:
        """Those that are still to come, the next one first."""
        return [timer for timer in await self._kept() if timer.id not in self._told]

    async def cancel(self, timer_id: str) -> Timer:
        """Take one back. Raises InvalidParameter when none of that id waits (any more)."""
        async with self._turn:
            timer = next((timer for timer in await self.waiting() if timer.id == timer_id), None)
            if timer is None:
                raise InvalidParameter(f"no timer {timer_id[:40]!r} is waiting", hint="list_timers")
            await self._strike([timer_id], "cancelled")
        self.wake()
        return timer

    async def _kept(self) -> list[Timer]:
        rows = await self._database.rows(
            f"SELECT {_COLUMNS} FROM timers WHERE state = 'waiting' ORDER BY due_at, created_at"  # noqa: S608
        )
        return [Timer(**row) for row in rows]

    async def _strike(self, ids: list[str], state: str) -> None:
        marks = ", ".join("?" * len(ids))
        await self._database.execute(
            f"UPDATE timers SET state = ? WHERE state = 'waiting' AND id IN ({marks})",  # noqa: S608
            (state, *ids),
        )

    async def _watch(self) -> None:
        while not self._closing:
            self._woken.clear()
            pause = LOOK_AGAIN_S
            try:
                async with self._turn:
                    pause = min(await self._tell_due(), LOOK_AGAIN_S)
            except Exception:  # noqa: BLE001 -- the other reminders, and the next look, are worth more than this error
                _log.exception("timers can't be looked at", again_in_s=LOOK_AGAIN_S)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(pause):
                    await self._woken.wait()

    async def _tell_due(self) -> float:
        """Announce what is due and strike it off; how many seconds until the next one."""
        kept, now = await self._kept(), self.now()
        due = [timer for timer in kept if timer.due_at <= now]
        for timer in due:
            if timer.id not in self._told:
                self._told.add(timer.id)
                late = now - timer.due_at if timer.due_at < self._began or now - timer.due_at > LATE_S else 0.0
                text = announcement(timer, late)
                self._bus.publish(
                    Announced(text=text, about=f"{timer.kind} {timer.id}", conversation=timer.conversation)
                )
        if due:
            await self._strike([timer.id for timer in due], "fired")
            self._told.difference_update(timer.id for timer in due)
        return max(kept[len(due)].due_at - now, 0.0) if len(due) < len(kept) else LOOK_AGAIN_S


def announcement(timer: Timer, late_s: float) -> str:
    """What is said when it is due, or `late_s` seconds after that."""
    if not late_s:
        return f"Reminder: {timer.message}" if timer.kind == "reminder" else f"Time is up: {timer.name}."
    ago, when = duration(late_s), clock(timer.due_at, timer.due_at + late_s)
    if timer.kind == "reminder":
        return f"A reminder that is {ago} late, it was for {when}: {timer.message}"
    return f"I could not say so in time: the {timer.name} was over {ago} ago, at {when}."


def duration(seconds: float) -> str:
    """A length of time in words, its two largest parts: '1 hour 5 minutes'."""
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
