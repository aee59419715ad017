"""The alarm of a device: what happens at once, what waits, and what a person is told."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from reachy_mind.config.configuration import Configuration
from reachy_mind.fleet.agent.announcements import Announcer
from reachy_mind.fleet.agent.emergency import EmergencyAlarm
from reachy_mind.fleet.agent.light import MemoryLight, StatusLight
from reachy_mind.fleet.agent.null_speaker import NullSpeaker
from reachy_mind.fleet.agent.sound import SoundOutput
from reachy_mind.fleet.agent.uplink import AgentUplink
from reachy_mind.fleet.device.outbox import Outbox
from reachy_mind.fleet.device.store import DeviceStore
from reachy_mind.fleet.protocol.frame import EMERGENCY
from tests.fleet.agent.captures import read_capture
from tests.waiting import until


@dataclass
class Alarmed:
    """An alarm and what it uses."""

    alarm: EmergencyAlarm
    light: StatusLight
    sound: SoundOutput
    announcer: Announcer
    uplink: AgentUplink
    capture: Path


@pytest.fixture
async def alarmed(settings: Callable[..., Configuration], tmp_path: Path) -> AsyncIterator[Alarmed]:
    light, uplink, capture = StatusLight(MemoryLight(), brightness=1), AgentUplink(), tmp_path / "heard.wav"
    async with (
        SoundOutput(lambda mixer: NullSpeaker(mixer, capture), volume=10) as sound,
        Announcer(settings(), sound, tmp_path / "phrases") as announcer,
        EmergencyAlarm(light, sound, announcer, uplink, tmp_path / "alarm.json", repeat_s=5.0, patience_s=0.3) as alarm,
    ):
        yield Alarmed(alarm, light, sound, announcer, uplink, capture)


async def test_without_a_store_there_is_light_and_sound_and_the_event_waits_for_one(
    alarmed: Alarmed, tmp_path: Path
) -> None:
    alarmed.alarm.press()
    assert alarmed.light.shown == "emergency", "in the same turn of the loop"
    await until(lambda: int(np.abs(read_capture(alarmed.capture).samples.astype(np.int32)).max(initial=0)) > 10000)
    await until(lambda: "can't reach anybody yet" in alarmed.announcer.said)
    assert alarmed.alarm.event == ""
    async with DeviceStore(tmp_path / "device.db") as store:
        outbox = Outbox(store)
        with alarmed.uplink.attached(outbox):
            await until(lambda: alarmed.alarm.event)
            (event,) = await outbox.after(EMERGENCY, 0, 10, epoch=store.epoch)
            assert (event.type, event.prio, event.id) == ("emergency.pressed", 0, alarmed.alarm.event)
            assert event.p["request_persona"] == "emergency"
            await outbox.acknowledge(0, 1, epoch=store.epoch)
            await until(lambda: "Help has been told" in alarmed.announcer.said)
            assert alarmed.light.shown == "emergency", "until somebody has acknowledged it"


async def test_it_is_louder_than_the_volume_and_stops_what_else_is_heard(alarmed: Alarmed) -> None:
    speech = asyncio.create_task(alarmed.sound.play(bytes(2 * 16000 * 60), kind="speech"))
    await asyncio.sleep(0)
    stopped: list[str] = []

    async def stop_talk() -> None:
        stopped.append("talk")

    async def broken() -> None:
        raise RuntimeError("a robot that does not stop")

    alarmed.alarm.before += [broken, stop_talk]
    alarmed.alarm.press()
    await speech
    await until(lambda: stopped == ["talk"])
    assert alarmed.alarm.active


async def test_an_acknowledgement_of_an_older_one_does_not_end_one_that_nobody_has_yet(
    alarmed: Alarmed, tmp_path: Path
) -> None:
    async with DeviceStore(tmp_path / "device.db") as store:
        outbox = Outbox(store)
        with alarmed.uplink.attached(outbox):
            alarmed.alarm.press()
            await until(lambda: alarmed.alarm.event)
            await alarmed.alarm.acknowledged("Ana")
            assert alarmed.alarm.active
            await outbox.acknowledge(0, 1, epoch=store.epoch)
            await alarmed.alarm.acknowledged("Ana")
            assert not alarmed.alarm.active and alarmed.announcer.said.startswith("Ana has seen")


async def test_without_a_name_somebody_has_answered(alarmed: Alarmed, tmp_path: Path) -> None:
    async with DeviceStore(tmp_path / "device.db") as store:
        outbox = Outbox(store)
        with alarmed.uplink.attached(outbox):
            alarmed.alarm.press()
            await until(lambda: alarmed.alarm.event)
            await outbox.acknowledge(0, 1, epoch=store.epoch)
            await alarmed.alarm.acknowledged("")
            assert not alarmed.alarm.active and alarmed.announcer.said.startswith("Somebody has seen")


async def test_the_note_of_who_answered_is_said(alarmed: Alarmed, tmp_path: Path) -> None:
    async with DeviceStore(tmp_path / "device.db") as store:
        outbox = Outbox(store)
        with alarmed.uplink.attached(outbox):
            alarmed.alarm.press()
            await until(lambda: alarmed.alarm.event)
            await outbox.acknowledge(0, 1, epoch=store.epoch)
            await alarmed.alarm.acknowledged("Ana", "I am on my way.")
            assert alarmed.announcer.said == "I am on my way."


async def test_a_test_of_the_alarm_ends_no_real_one(alarmed: Alarmed, tmp_path: Path) -> None:
    async with DeviceStore(tmp_path / "device.db") as store:
        outbox = Outbox(store)
        with alarmed.uplink.attached(outbox):
            alarmed.alarm.press()
            await until(lambda: alarmed.alarm.event)
            await outbox.acknowledge(0, 1, epoch=store.epoch)
            await alarmed.alarm.acknowledged("Ana", test=True)
            assert alarmed.alarm.active


async def test_each_press_is_told(alarmed: Alarmed, tmp_path: Path) -> None:
    async with DeviceStore(tmp_path / "device.db") as store:
        outbox = Outbox(store)
        with alarmed.uplink.attached(outbox):
            for _ in range(3):
                alarmed.alarm.press()

            async def stored() -> bool:
                return (await outbox.totals()).emergencies == 3

            await until(stored)
            assert await alarmed.alarm.cancel()
            assert not await alarmed.alarm.cancel(), "there is none any more"

            async def told() -> bool:
                return (await outbox.totals()).emergencies == 4

            await until(told)


async def test_a_kept_alarm_that_can_t_be_read_is_one(alarmed: Alarmed, tmp_path: Path) -> None:
    (tmp_path / "broken.json").write_text("{")
    async with EmergencyAlarm(
        alarmed.light, alarmed.sound, alarmed.announcer, alarmed.uplink, tmp_path / "broken.json", repeat_s=5.0
    ) as again:
        assert again.active and alarmed.light.shown == "emergency"
