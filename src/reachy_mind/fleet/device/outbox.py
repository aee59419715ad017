"""`Outbox`: events that wait for the hub. An event counts as accepted when it is on disk.

When it is full, the oldest events of priority 2 are dropped and counted, and the next frame says how many numbers are
missing (`skip`). Without any of priority 2 a new event is refused. Emergencies are never dropped and never refused for
space, nor are answers to commands: the hub has asked for them.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from reachy_mind.errors import Busy, InvalidParameter
from reachy_mind.fleet.device.damage import making_sense_of
from reachy_mind.fleet.protocol.close_codes import ProtocolViolation
from reachy_mind.fleet.protocol.frame import EMERGENCY, USUAL, Frame, Lane, decode, encode, new_frame

if TYPE_CHECKING:
    from reachy_mind.fleet.device.store import DeviceStore

MAX_EVENTS: Final = 10_000
MAX_BYTES: Final = 64 << 20
_LARGEST = {"seq": 1 << 40, "skip": 1 << 40, "ack": 1 << 40, "ack0": 1 << 40}
"""An event has to fit into a frame with any numbers."""


class OutboxFull(Busy):
    """The device keeps as many events as it may; this one was not accepted."""


@dataclass(frozen=True)
class OutboxLimits:
    """How much may wait in the usual lane."""

    max_events: int = MAX_EVENTS
    max_bytes: int = MAX_BYTES


@dataclass(frozen=True)
class OutboxTotals:
    """What waits, and how many events were dropped since this store began."""

    events: int
    emergencies: int
    bytes: int
    dropped: int


class Outbox:
    """The events of a store."""

    def __init__(self, store: DeviceStore, limits: OutboxLimits | None = None) -> None:
        self._store, self._limits = store, limits or OutboxLimits()
        self.watchers: set[asyncio.Event] = set()
        """Set whenever an event was accepted, or the hub has acknowledged some."""

    async def accept(
        self, type_: str, payload: Mapping[str, Any] | None = None, *, prio: int = 1, re: str | None = None
    ) -> Frame:
        """Store an event; it is on disk when this returns.

        Raises InvalidParameter, OutboxFull, and DatabaseError when the disk refuses; it was not accepted then.
        """
        event = new_event(type_, payload or {}, prio=prio, re=re)
        try:
            return await self._store.write(lambda db: add_event(db, event, self._limits))
        finally:
            self.notify()

    def notify(self) -> None:
        """An event was stored, here or in a transaction of the inbox."""
        for watcher in self.watchers:
            watcher.set()

    async def after(self, lane: Lane, seq: int, limit: int, *, epoch: str) -> list[Frame]:
        """The next events of a lane; none when the epoch is not this store's any more."""
        return await self._store.read(
            lambda db: [
                _frame(row)
                for row in db.execute(
                    "SELECT outbox.* FROM outbox JOIN numbering WHERE epoch = ? AND lane = ? AND seq > ?"
                    " ORDER BY seq LIMIT ?",
                    (epoch, lane, seq, limit),
                ).fetchall()
            ]
        )

    async def last_up_to(self, lane: Lane, seq: int) -> Frame | None:
        """The last event up to a number that still waits."""
        return await self._store.read(lambda db: _last_up_to(db, lane, seq))

    async def acknowledge(self, seq: int, seq0: int, *, epoch: str) -> None:
        """The hub has everything up to these numbers of this epoch. Of another epoch it says nothing about ours."""
        # Not synced: after a power cut the hub says again what it has.
        await self._store.write(lambda db: _acknowledge(db, epoch, {USUAL: seq, EMERGENCY: seq0}), durable=False)
        self.notify()

    async def totals(self) -> OutboxTotals:
        return await self._store.read(_totals)


