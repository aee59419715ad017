"""Emergencies: no press is lost, none is closed by anything but a person, and the device learns who answered."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from reachy_mind.fleet.control import downlink, emergencies
from reachy_mind.fleet.control.devices import NotInTenant
from reachy_mind.fleet.control.emergencies import AnsweredAlready
from reachy_mind.fleet.protocol.frame import EMERGENCY, Frame, decode, encode, new_frame
from tests.fleet.control.fleet_node import OTHER, TENANT, FleetNode, fleet_node


@pytest.fixture
async def node(tmp_path: Path) -> AsyncIterator[FleetNode]:
    async with fleet_node(tmp_path) as one:
        yield one


async def open_ones(node: FleetNode) -> list[dict[str, object]]:
    return await node.read(lambda sql: emergencies.listed(sql, TENANT, state="open"))


async def test_a_press_opens_an_emergency_with_the_id_of_the_event(node: FleetNode) -> None:
    kitchen = await node.device("kitchen")
    pressed = await node.press(kitchen, "I fell")
    one = await node.one(pressed.id)
    assert (one["device_name"], one["state"], one["message"], one["test"]) == ("kitchen", "open", "I fell", False)
    assert one["next_at"] == one["received_at"]


async def test_presses_of_a_device_join_its_open_emergency(node: FleetNode) -> None:
    kitchen, bath = await node.device("kitchen"), await node.device("bath")
    first = await node.press(kitchen)
    await node.press(kitchen, "please come")
    await node.press(kitchen)
    await node.press(bath)
    assert len(await open_ones(node)) == 2
    one = await node.one(first.id)
    assert (one["presses"], one["message"]) == (3, "please come")


async def test_a_press_after_the_answer_is_a_new_emergency(node: FleetNode) -> None:
    kitchen = await node.device("kitchen")
    first = await node.press(kitchen)
    await node.write(lambda sql: emergencies.acknowledge(sql, TENANT, first.id, by="anna"))
    second = await node.press(kitchen)
    assert [one["id"] for one in await open_ones(node)] == [second.id]


async def test_a_cancellation_is_noted_and_it_stays_open(node: FleetNode) -> None:
    kitchen = await node.device("kitchen")
    pressed = await node.press(kitchen)
    for _ in range(2):
        await node.send(kitchen, new_frame("emergency.cancelled", {"emergency": pressed.id}, prio=0, seq=2))
    one = await node.one(pressed.id)
    assert (one["state"], one["note"]) == ("open", "cancelled on the device")
    assert one["notices"][0]["outcome"] == "cancelled on the device"


async def test_acknowledging_happens_once_and_reaches_the_device_before_anything_else(node: FleetNode) -> None:
    kitchen = await node.device("kitchen")
    pressed = await node.press(kitchen)
    row = await node.write(lambda sql: emergencies.acknowledge(sql, TENANT, pressed.id, by="anna", note="on my way"))
    assert (row["acked_by"], row["note"], row["next_at"]) == ("anna", "on my way", None)
    with pytest.raises(AnsweredAlready, match="anna has acknowledged it already"):
        await node.write(lambda sql: emergencies.acknowledge(sql, TENANT, pressed.id, by="ben"))
    (frame,) = await node.read(lambda sql: downlink.waiting(sql, kitchen.id, EMERGENCY, 0, 10))
    assert (frame.type, frame.re) == ("emergency.acknowledged", pressed.id)
    assert frame.p == {"emergency": pressed.id, "by": "anna", "note": "on my way"}


async def test_the_key_of_a_machine_is_nobody_s_name(node: FleetNode) -> None:
    kitchen = await node.device("kitchen")
    pressed = await node.press(kitchen)
    row = await node.write(lambda sql: emergencies.acknowledge(sql, TENANT, pressed.id, by="local node-1"))
    (frame,) = await node.read(lambda sql: downlink.waiting(sql, kitchen.id, EMERGENCY, 0, 10))
    assert (row["acked_by"], frame.p["by"]) == ("local node-1", "")


async def test_only_what_was_acknowledged_is_closed(node: FleetNode) -> None:
    kitchen = await node.device("kitchen")
    pressed = await node.press(kitchen)
    with pytest.raises(AnsweredAlready, match="nobody has acknowledged"):
        await node.write(lambda sql: emergencies.close(sql, TENANT, pressed.id, by="anna"))
    await node.write(lambda sql: emergencies.acknowledge(sql, TENANT, pressed.id, by="anna"))
    row = await node.write(lambda sql: emergencies.close(sql, TENANT, pressed.id, by="ben"))
    assert (row["state"], row["closed_by"]) == ("closed", "ben")
    with pytest.raises(AnsweredAlready, match="ben has closed it already"):
        await node.write(lambda sql: emergencies.close(sql, TENANT, pressed.id, by="anna"))


async def test_another_tenant_sees_and_answers_nothing(node: FleetNode) -> None:
    kitchen = await node.device("kitchen")
    pressed = await node.press(kitchen)
    with pytest.raises(NotInTenant):
        await node.one(pressed.id, OTHER)
    with pytest.raises(NotInTenant):
        await node.write(lambda sql: emergencies.acknowledge(sql, OTHER, pressed.id, by="eve"))
    assert await node.read(lambda sql: emergencies.listed(sql, OTHER)) == []
    assert len(await open_ones(node)) == 1


async def test_a_device_can_not_take_the_id_of_anothers_emergency(node: FleetNode) -> None:
    kitchen, foreign = await node.device("kitchen"), await node.device("foreign", tenant=OTHER)
    pressed = await node.press(kitchen)
    await node.send(foreign, pressed)
    assert (await node.one(pressed.id))["presses"] == 1
    (other,) = await node.read(lambda sql: emergencies.listed(sql, OTHER))
    assert other["id"] != pressed.id


async def test_the_same_event_from_a_new_epoch_opens_nothing_again(node: FleetNode) -> None:
    kitchen = await node.device("kitchen")
    pressed = await node.press(kitchen)
    await node.write(lambda sql: emergencies.acknowledge(sql, TENANT, pressed.id, by="anna"))
    await node.send(kitchen, pressed)
    assert await open_ones(node) == []


async def test_a_real_press_does_not_join_a_test_nor_pass_for_one(node: FleetNode) -> None:
    kitchen = await node.device("kitchen")
    test = await node.write(lambda sql: emergencies.begin_test(sql, kitchen, by="anna"))
    again = await node.write(lambda sql: emergencies.begin_test(sql, kitchen, by="ben"))
    assert test == again
    assert (await node.one(test))["message"] == "TEST, started by anna"
    await node.send(kitchen, Frame(id="test-like-ours", type="emergency.pressed", prio=0, seq=1))
    assert {(one["test"], one["presses"]) for one in await open_ones(node)} == {(False, 1), (True, 1)}


@pytest.mark.parametrize(
    "payload",
    ['{"message":"a\\u0000b"}', '{"message":5}', '{"message":["x"]}', "{}", f'{{"message":"{"x" * 9000}"}}'],
)
async def test_a_strange_message_loses_no_emergency(node: FleetNode, payload: str) -> None:
    kitchen = await node.device("kitchen")
    frame = decode(f'{{"v":1,"id":"e-1","type":"emergency.pressed","prio":0,"seq":1,"p":{payload}}}')
    await node.send(kitchen, frame)
    one = await node.one("e-1")
    assert one["state"] == "open"
    one["message"].encode()
    assert "\0" not in one["message"]
    assert len(one["message"]) <= emergencies.MAX_MESSAGE_CHARS


async def test_pages_of_the_list_have_each_emergency_once(node: FleetNode) -> None:
    for number in range(7):
        await node.press(await node.device(f"room {number}"))
    seen: list[str] = []
    before = ""
    while part := await node.read(lambda sql, before=before: emergencies.listed(sql, TENANT, before=before, limit=3)):  # type: ignore[misc]
        seen += [one["id"] for one in part]
        before = part[-1]["cursor"]
    assert len(seen) == len(set(seen)) == 7


def test_an_emergency_fits_into_a_frame() -> None:
    """What a device is told of the longest note."""
    payload = {"emergency": "e" * 64, "by": "b" * 64, "note": "ä" * emergencies.MAX_NOTE_CHARS}
    assert encode(new_frame("emergency.acknowledged", payload))


async def test_operators_answer_once_and_viewers_only_look(node: FleetNode) -> None:
    kitchen = await node.device("kitchen")
    pressed = await node.press(kitchen, "I fell")
    path = f"/emergencies/{pressed.id}"
    async with node.http() as http, node.http("viewer") as looking, node.http("admin", OTHER) as foreign:
        (shown,) = (await looking.get("/emergencies", params={"state": "open"})).json()["items"]
        assert (shown["device_name"], shown["message"]) == ("kitchen", "I fell")
        for caller, status in ((looking, 403), (foreign, 404)):
            assert (await caller.post(f"{path}/acknowledge", json={})).status_code == status
            assert (await caller.post(f"{path}/close")).status_code == status
            assert (await caller.post("/emergencies/test", json={"device": "kitchen"})).status_code == status
        assert (await foreign.get(path)).status_code == 404
        assert (await http.post(f"{path}/close")).status_code == 409
        assert (await http.post(f"{path}/acknowledge", json={"note": "on my way"})).json()["state"] == "acknowledged"
        assert (await http.post(f"{path}/acknowledge", json={})).status_code == 409
        assert (await http.post(f"{path}/close")).json()["state"] == "closed"
        test = (await http.post("/emergencies/test", json={"device": "kitchen"})).json()
        assert test["test"]
        assert (await looking.get(f"/emergencies/{test['id']}")).json()["notices"] == []
        for cursor in ("x", "1:2:3'", "99999999999999999999:x"):
            assert (await looking.get("/emergencies", params={"before": cursor})).status_code == 422
    assert await node.audited("emergency.acknowledged") == [pressed.id]
    kinds = [message["type"] for _, message in node.announced if message["kind"] == "emergency"]
    assert kinds == ["acknowledged", "closed", "test"]
