"""Enrolment: a code lets one device in, once; guessing it is hopeless."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx
import pytest

from reachy_mind.fleet.control import devices, enrolment
from reachy_mind.fleet.control.devices import DeviceRefused
from tests.fleet.conftest import URL, ControlNode


async def code_for(control: ControlNode, name: str = "kitchen", groups: tuple[str, ...] = ()) -> dict[str, Any]:
    made: dict[str, Any] = await control.ok(
        "POST", "enrolments", {"name": name, "groups": list(groups)}, who="home operator"
    )
    return made


async def enrol(control: ControlNode, code: str, address: str = "198.51.100.1") -> httpx.Response:
    async with control.client(address=address) as device:
        return await device.post("/fleet/v1/enrol", json={"code": code, "agent": "companion 1"})


async def test_a_code_becomes_a_device_with_a_token(control: ControlNode) -> None:
    made = await code_for(control, "kitchen", ("ground floor",))
    assert (
        len(made["code"]) == 8
        and made["url"] == f"{URL}/fleet/v1/enrol"
        and made["qr"] == f"{URL}/enrol#{made['code']}"
    )
    rows = await control.read(lambda sql: sql.rows("SELECT * FROM enrolment"))
    assert made["code"] not in str(rows)
    spoken = f"{made['code'][:4]} {made['code'][4:]}"
    enrolled = (await enrol(control, spoken)).json()
    assert enrolled["name"] == "kitchen" and enrolled["public_url"] == URL
    device = await control.read(lambda sql: devices.authenticate(sql, enrolled["token"]))
    assert (device.id, device.tenant, device.agent) == (enrolled["device"], control.tenants["home"], "companion 1")
    shown = await control.ok("GET", "devices/kitchen", who="home viewer")
    assert shown["groups"] == ["ground floor"] and shown["online"] is False
    listed = await control.ok("GET", "enrolments", who="home operator")
    assert listed["items"][0]["device"] == device.id and "code" not in listed["items"][0]


async def test_a_code_works_once_when_many_try_it_at_the_same_time(control: ControlNode) -> None:
    made = await code_for(control)
    tries = await asyncio.gather(*(enrol(control, made["code"], f"198.51.100.{n}") for n in range(20)))
    assert sorted(each.status_code for each in tries) == [200] + [401] * 19
    assert len((await control.ok("GET", "devices"))["items"]) == 1


async def test_an_expired_and_a_cancelled_code_are_refused(control: ControlNode) -> None:
    made = await code_for(control)
    await control.write(lambda sql: sql.run("UPDATE enrolment SET expires_at = 1"))
    assert (await enrol(control, made["code"])).status_code == 401
    made = await code_for(control)
    await control.ok("DELETE", f"enrolments/{made['id']}", who="home operator")
    assert (await enrol(control, made["code"])).status_code == 401
    assert (await control.ask("DELETE", f"enrolments/{made['id']}", who="home operator")).status_code == 404


async def test_an_address_has_five_guesses(control: ControlNode) -> None:
    made = await code_for(control)
    for n in range(enrolment.ADDRESS_GUESSES):
        assert (await enrol(control, f"{n:08}")).status_code == 401
    refused = await enrol(control, made["code"])
    assert refused.status_code == 429 and refused.json()["error"]["code"] == "BUSY"
    assert (await enrol(control, made["code"], "198.51.100.2")).status_code == 200, "others are not affected"


async def test_all_together_have_thirty_guesses_a_minute(control: ControlNode) -> None:
    made = await code_for(control)
    for n in range(enrolment.TOTAL_GUESSES):
        assert (await enrol(control, f"{n:08}", f"203.0.113.{n}")).status_code == 401
    assert (await enrol(control, made["code"], "203.0.113.200")).status_code == 429
    await control.write(lambda sql: sql.run("UPDATE enrolment_attempt SET at = at - ?", enrolment.TOTAL_WINDOW_MS))
    assert (await enrol(control, made["code"], "203.0.113.200")).status_code == 200


async def test_the_addresses_of_an_ipv6_network_count_as_one(control: ControlNode) -> None:
    for n in range(enrolment.ADDRESS_GUESSES):
        await enrol(control, "00000000", f"2001:db8::{n + 1:x}")
    assert (await enrol(control, "00000000", "2001:db8::ffff")).status_code == 429
    assert (await enrol(control, "00000000", "2001:db8:0:1::1")).status_code == 401
    assert (await enrol(control, "00000000", "::ffff:192.0.2.1")).status_code == 401


async def test_a_name_that_is_taken_meanwhile_leaves_the_code_valid(control: ControlNode) -> None:
    made = await code_for(control)
    device, _ = await control.device("kitchen")
    taken = await enrol(control, made["code"])
    assert taken.status_code == 422 and "already" in taken.text
    await control.write(lambda sql: devices.rename(sql, device, "cellar"))
    assert (await enrol(control, made["code"])).status_code == 200
    again = await control.ask("POST", "enrolments", {"name": "kitchen"})
    assert again.status_code == 422


@pytest.mark.parametrize("name", ["", "../x", "a/b", "x" * 65, "\u0000", "-rf"])
async def test_a_name_that_is_none_gets_no_code(control: ControlNode, name: str) -> None:
    assert (await control.ask("POST", "enrolments", {"name": name})).status_code in (400, 422)


async def test_a_device_changes_its_token_and_the_old_one_ends_when_the_new_one_is_used(control: ControlNode) -> None:
    device, old = await control.device("kitchen")
    async with control.client(old) as client:
        new = (await client.post("/fleet/v1/device/token", json={})).json()["token"]
    for token in (old, new):
        assert (await control.read(lambda sql, token=token: devices.authenticate(sql, token))).id == device.id
    await control.write(lambda sql: devices.note_used_token(sql, new))
    with pytest.raises(DeviceRefused):
        await control.read(lambda sql: devices.authenticate(sql, old))
    async with control.client(old) as client:
        assert (await client.post("/fleet/v1/device/token")).status_code == 401
    async with control.client(control.keys["home platform"]) as client:
        assert (await client.post("/fleet/v1/device/token")).status_code == 401, "an operator's key is no token"


async def test_a_device_makes_few_tokens(control: ControlNode) -> None:
    _, token = await control.device("kitchen")
    async with control.client(token) as client:
        answers = [(await client.post("/fleet/v1/device/token")).status_code for _ in range(4)]
    assert answers == [200, 200, 200, 429]
