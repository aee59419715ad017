"""What devices say of activities, noted in the transaction that stores their events."""

from __future__ import annotations

import json
from typing import Any, Final

from pydantic import ValidationError

from reachy_mind import log
from reachy_mind.fleet.activities.payloads import ActivityEnded, ActivityReady, plain_text
from reachy_mind.fleet.control.store.store import Sql
from reachy_mind.fleet.protocol.frame import now_ms

READY: Final = "activity.ready"
ENDED: Final = "activity.ended"

_log = log.get(__name__)


def note_event(sql: Sql, device: str, type_: str, payload: dict[str, Any]) -> None:
    """Note it. What is not understood, or of an activity that the device has no part in, changes nothing."""
    try:
        if type_ == READY:
            _note_ready(sql, device, ActivityReady.model_validate(payload))
        elif type_ == ENDED:
            _note_ended(sql, device, ActivityEnded.model_validate(payload))
    except ValidationError as error:
        _log.warning("a device says of an activity what can't be understood", device=device, reason=str(error)[:200])


def _note_ready(sql: Sql, device: str, said: ActivityReady) -> None:
    state = "ready" if said.ok else "failed"
    reason = "" if said.ok else plain_text(said.error) or "the device says no reason"
    sql.run(
        "UPDATE activity_device SET state = ?, reason = ?, part_ms = ?, rtt_ms = ?, changed_at = ?"
        " WHERE activity = ? AND device = ? AND state = 'preparing'",
        *(state, reason, json.dumps(said.part_ms), round(said.rtt_ms), now_ms(), said.activity, device),
    )


def _note_ended(sql: Sql, device: str, said: ActivityEnded) -> None:
    """A device that was told to leave, and says so, is left as it is."""
    state = "finished" if said.reason == "finished" else "left"
    about = "" if state == "finished" else plain_text(said.reason)
    reason = "; ".join(filter(None, (about, *(plain_text(each) for each in said.errors))))
    sql.run(
        "UPDATE activity_device SET state = ?, reason = ?, changed_at = ?"
        " WHERE activity = ? AND device = ? AND state IN ('preparing', 'ready', 'playing')",
        *(state, reason[:300], now_ms(), said.activity, device),
    )
