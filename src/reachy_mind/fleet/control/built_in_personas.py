"""The personalities that the buttons of a device ask for: every tenant has them without a person who stores them."""

from __future__ import annotations

from functools import cache
from typing import Final

from reachy_mind.fleet.control import personas
from reachy_mind.fleet.control.personas import PersonaBundle
from reachy_mind.fleet.control.store.store import Sql

NAMES: Final = ("emergency", "companion", "entertainer")
"""What the red, the green and the blue button ask for."""
AUTHOR: Final = "reachy-mind"
"""Who stored them, in the lists of versions."""


@cache
def bundles() -> tuple[PersonaBundle, ...]:
    """Their texts, read once."""
    return tuple(personas.from_shipped(name) for name in NAMES)


def ensure(sql: Sql, tenant: str) -> None:
    """Store those that a tenant does not have, and newer texts of ours. A person's own version stays the latest."""
    for bundle in bundles():
        latest = sql.row(
            "SELECT etag, created_by FROM persona WHERE tenant = ? AND id = ? ORDER BY created_at DESC, etag LIMIT 1",
            *(tenant, bundle.id),
        )
        if latest is None or (latest["created_by"] == AUTHOR and latest["etag"] != bundle.etag):
            personas.put(sql, tenant, bundle, by=AUTHOR)
