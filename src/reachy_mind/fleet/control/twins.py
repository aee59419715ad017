"""Twins: the state that a device should have, versioned, and the one that it reports."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Final

from reachy_mind.errors import InvalidParameter
from reachy_mind.fleet.control.store.store import Sql
from reachy_mind.fleet.protocol.frame import now_ms
from reachy_mind.fleet.protocol.handshake import MAX_CONFIG_BYTES, Desired, Reported

TRANSITION_MESSAGE: Final = "transition_message"
"""The key of the configuration with what a device says when its personality has changed. It goes with the next one."""
MAX_TRANSITION_CHARS: Final = 500


@dataclass(frozen=True)
class Twin:
    """`reported` is None before the device has connected for the first time."""

    desired: Desired
    reported: Reported | None
    desired_at: int | None = None
    desired_by: str = ""
    reported_at: int | None = None

    @property
    def in_sync(self) -> bool:
        """Whether the device has what it should have. One that nobody asked anything of has."""
        if self.desired.version == 0:
            return True
        return self.reported is not None and self.reported.version >= self.desired.version and not self.reported.errors


def get(sql: Sql, device: str) -> Twin:
    row = sql.row("SELECT * FROM twin WHERE device = ?", device)
    if row is None:
        return Twin(Desired(), None)
    reported = Reported.model_validate_json(row["reported"]) if row["reported"] else None
    desired = Desired.model_validate_json(row["desired"])
    return Twin(desired, reported, row["desired_at"], row["desired_by"], row["reported_at"])


def change(sql: Sql, device: str, changes: dict[str, Any], *, by: str) -> Desired:
    """Ask for another state: `changes` has some of `persona`, `config`, `volume`. Raises InvalidParameter.

    A key of `config` with the value None is removed; the others are kept.
    """
    before = get(sql, device).desired
    content = before.model_dump() | {key: value for key, value in changes.items() if key != "config"}
    if "config" in changes:
        merged = before.config | changes["config"]
        content["config"] = {key: value for key, value in merged.items() if value is not None}
    if len(json.dumps(content["config"])) > MAX_CONFIG_BYTES:
        raise InvalidParameter(f"config is larger than {MAX_CONFIG_BYTES >> 10} KiB", hint="make it shorter")
    try:
        desired = Desired.model_validate(content | {"version": before.version + 1})
    except ValueError as error:
        raise InvalidParameter(f"this can't be the state of a device: {error}") from error
    now, text = now_ms(), desired.model_dump_json()
    sql.run(
        "INSERT INTO twin (device, version, desired, desired_at, desired_by, persona) VALUES (?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (device) DO UPDATE SET version = excluded.version, desired = excluded.desired,"
        " desired_at = excluded.desired_at, desired_by = excluded.desired_by, persona = excluded.persona",
        *(device, desired.version, text, now, by, desired.persona.id if desired.persona is not None else None),
    )
    return desired


def change_persona(
    sql: Sql, device: str, persona: dict[str, Any] | None, *, by: str, transition_message: str | None = None
) -> Desired:
    """Ask for another personality.

    The device says `transition_message` when it has it; "": nothing; None: the greeting of the personality.
    Raises InvalidParameter.
    """
    config = {TRANSITION_MESSAGE: transition_message}
    return change(sql, device, {"persona": persona, "config": config}, by=by)


def keep_ahead(sql: Sql, device: str, version: int) -> None:
    """The device has a state of this version: when this store was set back, its own becomes a newer one."""
    before = get(sql, device).desired
    if 0 < before.version < version:
        desired = before.model_copy(update={"version": version + 1})
        sql.run(
            "UPDATE twin SET version = ?, desired = ? WHERE device = ?",
            *(desired.version, desired.model_dump_json(), device),
        )


def report(sql: Sql, device: str, reported: Reported) -> None:
    """Store what a device says of its state."""
    now, text = now_ms(), reported.model_dump_json()
    sql.run(
        "INSERT INTO twin (device, version, desired, desired_at, desired_by, reported, reported_version, reported_at,"
        " failed) VALUES (?, 0, ?, ?, '', ?, ?, ?, ?)"
        " ON CONFLICT (device) DO UPDATE SET reported = excluded.reported, failed = excluded.failed,"
        " reported_version = excluded.reported_version, reported_at = excluded.reported_at",
        *(device, Desired().model_dump_json(), now, text, reported.version, now, 1 if reported.errors else 0),
    )
