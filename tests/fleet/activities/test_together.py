"""A node and devices on loopback: they get ready, begin together, pause, leave, join late, and stop in an emergency."""

from __future__ import annotations

import contextlib
import io
import time
import wave
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from reachy_mind.bench.fleet_fault_device import NothingToApply
from reachy_mind.bench.fleet_servers import free_port
from reachy_mind.config.configuration import load
from reachy_mind.fleet.activities.clip_cache import ClipCache
from reachy_mind.fleet.activities.clock_estimate import BURST, ClockEstimate
from reachy_mind.fleet.activities.device_activities import DeviceActivities
from reachy_mind.fleet.activities.timed_player import RATE
from reachy_mind.fleet.control.device_connection import DeviceConnection
from reachy_mind.fleet.control.service import ControlService, running
from reachy_mind.fleet.device.enrolment import DeviceIdentity
from reachy_mind.fleet.device.link import DeviceLink
from reachy_mind.fleet.device.outbox import Outbox
from reachy_mind.fleet.device.pacing import ReconnectDelays
from reachy_mind.fleet.device.store import DeviceStore
from tests.fleet.activities.stage import Dancer, Loudspeaker, Narrator
from tests.waiting import until

TOGETHER_MS = 60.0
"""What these tests take for together, on a machine that may be busy; `bench sync` measures it."""


@pytest.fixture
async def service(home: Path) -> AsyncIterator[ControlService]:
    async with running(load(flags={"fleet.port": free_port()})) as started:
        yield started


@dataclass
class Member:
    """A device that is connected."""

    identity: DeviceIdentity
    link: DeviceLink
    activities: DeviceActivities
    speaker: Loudspeaker
    dancer: Dancer
    clock: ClockEstimate

    @property
    def ends_ms(self) -> float:
        """When the last sound that it began ends: the same on all devices, whenever they joined."""
        return self.speaker.played[-1].at_ms + self.speaker.played[-1].seconds * 1000


class House:
    """Its devices, and its operator."""

    def __init__(self, service: ControlService, folder: Path) -> None:
        self._service, self._folder = service, folder

    def connections(self) -> list[DeviceConnection]:
        return list(self._service.plane.hub._connections.values())

    async def ask(self, method: str, route: str, **about: Any) -> Any:
        headers = {"Authorization": f"Bearer {self._service.local.key}"}
        async with httpx.AsyncClient(headers=headers, trust_env=False) as client:
            response = await client.request(method, f"{self._service.local.url}/fleet/v1/{route}", **about)
        assert response.status_code < 300, response.text
        return response.json()

    async def enrol(self, name: str) -> DeviceIdentity:
        code = (await self.ask("POST", "enrolments", json={"name": name, "groups": ["family"]}))["code"]
        found = await self.ask("POST", "enrol", json={"code": code})
        return DeviceIdentity(self._service.local.url, found["device"], found["token"], name)

    @contextlib.asynccontextmanager
    async def member(self, identity: DeviceIdentity) -> AsyncIterator[Member]:
        """The device, connected; opened again it is the same one after a restart."""
        folder = self._folder / identity.name
        speaker, dancer, clock = Loudspeaker(), Dancer(), ClockEstimate()
        async with DeviceStore(folder / "device.db") as store:
            outbox = Outbox(store)
            async with (
                DeviceActivities(
                    clock,
                    speaker,
                    outbox,
                    clips=ClipCache(folder / "clips", lambda: (identity.address, identity.token)),
                    file=folder / "activity.json",
                    voice=Narrator(),
                    moves=dancer,
                ) as activities,
                DeviceLink(
                    store,
                    identity,
                    NothingToApply(),
                    handlers=activities.handlers(),
                    delays=ReconnectDelays(0.05, 0.2),
                    outbox=outbox,
                    hub_time=clock,
                ) as link,
            ):
                await until(lambda: link.state == "connected")
                yield Member(identity, link, activities, speaker, dancer, clock)

    async def clip(self, seconds: float) -> str:
        file = io.BytesIO()
        with wave.open(file, "wb") as writer:
            writer.setnchannels(1)
            writer.setsampwidth(2)
            writer.setframerate(RATE)
            writer.writeframes(b"\1\0" * round(seconds * RATE))
        stored: str = (await self.ask("POST", "audio", content=file.getvalue(), headers={"Content-Type": "audio/wav"}))[
            "audio"
        ]
        return stored

    async def begin(self, kind: str, content: dict[str, Any], **about: Any) -> str:
        given = {"kind": kind, "group": "family", "content": content} | about
        activity: str = (await self.ask("POST", "activities", json=given))["id"]
        return activity

    async def state(self, activity: str) -> dict[str, Any]:
        found: dict[str, Any] = await self.ask("GET", f"activities/{activity}")
        return found

    async def is_in(self, activity: str, state: str) -> None:
        async def so() -> bool:
            return bool((await self.state(activity))["state"] == state)

        await until(so)


@pytest.fixture
async def house(service: ControlService, tmp_path: Path) -> House:
    return House(service, tmp_path / "devices")


