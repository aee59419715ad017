"""`Denials`: requests that were refused, in the audit and the log; so few a minute that a flood can't fill the disk."""

from __future__ import annotations

from typing import Final

from reachy_mind import log
from reachy_mind.access.rate_limits import RateLimit, RateLimits
from reachy_mind.errors import MindError
from reachy_mind.fleet.control import audit
from reachy_mind.fleet.control.audit import AuditActor
from reachy_mind.fleet.control.store.store import FleetStore
from reachy_mind.storage.database import DatabaseError

ADDRESS_PER_S, ADDRESS_BURST = 0.02, 10.0
TOTAL_PER_S, TOTAL_BURST = 0.1, 100.0
UNKNOWN: Final = "unknown"

_log = log.get(__name__)


class Denials:
    """One for each node."""

    def __init__(self, store: FleetStore) -> None:
        self._store = store
        self._addresses = RateLimits(ADDRESS_PER_S, ADDRESS_BURST)
        self._total = RateLimit(TOTAL_PER_S, TOTAL_BURST)
        self._unrecorded = 0
        self.count = 0

    async def note(
        self, actor: AuditActor | None, action: str, object_: str, error: MindError, *, address: str
    ) -> None:
        """Record that `actor`, None for an unknown caller, was refused `action`."""
        self.count += 1
        if not (self._addresses.of(address).allows() and self._total.allows()):
            self._unrecorded += 1
            return
        outcome = f"denied: {error.code}" + (f" (and {self._unrecorded} not recorded)" if self._unrecorded else "")
        name = actor.name if actor is not None else UNKNOWN
        _log.warning("a request was refused", action=action, by=name, reason=error.message, address=address)
        tenant, who = (actor.tenant, f"{actor.name} ({actor.id})") if actor is not None else ("", UNKNOWN)
        try:
            await self._store.write(
                lambda sql: audit.append(sql, tenant, who, action, object_, address=address, outcome=outcome)
            )
        except DatabaseError as failure:
            _log.error("a refusal can't be recorded", reason=failure.message)
            return
        self._unrecorded = 0
