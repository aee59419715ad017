"""The bus of many nodes over a real NATS server, which comes and goes."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from nats.aio.client import Client

from reachy_mind.bench.fleet_servers import NatsServer, free_port
from reachy_mind.errors import ConfigError
from reachy_mind.fleet.control.bus import Wake
from reachy_mind.fleet.control.nats_bus import PREFIX, NatsBus
from reachy_mind.fleet.control.store.sqlite import SqliteStore
from tests.fleet.hub_server import hub_server
from tests.waiting import settled, until

pytestmark = pytest.mark.process


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    with NatsServer(tmp_path_factory.mktemp("nats")) as started:
        yield started


class Heard:
    """What arrives at a bus."""

    def __init__(self, bus: NatsBus, stack: contextlib.ExitStack, subject: str) -> None:
        self.messages: list[dict[str, Any]] = []
        stack.enter_context(bus.subscribe(subject, self.messages.append))

    async def gets(self, sender: NatsBus, subject: str, message: dict[str, Any]) -> None:
        """Send until it arrives: the bus may lose any."""
        before = len(self.messages)

        async def arrived() -> bool:
            await sender.publish(subject, message)
            return message in self.messages[before:]

        await until(arrived)


@pytest.fixture
async def buses(server: NatsServer) -> AsyncIterator[tuple[NatsBus, NatsBus]]:
    async with NatsBus(server.url) as one, NatsBus(f" {server.url} , nats://127.0.0.1:{free_port()}") as two:
        yield one, two


async def test_messages_reach_the_other_node_and_the_own_one_by_their_subject(
    buses: tuple[NatsBus, NatsBus],
) -> None:
    one, two = buses
    assert one.connected and two.connected
    with contextlib.ExitStack() as stack:
        mine, other = Heard(one, stack, "node.one"), Heard(two, stack, "node.two")
        await other.gets(one, "node.two", Wake("d", "fence", 7).as_message())
        await mine.gets(one, "node.one", {"device": "d", "text": "ü"})
        assert all(message["kind"] == "fence" for message in other.messages)


async def test_several_may_listen_to_one_subject_and_stop(buses: tuple[NatsBus, NatsBus]) -> None:
    one, two = buses
    with contextlib.ExitStack() as outer:
        first = Heard(two, outer, "tenant.t")
        with contextlib.ExitStack() as inner:
            second = Heard(two, inner, "tenant.t")
            await first.gets(one, "tenant.t", {"n": 1})
            await until(lambda: second.messages)
        await settled()
        count = len(second.messages)
        await first.gets(one, "tenant.t", {"n": 2})
        assert {"n": 2} not in second.messages[count:]


async def test_what_others_say_on_its_subjects_does_no_harm(server: NatsServer, buses: tuple[NatsBus, NatsBus]) -> None:
    one, two = buses
    stranger = Client()
    await stranger.connect(server.url)
    with contextlib.ExitStack() as stack:
        heard = Heard(two, stack, "node.two")
        await heard.gets(one, "node.two", {"n": 1})
        for content in (b"", b"nonsense", b"\xff", b"[1]", b"7", b"null", b"[" * 100_000):
            await stranger.publish(f"{PREFIX}node.two", content)
        await stranger.flush()
        await heard.gets(one, "node.two", {"n": 2})
        assert all(isinstance(message, dict) for message in heard.messages)
    await stranger.close()


async def test_it_survives_a_server_that_is_killed_and_comes_back(tmp_path: Path) -> None:
    with NatsServer(tmp_path / "nats") as server:
        async with NatsBus(server.url) as one, NatsBus(server.url) as two:
            with contextlib.ExitStack() as stack:
                heard = Heard(two, stack, "node.two")
                await heard.gets(one, "node.two", {"n": 1})
                server.kill()
                await until(lambda: not one.connected and not two.connected)
                await one.publish("node.two", {"n": 2})  # lost, and no error
                await asyncio.to_thread(server.start)
                await heard.gets(one, "node.two", {"n": 3})


async def test_what_is_published_before_and_after_its_time_is_lost_without_an_error(server: NatsServer) -> None:
    bus = NatsBus(server.url)
    await bus.publish("node.one", {"n": 1})
    async with bus:
        pass
    await bus.publish("node.one", {"n": 2})
    assert not bus.connected


@pytest.mark.parametrize(
    "url", ["", ",", "nonsense://", "http://127.0.0.1:4222", "nats://", "nats://127.0.0.1:notaport"]
)
async def test_an_address_that_is_none_is_an_error_with_an_example(url: str) -> None:
    with pytest.raises(ConfigError, match="the bus can't be used") as refused:
        await NatsBus(url, wait_s=1).__aenter__()
    assert "nats://" in refused.value.hint


async def test_a_node_works_without_its_server_and_finds_it_later(tmp_path: Path) -> None:
    """Devices connect, and what the bus would have told is found in the store."""
    server = NatsServer(tmp_path / "nats")
    async with (
        NatsBus(server.url, wait_s=0.1) as bus,
        SqliteStore(tmp_path / "fleet.db") as store,
        hub_server(store, bus=bus) as node,
    ):
        assert not bus.connected
        async with node.client(await node.device()) as client:
            await client.say("button.pressed", seq=1)
            await client.acked(1)
        with contextlib.ExitStack() as stack:
            heard = Heard(bus, stack, "tenant.t")
            with server:
                await heard.gets(bus, "tenant.t", {"n": 1})


async def test_it_ends_while_no_server_answers(tmp_path: Path) -> None:
    before = asyncio.all_tasks()
    async with NatsBus(f"nats://127.0.0.1:{free_port()}", wait_s=0.1) as bus, contextlib.AsyncExitStack() as stack:
        stack.enter_context(bus.subscribe("node.one", lambda _: None))
    await until(lambda: asyncio.all_tasks() <= before)
