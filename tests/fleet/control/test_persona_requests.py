"""Personalities that buttons ask for: at once, once, only those that are allowed, and back after an emergency."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from reachy_mind.fleet.control import personas, rollout_waves, twins, uplink
from reachy_mind.fleet.control.devices import Device
from reachy_mind.fleet.control.personas import PersonaBundle
from reachy_mind.fleet.control.service import running
from reachy_mind.fleet.control.store.sqlite import SqliteStore
from reachy_mind.fleet.control.store.store import Sql
from reachy_mind.fleet.protocol.frame import Frame, new_frame, now_ms
from reachy_mind.fleet.protocol.handshake import Desired
from tests.fleet.conftest import ControlNode
from tests.fleet.control.fleet_node import texts
from tests.fleet.control.test_app import configured
from tests.fleet.hub_server import hub_server


@dataclass
class PressedDevice:
    """A device whose events are stored, and what it should be."""

    control: ControlNode
    device: Device
    seq: int = 0

    async def send(self, type_: str, payload: dict[str, Any], *, prio: int = 1) -> Frame:
        self.seq += 1
        frame = new_frame(type_, payload, seq=self.seq, prio=prio)
        await self.store(frame)
        return frame

    async def store(self, frame: Frame, epoch: str = "epoch") -> None:
        def accept(sql: Sql) -> None:
            row = sql.row("SELECT generation FROM connection WHERE device = ?", self.device.id)
            assert row is not None
            source = uplink.Source(self.device.id, self.device.tenant, epoch, row["generation"], "node-1")
            uplink.accept(sql, source, frame.model_copy(update={"skip": (frame.seq or 1) - 1}))

        await self.control.write(accept)

    async def press(self, button: str, wanted: str) -> Frame:
        return await self.send("button.pressed", {"button": button, "request_persona": wanted})

    async def call_for_help(self) -> Frame:
        asked = {"button": "red", "message": "", "request_persona": "emergency"}
        return await self.send("emergency.pressed", asked, prio=0)

    async def desired(self) -> Desired:
        return (await self.control.read(lambda sql: twins.get(sql, self.device.id))).desired

    async def persona(self) -> str | None:
        wanted = (await self.desired()).persona
        return wanted.id if wanted is not None else None

    async def end(self, emergency: Frame) -> None:
        await self.control.ok("POST", f"emergencies/{emergency.id}/acknowledge", {})
        await self.control.ok("POST", f"emergencies/{emergency.id}/close")


@pytest.fixture
async def kitchen(control: ControlNode) -> PressedDevice:
    device, _ = await control.device("kitchen", "downstairs")
    await control.connect(device)
    return PressedDevice(control, device)


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    async with SqliteStore(tmp_path / "hub.db") as opened:
        yield opened


async def test_a_button_changes_the_personality_at_once_and_the_device_hears_of_it(store: SqliteStore) -> None:
    async with hub_server(store) as node:
        kitchen = await node.device()
        async with node.client(kitchen) as client:
            await client.say("button.pressed", {"button": "green", "request_persona": "companion"}, seq=1)
            wanted = (await client.next("twin.desired")).p
    companion = personas.from_shipped("companion")
    assert wanted["persona"] == {"id": "companion", "etag": companion.etag}


async def test_a_repeated_event_changes_nothing(kitchen: PressedDevice) -> None:
    pressed = await kitchen.press("green", "companion")
    await kitchen.press("blue", "entertainer")
    before = await kitchen.desired()
    await kitchen.store(pressed)
    await kitchen.store(pressed.model_copy(update={"seq": 1}), epoch="another card")
    assert await kitchen.desired() == before
    assert await kitchen.persona() == "entertainer"


@pytest.mark.parametrize("wanted", ["poet", "../../etc", "", "x" * 5000, 7, None, ["emergency"]])
async def test_what_is_not_known_or_not_allowed_changes_nothing_and_the_press_is_stored(
    kitchen: PressedDevice, wanted: Any
) -> None:
    await kitchen.send("button.pressed", {"button": "green", "request_persona": wanted})
    emergency = await kitchen.send("emergency.pressed", {"button": "red", "request_persona": wanted}, prio=0)
    assert (await kitchen.desired()).version == 0
    stored = (await kitchen.control.ok("GET", "events"))["items"]
    assert len(stored) == 2
    assert (await kitchen.control.ok("GET", f"emergencies/{emergency.id}"))["state"] == "open"


async def test_the_personality_of_before_comes_back_when_the_emergency_is_closed(kitchen: PressedDevice) -> None:
    await kitchen.press("blue", "entertainer")
    emergency = await kitchen.call_for_help()
    await kitchen.call_for_help()
    assert await kitchen.persona() == "emergency"
    await kitchen.control.ok("POST", f"emergencies/{emergency.id}/acknowledge", {"note": "on my way"})
    assert await kitchen.persona() == "emergency", "somebody is on the way; it is not over"
    again = await kitchen.call_for_help()
    await kitchen.control.ok("POST", f"emergencies/{emergency.id}/close")
    assert await kitchen.persona() == "emergency", "another one is open"
    await kitchen.end(again)
    assert await kitchen.persona() == "entertainer"


async def test_what_somebody_chose_during_an_emergency_stays(kitchen: PressedDevice) -> None:
    emergency = await kitchen.call_for_help()
    await kitchen.control.ok("POST", f"emergencies/{emergency.id}/acknowledge", {})
    await kitchen.press("green", "companion")
    assert await kitchen.persona() == "companion"
    await kitchen.control.ok("POST", f"emergencies/{emergency.id}/close")
    assert await kitchen.persona() == "companion"


async def test_a_press_from_before_an_emergency_that_arrives_after_it_does_not_end_its_personality(
    kitchen: PressedDevice,
) -> None:
    emergency = await kitchen.call_for_help()
    await kitchen.press("blue", "entertainer")
    assert await kitchen.persona() == "emergency", "nobody has answered yet"
    await kitchen.end(emergency)
    assert await kitchen.persona() == "entertainer"


async def test_a_device_that_had_none_has_none_again(kitchen: PressedDevice) -> None:
    await kitchen.end(await kitchen.call_for_help())
    assert await kitchen.persona() is None
    forgotten = await kitchen.call_for_help()
    await kitchen.control.ok("POST", f"emergencies/{forgotten.id}/acknowledge", {})
    await kitchen.press("green", "companion")
    await kitchen.end(await kitchen.call_for_help())
    assert await kitchen.persona() == "companion", "an old one that nobody closed does not keep it"


async def test_the_most_exact_policy_counts(kitchen: PressedDevice) -> None:
    control = kitchen.control
    await control.ok("POST", "personas", {"id": "captain", "files": texts()})

    async def allow(personas_: list[str] | None, **whom: str) -> None:
        await control.ok("PUT", "persona-policy", {"personas": personas_, **whom}, who="home admin")

    await allow(["captain"])
    await kitchen.press("green", "companion")
    assert await kitchen.persona() is None
    await kitchen.press("green", "captain")
    assert await kitchen.persona() == "captain"
    await allow(["companion"], group="downstairs")
    await kitchen.press("green", "companion")
    assert await kitchen.persona() == "companion"
    await allow([], device="kitchen")
    for wanted in ("captain", "entertainer"):
        await kitchen.press("blue", wanted)
    assert await kitchen.persona() == "companion"
    assert await control.ok("GET", "persona-policy", who="home viewer") == {
        "personas": ["captain"],
        "groups": {"downstairs": ["companion"]},
        "devices": {kitchen.device.id: []},
    }
    for whom in ({}, {"group": "downstairs"}, {"device": "kitchen"}):
        await allow(None, **whom)
    await kitchen.press("blue", "entertainer")
    assert await kitchen.persona() == "entertainer"
    assert (await control.ask("PUT", "persona-policy", {"personas": []}, who="home operator")).status_code == 403
    for wrong in ({"personas": ["../x"]}, {"personas": [], "group": "a", "device": "b"}, {}):
        assert (await control.ask("PUT", "persona-policy", wrong)).status_code == 422
    assert (await control.ask("PUT", "persona-policy", {"personas": [], "device": "no"})).status_code == 404


async def test_a_persons_own_text_of_that_name_is_used(kitchen: PressedDevice) -> None:
    own = PersonaBundle("companion", texts())
    await kitchen.control.ok("POST", "personas", {"id": own.id, "files": dict(own.files)})
    await kitchen.press("green", "companion")
    wanted = (await kitchen.desired()).persona
    assert wanted is not None and wanted.etag == own.etag


async def test_a_rollout_says_what_the_device_says_and_the_next_change_takes_it_away(kitchen: PressedDevice) -> None:
    control = kitchen.control
    await control.ok("POST", "personas", {"profile": "poet"})
    asked = {"persona": "poet", "all": True, "transition_message": "Now I am a poet."}
    await control.ok("POST", "rollouts", asked)
    await control.write(lambda sql: rollout_waves.advance(sql, now_ms()))
    wanted = await kitchen.desired()
    assert wanted.persona is not None and wanted.persona.id == "poet"
    assert wanted.config == {"transition_message": "Now I am a poet."}
    await kitchen.press("green", "companion")
    assert (await kitchen.desired()).config == {}


async def test_every_tenant_has_them_without_a_person_and_a_newer_version_replaces_ours_only(home: Path) -> None:
    async with running(configured()) as service:
        listed = await service.plane.store.read(
            lambda sql: [
                (row["id"], row["created_by"]) for row in sql.rows("SELECT id, created_by FROM persona ORDER BY id")
            ]
        )
        assert listed == [(name, "reachy-mind") for name in ("companion", "emergency", "entertainer")]
        older, own = PersonaBundle("companion", texts()), PersonaBundle("emergency", texts())

        def change(sql: Sql) -> str:
            tenant = sql.row("SELECT id FROM tenant")
            assert tenant is not None
            personas.put(sql, tenant["id"], older, by="reachy-mind")
            personas.put(sql, tenant["id"], own, by="anna")
            return str(tenant["id"])

        tenant = await service.plane.store.write(change)
    async with running(configured()) as service:
        read = service.plane.store.read
        companion = await read(lambda sql: personas.get(sql, tenant, "companion"))
        emergency = await read(lambda sql: personas.get(sql, tenant, "emergency"))
    assert companion["etag"] == personas.from_shipped("companion").etag
    assert emergency["etag"] == own.etag
