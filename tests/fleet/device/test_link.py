"""A device's link to a real hub over bad networks: what was accepted arrives once and in order, whatever happens."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from reachy_mind.bench.fault_proxy import FaultProxy, Faults
from reachy_mind.bench.fleet_servers import free_port
from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.fleet.control import devices
from reachy_mind.fleet.control.store.sqlite import SqliteStore
from reachy_mind.fleet.device.inbox import Command
from reachy_mind.fleet.device.link import DeviceLink
from reachy_mind.fleet.device.store import DeviceStore
from reachy_mind.fleet.protocol.audio import MICROPHONE, AudioFlags, AudioFrame
from reachy_mind.fleet.protocol.close_codes import CloseCode
from reachy_mind.fleet.protocol.frame import now_ms
from reachy_mind.fleet.protocol.limits import ConnectionLimits
from tests.fleet.device.blocking_proxy import BlockingProxy
from tests.fleet.device.linked_device import identity_of, linked, numbers, order, outcomes, stored
from tests.fleet.hub_server import HubServer, hub_server
from tests.waiting import until


@pytest.fixture
async def node(tmp_path: Path) -> AsyncIterator[HubServer]:
    async with SqliteStore(tmp_path / "fleet.db") as store, hub_server(store) as served:
        yield served


async def press(link: DeviceLink, *numbers_: int) -> None:
    for number in numbers_:
        await link.outbox.accept("button.pressed", {"n": number})


async def delivered(link: DeviceLink) -> None:
    """Until nothing waits on the device."""

    async def all_gone() -> bool:
        return (await link.outbox.totals()).events == 0

    await until(all_gone)


async def test_events_arrive_in_order_and_once_also_those_from_before(node: HubServer, file: Path) -> None:
    kitchen = await node.device()
    async with linked(file, replace(identity_of(node, kitchen), url="http://127.0.0.1:9")) as link:
        await press(link, *range(50))
        await until(lambda: link.counters.attempts > 1)
        assert link.state != "connected" and "can't be reached" in link.reason
    async with linked(file, identity_of(node, kitchen)) as link:
        await press(link, *range(50, 120))
        await delivered(link)
        assert (link.state, link.transport, link.counters.connects) == ("connected", "websocket", 1)
    assert await numbers(node) == list(range(120))


async def test_commands_are_handled_in_order_and_answered(node: HubServer, file: Path) -> None:
    kitchen, spoken = await node.device(), list[str]()

    async def speak(command: Command) -> None:
        spoken.append(command.payload["text"])
        if command.payload["text"] == "broken":
            raise OSError("no loudspeaker")

    late = await order(node, kitchen, "speak", {"text": "late"}, expires_at=now_ms() - 1)
    ids = [await order(node, kitchen, "speak", {"text": text}) for text in ("one", "broken")]
    async with linked(file, identity_of(node, kitchen), handlers={"speak": speak}) as link:
        ids += [await order(node, kitchen, "speak", {"text": "three"}), await order(node, kitchen, "tango", {})]
        wanted = dict(zip(ids, ("done", "failed", "done", "unsupported"), strict=True))

        async def answered() -> bool:
            found = await outcomes(node, kitchen)
            return {each: found[each] for each in ids} == wanted

        await until(answered)
        await delivered(link)
    assert spoken == ["one", "broken", "three"]
    assert (await outcomes(node, kitchen))[late] in (None, "expired")


async def test_a_network_that_cuts_repeats_reorders_and_damages_loses_nothing(node: HubServer, file: Path) -> None:
    kitchen, spoken = await node.device(), list[int]()

    async def speak(command: Command) -> None:
        spoken.append(command.payload["n"])

    async with FaultProxy(node.port, seed=7) as proxy:
        proxy.faults = Faults(repeat=0.1, reorder=0.05, damage=0.03)
        async with linked(file, identity_of(node, kitchen, proxy.port), handlers={"speak": speak}) as link:
            for number in range(60):
                await press(link, number)
                await order(node, kitchen, "speak", {"n": number})
                if number % 20 == 10:
                    await until(lambda: link.state == "connected")  # else there is nothing to cut
                    proxy.cut()
            proxy.faults = Faults()
            await until(lambda: len(spoken) >= 60)
            await delivered(link)
            assert link.counters.connects > 2 and proxy.counts.damaged and proxy.counts.repeated
    assert await numbers(node) == spoken == list(range(60))


async def test_a_device_that_is_refused_stops_and_comes_back_with_a_new_token(node: HubServer, file: Path) -> None:
    kitchen, changes = await node.device(), list[str]()
    async with linked(file, identity_of(node, kitchen), quick=True) as link:
        link._on_change = lambda: changes.append(link.state)
        await press(link, 1)
        await delivered(link)
        await node.hub.store.write(lambda sql: devices.revoke(sql, kitchen))
        await node.hub.wake(kitchen.id, "revoked")
        await until(lambda: link.state == "refused")
        assert "enrol the device again" in link.reason
        await press(link, 2)
        attempts = link.counters.attempts
        link.hurry()
        await until(lambda: link.counters.attempts == attempts + 1 and link.state == "refused")
        again = await node.device("kitchen again")
        link.identity = identity_of(node, again)
        link.hurry()
        await delivered(link)
        assert link.state == "connected" and link.reason == ""
    assert link.counters.closes == {CloseCode.REVOKED: 1}
    assert await numbers(node) == [1, 2]
    assert [event["device"] for event in await stored(node)] == [kitchen.id, again.id]


async def test_a_token_that_is_replaced_while_connected_is_used_next(node: HubServer, file: Path) -> None:
    kitchen = await node.device()
    async with FaultProxy(node.port) as proxy:
        first = identity_of(node, kitchen, proxy.port)
        async with linked(file, first) as link:
            await press(link, 1)
            await delivered(link)
            token = await node.hub.store.write(lambda sql: devices.new_token(sql, kitchen.id))
            link.identity = replace(first, token=token)
            await press(link, 2)
            await delivered(link)
            assert link.counters.connects == 1, "the open connection goes on"
            proxy.cut()
            await until(lambda: link.counters.connects == 2)
            await press(link, 3)
            await delivered(link)
    with pytest.raises(devices.DeviceRefused):
        await node.hub.store.read(lambda sql: devices.authenticate(sql, first.token))
    assert await numbers(node) == [1, 2, 3]


async def test_where_websockets_are_refused_it_goes_by_http_and_returns_to_them(node: HubServer, file: Path) -> None:
    """A firewall's 403 is not the hub's: the device does not give up."""
    kitchen, spoken = await node.device(), list[str]()

    async def speak(command: Command) -> None:
        spoken.append(command.payload["text"])

    async with BlockingProxy(node.port, "upgrade") as proxy:
        identity = identity_of(node, kitchen, proxy.port)
        async with linked(file, identity, handlers={"speak": speak}, http_for_s=1.0) as link:
            await press(link, *range(40))
            await order(node, kitchen, "speak", {"text": "hello"})
            await until(lambda: link.transport == "http")
            await delivered(link)
            await until(lambda: spoken == ["hello"])
            await until(lambda: proxy.upgrades >= 3)
            proxy.blocks = "nothing"
            await until(lambda: link.transport == "websocket")
            await press(link, 40)
            await delivered(link)
    assert await numbers(node) == list(range(41))
    assert link.counters.by_http >= 1


@pytest.mark.parametrize("blocks", ["frames", "reading"])
async def test_an_emergency_in_a_black_hole_goes_by_http_before_all_others_and_once(
    node: HubServer, file: Path, blocks: str
) -> None:
    kitchen = await node.device()
    async with BlockingProxy(node.port) as proxy, linked(file, identity_of(node, kitchen, proxy.port)) as link:
        await press(link, 0)
        await delivered(link)
        proxy.blocks = blocks  # type: ignore[assignment]
        for number in range(1, 41):  # more than a window, and more than any buffer on the way
            await link.outbox.accept("button.pressed", {"n": number, "text": "x" * 60_000})
        await link.accept_emergency("emergency.pressed", {"n": 1})
        await until(lambda: link.transport == "http")
        proxy.blocks = "nothing"
        await delivered(link)
    events = [event["type"] for event in await stored(node)]
    assert events.count("emergency.pressed") == 1
    assert events.index("emergency.pressed") <= 2, "at most one more was on its way already"
    assert await numbers(node) == list(range(41))


async def test_an_emergency_does_not_wait_for_a_websocket_that_does_not_open(node: HubServer, file: Path) -> None:
    kitchen = await node.device()
    async with (
        BlockingProxy(node.port, "frames") as proxy,
        linked(file, identity_of(node, kitchen, proxy.port)) as link,
    ):
        await link.accept_emergency("emergency.pressed", {"n": 1})
        await delivered(link)
        assert link.transport == "http"
    assert await numbers(node, "emergency.pressed") == [1]


async def test_with_a_hub_that_is_away_it_waits_and_hurries_when_asked(node: HubServer, file: Path) -> None:
    kitchen = await node.device()
    async with (
        FaultProxy(free_port()) as proxy,
        linked(file, identity_of(node, kitchen, proxy.port), quick=False) as link,
    ):
        await until(lambda: link.state == "offline" and link.reason)
        await press(link, 1)
        assert link.counters.attempts == 1
        link.hurry()
        await until(lambda: link.counters.attempts == 2 and link.state == "offline")
        proxy.target = node.port
        link.hurry()
        await delivered(link)
        assert link.counters.attempts == 3
    assert await numbers(node) == [1]


async def test_an_emergency_hurries_by_itself(node: HubServer, file: Path) -> None:
    kitchen = await node.device()
    async with (
        FaultProxy(free_port()) as proxy,
        linked(file, identity_of(node, kitchen, proxy.port), quick=False) as link,
    ):
        await until(lambda: link.state == "offline" and link.reason)
        proxy.target = node.port
        await link.accept_emergency("emergency.pressed", {"n": 1})
        await delivered(link)


async def test_a_store_that_was_set_back_begins_a_new_epoch_and_loses_nothing(node: HubServer, file: Path) -> None:
    kitchen = await node.device()
    async with linked(file, identity_of(node, kitchen)) as link:
        await press(link, *range(5))
        await delivered(link)
    shutil.copy(file, file.with_name("older"))
    async with linked(file, identity_of(node, kitchen)) as link:
        await press(link, *range(5, 10))
        await delivered(link)
    shutil.copy(file.with_name("older"), file)
    async with DeviceStore(file) as store:
        before = store.epoch
    async with linked(file, identity_of(node, kitchen)) as link:
        await press(link, 10)
        await delivered(link)
        assert link.counters.new_epochs == 1 and link._parts.store.epoch != before
    assert await numbers(node) == list(range(11))


@pytest.mark.parametrize("more", [3, 5, 8])
async def test_numbers_that_were_given_twice_are_told_apart_by_their_events(
    node: HubServer, file: Path, more: int
) -> None:
    """The older copy gives the numbers that the hub has to other events: fewer, as many and more."""
    kitchen = await node.device()
    async with linked(file, identity_of(node, kitchen)) as link:
        await press(link, *range(5))
        await delivered(link)
    shutil.copy(file, file.with_name("older"))
    async with linked(file, identity_of(node, kitchen)) as link:
        await press(link, *range(5, 10))
        await delivered(link)
    shutil.copy(file.with_name("older"), file)
    async with linked(file, replace(identity_of(node, kitchen), url="http://127.0.0.1:9")) as link:
        await press(link, *range(10, 10 + more))
    async with linked(file, identity_of(node, kitchen)) as link:
        await delivered(link)
        assert link.counters.new_epochs == 1
    assert await numbers(node) == list(range(10 + more))


async def test_two_processes_with_one_identity_lose_nothing_and_give_way_to_each_other(
    node: HubServer, tmp_path: Path
) -> None:
    kitchen = await node.device()
    identity = identity_of(node, kitchen)
    async with (
        linked(tmp_path / "one" / "device.db", identity) as one,
        linked(tmp_path / "two" / "device.db", identity) as two,
    ):
        for number in range(0, 60, 2):
            await press(one, number)
            await press(two, number + 1)
        await asyncio.gather(delivered(one), delivered(two))
        assert CloseCode.SUPERSEDED in one.counters.closes or CloseCode.SUPERSEDED in two.counters.closes
    found = await numbers(node)
    assert sorted(found) == list(range(60))
    for parity in (0, 1):
        assert [number for number in found if number % 2 == parity] == list(range(parity, 60, 2))


async def test_a_hub_that_restarts_is_found_again(tmp_path: Path, file: Path) -> None:
    async with SqliteStore(tmp_path / "fleet.db") as store, FaultProxy(0) as proxy:
        async with hub_server(store) as node:
            kitchen = await node.device()
            proxy.target = node.port
            identity = identity_of(node, kitchen, proxy.port)
            link = await (opened := contextlib.AsyncExitStack()).enter_async_context(linked(file, identity))
            await press(link, 1)
            await delivered(link)
        async with opened:
            await until(lambda: link.state != "connected")
            await press(link, 2)
            async with hub_server(store) as node:
                proxy.target = node.port
                await delivered(link)
                assert await numbers(node) == [1, 2]
    assert CloseCode.ENDING in link.counters.closes


@pytest.mark.parametrize("busy", [True, False])
async def test_sound_that_a_slow_network_does_not_take_is_dropped_at_once(
    tmp_path: Path, file: Path, busy: bool
) -> None:
    """A microphone's loop never waits, and what was dropped is not sent later. `busy`: events wait, too."""
    heard = list[int]()
    limits = ConnectionLimits(rate_per_s=10_000, burst=10_000, audio_bytes_per_s=100 << 20)
    async with contextlib.AsyncExitStack() as stack:
        node = await stack.enter_async_context(
            hub_server(await stack.enter_async_context(SqliteStore(tmp_path / "fleet.db")), limits=limits)
        )
        node.hub.listeners.append(lambda _, frame: heard.append(frame.chunk))
        proxy = await stack.enter_async_context(BlockingProxy(node.port))
        link = await stack.enter_async_context(linked(file, identity_of(node, await node.device(), proxy.port)))
        assert not await link.send_audio(sound(0)), "not connected yet"
        await until(lambda: link.state == "connected")
        assert await link.send_audio(sound(1))
        await until(lambda: heard == [1])
        proxy.blocks = "reading"
        for number in range(40 if busy else 0):
            await link.outbox.accept("button.pressed", {"n": number, "text": "x" * 60_000})
        sent, last = [1], 1
        while last - sent[-1] < 100:  # otherwise it would take what comes for ever
            last += 1
            if await link.send_audio(sound(last)):
                sent.append(last)
        proxy.blocks = "nothing"
        await delivered(link)
        await until(lambda: len(heard) == len(sent))
    assert heard == sent


