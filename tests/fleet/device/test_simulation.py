"""Simulated devices against a real hub on loopback: what a test under load says has to be true."""

from __future__ import annotations

from pathlib import Path

from reachy_mind.fleet.control import devices, downlink, twins
from reachy_mind.fleet.control.devices import Device
from reachy_mind.fleet.control.store.sqlite import SqliteStore
from reachy_mind.fleet.control.store.store import Sql
from reachy_mind.fleet.device.hub_address import HubAddress
from reachy_mind.fleet.device.simulated_device import DeviceCredentials
from reachy_mind.fleet.device.simulation import Simulation
from reachy_mind.fleet.protocol.frame import Frame
from reachy_mind.fleet.protocol.limits import ConnectionLimits
from tests.fleet.hub_server import TENANT, HubServer, hub_server
from tests.waiting import until

NUMBER = 20


async def credentials(node: HubServer) -> list[DeviceCredentials]:
    made = [await node.device(f"device-{number}") for number in range(NUMBER)]
    return [DeviceCredentials(device.id, device.name, node.tokens[device.id]) for device in made]


def address(node: HubServer) -> HubAddress:
    return HubAddress(f"http://127.0.0.1:{node.port}")


async def stored(store: SqliteStore) -> list[str]:
    rows = await store.read(lambda sql: sql.rows("SELECT device, seq, type FROM uplink ORDER BY device, seq"))
    return [row["type"] for row in rows]


async def test_they_press_buttons_obey_commands_and_take_on_states(tmp_path: Path) -> None:
    arrived: list[tuple[str, Frame]] = []
    async with SqliteStore(tmp_path / "fleet.db") as store, hub_server(store) as node:
        made = await credentials(node)
        async with Simulation(
            made, [address(node)], connects_per_s=1000, on_command=lambda *each: arrived.append(each)
        ) as simulation:
            await simulation.until_connected(within_s=20)
            simulation.press_buttons(200)
            await until(lambda: simulation.counters.acknowledged >= 50)
            await simulation.stop_pressing()
            target = made[3].id

            def ask(sql: Sql) -> None:
                downlink.queue(sql, target, TENANT, "speak", {"text": "hello"}, by="test")
                twins.change(sql, target, {"volume": 30}, by="test")

            await store.write(ask)
            await node.hub.wake(target, "command")
            await node.hub.wake(target, "twin")
            await until(lambda: arrived)
            assert arrived[0][0] == target and arrived[0][1].p == {"text": "hello"}

            async def reported() -> bool:
                twin = await store.read(lambda sql: twins.get(sql, target))
                return twin.reported is not None and twin.reported.volume == 30

            await until(reported)
            assert await simulation.until_quiet(20)
            types = await stored(store)
            assert types.count("button.pressed") == simulation.counters.accepted - 1
            assert types.count("command.done") == 1


async def test_nothing_is_lost_when_the_server_goes_and_comes_back(tmp_path: Path) -> None:
    async with SqliteStore(tmp_path / "fleet.db") as store:
        async with hub_server(store) as node:
            made, where = await credentials(node), [address(node)]
        async with (
            hub_server(store, node="node-2") as second,
            Simulation(made, [*where, address(second)]) as simulation,
        ):
            await simulation.until_connected(within_s=20)
            assert simulation.connected_to(address(second)) == NUMBER
            simulation.press_buttons(100)
            await second.hub.close_all()
            await until(lambda: simulation.counters.closes[1001] == NUMBER)
            await simulation.until_connected(within_s=20)
            await simulation.stop_pressing()
            assert await simulation.until_quiet(20)
            assert len(await stored(store)) == simulation.counters.accepted > 0


async def test_a_flood_is_held_back_by_the_devices_themselves(tmp_path: Path) -> None:
    """They keep the limits that the hub states, so that none is closed for sending too much."""
    limits = ConnectionLimits(rate_per_s=20, burst=60)
    async with SqliteStore(tmp_path / "fleet.db") as store, hub_server(store, limits=limits) as node:
        made = (await credentials(node))[:1]
        async with Simulation(made, [address(node)]) as simulation:
            await simulation.until_connected(within_s=20)
            device = simulation.devices[0]
            for number in range(100):
                await device.accept("button.pressed", {"press": number})
            assert await simulation.until_quiet(20)
            assert not simulation.counters.closes
            assert len(await stored(store)) == 100


async def test_a_revoked_one_gives_up(tmp_path: Path) -> None:
    async with SqliteStore(tmp_path / "fleet.db") as store, hub_server(store) as node:
        made = await credentials(node)
        async with Simulation(made, [address(node)], connects_per_s=1000) as simulation:
            await simulation.until_connected(within_s=20)
            gone: Device = await store.read(lambda sql: devices.get(sql, TENANT, made[0].id))
            await store.write(lambda sql: devices.revoke(sql, gone))
            await node.hub.wake(gone.id, "revoked")
            await until(lambda: simulation.counters.failures["refused"] == 1)
            assert simulation.connected == NUMBER - 1
