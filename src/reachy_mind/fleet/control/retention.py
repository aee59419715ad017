"""What the control plane forgets after a while."""

from __future__ import annotations

from typing import Final

from reachy_mind.fleet.control.store.store import Sql
from reachy_mind.fleet.protocol.frame import now_ms

DAY_MS: Final = 24 * 3600 * 1000
KEEP_MS: Final = 30 * DAY_MS
"""Events, finished commands and ended activities. The numbers of events are kept, so that none is ever stored again."""
KEEP_EPOCH_MS: Final = 400 * DAY_MS
"""The numbers of a store that has sent nothing for so long. A device that was off for a year still catches up."""


def remove_old(sql: Sql) -> None:
    now = now_ms()
    sql.run("DELETE FROM uplink WHERE received_at < ?", now - KEEP_MS)
    sql.run("DELETE FROM downlink WHERE acked_at IS NOT NULL AND ts < ?", now - KEEP_MS)
    sql.run(
        "DELETE FROM activity_device WHERE activity IN"
        " (SELECT id FROM activity WHERE state = 'ended' AND changed_at < ?)",
        now - KEEP_MS,
    )
    sql.run("DELETE FROM activity WHERE state = 'ended' AND changed_at < ?", now - KEEP_MS)
    sql.run("DELETE FROM audio_clip WHERE expires_at <= ?", now)
    sql.run("DELETE FROM enrolment WHERE expires_at < ?", now - DAY_MS)
    sql.run("DELETE FROM uplink_high WHERE changed_at < ?", now - KEEP_EPOCH_MS)
