"""Escalation: tells people of open emergencies, again and again until somebody acknowledges.

Every node looks for what is due. It claims an emergency by a compare-and-set, so that one node tells at a time; when
that node dies, the claim runs out and another one goes on. What was told, and with what outcome, is stored.

Clocks jump and differ between nodes, so a time in the store is not the only thing that counts: an emergency that stands
unchanged for longer than its policy allows, by this node's monotonic clock, is due as well.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Self

from reachy_mind import log
from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.fleet.control import addresses, emergencies, escalation_policy, webhooks
from reachy_mind.fleet.control.escalation_policy import EscalationStep, PageChannel, WebhookChannel
from reachy_mind.fleet.control.plane import ControlPlane
from reachy_mind.fleet.control.store.store import Row, Sql
from reachy_mind.fleet.control.webhooks import DeliveryOutcome
from reachy_mind.fleet.protocol.frame import now_ms
from reachy_mind.storage.database import DatabaseError

LOOK_INTERVAL_S: Final = 0.5
STUCK_INTERVAL_S: Final = 5.0
"""How often it is checked that no emergency waits by a wrong clock."""
SLACK_S: Final = 5.0
CLAIM_S: Final = 30
"""How long one node may take; more than the attempts of a webhook do together."""
MAX_OF_TENANT: Final = 8
"""Emergencies of one tenant that are told at the same time: others' don't wait behind them."""

_log = log.get(__name__)


@dataclass(frozen=True)
class DueEmergency:
    """An open emergency whose next notice is due, as it was read."""

    id: str
    tenant: str
    level: int
    next_at: int
    claimed_until: int

    @property
    def version(self) -> tuple[int, int, int]:
        return self.level, self.next_at, self.claimed_until


@dataclass(frozen=True)
class ClaimedEmergency:
    """An emergency that this node tells now, and how."""

    row: Row
    device_name: str
    step: EscalationStep
    claimed_until: int

    @property
    def id(self) -> str:
        return str(self.row["id"])


@dataclass(frozen=True)
class ToldChannel:
    """What became of telling one channel."""

    channel: str
    target: str
    outcome: DeliveryOutcome


def due(sql: Sql, now: int) -> list[DueEmergency]:
    """What is due, at most some of each tenant."""
    rows = sql.rows(
        "SELECT id, tenant, level, next_at, claimed_until FROM (SELECT id, tenant, level, next_at, claimed_until,"
        " row_number() OVER (PARTITION BY tenant ORDER BY next_at, id) AS place FROM emergency"
        " WHERE state = 'open' AND next_at <= ? AND claimed_until <= ?) AS waiting WHERE place <= ? ORDER BY next_at",
        *(now, now, MAX_OF_TENANT),
    )
    return [DueEmergency(**row) for row in rows]


def all_open(sql: Sql) -> list[tuple[DueEmergency, int]]:
    """Every open emergency, and how long its policy lets it wait, in seconds."""
    rows = sql.rows(
        "SELECT id, tenant, level, next_at, claimed_until FROM emergency WHERE state = 'open' AND next_at IS NOT NULL"
    )
    policies = {tenant: escalation_policy.of_tenant(sql, tenant) for tenant in {row["tenant"] for row in rows}}
    found = [DueEmergency(**row) for row in rows]
    return [(each, max(policies[each.tenant].longest_wait_s(each.level), CLAIM_S)) for each in found]


def claim(sql: Sql, wanted: DueEmergency, now: int) -> ClaimedEmergency | None:
    """Take it for this node, unless it has changed since it was read: another node was faster, or somebody answered."""
    until = now + CLAIM_S * 1000
    changed = sql.run(
        "UPDATE emergency SET claimed_until = ? WHERE id = ? AND state = 'open'"
        " AND level = ? AND next_at = ? AND claimed_until = ?",
        *(until, wanted.id, *wanted.version),
    )
    if not changed:
        return None
    row = sql.row("SELECT * FROM emergency WHERE id = ?", wanted.id)
    device = sql.row("SELECT name FROM device WHERE id = (SELECT device FROM emergency WHERE id = ?)", wanted.id)
    assert row is not None and device is not None, "it was changed just now"
    step = escalation_policy.of_tenant(sql, wanted.tenant).step(wanted.level)
    return ClaimedEmergency(row, device["name"], step, until)


def note_told(sql: Sql, claimed: ClaimedEmergency, told: list[ToldChannel], now: int) -> None:
    """Store whom it was told, and when it is told the next time."""
    row, level = claimed.row, claimed.row["level"] + 1
    for each in told:
        emergencies.add_notice(sql, claimed.id, level, each.channel, each.target, each.outcome.said, at=now)
    next_at = escalation_policy.of_tenant(sql, row["tenant"]).next_at(row["received_at"], level, now)
    sql.run(
        "UPDATE emergency SET level = ?, next_at = ?, claimed_until = 0"
        " WHERE id = ? AND state = 'open' AND claimed_until = ?",
        *(level, next_at, claimed.id, claimed.claimed_until),
    )


class Escalation:
    """Use as an async context manager while the node serves. `clock`: ms since 1970; `monotonic`: seconds."""

    def __init__(
        self,
        plane: ControlPlane,
        *,
        using: addresses.Lookup = addresses.lookup,
        clock: Callable[[], int] = now_ms,
        monotonic: Callable[[], float] = time.monotonic,
        pause_s: float = webhooks.PAUSE_S,
    ) -> None:
        self._plane, self._using, self._clock, self._monotonic = plane, using, clock, monotonic
        self._pause_s = pause_s
        self._telling: dict[str, asyncio.Task[None]] = {}
        self._of_tenant: Counter[str] = Counter()
        self._unchanged: dict[str, tuple[tuple[int, int, int], float]] = {}
        self._looking: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._looking = asyncio.create_task(self._look_forever(), name="fleet escalation")
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._looking is not None, "it was entered"
        for task in (self._looking, *self._telling.values()):
            await cancel_and_wait(task)

    async def look(self) -> None:
        """Begin to tell what is due. Raises DatabaseError."""
        now = self._clock()
        self._begin(await self._plane.store.read(lambda sql: due(sql, now)))

    async def look_for_stuck(self) -> None:
        """Begin to tell what has not changed for too long, whatever its times say. Raises DatabaseError."""
        now, found = self._monotonic(), await self._plane.store.read(all_open)
        before, self._unchanged = self._unchanged, {}
        stuck = []
        for each, longest_s in found:
            version, since = before.get(each.id, (each.version, now))
            self._unchanged[each.id] = (each.version, since if version == each.version else now)
            if version == each.version and now - since > longest_s + SLACK_S:
                stuck.append(each)
        if stuck:
            _log.warning("emergencies have waited too long by a clock that is wrong", count=len(stuck))
        self._begin(stuck)

    async def settle(self) -> None:
        """Wait until everything that was begun is told."""
        while self._telling:
            await asyncio.wait(list(self._telling.values()))

    def _begin(self, wanted: list[DueEmergency]) -> None:
        for each in wanted:
            if each.id in self._telling or self._of_tenant[each.tenant] >= MAX_OF_TENANT:
                continue
            self._of_tenant[each.tenant] += 1
            task = asyncio.create_task(self._tell(each), name="fleet emergency")
            self._telling[each.id] = task
            task.add_done_callback(lambda _, each=each: self._end(each))  # type: ignore[misc]

    def _end(self, told: DueEmergency) -> None:
        del self._telling[told.id]
        self._of_tenant[told.tenant] -= 1
        if not self._of_tenant[told.tenant]:
            del self._of_tenant[told.tenant]

    async def _tell(self, wanted: DueEmergency) -> None:
        try:
            now = self._clock()
            claimed = await self._plane.store.write(lambda sql: claim(sql, wanted, now))
            if claimed is None:
                return
            told = [await self._tell_page(claimed, each) for each in claimed.step.channels if each.kind == "page"]
            hooks = [each for each in claimed.step.channels if isinstance(each, WebhookChannel)]
            told += await asyncio.gather(*(self._tell_webhook(claimed, each) for each in hooks))
            now = self._clock()
            await self._plane.store.write(lambda sql: note_told(sql, claimed, told, now))
        except DatabaseError as error:  # the claim runs out, and it is told again
            _log.error("an emergency can't be noted as told", emergency=wanted.id, reason=error.message)
        except Exception:  # noqa: BLE001 -- it is told again when the claim has run out, and the others are told anyway
            _log.exception("telling an emergency failed", emergency=wanted.id)

    async def _tell_page(self, claimed: ClaimedEmergency, channel: PageChannel) -> ToldChannel:
        row = claimed.row
        await self._plane.hub.announce(
            row["tenant"], "emergency", id=claimed.id, device=row["device"], type="alarm", level=row["level"] + 1
        )
        return ToldChannel(channel.kind, "every open page", DeliveryOutcome(delivered=True, said="announced"))

    async def _tell_webhook(self, claimed: ClaimedEmergency, channel: WebhookChannel) -> ToldChannel:
        outcome = await webhooks.post(
            channel.url,
            self._payload(claimed),
            secret=channel.secret,
            delivery=f"{claimed.id}.{claimed.row['level'] + 1}",
            allowed=self._plane.webhook_hosts,
            using=self._using,
            pause_s=self._pause_s,
        )
        target = webhooks.shown(channel.url)
        if not outcome.delivered:
            _log.warning("a webhook was not told of an emergency", to=target, emergency=claimed.id, reason=outcome.said)
        return ToldChannel(channel.kind, target, outcome)

    def _payload(self, claimed: ClaimedEmergency) -> dict[str, Any]:
        row, test = claimed.row, emergencies.is_test(claimed.id)
        text = f"{claimed.device_name}: somebody has pressed for help"
        text += f" ({row['presses']} times)" if row["presses"] > 1 else ""
        text += f": {row['message']}" if row["message"] else ""
        text += f" [{row['note']}]" if row["note"] else ""
        return {
            "kind": "emergency",
            "text": f"TEST, no emergency. {text}" if test else f"EMERGENCY. {text}",
            "test": test,
            "id": claimed.id,
            "tenant": row["tenant"],
            "device": {"id": row["device"], "name": claimed.device_name},
            "message": row["message"],
            "note": row["note"],
            "presses": row["presses"],
            "pressed_at": row["pressed_at"],
            "received_at": row["received_at"],
            "level": row["level"] + 1,
            "page": f"{self._plane.public_url}/#/emergencies" if self._plane.public_url else "",
        }

    async def _look_forever(self) -> None:
        """Nothing ends this but the end of the node."""
        stuck_at, failing = self._monotonic(), False
        while True:
            try:
                await self.look()
                if self._monotonic() - stuck_at >= STUCK_INTERVAL_S:
                    stuck_at = self._monotonic()
                    await self.look_for_stuck()
                failing = False
            except DatabaseError as error:
                if not failing:
                    _log.error("emergencies can't be read; trying again", reason=error.message)
                failing = True
            except Exception:  # noqa: BLE001 -- a mistake in one look must not silence all emergencies to come
                _log.exception("looking for emergencies failed; trying again")
            await asyncio.sleep(LOOK_INTERVAL_S)