async def test_sound_is_sent_at_the_hubs_rate_and_the_rest_dropped(tmp_path: Path, file: Path) -> None:
    limits = ConnectionLimits(rate_per_s=1000, burst=1000, audio_bytes_per_s=10_000)
    async with (
        SqliteStore(tmp_path / "fleet.db") as store,
        hub_server(store, limits=limits) as node,
        linked(file, identity_of(node, await node.device())) as link,
    ):
        await until(lambda: link.state == "connected")
        sent = [await link.send_audio(sound(number, 1000)) for number in range(100)]
        assert 9 <= sum(sent) < 50
        await press(link, 1)
        await delivered(link)
        assert link.counters.connects == 1


async def test_leaving_it_ends_its_connection_and_its_tasks(node: HubServer, file: Path) -> None:
    kitchen = await node.device()
    before = asyncio.all_tasks()
    async with linked(file, identity_of(node, kitchen)) as link:
        await until(lambda: link.state == "connected")
    await until(lambda: not node.hub.connected(kitchen.id))
    names = {task.get_name() for task in asyncio.all_tasks() - before}
    assert not any(name.startswith("fleet link") or name == "fleet attempt" for name in names)


async def test_it_can_be_ended_while_it_cannot_connect(node: HubServer, file: Path) -> None:
    kitchen = await node.device()
    async with BlockingProxy(node.port, "frames") as proxy:
        task = asyncio.create_task(_forever(file, node, kitchen, proxy.port))
        await until(lambda: proxy.upgrades)
        await cancel_and_wait(task)
    async with DeviceStore(file):
        pass


async def _forever(file: Path, node: HubServer, device: devices.Device, port: int) -> None:
    async with linked(file, identity_of(node, device, port)):
        await asyncio.Event().wait()


def sound(number: int, size: int = 640) -> AudioFrame:
    return AudioFrame(MICROPHONE, AudioFlags(0), 1, number, 0, bytes(size))


async def test_a_callback_that_breaks_costs_what_it_was_for_and_nothing_else(node: HubServer, file: Path) -> None:
    kitchen = await node.device()

    def break_down() -> dict[str, float]:
        raise OSError("no sensor")

    about = {"vitals": break_down, "on_change": break_down}
    async with linked(file, identity_of(node, kitchen), **about) as link:
        await press(link, *range(5))
        await delivered(link)
        await until(lambda: node.hub.connected(kitchen.id))
        assert link.counters.connects <= 2
    assert await numbers(node) == list(range(5))
