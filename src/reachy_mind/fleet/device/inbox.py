"""`Inbox`: commands from the hub: stored before they are acknowledged, then handled one after the other in each lane.

That a command was handled is written in one transaction with its answer, the event `command.done`. A process that ends
in between calls the handler again, with the same id: **handlers are idempotent by id.** One that restarts the device
does so after it has returned, when its answer is stored. A command whose handler has not come to an end five times is
given up, so that one that kills the process does not do so for ever.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, TypeVar

from reachy_mind import log
from reachy_mind.cancellation import is_ending
from reachy_mind.errors import MindError
from reachy_mind.fleet.device.damage import making_sense_of
from reachy_mind.fleet.device.hub_clock import HubClock
from reachy_mind.fleet.device.outbox import Outbox, add_event, new_event
from reachy_mind.fleet.device.store import DeviceStore
from reachy_mind.fleet.protocol.delivery import classify
from reachy_mind.fleet.protocol.frame import EMERGENCY, USUAL, Frame, Lane
from reachy_mind.storage.database import DatabaseError

MAX_ATTEMPTS: Final = 5
MAX_WAITING: Final = 1000
"""Commands of the usual lane that may wait to be handled; those beyond are not taken, and stay with the hub."""
KEPT_IDS: Final = 1000
"""Handled commands whose outcome is kept, should the hub send them again under another numbering."""
RETRY_S: Final = (1.0, 15.0)
"""Between attempts while the disk refuses."""

_log = log.get(__name__)
Result = TypeVar("Result")
CommandStatus = Literal["done", "failed", "expired", "unsupported"]


@dataclass(frozen=True)
class Command:
    """What a handler is given. `attempt` is more than 1 when the process ended while it was handled."""

    id: str
    type: str
    payload: dict[str, Any]
    ts: int
    exp: int | None
    re: str | None
    attempt: int


Handler = Callable[[Command], Awaitable[None]]
"""Raises an error when the command could not be carried out; a MindError's message goes to the operator."""


class Inbox:
    """The commands of a store. `run` handles them."""

    def __init__(
        self, store: DeviceStore, outbox: Outbox, clock: HubClock, handlers: Mapping[str, Handler] | None = None
    ) -> None:
        self._store, self._outbox, self._clock = store, outbox, clock
        self._handlers = dict(handlers or {})
        self._arrived = {USUAL: asyncio.Event(), EMERGENCY: asyncio.Event()}
        self._handled = asyncio.Event()

    async def follow(self, epoch: str) -> None:
        """The hub's numbering; a new one begins at 1. Raises DatabaseError."""
        await self._store.write(lambda db: _follow(db, epoch))
        self.look_again()

    async def keep(self, frames: Sequence[Frame], *, epoch: str) -> tuple[int, int]:
        """Store commands, and return what is stored of both lanes, which may be acknowledged now.

        Raises ProtocolError for a gap, with none of them stored; DatabaseError.
        """
        highs = await self._store.write(lambda db: _keep(db, frames, epoch))
        self._outbox.notify()  # a command that was handled before was answered again
        self.look_again()
        return highs

    async def has_room(self) -> bool:
        """Whether another command of the usual lane may be stored."""
        return await self._waiting() < MAX_WAITING

    async def room(self) -> None:
        """Wait until commands of the usual lane may be stored."""
        while not await self.has_room():
            self._handled.clear()
            await self._handled.wait()

    def look_again(self) -> None:
        """Something changed: a command came, or the hub's time is known."""
        for event in self._arrived.values():
            event.set()

    async def run(self) -> None:
        """Handle commands until cancelled; those that were stored before, first."""
        async with asyncio.TaskGroup() as tasks:
            for lane in self._arrived:
                tasks.create_task(self._handle_lane(lane), name=f"fleet commands {lane}")

    async def _waiting(self) -> int:
        sql = "SELECT count(*) FROM inbox WHERE lane = ? AND status IS NULL"
        return await self._store.read(lambda db: int(db.execute(sql, (USUAL,)).fetchone()[0]))

    async def _handle_lane(self, lane: Lane) -> None:
        arrived = self._arrived[lane]
        while True:
            arrived.clear()
            waiting = await _insist(lambda: self._store.read(lambda db: _next(db, lane)))
            if waiting is None or (waiting.exp is not None and self._clock.now_ms() is None):
                await arrived.wait()  # the next one, or the time: whether it has expired is not known yet
                continue
            await self._finish(waiting)
            self._handled.set()

    async def _finish(self, waiting: Command) -> None:
        """Handle a command and store its outcome."""
        # Not synced: it has to survive the end of the process, not of the machine.
        attempt = await _insist(lambda: self._store.write(lambda db: _begin(db, waiting.id), durable=False))
        command = replace(waiting, attempt=attempt)
        status, error = await self._handle(command)
        sayable = error.encode("utf-8", "replace").decode()[:500]
        await _insist(lambda: self._store.write(lambda db: _complete(db, command.id, status, sayable)))
        self._outbox.notify()

    async def _handle(self, command: Command) -> tuple[CommandStatus, str]:
        now, handler = self._clock.now_ms(), self._handlers.get(command.type)
        if command.exp is not None and now is not None and now >= command.exp:
            return "expired", ""
        if handler is None:
            return "unsupported", f"this device has nothing that handles {command.type}"
        if command.attempt > MAX_ATTEMPTS:
            return "failed", f"given up: the device's program ended {MAX_ATTEMPTS} times while it was handled"
        try:
            await handler(command)
        except (Exception, asyncio.CancelledError) as error:
            if is_ending(error):
                raise
            return "failed", _reason(command, error)
        return "done", ""


