"""Two nodes on one PostgreSQL at the same time: each emergency is told once, each device is sent once."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator

import psycopg
import pytest

from reachy_mind.bench.fleet_servers import PostgresServer
from reachy_mind.errors import InvalidParameter
from reachy_mind.fleet.control import emergencies, escalation_policy, personas, rollout_waves, rollouts, twins
from reachy_mind.fleet.control.escalation import Escalation
from reachy_mind.fleet.control.personas import PersonaBundle
from reachy_mind.fleet.control.store.postgres import PostgresStore
from reachy_mind.fleet.protocol.frame import now_ms
from reachy_mind.fleet.protocol.message_ids import uuid7
from tests.fleet.control.fleet_node import OTHER, TENANT, FleetNode, fleet_node, texts

pytestmark = pytest.mark.process

Nodes = tuple[FleetNode, FleetNode]


@pytest.fixture(scope="module")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PostgresServer]:
    with PostgresServer(tmp_path_factory.mktemp("postgres") / "server") as server:
        yield server


@pytest.fixture
async def nodes(postgres: PostgresServer) -> AsyncIterator[Nodes]:
    """On a database of their own."""
    name = f"of_{uuid7().replace('-', '')}"
    with psycopg.connect(postgres.url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    url = postgres.url.rsplit("/", 1)[0] + f"/{name}"
    async with contextlib.AsyncExitStack() as stack:
        first = await stack.enter_async_context(fleet_node(PostgresStore(url)))
        yield first, await stack.enter_async_context(fleet_node(PostgresStore(url), "node-2"))


async def test_two_nodes_that_look_at_once_tell_once(nodes: Nodes) -> None:
    for number in range(30):
        await nodes[0].press(await nodes[0].device(f"room {number}"))
    soon = now_ms() + 1000
    both = [Escalation(node.plane, clock=lambda: soon) for node in nodes]
    for _ in range(8):
        await asyncio.gather(*(one.look() for one in both))
        await asyncio.gather(*(one.settle() for one in both))
    told = [message["id"] for node in nodes for _, message in node.announced if message.get("type") == "alarm"]
    assert len(told) == len(set(told)) == 30


async def test_two_nodes_that_advance_at_once_send_each_device_once(nodes: Nodes) -> None:
    bundle = PersonaBundle("captain", texts())
    await nodes[0].write(lambda sql: personas.put(sql, TENANT, bundle, by="anna"))
    made = [await nodes[0].device(f"room {number}") for number in range(30)]
    chosen = [device.id for device in made]
    how = {"persona": "captain", "wave_size": 30, "max_failures": 0, "by": "anna"}
    await nodes[0].write(lambda sql: rollouts.create(sql, TENANT, chosen, **how))  # type: ignore[arg-type]
    sent = await asyncio.gather(
        *(node.write(lambda sql: rollout_waves.advance(sql, now_ms())) for node in (*nodes, *nodes, *nodes))
    )
    assert sorted(device for each in sent for device in each.wake) == sorted(chosen)
    for device in chosen:
        assert (await nodes[1].read(lambda sql, d=device: twins.get(sql, d))).desired.version == 1  # type: ignore[misc]


async def test_two_people_who_answer_at_once_are_one_and_one_too_late(nodes: Nodes) -> None:
    pressed = await nodes[0].press(await nodes[0].device("kitchen"))
    answers = await asyncio.gather(
        *(
            node.write(lambda sql, by=by: emergencies.acknowledge(sql, TENANT, pressed.id, by=by))  # type: ignore[misc]
            for node, by in zip(nodes, ("anna", "ben"), strict=True)
        ),
        return_exceptions=True,
    )
    assert sum(isinstance(answer, emergencies.AnsweredAlready) for answer in answers) == 1


async def test_two_rollouts_for_the_same_devices_at_once_are_one(nodes: Nodes) -> None:
    await nodes[0].write(lambda sql: personas.put(sql, TENANT, PersonaBundle("captain", texts()), by="anna"))
    kitchen = await nodes[0].device("kitchen")
    how = {"persona": "captain", "wave_size": 1, "max_failures": 0, "by": "anna"}
    made = await asyncio.gather(
        *(node.write(lambda sql: rollouts.create(sql, TENANT, [kitchen.id], **how)) for node in nodes),  # type: ignore[arg-type]
        return_exceptions=True,
    )
    assert sum(isinstance(each, rollouts.RolloutConflict) for each in made) == 1


async def test_all_of_it_in_the_sql_of_postgres(nodes: Nodes) -> None:
    node, _ = nodes
    bundle = PersonaBundle("captain", texts())
    await node.write(lambda sql: personas.put(sql, TENANT, bundle, by="anna"))
    kitchen = await node.device("kitchen", "downstairs")
    await node.connect(kitchen)
    chosen = await node.read(lambda sql: rollouts.all_devices(sql, TENANT, "downstairs"))
    how = {"persona": "captain", "wave_size": 1, "max_failures": 0, "by": "anna"}
    rollout = await node.write(lambda sql: rollouts.create(sql, TENANT, chosen, **how))  # type: ignore[arg-type]
    await node.write(lambda sql: rollout_waves.advance(sql, now_ms()))
    with pytest.raises(InvalidParameter, match="in use"):
        await node.write(lambda sql: personas.remove(sql, TENANT, "captain", bundle.etag))
    assert await node.report(kitchen) == {rollout}
    await node.write(lambda sql: rollout_waves.advance(sql, now_ms()))
    ((one),) = await node.read(lambda sql: rollouts.listed(sql, TENANT))
    assert (one["state"], one["counts"]["applied"]) == ("done", 1)
    assert await node.write(lambda sql: rollouts.roll_back(sql, TENANT, rollout, by="anna")) == [kitchen.id]
    await node.write(lambda sql: personas.remove(sql, TENANT, "captain", bundle.etag))
    assert await node.read(lambda sql: personas.listed(sql, TENANT)) == []
    pressed = await node.press(kitchen, "I fell")
    policy = escalation_policy.DEFAULT
    await node.write(lambda sql: escalation_policy.set_policy(sql, TENANT, policy, by="anna"))
    escalating = Escalation(node.plane, clock=lambda: now_ms() + 1000)
    await escalating.look()
    await escalating.settle()
    await escalating.look_for_stuck()
    assert [each["id"] for each in await node.read(lambda sql: emergencies.listed(sql, TENANT, state="open"))]
    assert await node.read(lambda sql: emergencies.listed(sql, OTHER, before="5:x")) == []
    await node.write(lambda sql: emergencies.acknowledge(sql, TENANT, pressed.id, by="anna", note="on my way"))
    await node.write(lambda sql: emergencies.close(sql, TENANT, pressed.id, by="anna"))
    closed = await node.one(pressed.id)
    assert (closed["state"], len(closed["notices"])) == ("closed", 1)
