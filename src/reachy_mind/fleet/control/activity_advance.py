"""Starts and ends activities: every node looks at those that are open, each in a transaction that locks it.

An activity starts when its quorum is ready, when nobody is left to wait for, or at its deadline. A device that gets
ready later joins in; one that is offline is not waited for. All that lies in the store, so any node goes on where
another one ended. The time that counts is that of the node which starts it: nodes are expected to have the same.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from typing import Final

from reachy_mind import log
from reachy_mind.fleet.activities.payloads import MAX_LENGTH_MS, PrepareActivity, StartActivity
from reachy_mind.fleet.activities.timeline import lay_out
from reachy_mind.fleet.control import activities, audit, emergencies
from reachy_mind.fleet.control.activities import ActivityConflict
from reachy_mind.fleet.control.plane import ControlPlane
from reachy_mind.fleet.control.store.store import Row, Sql
from reachy_mind.fleet.protocol.frame import now_ms
from reachy_mind.storage.database import DatabaseError

LOOK_INTERVAL_S: Final = 0.2
IDLE_INTERVAL_S: Final = 1.0
"""While no activity is open; the first look at a new one may take so long."""
GAP_MS: Final = 400
"""Between parts that have no time of their own."""
END_GRACE_MS: Final = 10_000
"""After its end an activity waits so long for devices to say that they have finished."""
JUST_LEFT_MS: Final = 60_000
"""A device in an emergency falls silent by itself, first of all: it counts although it has left."""
LONGEST_PAUSE_MS: Final = 4 * 3600 * 1000
WHO: Final = "control plane"

_log = log.get(__name__)


@dataclass
class ActivityAdvance:
    """What one look at the activities changed."""

    wake: list[str] = field(default_factory=list)
    """Devices with new commands."""
    changed: set[tuple[str, str]] = field(default_factory=set)
    """Tenants and activities."""


@dataclass(frozen=True)
class OpenActivities:
    """Those of all tenants that have not ended. `due`: those where something is to be done."""

    count: int
    due: tuple[str, ...]


def look(sql: Sql, now: int) -> OpenActivities:
    """Only reads: while an activity simply goes on nothing is written."""
    rows = sql.rows("SELECT * FROM activity WHERE state <> 'ended' ORDER BY id")
    return OpenActivities(len(rows), tuple(row["id"] for row in rows if _is_due(sql, row, now)))


def _is_due(sql: Sql, row: Row, now: int) -> bool:
    if row["state"] == "preparing" or _pressed(sql, row):
        return True
    if row["state"] == "paused":
        return bool(now > row["at"] + LONGEST_PAUSE_MS)
    counted = sql.rows("SELECT state, count(*) AS n FROM activity_device WHERE activity = ? GROUP BY state", row["id"])
    states = {each["state"] for each in counted}
    begins = row["state"] == "ready" and now >= row["at"]
    return bool(begins or "ready" in states or "playing" not in states or now > _over_at(row) + END_GRACE_MS)


def _over_at(row: Row) -> int:
    return int(row["at"] + row["duration_ms"] - row["position_ms"])


def advance_one(sql: Sql, activity: str, now: int, result: ActivityAdvance) -> ActivityAdvance:
    """Do for an activity what is due at `now`, added to `result`."""
    # Locks the row: an operator's change, or another node that does the same, waits until this is committed.
    for row in sql.rows("UPDATE activity SET state = state WHERE id = ? AND state <> 'ended' RETURNING *", activity):
        before = _fingerprint(sql, row)
        if not _heed_emergencies(sql, row, result):
            match row["state"]:
                case "preparing":
                    _start_if_due(sql, row, now, result)
                case "ready" | "running":
                    _go_on(sql, row, now, result)
                case "paused" if now > row["at"] + LONGEST_PAUSE_MS:
                    result.wake += activities.end_locked(sql, row, "it was paused for too long", by=WHO)
        after = sql.row("SELECT * FROM activity WHERE id = ?", activity)
        assert after is not None, "it was locked"
        if _fingerprint(sql, after) != before:
            result.changed.add((row["tenant"], activity))
    return result


async def advance_forever(plane: ControlPlane) -> None:
    """The task of a node: each open activity in a transaction of its own; then tell the devices and the page."""
    failing: set[str] = set()
    while True:
        before, failing = failing, set()
        try:
            found = await plane.store.read(lambda sql: look(sql, now_ms()))
        except DatabaseError as error:
            found = OpenActivities(0, ())
            failing.add("")
            if "" not in before:
                _log.error("activities can't be read; trying again", reason=error.message)
        for activity in found.due:
            try:
                await advance(plane, activity)
            except Exception as error:  # noqa: BLE001 -- one that can't go on must not stop those of other tenants
                failing.add(activity)
                if activity not in before:
                    _log.error("an activity can't go on; trying again", activity=activity, reason=str(error))
        await asyncio.sleep(LOOK_INTERVAL_S if found.count else IDLE_INTERVAL_S)


async def advance(plane: ControlPlane, activity: str) -> None:
    """One look at an activity."""
    result = await plane.store.write(lambda sql: advance_one(sql, activity, now_ms(), ActivityAdvance()))
    for device in result.wake:
        await plane.hub.wake(device, "command")
    for tenant, changed in result.changed:
        await plane.hub.announce(tenant, "activity", id=changed)


def _start_if_due(sql: Sql, row: Row, now: int, result: ActivityAdvance) -> None:
    members = activities.participants(sql, row["id"])
    parts = PrepareActivity.model_validate_json(row["prepared"]).parts
    for each in members:  # one whose answer does not fit to the parts can't be told when they begin
        if each["state"] == "ready" and len(json.loads(each["part_ms"])) != len(parts):
            activities.set_device(sql, row["id"], each["device"], "failed", "its answer does not fit to the activity")
            each["state"] = "failed"
    ready = [each for each in members if each["state"] == "ready"]
    waited_for = [each for each in members if each["state"] == "preparing" and each["online"]]
    late = now >= row["deadline_at"]
    if not late and waited_for and not (row["quorum"] and len(ready) >= row["quorum"]):
        return
    absent = [each for each in members if each["state"] == "preparing"]
    if not ready:
        if late or not absent:
            failed = "; ".join(f"{each['name']}: {each['reason']}" for each in members if each["state"] == "failed")
            reason = failed or "no device got ready in time"
            result.wake += activities.end_locked(sql, row, reason[:300], by=WHO)
        return
    for each in absent:
        why = "it did not get ready in time" if each["online"] else "it is offline"
        activities.set_device(sql, row["id"], each["device"], "preparing", f"left out at the start: {why}")
    _start(sql, row, ready, now, result)


def _start(sql: Sql, row: Row, ready: list[Row], now: int, result: ActivityAdvance) -> None:
    """Fix the start for all that are ready."""
    parts = PrepareActivity.model_validate_json(row["prepared"]).parts
    durations = [json.loads(each["part_ms"]) for each in ready]
    times = lay_out(parts, durations, GAP_MS)
    duration = max(at + ms for each in durations for at, ms in zip(times, each, strict=True))
    if duration > MAX_LENGTH_MS:
        result.wake += activities.end_locked(sql, row, "it would last longer than four hours", by=WHO)
        return
    trips = activities.LEAD_TRIPS * max(each["rtt_ms"] or 0 for each in ready)
    lead = min(activities.MAX_LEAD_MS, max(activities.LEAD_MS, trips))
    about = {"state": "ready", "at": now + lead, "position_ms": 0, "duration_ms": duration, "lead_ms": lead}
    activities.change(sql, row["id"], times=json.dumps(times), **about)
    row |= about | {"times": json.dumps(times)}
    for each in ready:
        _tell_start(sql, row, each["device"], now, result)
    left_out = len(activities.participants(sql, row["id"])) - len(ready)
    text = f"{row['id']} {row['kind']}, {len(ready)} devices, {left_out} left out"
    audit.append(sql, row["tenant"], WHO, "activity.started", text, address="", outcome="ok")


def _go_on(sql: Sql, row: Row, now: int, result: ActivityAdvance) -> None:
    """Let late ones in; end it when it is over."""
    for each in activities.participants(sql, row["id"], ("ready",)):
        _tell_start(sql, row, each["device"], now, result)
    if row["state"] == "ready" and now >= row["at"]:
        activities.change(sql, row["id"], state="running")
        row |= {"state": "running"}
    open_still = activities.participants(sql, row["id"], ("playing",))
    if not open_still:
        done = activities.participants(sql, row["id"], ("finished",))
        _finish(sql, row, "finished" if done else "all devices have left")
    elif now > _over_at(row) + END_GRACE_MS:
        silent = [each for each in open_still if each["online"]]
        _finish(sql, row, f"finished; {len(silent)} devices did not say so" if silent else "finished")


def _finish(sql: Sql, row: Row, reason: str) -> None:
    activities.change(sql, row["id"], state="ended", reason=reason)
    audit.append(sql, row["tenant"], WHO, "activity.ended", f"{row['id']} {reason}", address="", outcome="ok")


def _tell_start(sql: Sql, row: Row, device: str, now: int, result: ActivityAdvance) -> None:
    payload = StartActivity(
        activity=row["id"], at=row["at"], position_ms=row["position_ms"], times_ms=tuple(json.loads(row["times"]))
    )
    if activities.queue_for(sql, row, device, "activity.start", payload.model_dump(mode="json"), by=WHO):
        activities.set_device(sql, row["id"], device, "playing", "" if now < row["at"] else "joined late")
        result.wake.append(device)


def _heed_emergencies(sql: Sql, row: Row, result: ActivityAdvance) -> bool:
    """What an emergency of a participant does to it. Returns whether it changed."""
    real = _pressed(sql, row)
    if not real:
        return False
    reason = f"emergency at {real[0]['name']}"
    activities.change(sql, row["id"], heeded_at=now_ms() + 1)
    if row["on_emergency"] == "pause":
        if row["state"] not in ("ready", "running"):
            return False
        try:
            result.wake += activities.pause_locked(sql, row, reason, by=WHO)
        except ActivityConflict:
            return False  # it ends just now
    else:
        devices = None if row["group_name"] is not None else _companions(sql, row, [each["device"] for each in real])
        about = {"by": WHO, "say": row["emergency_text"], "silent": [each["device"] for each in real]}
        if devices is None:
            result.wake += activities.end_locked(sql, row, reason, **about)
        else:
            result.wake += activities.leave_locked(sql, row, devices, reason, **about)
    action = "activity.paused" if row["on_emergency"] == "pause" else "activity.ended"
    audit.append(sql, row["tenant"], WHO, action, f"{row['id']} {reason}", address="", outcome="ok")
    return True


def _pressed(sql: Sql, row: Row) -> list[Row]:
    """The emergencies of participants that were not looked at yet; a test is none."""
    if row["on_emergency"] == "ignore":
        return []
    found = sql.rows(
        "SELECT emergency.id, emergency.device, device.name FROM emergency"
        " JOIN activity_device ON activity_device.device = emergency.device AND activity_device.activity = ?"
        " JOIN device ON device.id = emergency.device"
        " WHERE (activity_device.state <> 'left' OR activity_device.changed_at > emergency.last_press_at - ?)"
        " AND emergency.state = 'open' AND emergency.last_press_at >= ?",
        *(row["id"], JUST_LEFT_MS, row["heeded_at"]),
    )
    return [each for each in found if not emergencies.is_test(each["id"])]


def _companions(sql: Sql, row: Row, pressed: list[str]) -> list[str]:
    """Those who take part and share a group with one of these devices, and these."""
    marks = ", ".join("?" * len(pressed))
    found = sql.rows(
        "SELECT DISTINCT activity_device.device FROM activity_device"  # noqa: S608 -- only marks
        " JOIN device_member ON device_member.device = activity_device.device WHERE activity_device.activity = ?"
        f" AND device_member.group_name IN (SELECT group_name FROM device_member WHERE device IN ({marks}))",
        *(row["id"], *pressed),
    )
    return sorted({each["device"] for each in found} | set(pressed))


def _fingerprint(sql: Sql, row: Row) -> tuple[object, ...]:
    """What a page would show differently."""
    about = sql.row("SELECT max(changed_at) AS last FROM activity_device WHERE activity = ?", row["id"])
    return row["state"], row["reason"], row["at"], about["last"] if about is not None else None