def new_event(type_: str, payload: Mapping[str, Any], *, prio: int = 1, re: str | None = None) -> Frame:
    """An event without a number yet. Raises InvalidParameter for one that no frame can hold."""
    try:
        event = new_frame(type_, json.loads(json.dumps(dict(payload), allow_nan=False)), prio=prio, re=re)
        decode(encode(event.model_copy(update=_LARGEST)))
    except (ValueError, TypeError, RecursionError, ProtocolViolation) as error:
        raise InvalidParameter(
            f"this can't be an event: {error}", hint="see docs/fleet.md for what one may be"
        ) from error
    return event


def _totals(db: sqlite3.Connection) -> OutboxTotals:
    with making_sense_of("the numbers of the events"):
        rows = {row["lane"]: row for row in db.execute("SELECT * FROM up_lane")}
        usual, emergency = rows[USUAL], rows[EMERGENCY]
        return OutboxTotals(
            usual["events"] + emergency["events"],
            emergency["events"],
            usual["bytes"] + emergency["bytes"],
            usual["dropped"],
        )


def add_event(db: sqlite3.Connection, event: Frame, limits: OutboxLimits | None) -> Frame:
    """Give an event its number and store it. Raises OutboxFull; without `limits` there is always room."""
    size = len(encode(event))
    if limits is not None and event.lane == USUAL:
        _make_room(db, size, limits)
    next_number = "UPDATE up_lane SET next_seq = next_seq + 1 WHERE lane = ? RETURNING next_seq - 1"
    seq = db.execute(next_number, (event.lane,)).fetchone()[0]
    db.execute(
        "INSERT INTO outbox (lane, seq, id, type, prio, ts, re, body, bytes) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (event.lane, seq, event.id, event.type, event.prio, event.ts, event.re, json.dumps(event.p), size),
    )
    return event.model_copy(update={"seq": seq})


def _make_room(db: sqlite3.Connection, size: int, limits: OutboxLimits) -> None:
    """Drop the oldest events of priority 2 until there is room. Raises OutboxFull, with nothing dropped."""
    events, used = db.execute("SELECT events, bytes FROM up_lane WHERE lane = ?", (USUAL,)).fetchone()
    dropped: list[tuple[int, int]] = []

    def fits() -> bool:
        return bool(events < limits.max_events and used + size <= limits.max_bytes)

    if fits():
        return
    for row in db.execute("SELECT seq, bytes FROM outbox WHERE prio = 2 ORDER BY seq"):
        dropped.append((USUAL, row["seq"]))
        events, used = events - 1, used - row["bytes"]
        if fits():
            break
    else:
        hint = "it gets room again when the control plane can be reached"
        raise OutboxFull("too many events wait for the control plane: this one was not stored", hint=hint)
    db.executemany("DELETE FROM outbox WHERE lane = ? AND seq = ?", dropped)
    db.execute("UPDATE up_lane SET dropped = dropped + ? WHERE lane = ?", (len(dropped), USUAL))


def _acknowledge(db: sqlite3.Connection, epoch: str, highs: dict[Lane, int]) -> None:
    if db.execute("SELECT epoch FROM numbering").fetchone()[0] != epoch:
        return
    for lane, seq in highs.items():
        changed = db.execute("UPDATE up_lane SET acked = ? WHERE lane = ? AND acked < ?", (seq, lane, seq)).rowcount
        if changed:
            db.execute("DELETE FROM outbox WHERE lane = ? AND seq <= ?", (lane, seq))


def _last_up_to(db: sqlite3.Connection, lane: Lane, seq: int) -> Frame | None:
    sql = "SELECT * FROM outbox WHERE lane = ? AND seq <= ? ORDER BY seq DESC LIMIT 1"
    row = db.execute(sql, (lane, seq)).fetchone()
    return _frame(row) if row is not None else None


def _frame(row: sqlite3.Row) -> Frame:
    with making_sense_of("an event"):
        return Frame(**{key: row[key] for key in ("id", "type", "ts", "seq", "prio", "re")}, p=json.loads(row["body"]))
