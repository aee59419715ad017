"""How far a rollout is: what its devices report, and the counts of it.

The states of a device in a rollout: `waiting` for its wave; `sent`: it should have the personality, and gets it when it
connects; `applied` and `failed` by its own report; `replaced`: somebody asked for another personality since;
`rolled_back`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from reachy_mind.fleet.control import twins
from reachy_mind.fleet.control.store.store import Row, Sql, plain_text
from reachy_mind.fleet.protocol.frame import now_ms
from reachy_mind.fleet.protocol.handshake import Persona, Reported

STATES: Final = ("waiting", "sent", "applied", "failed", "replaced", "rolled_back")
OFFLINE: Final = "the device is offline"
"""The note of a device that was sent while it was offline; a wave does not wait for it."""


def note_reported(sql: Sql, device: str, reported: Reported) -> set[str]:
    """What the report of a device says of its rollouts, in the transaction that stores it: those that changed."""
    rows = sql.rows(
        "SELECT rollout_device.rollout, rollout_device.version, rollout.persona, rollout.etag FROM rollout_device"
        " JOIN rollout ON rollout.id = rollout_device.rollout"
        " WHERE rollout_device.device = ? AND rollout_device.state IN ('sent', 'failed')"
        " AND rollout_device.version <= ? AND rollout.state <> 'rolled_back'",
        *(device, reported.version),
    )
    changed = set()
    for row in rows:
        state, error = _judge(sql, device, Persona(id=row["persona"], etag=row["etag"]), reported)
        moved = sql.run(
            "UPDATE rollout_device SET state = ?, error = ?, changed_at = ? WHERE rollout = ? AND device = ?"
            " AND state IN ('sent', 'failed') AND (state <> ? OR error <> ?)",
            *(state, error, now_ms(), row["rollout"], device, state, error),
        )
        if moved:
            changed.add(str(row["rollout"]))
    return changed


def counts(sql: Sql, rollouts: Sequence[str]) -> dict[str, dict[str, int]]:
    """How many devices of each rollout are in each state; `offline` are those of `sent` that nobody waits for."""
    found = {rollout: dict.fromkeys((*STATES, "offline"), 0) for rollout in rollouts}
    if not rollouts:
        return found
    marks = ", ".join("?" * len(rollouts))
    rows = sql.rows(
        "SELECT rollout, state, CASE WHEN state = 'sent' AND error = ? THEN 1 ELSE 0 END AS offline, count(*) AS n"  # noqa: S608 -- only marks
        f" FROM rollout_device WHERE rollout IN ({marks}) GROUP BY 1, 2, 3",
        *(OFFLINE, *rollouts),
    )
    for row in rows:
        of = found[row["rollout"]]
        of[row["state"]] += row["n"]
        of["offline"] += row["n"] if row["offline"] else 0
    return found


def devices_of(
    sql: Sql, tenant: str, rollout: str, *, state: str | None = None, after: str = "", limit: int = 100
) -> list[Row]:
    """A page of a rollout's devices by name, those after the name `after`."""
    condition, parameters = ("", []) if state is None else (" AND rollout_device.state = ?", [state])
    return sql.rows(
        "SELECT rollout_device.device, device.name, rollout_device.wave, rollout_device.state, rollout_device.error,"  # noqa: S608 -- fixed texts
        " rollout_device.changed_at FROM rollout_device JOIN device ON device.id = rollout_device.device"
        " JOIN rollout ON rollout.id = rollout_device.rollout"
        f" WHERE rollout.tenant = ? AND rollout.id = ? AND device.name > ?{condition} ORDER BY device.name LIMIT ?",
        *(tenant, rollout, after, *parameters, limit),
    )


def desired_persona(sql: Sql, device: str) -> Persona | None:
    return twins.get(sql, device).desired.persona


def stored(persona: Persona | None) -> str | None:
    """As it is kept to go back to."""
    return json.dumps(persona.model_dump(), sort_keys=True) if persona is not None else None


def _judge(sql: Sql, device: str, wanted: Persona, reported: Reported) -> tuple[str, str]:
    """The state that a report means, and the error."""
    if desired_persona(sql, device) != wanted:
        return "replaced", ""
    if "persona" in reported.errors:
        return "failed", plain_text(reported.errors["persona"]) or "the device says no reason"
    if reported.persona == wanted:
        return "applied", ""
    has: Any = reported.persona.id if reported.persona else "none"
    return "failed", f"the device reports another personality: {has}"
