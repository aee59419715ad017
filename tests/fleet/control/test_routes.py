"""The REST API as programs use it: devices, groups, commands, state, events, what happens now."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from reachy_mind.fleet.control import connections, device_search, devices, downlink, twins, uplink
from reachy_mind.fleet.control.device_search import DeviceSearch
from reachy_mind.fleet.control.devices import Device
from reachy_mind.fleet.control.store.sqlite import SqliteStore
from reachy_mind.fleet.control.store.store import Sql
from reachy_mind.fleet.protocol.frame import Frame, new_frame, now_ms
from reachy_mind.fleet.protocol.handshake import Reported
from tests.fleet.conftest import ControlNode

FLEET = (("kitchen", "down"), ("bed_room", "up"), ("Hall", "up"), ("cellar", "down"), ("shed",))
"""Names and groups."""
NO_COMMANDS: tuple[dict[str, Any], ...] = (
    {"type": "hello"},
    {"type": "twin.desired"},
    {"type": "emergency.acknowledged"},
    {"type": "Speak"},
    {"type": "speak"},
    {"type": "speak", "payload": {"text": ""}},
    {"type": "speak", "payload": {"text": "x" * 5000}},
    {"type": "audio.play"},
    {"type": "audio.play", "payload": {"url": "https://203.0.113.1/a.wav", "audio": "01"}},
    {"type": "audio.play", "payload": {"audio": "../../etc/passwd"}},
    {"type": "audio.play", "payload": {"url": "file:///etc/passwd"}},
    {"type": "audio.play", "payload": {"url": "http://127.0.0.1:8000/x.wav"}},
    {"type": "audio.play", "payload": {"url": "https://169.254.169.254/latest"}},
    {"type": "audio.play", "payload": {"url": "https://[::1]/x.wav"}},
    {"type": "restart", "expires_in_s": 0},
    {"type": "restart", "id": "a b"},
    {"type": "restart", "payload": {"text": "x" * 70_000}},
    {"type": "restart", "more": 1},
)


async def event(control: ControlNode, device: Device, seq: int, type_: str = "button.pressed", **fields: Any) -> Frame:
    """The device has sent an event."""
    frame = new_frame(type_, {"n": seq}, seq=seq, **fields)

    def accept(sql: Sql) -> None:
        row = sql.row("SELECT generation FROM connection WHERE device = ?", device.id)
        assert row is not None
        source = uplink.Source(device.id, device.tenant, "epoch", row["generation"], "node-1")
        uplink.accept(sql, source, frame)

    await control.write(accept)
    return frame


async def test_devices_are_listed_by_name_in_pages(control: ControlNode) -> None:
    for name in ("c", "a", "b", "e", "d"):
        await control.device(name, "even" if name in "bd" else "odd")
    await control.device("a", tenant="other")
    names, after = [], ""
    while True:
        found = await control.ok("GET", f"devices?limit=2&after={after}", who="home viewer")
        names += [each["name"] for each in found["items"]]
        if found["next"] is None:
            break
        after = found["next"]
    assert names == ["a", "b", "c", "d", "e"]
    even = await control.ok("GET", "devices?group=even")
    assert [each["name"] for each in even["items"]] == ["b", "d"]
    assert (await control.ok("GET", "groups"))["items"] == [
        {"name": "even", "devices": 2},
        {"name": "odd", "devices": 3},
    ]
    assert (await control.ask("GET", "devices?limit=0")).status_code == 422


async def test_a_device_is_shown_as_it_is(control: ControlNode) -> None:
    device, _ = await control.device("kitchen", "ground floor")
    shown = await control.ok("GET", f"devices/{device.id}")
    assert shown["online"] is False and shown["last_seen_at"] is None and shown["twin"]["in_sync"] is True
    await control.connect(device)
    await control.write(lambda sql: twins.change(sql, device.id, {"volume": 30}, by="test"))
    shown = await control.ok("GET", "devices/kitchen")
    assert shown["online"] is True and shown["node"] == "node-1" and shown["transport"] == "test"
    assert shown["twin"] | {"errors": None} == {
        "in_sync": False,
        "desired_version": 1,
        "reported_version": None,
        "persona": None,
        "desired_persona": None,
        "errors": None,
    }
    reported = Reported(version=1, errors={"volume": "no speaker"})
    await control.write(lambda sql: twins.report(sql, device.id, reported))
    twin = (await control.ok("GET", "devices/kitchen"))["twin"]
    assert twin["errors"] == {"volume": "no speaker"} and twin["in_sync"] is False and twin["reported_version"] == 1
    await control.write(lambda sql: sql.run("UPDATE node SET seen_at = 1"))
    assert (await control.ok("GET", "devices/kitchen"))["online"] is False, "its node has died"


async def test_a_device_is_renamed_regrouped_and_revoked(control: ControlNode) -> None:
    device, token = await control.device("kitchen")
    await control.device("hall")
    changed = await control.ok("PATCH", "devices/kitchen", {"name": "cellar", "groups": ["b", "a"]})
    assert changed["name"] == "cellar" and changed["groups"] == ["a", "b"]
    taken = await control.ask("PATCH", "devices/cellar", {"name": "hall"})
    assert taken.status_code == 422 and "already" in taken.text
    assert (await control.ask("PATCH", "devices/cellar", {"colour": "red"})).status_code == 422
    assert (await control.ask("GET", "devices/kitchen")).status_code == 404
    revoked = await control.ok("DELETE", "devices/cellar")
    assert revoked["revoked_at"] is not None
    assert [each["name"] for each in (await control.ok("GET", "devices"))["items"]] == ["hall"]
    assert len((await control.ok("GET", "devices?revoked=true"))["items"]) == 2
    async with control.client(token) as client:
        assert (await client.post("/fleet/v1/device/token")).status_code == 401
    late = await control.ask("POST", f"devices/{device.id}/commands", {"type": "restart"})
    assert late.status_code == 422 and "revoked" in late.text


async def test_many_devices_are_made_at_once(control: ControlNode) -> None:
    await control.device("load-00002")
    made = await control.ok("POST", "devices/bulk", {"prefix": "load", "count": 1200, "group": "load"})
    assert len(made) == 1199 and made[0]["name"] == "load-00001" and made[-1]["name"] == "load-01200"
    assert len({each["id"] for each in made}) == len({each["token"] for each in made}) == 1199
    device = await control.read(lambda sql: devices.authenticate(sql, made[700]["token"]))
    assert device.name == made[700]["name"]
    assert (await control.ok("GET", "groups"))["items"] == [{"name": "load", "devices": 1199}]
    assert (await control.ask("POST", "devices/bulk", {"prefix": "x", "count": 20_001})).status_code == 422
    assert (await control.ask("POST", "devices/bulk", {"prefix": "x/y", "count": 1})).status_code == 422


async def test_devices_that_were_made_as_many_are_revoked_as_many(control: ControlNode) -> None:
    await control.device("load-kitchen")
    made = await control.ok("POST", "devices/bulk", {"prefix": "load", "count": 3})
    await control.ok("POST", "devices/bulk", {"prefix": "other", "count": 1})
    asked = {"prefix": "load", "count": 5}
    assert (await control.ask("POST", "devices/bulk/revoke", asked, who="home operator")).status_code == 403
    assert (await control.ok("POST", "devices/bulk/revoke", asked))["revoked"] == 3
    assert [each["name"] for each in (await control.ok("GET", "devices"))["items"]] == ["load-kitchen", "other-00001"]
    async with control.client(made[1]["token"]) as client:
        assert (await client.post("/fleet/v1/device/token")).status_code == 401
    assert (await control.ok("POST", "devices/bulk/revoke", asked))["revoked"] == 0


async def test_a_command_waits_is_delivered_and_done(control: ControlNode) -> None:
    device, _ = await control.device("kitchen")
    said = {"type": "speak", "payload": {"text": "Dinner is ready."}, "id": "call-1"}
    sent = await control.ok("POST", "devices/kitchen/commands", said, who="home operator")
    assert sent["id"] == "call-1" and sent["device"] == device.id
    assert sent["expires_at"] > now_ms()
    again = await control.ok("POST", "devices/kitchen/commands", said, who="home operator")
    assert again["seq"] == sent["seq"], "the same id sends nothing twice"
    listed = (await control.ok("GET", "devices/kitchen/commands"))["items"]
    assert len(listed) == 1 and listed[0]["state"] == "waiting" and listed[0]["created_by"] == "operator"
    assert (await control.ok("GET", "devices/kitchen"))["waiting"] == 1
    await control.write(lambda sql: downlink.acknowledge(sql, device.id, 1, 0))
    assert (await control.ok("GET", "commands/call-1")) == {"id": "call-1", "states": {"delivered": 1}, "open": 1}
    done = {"status": "failed", "error": "no speaker"}
    await control.write(lambda sql: downlink.note_done(sql, device.id, "call-1", done))
    listed = (await control.ok("GET", "devices/kitchen/commands"))["items"]
    assert (listed[0]["state"], listed[0]["error"]) == ("failed", "no speaker")
    assert (await control.ask("GET", "commands/nothing")).status_code == 404


async def test_a_group_is_commanded_and_the_same_id_completes_it(control: ControlNode) -> None:
    made = await control.ok("POST", "devices/bulk", {"prefix": "d", "count": 600, "group": "all"})
    said = {"type": "restart", "id": "night"}
    sent = await control.ok("POST", "groups/all/commands", said)
    assert sent == {"id": "night", "queued": 600, "refused": 0, "refusals": []}
    await control.ok("PATCH", f"devices/{(await control.device('late'))[0].id}", {"groups": ["all"]})
    assert (await control.ok("POST", "groups/all/commands", said))["queued"] == 601
    progress = await control.ok("GET", "commands/night")
    assert progress["states"] == {"waiting": 601}
    listed = (await control.ok("GET", f"devices/{made[0]['id']}/commands"))["items"]
    assert len(listed) == 1 and listed[0]["id"] == f"night-{made[0]['id']}"
    assert (await control.ask("POST", "groups/nobody/commands", said)).status_code == 404


async def test_a_full_queue_of_one_device_does_not_stop_the_group(control: ControlNode) -> None:
    full, _ = await control.device("full", "all")
    await control.device("free", "all")

    def fill(sql: Sql) -> None:
        for _ in range(downlink.MAX_WAITING):
            downlink.queue(sql, full.id, full.tenant, "restart", {}, by="test")

    await control.write(fill)
    sent = await control.ok("POST", "groups/all/commands", {"type": "restart"})
    assert (sent["queued"], sent["refused"]) == (1, 1) and sent["refusals"][0]["device"] == full.id


async def test_what_is_no_command_is_refused(control: ControlNode) -> None:
    await control.device("kitchen")
    for command in NO_COMMANDS:
        refused = await control.ask("POST", "devices/kitchen/commands", command)
        assert refused.status_code == 422 and refused.json()["error"]["hint"], f"{command}: {refused.text}"
    assert (await control.ok("GET", "devices/kitchen/commands"))["items"] == []


async def test_sounds_of_our_own_and_of_the_internet_are_played(control: ControlNode) -> None:
    await control.device("kitchen")
    for payload in ({"url": "https://1.1.1.1/a.wav"}, {"audio": "01a1f19d-0d6c-7000-9ccd-ac20bcbc3d70"}):
        await control.ok("POST", "devices/kitchen/commands", {"type": "audio.play", "payload": payload})
    await control.ok("POST", "devices/kitchen/commands", {"type": "some.newer_thing", "payload": {"a": [1]}})


async def test_the_configuration_of_a_device_is_changed_key_by_key(control: ControlNode) -> None:
    await control.device("kitchen")
    await control.ok("PATCH", "devices/kitchen/twin", {"config": {"wake_word": "reachy", "light": True}, "volume": 40})
    twin = await control.ok("PATCH", "devices/kitchen/twin", {"config": {"light": None, "names": ["a", "b"]}})
    assert twin["desired"]["config"] == {"wake_word": "reachy", "names": ["a", "b"]}
    assert twin["desired"]["version"] == 2 and twin["desired"]["volume"] == 40 and twin["in_sync"] is False
    assert await control.ok("GET", "devices/kitchen/twin", who="home viewer") == twin
    for wrong in (
        {},
        {"config": None},
        {"volume": 101},
        {"persona": {"id": "x", "etag": "0" * 64}},
        {"config": {"a b": 1}},
        {"config": {"a": {"b": {"c": 1}}}},
        {"config": {f"k{n}": 1 for n in range(70)}},
        {"config": {"a": "x" * 20_000}},
    ):
        assert (await control.ask("PATCH", "devices/kitchen/twin", wrong)).status_code == 422, wrong


async def test_a_group_gets_a_configuration(control: ControlNode) -> None:
    await control.ok("POST", "devices/bulk", {"prefix": "d", "count": 600, "group": "all"})
    changed = await control.ok("PATCH", "groups/all/twin", {"volume": 20})
    assert changed == {"group": "all", "changed": 600, "refused": 0}
    volumes = await control.read(lambda sql: sql.rows("SELECT desired FROM twin"))
    assert len(volumes) == 600 and all(json.loads(row["desired"])["volume"] == 20 for row in volumes)
    assert (await control.ask("PATCH", "groups/none/twin", {"volume": 20})).status_code == 404


async def test_events_are_listed_latest_first(control: ControlNode) -> None:
    kitchen, _ = await control.device("kitchen")
    hall, _ = await control.device("hall")
    for device in (kitchen, hall):
        await control.connect(device)
    sent = [await event(control, kitchen, seq) for seq in range(1, 6)]
    await event(control, hall, 1, "error.reported")
    seen: list[str] = []
    before = ""
    while True:
        found = await control.ok("GET", f"events?device=kitchen&limit=2&before={before}", who="home viewer")
        seen += [each["id"] for each in found["items"]]
        if found["next"] is None:
            break
        before = found["next"]
    assert len(seen) == 5 and set(seen) == {frame.id for frame in sent}
    errors = await control.ok("GET", "events?type=error.reported")
    assert [each["payload"] for each in errors["items"]] == [{"n": 1}]
    for wrong in ("events?before=x", "events?before=1:../x", "events?limit=1000"):
        assert (await control.ask("GET", wrong)).status_code == 422
    assert (await control.ask("GET", "events?device=none")).status_code == 404
    assert (await control.ok("GET", "events", who="other viewer"))["items"] == []


async def test_what_is_done_wakes_the_devices_and_the_pages_of_its_tenant_only(control: ControlNode) -> None:
    device, _ = await control.device("kitchen", "all")
    heard: dict[str, list[dict[str, Any]]] = {"home": [], "other": []}
    woken: list[str] = []
    bus = control.plane.bus
    await control.write(lambda sql: sql.run("DELETE FROM connection"))
    await control.connect(device)
    with (
        bus.subscribe(f"tenant.{control.tenants['home']}", heard["home"].append),
        bus.subscribe(f"tenant.{control.tenants['other']}", heard["other"].append),
        bus.subscribe("node.node-1", lambda message: woken.append(message["kind"])),
    ):
        await control.ok("POST", "devices/kitchen/commands", {"type": "restart"})
        await control.ok("PATCH", "devices/kitchen/twin", {"volume": 1})
        await control.ok("POST", "groups/all/commands", {"type": "restart"})
        await control.ok("PATCH", "groups/all/twin", {"volume": 2})
        await control.ok("DELETE", "devices/kitchen")
    assert woken == ["command", "twin", "command", "twin", "revoked"]
    assert [each["kind"] for each in heard["home"]] == ["command", "twin", "command", "twin", "device"]
    assert heard["other"] == []


async def test_a_device_that_went_to_another_node_is_shown_there(control: ControlNode) -> None:
    device, _ = await control.device("kitchen")
    await control.connect(device)
    await control.write(lambda sql: sql.run("INSERT INTO node (id, started_at, seen_at) VALUES ('b', 0, ?)", now_ms()))

    def move(sql: Sql) -> None:
        sql.run("UPDATE connection SET node = 'b'")

    await control.write(move)
    assert (await control.ok("GET", "devices/kitchen"))["node"] == "b"
    await control.write(lambda sql: connections.close_connection(sql, device.id, 1))
    shown = await control.ok("GET", "devices/kitchen")
    assert shown["online"] is False and shown["node"] is None and shown["last_seen_at"] is not None


async def test_devices_are_found_by_what_they_are_and_do(control: ControlNode) -> None:
    made = {name: (await control.device(name, *groups))[0] for name, *groups in FLEET}
    for name in ("kitchen", "bed_room", "Hall"):
        await control.connect(made[name])

    def fill(sql: Sql) -> None:
        wanted = {"persona": {"id": "poet", "etag": "0" * 64}}
        twins.change(sql, made["kitchen"].id, wanted, by="anna")
        twins.change(sql, made["cellar"].id, {"volume": 30}, by="anna")
        twins.report(sql, made["cellar"].id, Reported(version=1, volume=30))
        sql.run("UPDATE device SET state = 'listening' WHERE id = ?", made["Hall"].id)
        sql.run("UPDATE device SET trouble = 'battery hot' WHERE id = ?", made["bed_room"].id)

    await control.write(fill)
    await event(control, made["Hall"], 1, "error.reported")
    await event(control, made["Hall"], 1, "emergency.pressed", prio=0)

    async def found(query: str) -> list[str]:
        listed = (await control.ok("GET", f"devices?{query}", who="home viewer"))["items"]
        counted = await control.ok("GET", f"device-counts?{query}", who="home viewer")
        assert counted["devices"] == len(listed), query
        return [each["name"] for each in listed]

    assert await found("search=ALL") == ["Hall"]
    assert await found("search=_") == ["bed_room"], "no pattern of a database"
    assert await found(f"search={made['kitchen'].id[:6]}") == ["kitchen"]
    assert await found("state=online&group=up") == ["Hall", "bed_room"]
    assert await found("state=offline") == ["cellar", "shed"]
    assert await found("state=listening") == ["Hall"]
    assert await found("persona=poet") == ["kitchen"]
    assert await found("persona=-") == ["Hall", "bed_room", "cellar", "shed"]
    assert await found("problem=hot") == await found("problem=battery") == ["bed_room"]
    assert await found("problem=behind") == ["kitchen"]
    assert await found("problem=emergency") == ["Hall"]
    assert await found("problem=any") == ["Hall", "bed_room", "kitchen"]
    assert await control.ok("GET", "device-counts") == {
        "devices": 5,
        "online": 3,
        "problems": 3,
        "emergencies": 1,
        "states": {"": 2, "listening": 1},
        "personas": {"-": 4, "poet": 1},
    }
    assert (await control.ok("GET", "device-counts", who="other viewer"))["devices"] == 0
    assert (await control.ok("GET", "devices/Hall"))["error"] == "it did not say which"
    for wrong in ("state=asleep", "problem=x", f"search={'x' * 65}"):
        assert (await control.ask("GET", f"devices?{wrong}")).status_code == 422


async def test_a_page_of_many_devices_walks_the_index(tmp_path: Path) -> None:
    """Otherwise each page would sort all devices of a tenant."""
    async with SqliteStore(tmp_path / "fleet.db") as store:
        plans: list[str] = []

        class Explained:
            def __init__(self, sql: Sql) -> None:
                self._sql = sql

            def rows(self, sql: str, *parameters: Any) -> list[dict[str, Any]]:
                plans.extend(row["detail"] for row in self._sql.rows(f"EXPLAIN QUERY PLAN {sql}", *parameters))
                return []

        for wanted in (DeviceSearch(), DeviceSearch("a", "g", "idle", "poet", "any")):
            await store.read(lambda sql, wanted=wanted: device_search.page(Explained(sql), "t", wanted))  # type: ignore[arg-type,misc]
    assert not [plan for plan in plans if plan.startswith("SCAN") or "TEMP B-TREE" in plan], plans
    assert any("device" in plan and "tenant=? AND name>?" in plan for plan in plans), plans
