"""What a device says of its state: stored, and counted for the rollout that asked for it."""

from __future__ import annotations

from reachy_mind.fleet.control import rollout_progress, twins
from reachy_mind.fleet.control.store.store import Sql
from reachy_mind.fleet.protocol.handshake import Reported


def note(sql: Sql, device: str, reported: Reported) -> set[str]:
    """The rollouts whose progress this changes."""
    twins.report(sql, device, reported)
    return rollout_progress.note_reported(sql, device, reported)
