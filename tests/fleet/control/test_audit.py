"""The audit: who did what; a row that is changed, removed or put in between is noticed."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from reachy_mind.fleet.control import audit, denials
from reachy_mind.fleet.control.audit import FleetAuditVerification
from reachy_mind.fleet.control.operators import Operator
from reachy_mind.fleet.control.store.sqlite import SqliteStore
from reachy_mind.fleet.control.store.store import Sql
from tests.fleet.conftest import ControlNode

ADA = Operator("0123456789ab", "t", "ada", "admin")


async def test_what_was_done_is_recorded_with_who_and_where_from(control: ControlNode) -> None:
    async with control.client(control.keys["home admin"], address="192.0.2.99") as client:
        await client.post("/fleet/v1/enrolments", json={"name": "kitchen"})
        await client.post("/fleet/v1/operators", json={"name": "bob", "role": "viewer"})
    found = (await control.ok("GET", "audit", who="home admin"))["items"]
    assert [each["action"] for each in found] == ["operator.added", "enrolment.created"]
    assert found[1]["actor"].startswith("admin (") and found[1]["object"] == "kitchen"
    assert found[1]["address"] == "192.0.2.99" and found[1]["outcome"] == "ok"
    assert (await control.ok("GET", "audit", who="other admin"))["items"] == []
    assert (await control.ask("GET", "audit", who="home operator")).status_code == 403


async def test_what_failed_leaves_no_trace_of_having_been_done(control: ControlNode) -> None:
    await control.device("kitchen")
    await control.device("hall")
    assert (await control.ask("PATCH", "devices/kitchen", {"name": "hall", "groups": ["x"]})).status_code == 422
    assert (await control.ok("GET", "audit"))["items"] == []


@pytest.mark.parametrize(
    ("damage", "broken"),
    [
        ("UPDATE audit SET actor = 'nobody' WHERE seq = 40", 40),
        ("DELETE FROM audit WHERE seq = 40", 40),
        ("DELETE FROM audit WHERE seq > 97", 98),
        ("UPDATE audit SET hash = (SELECT hash FROM audit WHERE seq = 39) WHERE seq = 40", 40),
        ("UPDATE audit SET seq = 1000 WHERE seq = 100", 100),
        ("UPDATE audit_head SET hash = ''", 100),
    ],
)
async def test_damage_is_noticed(control: ControlNode, damage: str, broken: int) -> None:
    def fill(sql: Sql) -> None:
        for n in range(100):
            audit.record(sql, ADA, "test", str(n), address="")

    await control.write(fill)
    assert await control.ok("GET", "audit/verify") == {"whole": True, "first_broken": None}
    await control.write(lambda sql: sql.run(damage))
    assert await control.ok("GET", "audit/verify") == {"whole": False, "first_broken": broken}
    position = FleetAuditVerification()
    while not position.complete and position.broken is None:
        position = await control.read(lambda sql, at=position: audit.verify(sql, at, rows=7))
    assert position.broken == broken, "the size of the parts does not matter"


async def test_two_nodes_append_to_one_chain(tmp_path: Path) -> None:
    async with SqliteStore(tmp_path / "fleet.db") as one, SqliteStore(tmp_path / "fleet.db") as two:
        work = [
            store.write(lambda sql, n=n: audit.record(sql, ADA, "test", str(n), address=""))
            for n in range(60)
            for store in (one, two)
        ]
        await asyncio.gather(*work)
        found = await one.read(audit.verify)
        assert found.complete and found.seq == 120


async def test_refusals_are_recorded_but_a_flood_of_them_is_not(control: ControlNode) -> None:
    await control.ask("POST", "tenants", {"name": "x"}, who="home viewer")
    async with control.client("op_000000000000_" + "A" * 43, address="203.0.113.9") as stranger:
        answers = [await stranger.get("/fleet/v1/devices") for _ in range(300)]
    assert {each.status_code for each in answers} == {401}
    rows = await control.read(lambda sql: sql.rows("SELECT * FROM audit ORDER BY seq"))
    assert rows[0]["outcome"] == "denied: PERMISSION_DENIED" and rows[0]["action"] == "POST /fleet/v1/tenants"
    assert rows[0]["tenant"] == control.tenants["home"] and rows[0]["actor"].startswith("viewer (")
    assert rows[1]["outcome"] == "denied: UNAUTHORIZED" and rows[1]["address"] == "203.0.113.9"
    assert rows[1]["object"] == "/fleet/v1/devices"
    assert denials.ADDRESS_BURST <= len(rows) - 1 <= denials.ADDRESS_BURST + 5
    await control.ask("GET", "audit", who="home viewer")
    last = (await control.ok("GET", "audit", who="home admin"))["items"]
    assert len(last) == 2 and "not recorded" in last[0]["outcome"], "how many are missing is said, later"
    seen = [each["outcome"] for each in (await control.ok("GET", "audit", who="home platform"))["items"]]
    assert "denied: UNAUTHORIZED" in seen, "unknown callers are shown to the role platform"
    assert (await control.ok("GET", "audit/verify"))["whole"] is True
