"""What can still be read of a damaged store: events that wait for the hub, and commands that wait to be carried out.

Rows are read from either end of a table up to the damage, so that one bad page costs what is on it and no more.

A new store takes them over. The hub may have some of the events already, under the old epoch: their ids are the same.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from reachy_mind.fleet.device.outbox import add_event
from reachy_mind.fleet.protocol.close_codes import ProtocolViolation
from reachy_mind.fleet.protocol.frame import EMERGENCY, USUAL, Frame, decode, encode

Row = sqlite3.Row
UNREADABLE = (sqlite3.Error, ValueError, TypeError, LookupError, RecursionError, ProtocolViolation)


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
        db.text_factory = _text
        for lane in (EMERGENCY, USUAL):
            rescued.events += _readable(db, "outbox", "lane = ?", lane, _event)
            rescued.commands += _readable(db, "inbox", "lane = ? AND status IS NULL", lane, _command)
    return rescued


def insert_rescued(db: sqlite3.Connection, rescued: Rescued) -> None:
    """An operation on the new store, which may have some of it already."""
    for event in rescued.events:
        if db.execute("SELECT 1 FROM outbox WHERE id = ?", (event.id,)).fetchone() is None:
            add_event(db, event, None)
    for command in rescued.commands:
        db.execute(
            "INSERT INTO inbox (lane, id, type, ts, exp, re, body) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
            (command.lane, command.id, command.type, command.ts, command.exp, command.re, json.dumps(command.p)),
        )


def _readable(
    db: sqlite3.Connection, table: str, condition: str, lane: int, read: Callable[[Row], Frame]
) -> list[Frame]:
    """The rows that SQLite can reach, in their order, without those whose content makes no sense."""
    rows: dict[int, Row] = {}
    for order in ("ASC", "DESC"):
        # Not by an index: that is one more thing that may be damaged.
        sql = f"SELECT rowid AS place, * FROM {table} NOT INDEXED WHERE {condition} ORDER BY rowid {order}"  # noqa: S608 -- fixed texts
        with contextlib.suppress(sqlite3.Error):
            for row in db.execute(sql, (lane,)):
                rows[row["place"]] = row
            break  # nothing on its pages is damaged
    frames = []
    for _, row in sorted(rows.items()):
        with contextlib.suppress(*UNREADABLE):
            frames.append(decode(encode(read(row))))
    return frames


def _text(raw: bytes) -> str:
    """What is no UTF-8 makes no sense to a frame: it costs its own row, not those after it."""
    return raw.decode("utf-8", "surrogateescape")


def _event(row: Row) -> Frame:
    return Frame(
        id=row["id"], type=row["type"], ts=row["ts"], prio=row["prio"], re=row["re"], p=json.loads(row["body"])
    )


def _command(row: Row) -> Frame:
    prio = 0 if row["lane"] == EMERGENCY else 1
    return Frame(**{key: row[key] for key in ("id", "type", "ts", "exp", "re")}, prio=prio, p=json.loads(row["body"]))