async def test_a_device_learns_the_time_of_the_hub_and_keeps_it_over_connections(house: House) -> None:
    async with house.member(await house.enrol("kitchen")) as kitchen:
        await until(lambda: kitchen.clock.samples >= BURST)
        now = kitchen.clock.now_ms()
        assert now is not None and abs(now - time.time() * 1000) < TOGETHER_MS
        before = kitchen.clock.samples
        for connection in house.connections():
            await connection.close(1001, "a cable is pulled")
        await until(lambda: kitchen.link.counters.connects == 2)
        await until(lambda: kitchen.clock.samples >= before + BURST)
        assert kitchen.clock.restarts == 0


async def test_music_begins_pauses_and_goes_on_together(house: House) -> None:
    first, second = await house.enrol("kitchen"), await house.enrol("bedroom")
    async with house.member(first) as kitchen, house.member(second) as bedroom:
        both = (kitchen, bedroom)
        activity = await house.begin("music", {"audio": await house.clip(30)})
        await until(lambda: all(each.speaker.played for each in both))
        assert abs(kitchen.speaker.played[0].at_ms - bedroom.speaker.played[0].at_ms) < TOGETHER_MS
        await house.is_in(activity, "running")
        paused = await house.ask("POST", f"activities/{activity}/pause")
        await until(lambda: all(each.speaker.silenced and not each.activities.playing for each in both))
        await house.ask("POST", f"activities/{activity}/resume")
        await until(lambda: all(len(each.speaker.played) == 2 for each in both))
        for each in both:
            assert each.speaker.played[1].seconds == pytest.approx(30 - paused["position_ms"] / 1000, abs=0.01)
        assert abs(kitchen.ends_ms - bedroom.ends_ms) < TOGETHER_MS
        left = await house.ask("POST", f"activities/{activity}/end", json={"devices": ["bedroom"]})
        assert left["counts"]["left"] == 1
        await until(lambda: bedroom.activities.current is None)
        assert kitchen.activities.playing and (await house.state(activity))["state"] == "running"
        await house.ask("POST", f"activities/{activity}/end")
        await until(lambda: kitchen.activities.current is None)
        assert (await house.state(activity))["state"] == "ended"


async def test_who_comes_late_or_comes_back_is_where_the_others_are(house: House) -> None:
    first, second = await house.enrol("kitchen"), await house.enrol("bedroom")
    async with house.member(first) as kitchen:
        activity = await house.begin("dance", {"audio": await house.clip(30), "move": "dance1"})
        await until(lambda: kitchen.speaker.played)
        found = {each["name"]: each["reason"] for each in (await house.state(activity))["devices"]}
        assert found["bedroom"] == "left out at the start: it is offline"
        async with house.member(second) as bedroom:
            await until(lambda: bedroom.speaker.played)
            assert abs(kitchen.ends_ms - bedroom.ends_ms) < TOGETHER_MS
            assert bedroom.speaker.played[0].seconds < kitchen.speaker.played[0].seconds
        async with house.member(second) as bedroom:
            await until(lambda: bedroom.speaker.played)
            assert abs(kitchen.ends_ms - bedroom.ends_ms) < TOGETHER_MS
        assert [name for name, _ in kitchen.dancer.moves] == ["dance1"] and bedroom.dancer.moves == []


async def test_a_device_that_loses_the_network_plays_on(house: House) -> None:
    async with house.member(await house.enrol("kitchen")) as kitchen:
        activity = await house.begin("music", {"audio": await house.clip(30)})
        await until(lambda: kitchen.speaker.played)
        for connection in house.connections():
            await connection.close(1001, "a cable is pulled")
        await until(lambda: kitchen.link.counters.connects == 2)
        assert kitchen.activities.playing and not kitchen.speaker.silenced and len(kitchen.speaker.played) == 1
        await house.ask("POST", f"activities/{activity}/end")
        await until(lambda: kitchen.activities.current is None)


async def test_a_story_is_told_part_by_part_and_ends_when_all_have_finished(house: House) -> None:
    first, second = await house.enrol("kitchen"), await house.enrol("bedroom")
    async with house.member(first) as kitchen, house.member(second) as bedroom:
        activity = await house.begin("story", {"text": "Once upon.\n\nThe end."})
        await house.is_in(activity, "ended")
        one = await house.state(activity)
        assert (one["reason"], one["counts"]["finished"], one["parts"]) == ("finished", 2, 2)
        for each in (kitchen, bedroom):
            begun = [played.at_ms - one["at"] for played in each.speaker.played]
            assert begun[1] - begun[0] == pytest.approx(600, abs=TOGETHER_MS), "two words, and a gap"


async def test_an_emergency_stops_all_and_the_others_say_why(house: House) -> None:
    first, second = await house.enrol("kitchen"), await house.enrol("bedroom")
    async with house.member(first) as kitchen, house.member(second) as bedroom:
        activity = await house.begin("music", {"audio": await house.clip(30)})
        await until(lambda: all(each.speaker.played for each in (kitchen, bedroom)))
        await kitchen.activities.stop("emergency")
        await kitchen.link.accept_emergency("emergency.pressed", {"button": "red"})
        await house.is_in(activity, "ended")
        await until(lambda: bedroom.activities.current is None)
        assert (await house.state(activity))["reason"] == "emergency at kitchen"
        await until(lambda: len(bedroom.speaker.played) == 2)
        assert len(kitchen.speaker.played) == 1, "the one with the alarm says nothing else"
