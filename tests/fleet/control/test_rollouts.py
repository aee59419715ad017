"""Rollouts: in waves, with a stop when it fails, nothing lost for devices that are offline, and a way back."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.errors import InvalidParameter
from reachy_mind.fleet.control import personas, rollout_progress, rollout_waves, rollouts, twins
from reachy_mind.fleet.control.devices import Device, NotInTenant
from reachy_mind.fleet.control.personas import PersonaBundle
from reachy_mind.fleet.control.rollouts import RolloutConflict
from reachy_mind.fleet.protocol.frame import now_ms
from reachy_mind.fleet.protocol.handshake import Persona, Reported
from tests.fleet.control.fleet_node import OTHER, TENANT, FleetNode, fleet_node, texts
from tests.waiting import until

OLD, NEW, NEWER = (PersonaBundle("captain", texts(greeting=greeting)) for greeting in ("old", "new", "newer"))


@pytest.fixture
async def node(tmp_path: Path) -> AsyncIterator[FleetNode]:
    async with fleet_node(tmp_path) as one:
        for bundle in (OLD, NEW, NEWER):
            await one.write(lambda sql, bundle=bundle: personas.put(sql, TENANT, bundle, by="anna"))  # type: ignore[misc]
        yield one


async def fleet(node: FleetNode, count: int, *, online: bool = True) -> list[Device]:
    made = [await node.device(f"room {number}") for number in range(count)]
    if online:
        for device in made:
            await node.connect(device)
    return made


async def begin(
    node: FleetNode, chosen: Sequence[Device], bundle: PersonaBundle = NEW, *, wave_size: int = 2, max_failures: int = 0
) -> str:
    return await node.write(
        lambda sql: rollouts.create(
            sql,
            TENANT,
            [device.id for device in chosen],
            persona="captain",
            etag=bundle.etag,
            wave_size=wave_size,
            max_failures=max_failures,
            by="anna",
        )
    )


async def advance(node: FleetNode, *, in_s: float = 0) -> list[str]:
    """The devices that were sent to."""
    return (await node.write(lambda sql: rollout_waves.advance(sql, now_ms() + int(in_s * 1000)))).wake


async def state(node: FleetNode, rollout: str) -> dict[str, Any]:
    return await node.read(lambda sql: rollouts.get(sql, TENANT, rollout))


async def counts(node: FleetNode, rollout: str) -> dict[str, int]:
    return {key: n for key, n in (await state(node, rollout))["counts"].items() if n}


def persona(bundle: PersonaBundle) -> Persona:
    return Persona(id=bundle.id, etag=bundle.etag)


async def test_the_next_wave_waits_for_the_reports_of_the_last(node: FleetNode) -> None:
    devices = await fleet(node, 5)
    rollout = await begin(node, devices)
    assert await advance(node) == [device.id for device in devices[:2]]
    assert await node.persona_of(devices[0]) == persona(NEW)
    assert await node.persona_of(devices[2]) is None
    assert await advance(node) == []
    assert await node.report(devices[0]) == {rollout}
    assert await advance(node) == []
    await node.report(devices[1])
    assert await advance(node) == [device.id for device in devices[2:4]]
    assert await counts(node, rollout) == {"waiting": 1, "sent": 2, "applied": 2}
    for device in devices[2:4]:
        await node.report(device)
    await advance(node)
    await node.report(devices[4])
    await advance(node)
    done = await state(node, rollout)
    assert (done["state"], done["counts"]["applied"], done["wave"], done["waves"]) == ("done", 5, 3, 3)


async def test_devices_that_are_offline_block_nothing_and_catch_up(node: FleetNode) -> None:
    devices = await fleet(node, 4, online=False)
    await node.connect(devices[3])
    rollout = await begin(node, devices, wave_size=1)
    for _ in range(4):
        await advance(node)
    assert await counts(node, rollout) == {"sent": 4, "offline": 3}
    await node.report(devices[3])
    await advance(node)
    assert (await state(node, rollout))["state"] == "done"
    await node.connect(devices[0])
    await node.report(devices[0])
    assert await counts(node, rollout) == {"sent": 2, "offline": 2, "applied": 2}


async def test_a_device_that_comes_back_has_its_time_to_report(node: FleetNode) -> None:
    devices = await fleet(node, 3, online=False)
    rollout = await begin(node, devices, wave_size=2)
    await advance(node)
    await node.connect(devices[0])
    minutes = rollout_waves.REPORT_TIMEOUT_MS / 1000
    await node.write(lambda sql: sql.run("UPDATE node SET seen_at = seen_at + 86400000"))
    assert await advance(node, in_s=10 * minutes) == []
    assert await advance(node, in_s=10.5 * minutes) == []
    await advance(node, in_s=11.5 * minutes)
    one = await state(node, rollout)
    assert (one["state"], one["counts"]["failed"]) == ("paused", 1)
    assert "room 0: it has not reported within 5 minutes" in one["reason"]
    await node.report(devices[0])
    assert (await counts(node, rollout))["applied"] == 1


async def test_too_many_failures_pause_it_and_the_other_devices_keep_what_they_have(node: FleetNode) -> None:
    devices = await fleet(node, 6)
    rollout = await begin(node, devices, wave_size=3, max_failures=1)
    await advance(node)
    await node.report(devices[0], error="no space left")
    await node.report(devices[1])
    await advance(node)
    assert (await state(node, rollout))["state"] == "running"
    await node.report(devices[2], error="no space left")
    assert await advance(node) == []
    one = await state(node, rollout)
    assert (one["state"], one["reason"]) == ("paused", "failed on 2, the last one room 2: no space left")
    assert await node.persona_of(devices[3]) is None
    assert await advance(node) == []


async def test_resuming_tries_again_where_it_failed(node: FleetNode) -> None:
    devices = await fleet(node, 3)
    rollout = await begin(node, devices, wave_size=1)
    await advance(node)
    version = (await node.read(lambda sql: twins.get(sql, devices[0].id))).desired.version
    await node.report(devices[0], error="no space left")
    await advance(node)
    await node.write(lambda sql: rollouts.resume(sql, TENANT, rollout))
    assert await advance(node) == [devices[0].id]
    assert (await node.read(lambda sql: twins.get(sql, devices[0].id))).desired.version == version + 1
    await node.report(devices[0])
    assert await advance(node) == [devices[1].id]
    await node.write(lambda sql: rollouts.roll_back(sql, TENANT, rollout, by="anna"))
    assert await node.persona_of(devices[0]) is None, "the state of before is not that of the first attempt"


async def test_what_is_paused_sends_nothing_until_it_goes_on(node: FleetNode) -> None:
    devices = await fleet(node, 2)
    rollout = await begin(node, devices, wave_size=1)
    await node.write(lambda sql: rollouts.pause(sql, TENANT, rollout, by="anna"))
    assert await advance(node) == []
    assert (await state(node, rollout))["reason"] == "paused by anna"
    with pytest.raises(RolloutConflict, match="is paused"):
        await node.write(lambda sql: rollouts.pause(sql, TENANT, rollout, by="anna"))
    await node.write(lambda sql: rollouts.resume(sql, TENANT, rollout))
    assert await advance(node) == [devices[0].id]


async def test_a_rollback_gives_back_what_each_device_had(node: FleetNode) -> None:
    devices = await fleet(node, 3)
    first = await begin(node, devices[:1], OLD)
    await advance(node)
    await node.report(devices[0])
    await advance(node)
    assert (await state(node, first))["state"] == "done"
    rollout = await begin(node, devices, wave_size=2)
    await advance(node)
    for device in devices[:2]:
        await node.report(device)
    woken = await node.write(lambda sql: rollouts.roll_back(sql, TENANT, rollout, by="anna"))
    assert set(woken) == {device.id for device in devices[:2]}
    assert [await node.persona_of(device) for device in devices] == [persona(OLD), None, None]
    assert await counts(node, rollout) == {"rolled_back": 2, "waiting": 1}
    assert await advance(node) == []
    with pytest.raises(RolloutConflict, match="is rolled back"):
        await node.write(lambda sql: rollouts.roll_back(sql, TENANT, rollout, by="anna"))


async def test_a_rollback_leaves_newer_changes_alone(node: FleetNode) -> None:
    devices = await fleet(node, 2)
    rollout = await begin(node, devices)
    await advance(node)
    for device in devices:
        await node.report(device)
    await advance(node)
    newer = persona(NEWER).model_dump()
    await node.write(lambda sql: twins.change(sql, devices[0].id, {"persona": newer}, by="ben"))
    await node.write(lambda sql: twins.change(sql, devices[1].id, {"volume": 40}, by="ben"))
    assert await node.write(lambda sql: rollouts.roll_back(sql, TENANT, rollout, by="anna")) == [devices[1].id]
    assert await counts(node, rollout) == {"replaced": 1, "rolled_back": 1}
    assert await node.persona_of(devices[0]) == persona(NEWER)
    desired = (await node.read(lambda sql: twins.get(sql, devices[1].id))).desired
    assert (desired.persona, desired.volume) == (None, 40)


async def test_a_report_of_an_older_state_says_nothing(node: FleetNode) -> None:
    (device,) = await fleet(node, 1)
    await node.write(lambda sql: twins.change(sql, device.id, {"volume": 10}, by="anna"))
    rollout = await begin(node, [device])
    await advance(node)
    old = Reported(version=1, persona=None, volume=10)
    assert await node.write(lambda sql: rollout_progress.note_reported(sql, device.id, old)) == set()
    other = Reported(version=2, persona=persona(OLD))
    assert await node.write(lambda sql: rollout_progress.note_reported(sql, device.id, other)) == {rollout}
    (row,) = await node.read(lambda sql: rollout_progress.devices_of(sql, TENANT, rollout, state="failed"))
    assert row["error"] == "the device reports another personality: captain"


async def test_somebody_elses_newer_wish_is_no_failure(node: FleetNode) -> None:
    (device,) = await fleet(node, 1)
    rollout = await begin(node, [device])
    await advance(node)
    newer = persona(NEWER).model_dump()
    await node.write(lambda sql: twins.change(sql, device.id, {"persona": newer}, by="ben"))
    await node.report(device)
    await advance(node)
    assert await counts(node, rollout) == {"replaced": 1}
    assert (await state(node, rollout))["state"] == "done"


async def test_a_device_is_in_one_rollout_at_a_time(node: FleetNode) -> None:
    devices = await fleet(node, 3)
    rollout = await begin(node, devices[:2])
    with pytest.raises(RolloutConflict, match="1 of these devices"):
        await begin(node, devices[1:], NEWER)
    await begin(node, devices[2:], NEWER)
    await node.write(lambda sql: rollouts.end(sql, TENANT, rollout, by="anna"))
    assert (await state(node, rollout))["reason"] == "ended by anna"
    await begin(node, devices[:2], NEWER)


async def test_two_nodes_send_each_device_once(tmp_path: Path) -> None:
    async with fleet_node(tmp_path) as one, fleet_node(tmp_path, "node-2") as other:
        await one.write(lambda sql: personas.put(sql, TENANT, NEW, by="anna"))
        devices = await fleet(one, 20)
        await begin(one, devices, wave_size=20)
        assert sorted(await advance(one) + await advance(other)) == sorted(device.id for device in devices)
        for device in devices:
            assert (await one.read(lambda sql, d=device: twins.get(sql, d.id))).desired.version == 1  # type: ignore[misc]


async def test_a_revoked_device_holds_up_nothing(node: FleetNode) -> None:
    from reachy_mind.fleet.control import devices as registry

    made = await fleet(node, 2)
    rollout = await begin(node, made, wave_size=1)
    await node.write(lambda sql: registry.revoke(sql, made[0]))
    await advance(node)
    assert await advance(node) == [made[1].id]
    assert await counts(node, rollout) == {"replaced": 1, "sent": 1}


async def test_a_node_that_died_leaves_no_device_that_blocks(node: FleetNode) -> None:
    devices = await fleet(node, 2)
    await node.write(lambda sql: sql.run("UPDATE connection SET node = 'killed'"))
    rollout = await begin(node, devices, wave_size=1)
    for _ in range(3):
        await advance(node)
    assert (await state(node, rollout))["state"] == "done"
    assert await counts(node, rollout) == {"sent": 2, "offline": 2}


async def test_one_rollout_that_can_not_go_on_stops_no_other(node: FleetNode) -> None:
    devices = await fleet(node, 2)
    broken, fine = await begin(node, devices[:1]), await begin(node, devices[1:])
    await node.write(
        lambda sql: sql.run(
            "INSERT INTO twin (device, version, desired, desired_at, desired_by) VALUES (?, 1, 'damaged', 0, '')",
            devices[0].id,
        )
    )
    task = asyncio.create_task(rollout_waves.advance_forever(node.plane))

    async def sent() -> bool:
        return await counts(node, fine) == {"sent": 1}

    await until(sent)
    await cancel_and_wait(task)
    assert await counts(node, broken) == {"waiting": 1}
    assert {"id": fine, "kind": "rollout"}.items() <= node.announced[0][1].items()


async def test_groups_all_and_names_choose_devices(node: FleetNode) -> None:
    kitchen, bath = await node.device("kitchen", "downstairs"), await node.device("bath")
    foreign = await node.device("foreign", "downstairs", tenant=OTHER)
    assert await node.read(lambda sql: rollouts.all_devices(sql, TENANT)) == [bath.id, kitchen.id]
    assert await node.read(lambda sql: rollouts.all_devices(sql, TENANT, "downstairs")) == [kitchen.id]
    wanted = ["kitchen", bath.id, "kitchen"]
    assert await node.read(lambda sql: rollouts.named_devices(sql, TENANT, wanted)) == [kitchen.id, bath.id]
    for call in (
        lambda sql: rollouts.all_devices(sql, TENANT, "upstairs"),
        lambda sql: rollouts.named_devices(sql, TENANT, [foreign.id]),
        lambda sql: rollouts.get(sql, OTHER, "x"),
    ):
        with pytest.raises(NotInTenant):
            await node.read(call)
    with pytest.raises(InvalidParameter, match="1 to"):
        await begin(node, [])
    with pytest.raises(NotInTenant):
        await node.write(
            lambda sql: rollouts.create(
                sql, OTHER, [foreign.id], persona="captain", wave_size=1, max_failures=0, by="eve"
            )
        )


async def test_a_version_that_a_rollout_can_go_back_to_is_not_removed(node: FleetNode) -> None:
    (device,) = await fleet(node, 1)
    for bundle in (OLD, NEW):
        await begin(node, [device], bundle)
        await advance(node)
        await node.report(device)
        await advance(node)
    with pytest.raises(InvalidParameter, match="in use"):
        await node.write(lambda sql: personas.remove(sql, TENANT, "captain", OLD.etag))
    await node.write(lambda sql: personas.remove(sql, TENANT, "captain", NEWER.etag))


async def test_hundreds_of_devices_are_sent_in_parts(node: FleetNode) -> None:
    from reachy_mind.fleet.control import bulk

    await node.write(lambda sql: bulk.add(sql, TENANT, bulk.names("room", 600), None))
    chosen = await node.read(lambda sql: rollouts.all_devices(sql, TENANT))
    rollout = await node.write(
        lambda sql: rollouts.create(sql, TENANT, chosen, persona="captain", wave_size=1000, max_failures=0, by="anna")
    )
    assert len(await advance(node)) == rollout_waves.MAX_SENT
    assert len(await advance(node)) == 600 - rollout_waves.MAX_SENT
    await advance(node)
    assert (await state(node, rollout))["state"] == "done"


async def test_operators_steer_rollouts_and_viewers_see_them(node: FleetNode) -> None:
    devices = await fleet(node, 3)
    async with node.http() as http, node.http("viewer") as looking, node.http("admin", OTHER) as foreign:
        wanted = {"persona": "captain", "etag": NEW.etag, "all": True, "wave_size": 2}
        made = await http.post("/rollouts", json=wanted)
        assert made.status_code == 201
        path = f"/rollouts/{made.json()['id']}"
        assert (await http.post("/rollouts", json=wanted)).status_code == 409
        await advance(node)
        shown = (await looking.get(path)).json()
        assert (shown["state"], shown["counts"]["sent"], shown["wave"], shown["waves"]) == ("running", 2, 1, 2)
        listed = (await looking.get(f"{path}/devices", params={"limit": 2})).json()
        assert [one["name"] for one in listed["items"]] == ["room 0", "room 1"]
        rest = (await looking.get(f"{path}/devices", params={"after": listed["next"]})).json()
        assert [(one["name"], one["state"]) for one in rest["items"]] == [("room 2", "waiting")]
        for action in ("pause", "resume", "end", "rollback"):
            assert (await looking.post(f"{path}/{action}")).status_code == 403
            assert (await foreign.post(f"{path}/{action}")).status_code == 404
            assert (await http.post(f"{path}/{action}")).status_code == 200, action
        assert (await foreign.get(f"{path}/devices")).status_code == 404
        assert (await looking.get("/rollouts")).json()["items"][0]["state"] == "rolled_back"
    assert await node.persona_of(devices[0]) is None
    assert await node.audited("rollout.rolled_back") == [made.json()["id"]]


@pytest.mark.parametrize(
    "target", [{}, {"all": True, "group": "x"}, {"devices": []}, {"all": True, "wave_size": 0}, {"all": True, "x": 1}]
)
async def test_what_is_no_rollout_is_refused(node: FleetNode, target: dict[str, Any]) -> None:
    await fleet(node, 1)
    async with node.http() as http:
        assert (await http.post("/rollouts", json={"persona": "captain", **target})).status_code == 422
