"""Activities at the control plane: who starts when, who is left out and why, and what disturbs nobody. Virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.errors import InvalidParameter
from reachy_mind.fleet.activities.payloads import PrepareActivity
from reachy_mind.fleet.control import (
    activities,
    activity_advance,
    activity_events,
    downlink,
    emergencies,
    retention,
)
from reachy_mind.fleet.control.activities import ActivityConflict
from reachy_mind.fleet.control.activity_advance import ActivityAdvance
from reachy_mind.fleet.control.devices import Device, NotInTenant
from reachy_mind.fleet.protocol.frame import USUAL, Frame, now_ms
from tests.fleet.control.fleet_node import OTHER, TENANT, FleetNode, fleet_node
from tests.waiting import until

BEEPS = [{"beep": "high"}, {"beep": "low"}]


@pytest.fixture
async def node(tmp_path: Path) -> AsyncIterator[FleetNode]:
    async with fleet_node(tmp_path) as one:
        yield one


async def choir(node: FleetNode, count: int, *groups: str, online: bool = True) -> list[Device]:
    made = [await node.device(f"room {number}", *groups) for number in range(count)]
    if online:
        for device in made:
            await node.connect(device)
    return made


async def begin(
    node: FleetNode, chosen: Sequence[Device], *, parts: Any = BEEPS, group: str | None = None, **about: Any
) -> str:
    activity = activities.new_id()
    prepared = PrepareActivity(activity=activity, kind="exercise", parts=parts)
    given: dict[str, Any] = {"quorum": None, "deadline_s": 20.0, "on_emergency": "end", "emergency_text": "Help!"}
    await node.write(
        lambda sql: activities.create(
            sql, TENANT, [each.id for each in chosen], prepared, group=group, by="anna", **(given | about)
        )
    )
    return activity


async def ready(node: FleetNode, device: Device, activity: str, **about: Any) -> None:
    payload = {"activity": activity, "ok": True, "part_ms": [200, 300], "rtt_ms": 20.0} | about
    await node.write(lambda sql: activity_events.note_event(sql, device.id, "activity.ready", payload))


async def ended(node: FleetNode, device: Device, activity: str, reason: str = "finished", **about: Any) -> None:
    payload = {"activity": activity, "reason": reason} | about
    await node.write(lambda sql: activity_events.note_event(sql, device.id, "activity.ended", payload))


async def advance(node: FleetNode, *, in_s: float = 0) -> set[str]:
    """What the task of a node does; the devices that were woken."""
    now, woken = now_ms() + round(in_s * 1000), set()
    for activity in (await node.read(lambda sql: activity_advance.look(sql, now))).due:
        done = await node.write(
            lambda sql, activity=activity: activity_advance.advance_one(sql, activity, now, ActivityAdvance())  # type: ignore[misc]
        )
        woken |= set(done.wake)
    return woken


async def stay_online(node: FleetNode) -> None:
    """In virtual time the node says so no more."""
    await node.write(lambda sql: sql.run("UPDATE node SET seen_at = seen_at + 86400000"))


async def state(node: FleetNode, activity: str) -> dict[str, Any]:
    return await node.read(lambda sql: activities.get(sql, TENANT, activity))


async def people(node: FleetNode, activity: str) -> list[tuple[str, str]]:
    return [(each["state"], each["reason"]) for each in (await state(node, activity))["devices"]]


async def told(node: FleetNode, device: Device) -> list[Frame]:
    """The commands of a device, without that to get ready."""
    frames = await node.read(lambda sql: downlink.waiting(sql, device.id, USUAL, 0, 100))
    return [frame for frame in frames if frame.type != "activity.prepare"]


async def running(node: FleetNode, count: int = 3, **about: Any) -> tuple[str, list[Device]]:
    """An activity of which every device plays."""
    devices = await choir(node, count, *([about["group"]] if about.get("group") else []))
    activity = await begin(node, devices, **about)
    for device in devices:
        await ready(node, device, activity)
    await advance(node)
    await advance(node, in_s=1)
    assert (await state(node, activity))["state"] == "running"
    return activity, devices


async def test_it_starts_when_all_are_ready_at_one_time_for_all(node: FleetNode) -> None:
    devices = await choir(node, 3)
    activity = await begin(node, devices)
    assert await advance(node) == set()
    await ready(node, devices[0], activity, part_ms=[200, 300])
    await ready(node, devices[1], activity, part_ms=[1000, 100])
    assert await advance(node) == set()
    await ready(node, devices[2], activity, part_ms=[200, 300])
    before = now_ms()
    assert await advance(node) == {device.id for device in devices}
    one = await state(node, activity)
    assert (one["state"], one["duration_ms"]) == ("ready", 1000 + activity_advance.GAP_MS + 300)
    starts = [(await told(node, device))[0] for device in devices]
    assert {frame.type for frame in starts} == {"activity.start"}
    assert all(frame.p == starts[0].p for frame in starts), "the same times for all"
    assert starts[0].p["times_ms"] == [0, 1000 + activity_advance.GAP_MS]
    assert before + activities.LEAD_MS <= starts[0].p["at"] <= now_ms() + activities.LEAD_MS
    assert await advance(node) == set(), "nobody is told twice"
    await advance(node, in_s=1)
    assert (await state(node, activity))["state"] == "running"
    for device in devices:
        await ended(node, device, activity)
    await advance(node, in_s=3)
    one = await state(node, activity)
    assert (one["state"], one["reason"], one["counts"]["finished"]) == ("ended", "finished", 3)


async def test_a_slow_network_gets_more_time_until_the_start(node: FleetNode) -> None:
    devices = await choir(node, 2)
    activity = await begin(node, devices)
    await ready(node, devices[0], activity, rtt_ms=5)
    await ready(node, devices[1], activity, rtt_ms=400)
    before = now_ms()
    await advance(node)
    assert (await state(node, activity))["at"] >= before + activities.LEAD_TRIPS * 400


async def test_a_quorum_starts_without_the_others_who_join_when_they_are_ready(node: FleetNode) -> None:
    devices = await choir(node, 3)
    activity = await begin(node, devices, quorum=2)
    await ready(node, devices[0], activity)
    assert await advance(node) == set()
    await ready(node, devices[1], activity)
    assert await advance(node) == {devices[0].id, devices[1].id}
    late = "left out at the start: it did not get ready in time"
    assert await people(node, activity) == [("playing", ""), ("playing", ""), ("preparing", late)]
    await advance(node, in_s=1)
    await ready(node, devices[2], activity)
    assert await advance(node, in_s=1) == {devices[2].id}
    first, last = [(await told(node, device))[0].p for device in (devices[0], devices[2])]
    assert first == last, "the same anchor: it begins in the middle"
    assert (await people(node, activity))[2] == ("playing", "joined late")


async def test_at_the_deadline_those_that_are_ready_start_and_it_says_who_was_left_out(node: FleetNode) -> None:
    devices = await choir(node, 4, online=False)
    for device in devices[:3]:
        await node.connect(device)
    activity = await begin(node, devices, deadline_s=20)
    await ready(node, devices[0], activity)
    await ready(node, devices[1], activity, ok=False, error="no space left", part_ms=[])
    await stay_online(node)
    assert await advance(node, in_s=19) == set()
    assert await advance(node, in_s=21) == {devices[0].id}
    assert await people(node, activity) == [
        ("playing", ""),
        ("failed", "no space left"),
        ("preparing", "left out at the start: it did not get ready in time"),
        ("preparing", "left out at the start: it is offline"),
    ]


async def test_devices_that_are_offline_are_not_waited_for(node: FleetNode) -> None:
    devices = await choir(node, 2, online=False)
    await node.connect(devices[0])
    activity = await begin(node, devices)
    await ready(node, devices[0], activity)
    assert await advance(node) == {devices[0].id}


async def test_without_a_device_that_is_ready_it_ends_with_the_reason(node: FleetNode) -> None:
    devices = await choir(node, 2)
    failed = await begin(node, devices)
    for device in devices:
        await ready(node, device, failed, ok=False, error="no voice", part_ms=[])
    await advance(node)
    one = await state(node, failed)
    assert (one["state"], one["reason"]) == ("ended", "room 0: no voice; room 1: no voice")
    nobody = await begin(node, devices)
    await advance(node, in_s=21)
    one = await state(node, nobody)
    assert (one["state"], one["reason"]) == ("ended", "no device got ready in time")
    assert [frame.type for frame in await told(node, devices[0])] == ["activity.end"]


async def test_an_answer_that_does_not_fit_leaves_out_its_device_alone(node: FleetNode) -> None:
    devices = await choir(node, 2)
    activity = await begin(node, devices)
    await ready(node, devices[0], activity, part_ms=[1])
    await ready(node, devices[1], activity, part_ms="nonsense")
    await ready(node, devices[1], activity)
    assert await advance(node) == {devices[1].id}
    assert (await people(node, activity))[0] == ("failed", "its answer does not fit to the activity")


async def test_pause_and_resume_take_effect_everywhere_at_one_time(node: FleetNode) -> None:
    activity, devices = await running(node)
    begun = (await state(node, activity))["at"]
    before = now_ms()
    await node.write(lambda sql: sql.run("UPDATE activity SET duration_ms = 0"))
    with pytest.raises(ActivityConflict, match="ends just now"):
        await node.write(lambda sql: activities.pause(sql, TENANT, activity, by="anna"))
    await node.write(lambda sql: sql.run("UPDATE activity SET duration_ms = 60000"))
    woken = await node.write(lambda sql: activities.pause(sql, TENANT, activity, by="anna"))
    assert set(woken) == {device.id for device in devices}
    pauses = [(await told(node, device))[-1] for device in devices]
    assert all(frame.type == "activity.pause" and frame.p == pauses[0].p for frame in pauses)
    assert pauses[0].p["at"] >= before + activities.LEAD_MS
    assert pauses[0].p["position_ms"] == pauses[0].p["at"] - begun
    one = await state(node, activity)
    assert (one["state"], one["reason"]) == ("paused", "paused by anna")
    await stay_online(node)
    assert await advance(node, in_s=3600) == set(), "it does not end while it is paused"
    with pytest.raises(ActivityConflict, match="is paused"):
        await node.write(lambda sql: activities.pause(sql, TENANT, activity, by="anna"))
    await node.write(lambda sql: activities.resume(sql, TENANT, activity, by="anna"))
    resumes = [(await told(node, device))[-1] for device in devices]
    assert all(frame.type == "activity.resume" and frame.p == resumes[0].p for frame in resumes)
    assert resumes[0].p["position_ms"] == pauses[0].p["position_ms"]
    assert resumes[0].p["at"] >= pauses[0].p["at"]
    with pytest.raises(ActivityConflict, match="is running"):
        await node.write(lambda sql: activities.resume(sql, TENANT, activity, by="anna"))


async def test_who_gets_ready_during_a_pause_joins_after_it(node: FleetNode) -> None:
    devices = await choir(node, 2)
    activity = await begin(node, devices, quorum=1)
    await ready(node, devices[0], activity, part_ms=[60_000, 0])
    await advance(node)
    await node.write(lambda sql: activities.pause(sql, TENANT, activity, by="anna"))
    await ready(node, devices[1], activity)
    assert await advance(node) == set()
    await node.write(lambda sql: activities.resume(sql, TENANT, activity, by="anna"))
    assert await advance(node) == {devices[1].id}
    resumed = (await told(node, devices[0]))[-1].p
    started = (await told(node, devices[1]))[-1].p
    assert (started["at"], started["position_ms"]) == (resumed["at"], resumed["position_ms"])


async def test_one_that_leaves_disturbs_nobody_and_the_last_one_ends_it(node: FleetNode) -> None:
    activity, devices = await running(node)
    woken = await node.write(lambda sql: activities.end(sql, TENANT, activity, by="anna", devices=[devices[0].id]))
    assert woken == [devices[0].id]
    assert [frame.type for frame in await told(node, devices[1])] == ["activity.start"]
    assert (await people(node, activity))[0] == ("left", "ended by anna")
    await ended(node, devices[1], activity, "stopped")
    assert (await people(node, activity))[1] == ("left", "stopped")
    assert (await state(node, activity))["state"] == "running"
    await node.write(lambda sql: activities.end(sql, TENANT, activity, by="anna", devices=[devices[2].id]))
    assert (await state(node, activity))["state"] == "ended"


async def test_a_device_that_vanishes_does_not_keep_it_open(node: FleetNode) -> None:
    activity, devices = await running(node)
    await ended(node, devices[0], activity)
    await advance(node, in_s=5)
    assert (await state(node, activity))["state"] == "running"
    await advance(node, in_s=30)
    one = await state(node, activity)
    assert one["state"] == "ended" and one["counts"]["playing"] == 2


async def test_ending_it_tells_all_that_take_part(node: FleetNode) -> None:
    activity, devices = await running(node)
    await ended(node, devices[0], activity)
    woken = await node.write(lambda sql: activities.end(sql, TENANT, activity, by="anna"))
    assert set(woken) == {devices[1].id, devices[2].id}
    last = (await told(node, devices[1]))[-1]
    assert (last.type, last.p["reason"], last.p["say"]) == ("activity.end", "ended by anna", "")
    with pytest.raises(ActivityConflict, match="is ended"):
        await node.write(lambda sql: activities.end(sql, TENANT, activity, by="anna"))


async def test_an_emergency_ends_it_for_its_group_and_the_others_hear_why(node: FleetNode) -> None:
    activity, devices = await running(node, group="ward")
    await node.press(devices[1])
    assert await advance(node) == {device.id for device in devices}
    one = await state(node, activity)
    assert (one["state"], one["reason"]) == ("ended", "emergency at room 1")
    ends = [(await told(node, device))[-1].p for device in devices]
    assert [each["say"] for each in ends] == ["Help!", "", "Help!"], "where the alarm is nothing else is said"
    audited = await node.audited("activity.ended")
    assert any("emergency at room 1" in each for each in audited)


async def test_an_emergency_ends_it_for_those_that_share_a_group_where_several_take_part(node: FleetNode) -> None:
    ward, school = await choir(node, 2, "ward"), [await node.device("class 1", "school")]
    await node.connect(school[0])
    activity = await begin(node, [*ward, *school])
    for device in (*ward, *school):
        await ready(node, device, activity)
    await advance(node)
    await node.press(ward[0])
    assert await advance(node) == {device.id for device in ward}
    assert (await state(node, activity))["state"] in ("ready", "running")
    assert {each["name"]: each["state"] for each in (await state(node, activity))["devices"]} == {
        "class 1": "playing",
        "room 0": "left",
        "room 1": "left",
    }


async def test_an_emergency_can_pause_it_or_be_ignored(node: FleetNode) -> None:
    activity, devices = await running(node, on_emergency="pause", parts=BEEPS)
    await node.write(lambda sql: sql.run("UPDATE activity SET duration_ms = 60000"))
    await node.press(devices[0])
    assert await advance(node) == {device.id for device in devices}
    one = await state(node, activity)
    assert (one["state"], one["reason"]) == ("paused", "emergency at room 0")
    await node.write(lambda sql: activities.resume(sql, TENANT, activity, by="anna"))
    assert await advance(node) == set(), "one press pauses once"
    await node.write(lambda sql: activities.end(sql, TENANT, activity, by="anna"))
    careless = await begin(node, devices, on_emergency="ignore")
    await node.press(devices[0])
    await advance(node)
    assert (await state(node, careless))["state"] == "preparing"


async def test_a_test_of_the_alarm_and_an_old_emergency_end_nothing(node: FleetNode) -> None:
    devices = await choir(node, 2, "ward")
    await node.press(devices[0])
    await asyncio.sleep(0.005)  # the clock of the store has milliseconds
    activity = await begin(node, devices, group="ward")
    await node.write(lambda sql: emergencies.begin_test(sql, devices[1], by="anna"))
    await advance(node)
    assert (await state(node, activity))["state"] == "preparing"


async def test_a_device_takes_part_in_one_at_a_time(node: FleetNode) -> None:
    devices = await choir(node, 3)
    first = await begin(node, devices[:2])
    with pytest.raises(ActivityConflict, match="1 of these devices take part in another"):
        await begin(node, devices[1:])
    await node.write(lambda sql: activities.end(sql, TENANT, first, by="anna", devices=[devices[1].id]))
    await begin(node, devices[1:])


async def test_what_is_asked_wrongly_changes_nothing(node: FleetNode) -> None:
    devices = await choir(node, 1)
    for wrong in ({"quorum": 2}, {"parts": [{"text": "x" * 1000}] * 100}):
        with pytest.raises(InvalidParameter):
            await begin(node, devices, **wrong)
    with pytest.raises(InvalidParameter):
        await begin(node, [])
    assert await node.read(lambda sql: activities.listed(sql, TENANT)) == []
    activity = await begin(node, devices)
    with pytest.raises(NotInTenant):
        await node.read(lambda sql: activities.get(sql, OTHER, activity))
    with pytest.raises(NotInTenant):
        await node.write(lambda sql: activities.end(sql, TENANT, activity, by="anna", devices=["stranger"]))


async def test_a_device_that_takes_no_commands_is_left_out(node: FleetNode) -> None:
    devices = await choir(node, 2)
    await node.write(
        lambda sql: [
            downlink.queue(sql, devices[0].id, TENANT, "restart", {}, by="test") for _ in range(downlink.MAX_WAITING)
        ]
    )
    activity = await begin(node, devices)
    await ready(node, devices[1], activity)
    assert await advance(node) == {devices[1].id}
    assert (await people(node, activity))[0][0] == "failed"


async def test_it_survives_the_end_of_its_node(tmp_path: Path) -> None:
    async with fleet_node(tmp_path) as node:
        devices = await choir(node, 2)
        activity = await begin(node, devices)
        await ready(node, devices[0], activity)
    async with fleet_node(tmp_path, "node-2") as node:
        for device in devices:
            await node.connect(device)
        task = asyncio.create_task(activity_advance.advance_forever(node.plane))
        try:
            await ready(node, devices[1], activity)

            async def runs() -> bool:
                return (await state(node, activity))["state"] == "running"

            await until(runs)
        finally:
            await cancel_and_wait(task)
        assert (TENANT, "activity") in {(tenant, message["kind"]) for tenant, message in node.announced}


async def test_ended_ones_are_forgotten_after_a_month(node: FleetNode) -> None:
    activity, _ = await running(node)
    await node.write(retention.remove_old)
    await node.write(lambda sql: activities.end(sql, TENANT, activity, by="anna"))
    await node.write(lambda sql: sql.run("UPDATE activity SET changed_at = 1"))
    await node.write(retention.remove_old)
    assert await node.read(lambda sql: activities.listed(sql, TENANT)) == []


async def test_the_routes(node: FleetNode) -> None:
    devices = await choir(node, 2, "ward")
    story = {"kind": "story", "group": "ward", "content": {"text": "Once upon a time."}}
    async with node.http("operator") as client:
        assert (await client.post("/activities", json=story | {"devices": ["room 0"]})).status_code == 422
        assert (await client.post("/activities", json=story | {"kind": "opera"})).status_code == 422
        made = (await client.post("/activities", json=story)).json()
        assert (made["state"], made["counts"]["preparing"], len(made["devices"])) == ("preparing", 2, 2)
        assert (await client.post("/activities", json=story)).status_code == 409
        assert (await client.post(f"/activities/{made['id']}/pause")).status_code == 409
        assert [each["id"] for each in (await client.get("/activities")).json()["items"]] == [made["id"]]
        left = await client.post(f"/activities/{made['id']}/end", json={"devices": ["room 1"]})
        assert left.json()["counts"]["left"] == 1
        over = (await client.post(f"/activities/{made['id']}/end")).json()
        assert (over["state"], over["counts"]["left"]) == ("ended", 2)
    async with node.http("viewer") as client:
        assert (await client.get(f"/activities/{made['id']}")).json()["state"] == "ended"
        assert (await client.post("/activities", json=story)).status_code == 403
    async with node.http("admin", tenant=OTHER) as client:
        assert (await client.get(f"/activities/{made['id']}")).status_code == 404
        assert (await client.get("/activities")).json()["items"] == []
    assert len(await node.audited("activity.created")) == 1 and len(await node.audited("activity.left")) == 1
    assert len(devices) == 2
