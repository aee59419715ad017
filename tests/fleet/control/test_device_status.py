"""A device as operators see it: online only while its node lives, in sync only when it says so."""

from __future__ import annotations

from typing import Any

from reachy_mind.fleet.control import connections, device_status, downlink, twin_reports, twins
from reachy_mind.fleet.control.devices import Device
from reachy_mind.fleet.control.hub import NODE_TIMEOUT_MS
from reachy_mind.fleet.protocol.frame import now_ms
from reachy_mind.fleet.protocol.handshake import Heartbeat, Reported
from tests.fleet.conftest import ControlNode


async def status(control: ControlNode, *devices: Device) -> list[dict[str, Any]]:
    found = await control.read(lambda sql: device_status.of(sql, devices))
    return [device_status.public(each) for each in found]


async def test_a_new_device_is_offline_and_has_what_it_should_have(control: ControlNode) -> None:
    kitchen, _ = await control.device("kitchen", "all")
    (seen,) = await status(control, kitchen)
    assert (seen["name"], seen["groups"], seen["online"], seen["waiting"]) == ("kitchen", ("all",), False, 0)
    assert seen["twin"]["in_sync"] is True and seen["twin"]["reported_version"] is None
    assert await status(control) == []


async def test_it_is_online_while_its_node_lives(control: ControlNode) -> None:
    kitchen, _ = await control.device("kitchen")
    hall, _ = await control.device("hall")
    await control.connect(kitchen)
    seen = await status(control, hall, kitchen)
    assert [(each["name"], each["online"], each["node"]) for each in seen] == [
        ("hall", False, None),
        ("kitchen", True, "node-1"),
    ]
    dead = now_ms() - NODE_TIMEOUT_MS - 1
    await control.write(lambda sql: sql.run("UPDATE node SET seen_at = ?", dead))
    assert (await status(control, kitchen))[0]["online"] is False
    await control.write(lambda sql: sql.run("DELETE FROM node"))
    assert (await status(control, kitchen))[0]["online"] is False


async def test_a_connection_that_was_closed_or_replaced_is_told_apart(control: ControlNode) -> None:
    kitchen, _ = await control.device("kitchen")
    await control.connect(kitchen)
    await control.connect(kitchen)
    await control.write(lambda sql: connections.close_connection(sql, kitchen.id, 1))
    assert (await status(control, kitchen))[0]["online"] is True, "the newer one is open"
    await control.write(lambda sql: connections.close_connection(sql, kitchen.id, 2))
    assert (await status(control, kitchen))[0]["online"] is False


async def test_what_waits_and_what_it_reports_is_shown(control: ControlNode) -> None:
    kitchen, _ = await control.device("kitchen")
    await control.write(lambda sql: twins.change(sql, kitchen.id, {"volume": 3}, by="anna"))
    for _ in range(2):
        await control.write(lambda sql: downlink.queue(sql, kitchen.id, kitchen.tenant, "speak", {}, by="anna"))
    await control.write(lambda sql: downlink.acknowledge(sql, kitchen.id, 1, 0))
    (seen,) = await status(control, kitchen)
    assert seen["waiting"] == 1 and seen["twin"]["in_sync"] is False
    failed = Reported(version=1, errors={"volume": "no loudspeaker"})
    await control.write(lambda sql: twin_reports.note(sql, kitchen.id, failed))
    (seen,) = await status(control, kitchen)
    assert (seen["twin"]["in_sync"], seen["twin"]["errors"]) == (False, {"volume": "no loudspeaker"})
    await control.write(lambda sql: twin_reports.note(sql, kitchen.id, Reported(version=1, volume=3)))
    assert (await status(control, kitchen))[0]["twin"]["in_sync"] is True


async def test_its_last_heartbeat_stays_when_it_is_gone(control: ControlNode) -> None:
    kitchen, _ = await control.device("kitchen")
    about = Heartbeat(stored=2, temperature_c=51.5, state="idle")
    await control.write(
        lambda sql: sql.run("UPDATE device SET heartbeat = ? WHERE id = ?", about.model_dump_json(), kitchen.id)
    )
    shown = await control.ok("GET", "devices/kitchen")
    assert (shown["online"], shown["heartbeat"]["temperature_c"]) == (False, 51.5)


async def test_a_page_of_many_devices_is_in_their_order(control: ControlNode) -> None:
    made = [(await control.device(f"room {n:03}"))[0] for n in range(120)]
    await control.connect(made[7])
    seen = await status(control, *reversed(made))
    assert [each["name"] for each in seen] == [device.name for device in reversed(made)]
    assert [each["name"] for each in seen if each["online"]] == ["room 007"]
