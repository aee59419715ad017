"""Which devices an operator looks for: by name, group, state, personality and problem; a page of them, or how many.

A page walks the index on tenant and name and looks up the rest by primary keys, so it costs as much as the devices
that it passes. Counting passes all devices of a tenant.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal

from reachy_mind.fleet.control import devices
from reachy_mind.fleet.control.devices import Device
from reachy_mind.fleet.control.hub import NODE_TIMEOUT_MS
from reachy_mind.fleet.control.store.store import Row, Sql
from reachy_mind.fleet.protocol.frame import now_ms

SeenState = Literal["online", "offline", "idle", "listening", "processing", "responding", "muted", "error", "emergency"]
ONLINE: Final = "connection.closed_at IS NULL AND node.id IS NOT NULL"
BEHIND: Final = (
    "twin.version > 0 AND (twin.reported_version IS NULL OR twin.reported_version < twin.version OR twin.failed = 1)"
)
IN_EMERGENCY: Final = (
    "EXISTS (SELECT 1 FROM emergency WHERE emergency.device = device.id AND emergency.state = 'open'"
    " AND emergency.id NOT LIKE 'test-%')"
)
PROBLEMS: Final = {
    "emergency": IN_EMERGENCY,
    "error": "(device.trouble LIKE '%error%' OR twin.failed = 1)",
    "battery": "device.trouble LIKE '%battery%'",
    "hot": "device.trouble LIKE '%hot%'",
    "behind": f"({BEHIND})",
    "any": f"(device.trouble <> '' OR ({BEHIND}) OR {IN_EMERGENCY})",
}
Problem = Literal["any", "emergency", "error", "battery", "hot", "behind"]
USUAL: Final = "-"
"""As a personality: none was asked for."""
MAX_GROUPED: Final = 20


@dataclass(frozen=True)
class DeviceSearch:
    """What is None or empty does not restrict. `text`: part of a name, or the beginning of an id."""

    text: str = ""
    group: str | None = None
    state: SeenState | None = None
    persona: str | None = None
    problem: Problem | None = None
    revoked: bool = False


@dataclass(frozen=True)
class DeviceCounts:
    """Of the devices that fit. `states` are of those online, `personas` those that they should have."""

    devices: int
    online: int
    problems: int
    emergencies: int
    states: dict[str, int]
    personas: dict[str, int]


def page(sql: Sql, tenant: str, wanted: DeviceSearch, *, after: str = "", limit: int = 100) -> list[Device]:
    """Some of the devices that fit, by name, those after the name `after`."""
    conditions, parameters = _conditions(tenant, wanted)
    rows = sql.rows(
        f"SELECT device.* FROM device {_JOINS} WHERE {conditions} AND device.name > ? ORDER BY device.name LIMIT ?",  # noqa: S608 -- fixed texts
        *(*parameters, after, limit),
    )
    return devices.with_groups(sql, rows)


def counts(sql: Sql, tenant: str, wanted: DeviceSearch) -> DeviceCounts:
    conditions, parameters = _conditions(tenant, wanted)
    rows = sql.rows(
        "SELECT state, persona, online, count(*) AS n, sum(problem) AS problems, sum(emergency) AS emergencies FROM ("  # noqa: S608 -- fixed texts
        f"SELECT device.state, twin.persona, CASE WHEN {ONLINE} THEN 1 ELSE 0 END AS online,"
        f" CASE WHEN {PROBLEMS['any']} THEN 1 ELSE 0 END AS problem,"
        f" CASE WHEN {IN_EMERGENCY} THEN 1 ELSE 0 END AS emergency"
        f" FROM device {_JOINS} WHERE {conditions}) AS found GROUP BY state, persona, online",
        *parameters,
    )
    online = [row for row in rows if row["online"]]
    return DeviceCounts(
        _sum(rows, "n"),
        _sum(online, "n"),
        _sum(rows, "problems"),
        _sum(rows, "emergencies"),
        _grouped(online, "state", ""),
        _grouped(rows, "persona", USUAL),
    )


def _conditions(tenant: str, wanted: DeviceSearch) -> tuple[str, list[Any]]:
    found, parameters = ["device.tenant = ?"], [now_ms() - NODE_TIMEOUT_MS, tenant]
    if not wanted.revoked:
        found.append("device.revoked_at IS NULL")
    if wanted.text:
        part = wanted.text.lower().replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
        found.append("(lower(device.name) LIKE ? ESCAPE '\\' OR device.id LIKE ? ESCAPE '\\')")
        parameters += [f"%{part}%", f"{part}%"]
    if wanted.group is not None:
        found.append(
            "EXISTS (SELECT 1 FROM device_member WHERE device_member.device = device.id"
            " AND device_member.group_name = ?)"
        )
        parameters.append(wanted.group)
    if wanted.persona == USUAL:
        found.append("twin.persona IS NULL")
    elif wanted.persona is not None:
        found.append("twin.persona = ?")
        parameters.append(wanted.persona)
    if wanted.state == "offline":
        found.append(f"NOT ({ONLINE})")
    elif wanted.state is not None:
        found.append(ONLINE)
        if wanted.state != "online":
            found.append("device.state = ?")
            parameters.append(wanted.state)
    if wanted.problem is not None:
        found.append(PROBLEMS[wanted.problem])
    return " AND ".join(found), parameters


def _sum(rows: list[Row], column: str) -> int:
    return int(sum(row[column] or 0 for row in rows))


def _grouped(rows: list[Row], column: str, empty: str) -> dict[str, int]:
    """The most frequent values, with how many devices have each."""
    found: dict[str, int] = {}
    for row in rows:
        value = row[column] or empty
        found[value] = found.get(value, 0) + int(row["n"])
    return dict(sorted(found.items(), key=lambda item: -item[1])[:MAX_GROUPED])


_JOINS: Final = (
    "LEFT JOIN connection ON connection.device = device.id"
    " LEFT JOIN node ON node.id = connection.node AND node.seen_at > ?"
    " LEFT JOIN twin ON twin.device = device.id"
)
