"""The audit: what operators and devices did, append-only. Each row has a hash of itself and of the row before it.

`audit_head` has the end of the chain. An append changes it first: in PostgreSQL that row is then locked until the
commit, so that two nodes take turns and the chain can't fork.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from reachy_mind.fleet.control.store.store import Row, Sql
from reachy_mind.fleet.protocol.frame import now_ms

VERIFY_ROWS: Final = 2000
"""In one read."""
_HASHED = ("seq", "tenant", "at", "actor", "action", "object", "outcome", "address")
_LONGEST: Final = 300


class AuditActor(Protocol):
    """Who did it: an `Operator` or a `Device`."""

    @property
    def id(self) -> str: ...

    @property
    def tenant(self) -> str: ...

    @property
    def name(self) -> str: ...


@dataclass(frozen=True)
class FleetAuditVerification:
    """How far the chain was read. `broken` is the number of the first row that is not what was written."""

    seq: int = 0
    hash: str = ""
    broken: int | None = None
    complete: bool = False


def record(sql: Sql, operator: AuditActor, action: str, object: str, *, address: str, outcome: str = "ok") -> None:  # noqa: A002 -- the column's name
    """Append what somebody did, in the transaction that does it."""
    append(sql, operator.tenant, f"{operator.name} ({operator.id})", action, object, address=address, outcome=outcome)


def append(sql: Sql, tenant: str, actor: str, action: str, object: str, *, address: str, outcome: str) -> None:  # noqa: A002 -- as above
    """`record` for an actor who is not known to the store."""
    head = sql.row("UPDATE audit_head SET seq = seq + 1 RETURNING seq, hash")
    assert head is not None, "the migration made it"
    row: Row = {"seq": head["seq"], "tenant": tenant, "at": now_ms(), "actor": actor, "action": action}
    row |= {"object": object, "outcome": outcome, "address": address}
    row = {key: value[:_LONGEST] if isinstance(value, str) else value for key, value in row.items()}
    hashed = _hash(row, head["hash"])
    sql.run(
        "INSERT INTO audit (seq, tenant, at, actor, action, object, outcome, address, hash)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        *(row[key] for key in _HASHED),
        hashed,
    )
    sql.run("UPDATE audit_head SET hash = ?", hashed)


def listed(sql: Sql, tenants: Sequence[str], *, before: int | None = None, limit: int = 100) -> list[dict[str, Any]]:
    """A page of these tenants' rows, the latest first, those before the number `before`. "" has unknown callers."""
    marks = ", ".join("?" * len(tenants))
    return sql.rows(
        "SELECT seq, at, actor, action, object, outcome, address FROM audit"  # noqa: S608 -- only marks
        f" WHERE tenant IN ({marks}) AND seq < ? ORDER BY seq DESC LIMIT ?",
        *(*tenants, before if before is not None else 1 << 62, limit),
    )


def verify(
    sql: Sql,
    so_far: FleetAuditVerification = FleetAuditVerification(),  # noqa: B008 -- frozen
    rows: int = VERIFY_ROWS,
) -> FleetAuditVerification:
    """Check the next rows of the chain, of all tenants. Call it again until it is `complete` or `broken`."""
    # The end first: rows that are appended after this line are not missing.
    head = sql.row("SELECT seq, hash FROM audit_head")
    assert head is not None, "the migration made it"
    seq, previous = so_far.seq, so_far.hash
    found = sql.rows("SELECT * FROM audit WHERE seq > ? ORDER BY seq LIMIT ?", seq, rows)
    for row in found:
        is_head = row["seq"] == head["seq"]
        if row["seq"] != seq + 1 or row["hash"] != _hash(row, previous) or (is_head and row["hash"] != head["hash"]):
            return FleetAuditVerification(seq, previous, broken=seq + 1)
        seq, previous = row["seq"], row["hash"]
    if len(found) == rows:
        return FleetAuditVerification(seq, previous)
    if seq < head["seq"]:
        return FleetAuditVerification(seq, previous, broken=seq + 1)
    return FleetAuditVerification(seq, previous, complete=True)


def _hash(row: Row, previous: str) -> str:
    content = [*(row[key] for key in _HASHED), previous]
    return hashlib.sha256(json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()).hexdigest()
