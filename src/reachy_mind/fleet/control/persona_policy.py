"""`PersonaPolicy`: which personalities the buttons of devices may ask for: of a tenant, a group, a device.

The most exact one counts: that of the device, else what all of its groups that have one allow, else that of the tenant,
else the three that come with the program.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from reachy_mind.errors import InvalidParameter
from reachy_mind.fleet.control import built_in_personas, devices, groups
from reachy_mind.fleet.control.store.store import Sql
from reachy_mind.fleet.protocol.frame import now_ms
from reachy_mind.fleet.protocol.handshake import PERSONA_ID

MAX_PERSONAS: Final = 64
MAX_LISTED: Final = 500
"""Groups and devices with a policy of their own that are listed."""
PolicyKind = Literal["tenant", "group", "device"]


@dataclass(frozen=True)
class PersonaPolicy:
    """What is allowed. `groups` and `devices` (by id): those that have a policy of their own."""

    personas: tuple[str, ...]
    groups: dict[str, tuple[str, ...]]
    devices: dict[str, tuple[str, ...]]


def of_tenant(sql: Sql, tenant: str) -> PersonaPolicy:
    found: dict[PolicyKind, dict[str, tuple[str, ...]]] = {"tenant": {}, "group": {}, "device": {}}
    for row in sql.rows(
        "SELECT kind, name, personas FROM persona_policy WHERE tenant = ? ORDER BY kind DESC, name LIMIT ?",
        *(tenant, MAX_LISTED + 1),
    ):
        found[row["kind"]][row["name"]] = tuple(json.loads(row["personas"]))
    return PersonaPolicy(found["tenant"].get("", built_in_personas.NAMES), found["group"], found["device"])


def allows(sql: Sql, tenant: str, device: str, persona: str) -> bool:
    """Whether a button of this device may ask for a personality."""
    rows = sql.rows(
        "SELECT kind, personas FROM persona_policy WHERE tenant = ? AND (kind = 'tenant' OR (kind = 'device' AND name"
        " = ?) OR (kind = 'group' AND name IN (SELECT group_name FROM device_member WHERE device = ?)))",
        *(tenant, device, device),
    )
    for kind in ("device", "group", "tenant"):
        of_kind = [json.loads(row["personas"]) for row in rows if row["kind"] == kind]
        if of_kind:
            return all(persona in each for each in of_kind)
    return persona in built_in_personas.NAMES


def set_policy(sql: Sql, tenant: str, kind: PolicyKind, name: str, personas: Sequence[str] | None, *, by: str) -> str:
    """Allow these, or none; None: what counts without a policy. Returns for whom, in words.

    Raises NotFound, InvalidParameter.
    """
    if personas is not None:
        wrong = next((each for each in personas if not PERSONA_ID.fullmatch(each)), None)
        if wrong is not None or len(personas) > MAX_PERSONAS:
            raise InvalidParameter(
                f"{wrong[:80]!r} can't be the name of a personality" if wrong is not None else "too many personalities",
                hint=f"at most {MAX_PERSONAS} names of personalities",
            )
    target, words = "", "all devices"
    if kind == "device":
        device = devices.get(sql, tenant, name)
        target, words = device.id, f"{device.name} ({device.id})"
    elif kind == "group":
        groups.require(sql, tenant, name)
        target, words = name, f"the group {name}"
    sql.run("DELETE FROM persona_policy WHERE tenant = ? AND kind = ? AND name = ?", tenant, kind, target)
    if personas is not None:
        sql.run(
            "INSERT INTO persona_policy (tenant, kind, name, personas, changed_at, changed_by)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            *(tenant, kind, target, json.dumps(list(dict.fromkeys(personas))), now_ms(), by),
        )
    return words
