"""What the control plane forgets, and what it must not."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from reachy_mind.fleet.control import connections, devices, downlink, retention, uplink
from reachy_mind.fleet.control.devices import Device
from reachy_mind.fleet.control.store.sqlite import SqliteStore
from reachy_mind.fleet.control.store.store import Sql
from reachy_mind.fleet.control.uplink import Source
from reachy_mind.fleet.protocol.frame import Frame, new_frame, now_ms
from reachy_mind.fleet.protocol.handshake import Hello

DAY_MS = retention.DAY_MS


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    async with SqliteStore(tmp_path / "fleet.db") as opened:
        yield opened


def connect(sql: Sql) -> tuple[Device, Source]:
    sql.run("INSERT INTO tenant (id, name, created_at) VALUES ('t', 't', 0) ON CONFLICT DO NOTHING")
    device = devices.add(sql, "t", "kitchen")
    hello = Hello(device=device.id, boot="b", epoch="e")
    opened = connections.open_connection(sql, device.id, hello, node="node-1", transport="test")
    return device, Source(device.id, "t", "e", opened.generation, "node-1")


async def test_events_and_finished_commands_go_after_a_month_and_their_numbers_stay(store: SqliteStore) -> None:
    device, source = await store.write(connect)
    events = [new_frame("button.pressed", {"n": n}, seq=n) for n in (1, 2)]
    old_command = await store.write(lambda sql: downlink.queue(sql, device.id, "t", "speak", {}, by="anna"))

    def a_month_ago(sql: Sql) -> None:
        uplink.accept(sql, source, events[0])
        downlink.acknowledge(sql, device.id, 1, 0)
        sql.run("UPDATE uplink SET received_at = ?", now_ms() - 31 * DAY_MS)
        sql.run("UPDATE downlink SET ts = ?", now_ms() - 31 * DAY_MS)

    await store.write(a_month_ago)
    new_command = await store.write(lambda sql: downlink.queue(sql, device.id, "t", "speak", {}, by="anna"))
    await store.write(lambda sql: uplink.accept(sql, source, events[1]))
    await store.write(retention.remove_old)
    assert [row["id"] for row in await store.read(lambda sql: uplink.listed(sql, "t"))] == [events[1].id]
    left = [row["id"] for row in await store.read(lambda sql: downlink.listed(sql, "t", device.id))]
    assert left == [new_command.id] and old_command.id not in left
    assert await store.write(lambda sql: uplink.accept(sql, source, events[0])) == "repetition"
    assert new_command.seq == 2


async def test_a_command_that_waits_is_kept_however_old_it_is(store: SqliteStore) -> None:
    device, _ = await store.write(connect)
    waiting = await store.write(lambda sql: downlink.queue(sql, device.id, "t", "speak", {}, by="anna"))
    await store.write(lambda sql: sql.run("UPDATE downlink SET ts = 1"))
    await store.write(retention.remove_old)
    assert [each.id for each in await store.read(lambda sql: downlink.waiting(sql, device.id, 1, 0, 9))] == [waiting.id]


async def test_a_device_that_was_off_for_a_year_goes_on_where_it_stopped(store: SqliteStore) -> None:
    _, source = await store.write(connect)
    event = new_frame("button.pressed", seq=1)

    def long_ago(sql: Sql, days: int) -> None:
        sql.run("UPDATE uplink_high SET changed_at = ?", now_ms() - days * DAY_MS)

    async def accept(frame: Frame) -> str:
        return await store.write(lambda sql: uplink.accept(sql, source, frame))

    await accept(event)
    await store.write(lambda sql: long_ago(sql, 365))
    await store.write(retention.remove_old)
    assert await accept(event) == "repetition"
    assert await accept(new_frame("button.pressed", seq=2)) == "new"
    await store.write(lambda sql: long_ago(sql, 401))
    await store.write(retention.remove_old)
    assert await store.read(lambda sql: uplink.highs(sql, source.device, "e")) == {}