def _reason(command: Command, error: BaseException) -> str:
    """Why a handler could not carry out a command."""
    if isinstance(error, MindError):
        return error.message
    if isinstance(error, asyncio.CancelledError):
        return "it was stopped before it was done"
    _log.error("a command failed", command=command.type, id=command.id, exc_info=error)
    return f"{type(error).__name__}: {error}"


async def _insist(act: Callable[[], Awaitable[Result]]) -> Result:
    """Try again until the disk takes it: a handled command must not be handled again because of a full disk."""
    delay, longest = RETRY_S
    while True:
        try:
            return await act()
        except DatabaseError as error:
            _log.error("the state of a command can't be stored; trying again", reason=error.message)
            await asyncio.sleep(delay)
            delay = min(longest, delay * 2)


def _follow(db: sqlite3.Connection, epoch: str) -> None:
    changed = db.execute("UPDATE numbering SET down_epoch = ? WHERE down_epoch IS NOT ?", (epoch, epoch)).rowcount
    if changed:
        db.execute("UPDATE down_lane SET high = 0")


def _keep(db: sqlite3.Connection, frames: Sequence[Frame], epoch: str) -> tuple[int, int]:
    if db.execute("SELECT down_epoch FROM numbering").fetchone()[0] != epoch:
        frames = ()  # they are of a connection that is over
    for frame in frames:
        high = db.execute("SELECT high FROM down_lane WHERE lane = ?", (frame.lane,)).fetchone()[0]
        if classify(high, frame) == "repetition":
            continue
        db.execute("UPDATE down_lane SET high = ? WHERE lane = ?", (frame.seq, frame.lane))
        known = db.execute("SELECT status, error FROM inbox WHERE id = ?", (frame.id,)).fetchone()
        if known is None:
            db.execute(
                "INSERT INTO inbox (lane, id, type, ts, exp, re, body) VALUES (?, ?, ?, ?, ?, ?, ?)",
                (frame.lane, frame.id, frame.type, frame.ts, frame.exp, frame.re, json.dumps(frame.p)),
            )
        elif known["status"] is not None:  # the hub has forgotten the answer
            _answer(db, frame.id, known["status"], known["error"])
    high = dict(db.execute("SELECT lane, high FROM down_lane").fetchall())
    return high[USUAL], high[EMERGENCY]


def _next(db: sqlite3.Connection, lane: Lane) -> Command | None:
    """The next command of a lane."""
    sql = "SELECT * FROM inbox WHERE lane = ? AND status IS NULL ORDER BY arrival LIMIT 1"
    row = db.execute(sql, (lane,)).fetchone()
    if row is None:
        return None
    about = {key: row[key] for key in ("id", "type", "ts", "exp", "re")}
    with making_sense_of("a command"):
        return Command(**about, payload=json.loads(row["body"]), attempt=row["attempts"])


def _begin(db: sqlite3.Connection, command: str) -> int:
    """Count an attempt: which it is."""
    sql = "UPDATE inbox SET attempts = attempts + 1 WHERE id = ? RETURNING attempts"
    return int(db.execute(sql, (command,)).fetchone()[0])


def _complete(db: sqlite3.Connection, command: str, status: str, error: str) -> None:
    db.execute("UPDATE inbox SET status = ?, error = ?, body = '{}' WHERE id = ?", (status, error, command))
    _answer(db, command, status, error)
    db.execute(
        "DELETE FROM inbox WHERE status IS NOT NULL AND arrival <= (SELECT max(arrival) FROM inbox) - ?", (KEPT_IDS,)
    )


def _answer(db: sqlite3.Connection, command: str, status: str, error: str) -> None:
    payload = {"status": status} | ({"error": error} if error else {})
    add_event(db, new_event("command.done", payload, re=command), None)
