"""Fencing: only the newest connection of a device may store its events."""

from __future__ import annotations

from reachy_mind.fleet.control.store.store import Sql


def is_current(sql: Sql, device: str, generation: int) -> bool:
    """Whether no newer connection of the device was opened, here or on another node."""
    row = sql.row("SELECT generation FROM connection WHERE device = ?", device)
    return row is not None and row["generation"] == generation
