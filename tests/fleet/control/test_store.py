"""The store: the same transactions on SQLite and on a real PostgreSQL."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from reachy_mind.bench.fleet_servers import PostgresServer
from reachy_mind.errors import InvalidParameter
from reachy_mind.fleet.control import connections, device_search, devices, downlink, uplink
from reachy_mind.fleet.control.device_search import DeviceSearch
from reachy_mind.fleet.control.store.postgres import PostgresStore
from reachy_mind.fleet.control.store.sqlite import SqliteStore
from reachy_mind.fleet.control.store.store import FleetStore, Sql, StoreUnavailable
from reachy_mind.fleet.protocol.frame import MAX_NUMBER, Frame, decode, encode, new_frame
from reachy_mind.fleet.protocol.handshake import Hello, Reported
from reachy_mind.storage.database import DatabaseError
from tests.waiting import until

pytestmark = pytest.mark.process


@pytest.fixture(scope="module")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PostgresServer]:
    with PostgresServer(tmp_path_factory.mktemp("postgres") / "server") as server:
        yield server


@pytest.fixture(params=["sqlite", "postgres"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[FleetStore]:
    opened: FleetStore
    if request.param == "sqlite":
        opened = SqliteStore(tmp_path / "fleet.db")
    else:
        opened = PostgresStore(request.getfixturevalue("postgres").url)
    async with opened:
        await opened.write(_empty)
        yield opened


def _empty(sql: Sql) -> None:
    for statement in (
        "DELETE FROM device_member",
        "DELETE FROM device",
        "DELETE FROM device_group",
        "DELETE FROM tenant",
    ):
        sql.run(statement)
    sql.run("INSERT INTO tenant (id, name, created_at) VALUES ('t', 'home', 0)")


async def test_writes_at_the_same_time_are_all_kept(store: FleetStore) -> None:
    await asyncio.gather(*(store.write(lambda sql, n=n: devices.add(sql, "t", f"d{n:03}")) for n in range(150)))
    assert len(await store.read(lambda sql: device_search.page(sql, "t", DeviceSearch(), limit=1000))) == 150


async def test_one_that_fails_fails_alone(store: FleetStore) -> None:
    def add(name: str) -> asyncio.Future[devices.Device]:
        return asyncio.ensure_future(store.write(lambda sql: devices.add(sql, "t", name)))

    def half(sql: Sql) -> None:
        devices.add(sql, "t", "half")
        sql.run("INSERT INTO no_such_table VALUES (1)")

    broken = asyncio.ensure_future(store.write(half))
    outcomes = await asyncio.gather(add("a"), add("a"), broken, add("b"), return_exceptions=True)
    assert [type(each) for each in outcomes].count(devices.Device) == 2
    assert {type(each) for each in outcomes} >= {InvalidParameter, DatabaseError}
    assert [each.name for each in await store.read(lambda sql: device_search.page(sql, "t", DeviceSearch()))] == [
        "a",
        "b",
    ]


async def test_the_same_row_changed_by_many_at_once(store: FleetStore) -> None:
    """A counter, as the numbers of commands are made."""

    def count(sql: Sql) -> int:
        row = sql.row("UPDATE tenant SET created_at = created_at + 1 WHERE id = 't' RETURNING created_at")
        assert row is not None
        return int(row["created_at"])

    numbers = await asyncio.gather(*(store.write(count) for _ in range(100)))
    assert sorted(numbers) == list(range(1, 101))


async def test_it_says_whether_it_can_be_written(store: FleetStore) -> None:
    await store.check_writable()


async def test_a_postgres_that_was_killed_is_used_again(postgres: PostgresServer) -> None:
    async with PostgresStore(postgres.url) as store:
        await store.write(lambda sql: sql.run("INSERT INTO tenant (id, name, created_at) VALUES ('k', 'kept', 0)"))
        postgres.kill()
        with pytest.raises(StoreUnavailable):
            await store.check_writable()
        postgres.start()

        async def is_back() -> bool:
            try:
                await store.check_writable()
            except StoreUnavailable:
                return False
            return True

        await until(is_back)
        assert await store.read(lambda sql: sql.row("SELECT name FROM tenant WHERE id = 'k'")) == {"name": "kept"}


async def test_two_nodes_begin_at_the_same_time(postgres: PostgresServer) -> None:
    stores = [PostgresStore(postgres.url) for _ in range(3)]
    await asyncio.gather(*(store.__aenter__() for store in stores))
    await asyncio.gather(*(store.__aexit__() for store in stores))


async def test_a_postgres_that_is_not_there_is_named() -> None:
    with pytest.raises(StoreUnavailable, match="can't be reached"):
        async with PostgresStore("postgresql://nobody@127.0.0.1:1/none"):
            pass


async def test_a_newer_file_is_refused(tmp_path: Path) -> None:
    async with SqliteStore(tmp_path / "fleet.db"):
        pass
    with sqlite3.connect(tmp_path / "fleet.db") as database:
        database.execute("PRAGMA user_version = 999")
    with pytest.raises(DatabaseError, match="newer version"):
        async with SqliteStore(tmp_path / "fleet.db"):
            pass


STRANGE = "zero \x00, smile \U0001f600, \u2028, \ufffe"


async def test_whatever_a_device_may_say_can_be_stored(store: FleetStore) -> None:
    """Otherwise it would say it again for ever, and nothing after it."""
    errors = {"persona": "smile \U0001f600"}
    hello = Hello(device="kitchen", boot="b", epoch="e", twin=MAX_NUMBER, reported=Reported(errors=errors))

    def connect(sql: Sql) -> tuple[uplink.Source, Frame]:
        kitchen = devices.add(sql, "t", "kitchen")
        opened = connections.open_connection(sql, kitchen.id, hello, node="node-1", transport="test")
        command = downlink.queue(sql, kitchen.id, "t", "speak", {"text": STRANGE}, by="anna")
        return uplink.Source(kitchen.id, "t", "e", opened.generation, "node-1"), command

    source, command = await store.write(connect)
    said = (
        new_frame("command.done", {"status": STRANGE, "error": STRANGE}, seq=1, re=command.id),
        new_frame("emergency.pressed", {"button": STRANGE, "message": STRANGE}, seq=1, prio=0),
        new_frame("emergency.cancelled", {"reason": STRANGE}, seq=2, prio=0),
        new_frame("error.reported", {STRANGE: [1 << 60, 10**300, 1e300]}, seq=2),
        Frame(id="z" * 64, type="utterance.recorded", ts=MAX_NUMBER, seq=MAX_NUMBER, skip=MAX_NUMBER, p={"a": STRANGE}),
    )
    for frame in said:
        assert await store.write(lambda sql, frame=frame: uplink.accept(sql, source, decode(encode(frame)))) == "new"
    found = await store.read(lambda sql: uplink.listed(sql, "t"))
    assert {event["id"]: event["payload"] for event in found} == {frame.id: frame.p for frame in said}
    (row,) = await store.read(lambda sql: downlink.listed(sql, "t", source.device))
    assert (row["status"], row["error"]) == ("done", STRANGE.replace("\x00", ""))
