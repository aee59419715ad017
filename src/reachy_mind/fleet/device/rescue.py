"""What can still be read of a damaged store: events that wait for the hub, and commands that wait to be carried out.

A new store takes them over. The hub may have some of the events already, under the old epoch: their ids are the same.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from reachy_mind.fleet.device.outbox import add_event
from reachy_mind.fleet.protocol.close_codes import ProtocolError
from reachy_mind.fleet.protocol.frame import EMERGENCY, USUAL, Frame, decode, encode

Row = sqlite3.Row
UNREADABLE = (sqlite3.Error, ValueError, TypeError, ProtocolError)


@dataclass
class Rescued:
    """In their order; commands with the lane they came in."""

    events: list[Frame] = field(default_factory=list)
    commands: list[Frame] = field(default_factory=list)


def read_waiting(file: Path) -> Rescued:
    """As many as can be read; each is checked, for damage may have changed it."""
    rescued = Rescued()
    with contextlib.suppress(sqlite3.Error), contextlib.closing(sqlite3.connect(file)) as db:
        db.row_factory = Row
        for lane in (EMERGENCY, USUAL):
            rescued.events += _readable(db, "SELECT * FROM outbox WHERE lane = ? ORDER BY seq", lane, _event)
            commands = "SELECT * FROM inbox WHERE lane = ? AND status IS NULL ORDER BY arrival"
            rescued.commands += _readable(db, commands, lane, _command)
    return rescued


def insert_rescued(db: sqlite3.Connection, rescued: Rescued) -> None:
    """An operation on the new store."""
    for event in rescued.events:
        add_event(db, event, None)
    for command in rescued.commands:
        db.execute(
            "INSERT INTO inbox (lane, id, type, ts, exp, re, body) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
            (command.lane, command.id, command.type, command.ts, command.exp, command.re, json.dumps(command.p)),
        )


def _readable(db: sqlite3.Connection, sql: str, lane: int, read: Callable[[Row], Frame]) -> Iterator[Frame]:
    """The rows up to the first that SQLite can't reach, without those whose content makes no sense."""
    with contextlib.suppress(sqlite3.Error):
        for row in db.execute(sql, (lane,)):
            with contextlib.suppress(*UNREADABLE):
                yield decode(encode(read(row)))


def _event(row: Row) -> Frame:
    return Frame(
        id=row["id"], type=row["type"], ts=row["ts"], prio=row["prio"], re=row["re"], p=json.loads(row["body"])
    )


def _command(row: Row) -> Frame:
    prio = 0 if row["lane"] == EMERGENCY else 1
    return Frame(**{key: row[key] for key in ("id", "type", "ts", "exp", "re")}, prio=prio, p=json.loads(row["body"]))
