"""The operators' side on a real PostgreSQL, with two nodes on one store."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator

import pytest

from reachy_mind.bench.fleet_servers import PostgresServer
from reachy_mind.fleet.control import (
    activity_advance,
    activity_events,
    audit,
    emergencies,
    enrolment,
    operators,
    tenants,
)
from reachy_mind.fleet.control.enrolment import Enrolled
from reachy_mind.fleet.control.operators import Operator
from reachy_mind.fleet.control.store.postgres import PostgresStore
from reachy_mind.fleet.protocol.frame import new_frame, now_ms
from tests.fleet.conftest import ControlNode, control_node

pytestmark = pytest.mark.process


@pytest.fixture(scope="module")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PostgresServer]:
    with PostgresServer(tmp_path_factory.mktemp("postgres") / "server") as server:
        yield server


@pytest.fixture
async def control(postgres: PostgresServer) -> AsyncIterator[ControlNode]:
    store = PostgresStore(postgres.url)
    async with store:
        await store.write(lambda sql: sql.run("DROP SCHEMA public CASCADE; CREATE SCHEMA public"))
    async with control_node(PostgresStore(postgres.url)) as node:
        yield node


async def test_the_routes_work(control: ControlNode) -> None:
    kitchen, _ = await control.device("kitchen", "all")
    await control.connect(kitchen)
    assert len(await control.ok("POST", "devices/bulk", {"prefix": "d", "count": 700, "group": "all"})) == 700
    assert (await control.ok("GET", "groups"))["items"] == [{"name": "all", "devices": 701}]
    assert (await control.ok("PATCH", "groups/all/twin", {"volume": 4}))["changed"] == 701
    sent = await control.ok("POST", "groups/all/commands", {"type": "restart"})
    assert sent["queued"] == 701
    assert (await control.ok("GET", f"commands/{sent['id']}"))["states"] == {"waiting": 701}
    for problem in ("any", "emergency", "error", "battery", "hot", "behind"):
        await control.ok("GET", f"devices?problem={problem}&search=kit&state=online&persona=-")
    assert (await control.ok("GET", "device-counts"))["devices"] == 701
    page = await control.ok("GET", "devices?limit=500&group=all")
    assert len(page["items"]) == 500 and page["items"][0]["waiting"] == 1
    assert (await control.ok("GET", "devices/kitchen"))["online"] is True
    changed = await control.ok("PATCH", "devices/kitchen", {"name": "cellar", "groups": ["below"]})
    assert changed["groups"] == ["below"]
    for route in ("operators", "tenants", "events", "enrolments", "devices/cellar/commands", "devices/cellar/twin"):
        await control.ok("GET", route)
    await control.ok("DELETE", "devices/cellar")
    assert (await control.ask("GET", "devices/cellar")).status_code == 404
    async with control.client(control.keys["home platform"]) as client:
        assert "reachy_fleet_commands_waiting 701.0" in (await client.get("/metrics")).text
        assert (await client.get("/readyz")).status_code == 200
        login = await client.post("/fleet/v1/login", json={"key": control.keys["home viewer"]})
        assert login.status_code == 200
    async with control.client(Cookie=login.headers["set-cookie"].partition(";")[0]) as browser:
        assert (await browser.get("/fleet/v1/me")).json()["role"] == "viewer"
    assert (await control.ok("GET", "audit/verify"))["whole"] is True
    zero = await control.ask("PATCH", "devices/d-00001", {"name": "a\u0000b"})
    assert zero.status_code == 400


async def test_two_nodes_append_to_one_chain(control: ControlNode, postgres: PostgresServer) -> None:
    ada = Operator("0123456789ab", control.tenants["home"], "ada", "admin")
    async with PostgresStore(postgres.url) as other:
        nodes = (control.plane.store, other)
        work = [
            store.write(lambda sql, n=n: audit.record(sql, ada, "test", str(n), address=""))
            for n in range(100)
            for store in nodes
        ]
        await asyncio.gather(*work)
        found = await other.read(audit.verify)
    assert found.complete and found.seq == 200


async def test_a_code_works_once_on_two_nodes(control: ControlNode, postgres: PostgresServer) -> None:
    by = (await control.read(lambda sql: operators.get(sql, control.tenants["home"], "operator"))).operator
    async with PostgresStore(postgres.url) as other:
        for round_ in range(10):
            name = f"device {round_}"
            _, code = await control.write(lambda sql, name=name: enrolment.create(sql, by, name, ()))
            tries = [
                store.write(lambda sql, n=n, code=code: enrolment.redeem(sql, code, f"198.51.100.{n}", ""))
                for n in range(4)
                for store in (control.plane.store, other)
            ]
            outcomes = await asyncio.gather(*tries)
            assert sum(isinstance(each, Enrolled) for each in outcomes) == 1
            await control.write(lambda sql: sql.run("DELETE FROM enrolment_attempt"))


async def test_two_nodes_that_start_at_the_same_time_make_one_home(postgres: PostgresServer) -> None:
    async with PostgresStore(postgres.url) as one, PostgresStore(postgres.url) as two:
        await one.write(lambda sql: sql.run("DROP SCHEMA public CASCADE; CREATE SCHEMA public"))
        async with PostgresStore(postgres.url):
            homes = await asyncio.gather(*(store.write(tenants.home) for store in (one, two) for _ in range(5)))
    assert len({home.id for home in homes}) == 1


async def test_an_activity_begins_pauses_and_ends(control: ControlNode) -> None:
    kitchen, _ = await control.device("kitchen")
    await control.connect(kitchen)
    beeps = {"kind": "exercise", "devices": ["kitchen"], "content": {"parts": [{"beep": "high"}]}}
    activity = (await control.ok("POST", "activities", beeps))["id"]
    ready = {"activity": activity, "ok": True, "part_ms": [200], "rtt_ms": 3.2}
    await control.write(lambda sql: activity_events.note_event(sql, kitchen.id, "activity.ready", ready))
    due = await control.read(lambda sql: activity_advance.look(sql, now_ms()))
    assert due.due == (activity,)
    await activity_advance.advance(control.plane, activity)
    assert (await control.ok("GET", f"activities/{activity}"))["counts"]["playing"] == 1
    await control.write(lambda sql: sql.run("UPDATE activity SET duration_ms = 60000"))
    assert (await control.ok("POST", f"activities/{activity}/pause"))["state"] == "paused"
    assert (await control.ok("POST", f"activities/{activity}/resume"))["state"] == "running"
    await control.write(
        lambda sql: emergencies.note_event(sql, kitchen.id, kitchen.tenant, new_frame("emergency.pressed"))
    )
    await activity_advance.advance(control.plane, activity)
    assert (await control.ok("GET", f"activities/{activity}"))["reason"] == "emergency at kitchen"
    assert len((await control.ok("GET", "activities"))["items"]) == 1
