"""Erasing a device: what it sent and was sent, its emergencies, sounds and state. Only its id stays."""

from __future__ import annotations

from typing import Final

from reachy_mind.errors import InvalidParameter
from reachy_mind.fleet.control import devices
from reachy_mind.fleet.control.devices import Device
from reachy_mind.fleet.control.store.store import Sql

_OF_DEVICE: Final = (
    *("uplink", "uplink_high", "downlink", "downlink_high", "twin", "emergency", "emergency_persona"),
    *("device_member", "device_token", "rollout_device", "activity_device"),
)
"""Tables whose rows of a device are removed."""


def erase(sql: Sql, device: Device) -> None:
    """Revoke it, if it is not, and remove what it left.

    Raises InvalidParameter while one of its emergencies is open.
    """
    if sql.row("SELECT id FROM emergency WHERE device = ? AND state = 'open' LIMIT 1", device.id):
        raise InvalidParameter("an emergency of this device is open", hint="acknowledge it first")
    if device.revoked_at is None:
        devices.revoke(sql, device)
    sql.run(
        "DELETE FROM emergency_notice WHERE emergency IN (SELECT id FROM emergency WHERE device = ?)",
        device.id,
    )
    for table in _OF_DEVICE:
        sql.run(f"DELETE FROM {table} WHERE device = ?", device.id)  # noqa: S608 -- fixed names
    sql.run("DELETE FROM audio_clip WHERE made_by = ?", device.id)
    sql.run("DELETE FROM persona_policy WHERE tenant = ? AND kind = 'device' AND name = ?", device.tenant, device.id)
    # Fenced: what still arrives on its connection is not stored any more.
    sql.run("UPDATE connection SET generation = generation + 1 WHERE device = ?", device.id)
    sql.run(
        "UPDATE device SET name = ?, agent = '', caps = '[]', boot = NULL, heartbeat = NULL, state = '', trouble = '',"
        " error = '', error_at = NULL WHERE id = ?",
        *(f"erased {device.id}", device.id),
    )
