"""The state that a device should have: stored, applied, reported; again after a restart, also without a network."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.errors import HardwareError
from reachy_mind.fleet.device.hub_address import HubAddress
from reachy_mind.fleet.device.pacing import ReconnectDelays
from reachy_mind.fleet.device.personas import PersonaCache, PersonaTexts
from reachy_mind.fleet.device.store import DeviceStore
from reachy_mind.fleet.device.twin import DeviceTwin
from reachy_mind.fleet.protocol.frame import decode, encode, new_frame
from reachy_mind.fleet.protocol.handshake import Desired, Persona, Reported
from tests.waiting import settled, until


class Body:
    """What is changed; `faults`: what goes wrong, one after the other."""

    def __init__(self, *faults: BaseException | Mapping[str, str]) -> None:
        self.applied: list[Desired] = []
        self.faults = list(faults)
        self.may_go_on = asyncio.Event()
        self.may_go_on.set()

    async def apply(self, desired: Desired, persona: PersonaTexts | None) -> Mapping[str, str]:  # noqa: ARG002
        self.applied.append(desired)
        await self.may_go_on.wait()
        fault = self.faults.pop(0) if self.faults else {}
        if isinstance(fault, BaseException):
            raise fault
        return fault


def unreachable() -> tuple[HubAddress, str]:
    return HubAddress("http://127.0.0.1:9"), "token"


@contextlib.asynccontextmanager
async def running(store: DeviceStore, body: Body, retry_s: float = 60) -> AsyncIterator[DeviceTwin]:
    cache = PersonaCache(store.file.parent / "personas", unreachable)
    twin = DeviceTwin(store, body, cache, delays=ReconnectDelays(retry_s, retry_s))
    await twin.load()
    task = asyncio.create_task(twin.run())
    try:
        yield twin
    finally:
        await cancel_and_wait(task)


async def test_a_state_is_applied_and_reported(store: DeviceStore) -> None:
    body, told = Body(), asyncio.Event()
    async with running(store, body) as twin:
        twin.watchers.append(told.set)
        wanted = Desired(version=3, volume=40, config={"light": "dim"})
        await twin.want(wanted)
        await told.wait()
        assert body.applied == [wanted]
        assert twin.reported == Reported(version=3, volume=40, config={"light": "dim"})


async def test_an_older_state_is_ignored(store: DeviceStore) -> None:
    body = Body()
    async with running(store, body) as twin:
        await twin.want(Desired(version=3, volume=40))
        await until(lambda: twin.reported.version == 3)
        for version in (2, 3):
            await twin.want(Desired(version=version, volume=99))
        await settled()
    assert [each.version for each in body.applied] == [3] and twin.desired.volume == 40


async def test_of_states_that_come_while_one_is_applied_the_last_one_wins(store: DeviceStore) -> None:
    body = Body()
    body.may_go_on.clear()
    async with running(store, body) as twin:
        await twin.want(Desired(version=1, volume=1))
        await until(lambda: body.applied)
        for version in (2, 3, 4):
            await twin.want(Desired(version=version, volume=version))
        body.may_go_on.set()
        await until(lambda: twin.reported.version == 4)
    assert [each.version for each in body.applied] == [1, 4]


async def test_what_could_not_be_applied_is_reported_with_why_and_the_rest_is_done(store: DeviceStore) -> None:
    body = Body({"volume": "no loudspeaker", "color": "nobody asked"})
    async with running(store, body) as twin:
        await twin.want(Desired(version=1, volume=40, config={"light": "dim"}))
        await until(lambda: twin.reported.version == 1)
        assert twin.reported == Reported(version=1, config={"light": "dim"}, errors={"volume": "no loudspeaker"})


@pytest.mark.parametrize(
    "fault",
    [
        HardwareError("no loudspeaker"),
        asyncio.CancelledError("no loudspeaker"),
        ValueError("no loudspeaker:\n  line 1\n\tline 2\x00"),
        RuntimeError("no loudspeaker " + "x" * 10_000),
        {"volume": "no loudspeaker\nat all \udcff", "config": "no loudspeaker" * 100},
    ],
    ids=lambda fault: type(fault).__name__,
)
async def test_whatever_an_applier_says_can_be_reported_and_the_next_state_is_applied(
    store: DeviceStore, fault: BaseException | Mapping[str, str]
) -> None:
    async with running(store, Body(fault)) as twin:
        await twin.want(Desired(version=1, volume=40))
        await until(lambda: twin.reported.version == 1)
        assert twin.reported.volume is None and "no loudspeaker" in twin.reported.errors["volume"]
        frame = decode(encode(new_frame("twin.reported", twin.reported.model_dump(mode="json"))))
        assert Reported.model_validate(frame.p) == twin.reported
        await twin.want(Desired(version=2, volume=50))
        await until(lambda: twin.reported == Reported(version=2, volume=50))


async def test_an_applier_that_broke_down_is_tried_again(store: DeviceStore) -> None:
    body = Body(HardwareError("the sound card is busy"))
    async with running(store, body, retry_s=0.01) as twin:
        await twin.want(Desired(version=1, volume=40))
        await until(lambda: twin.reported == Reported(version=1, volume=40))
    assert len(body.applied) == 2


async def test_a_personality_that_cannot_be_fetched_leaves_the_one_before_and_says_why(store: DeviceStore) -> None:
    body = Body()
    async with running(store, body) as twin:
        await twin.want(Desired(version=1, persona=Persona(id="poet", etag="a" * 64), volume=7))
        await until(lambda: twin.reported.version == 1)
        assert (twin.reported.persona, twin.reported.volume) == (None, 7)
        assert "can't be fetched" in twin.reported.errors["persona"]


async def test_a_restart_in_the_middle_applies_it_and_one_after_it_applies_it_again(file: Path) -> None:
    wanted, body = Desired(version=5, volume=30), Body()
    body.may_go_on.clear()
    async with DeviceStore(file) as store, running(store, body) as twin:
        await twin.want(wanted)
        await until(lambda: body.applied)
        assert twin.reported == Reported()
    for _ in range(2):
        async with DeviceStore(file) as store, running(store, after := Body()) as twin:
            assert twin.desired == wanted
            await until(lambda: twin.reported == Reported(version=5, volume=30))
            await until(lambda after=after: after.applied == [wanted])


async def test_nothing_is_applied_before_anybody_wants_anything(store: DeviceStore) -> None:
    body = Body()
    async with running(store, body) as twin:
        await settled()
        assert body.applied == [] and twin.reported == Reported()


async def test_a_stored_state_that_makes_no_sense_is_asked_for_again(store: DeviceStore) -> None:
    async with running(store, Body()) as twin:
        await twin.want(Desired(version=5, volume=30))
    await store.write(lambda db: db.execute("UPDATE twin SET desired = '{'"))
    epoch = store.epoch
    async with running(store, Body()) as twin:
        assert twin.desired.version == 0, "its hello says so, and the hub sends it"
    assert store.epoch != epoch


def test_every_reason_is_short_enough_for_a_report() -> None:
    errors: dict[str, Any] = dict.fromkeys(("persona", "config", "volume"), "x" * 200)
    assert len(encode(new_frame("twin.reported", Reported(errors=errors).model_dump(mode="json")))) < 2000
