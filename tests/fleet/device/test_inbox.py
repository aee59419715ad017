"""Commands: stored before they are acknowledged, handled in order, once in effect, and always answered."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.errors import HardwareError
from reachy_mind.fleet.device.hub_clock import HubClock
from reachy_mind.fleet.device.inbox import MAX_ATTEMPTS, MAX_WAITING, Command, Handler, Inbox
from reachy_mind.fleet.device.outbox import Outbox
from reachy_mind.fleet.device.store import DeviceStore
from reachy_mind.fleet.protocol.close_codes import ProtocolViolation
from reachy_mind.fleet.protocol.frame import EMERGENCY, USUAL, Frame, new_frame
from tests.waiting import until

EPOCH = "hub-1"


def command(seq: int, type_: str = "speak", **fields: Any) -> Frame:
    return new_frame(type_, {"n": seq}, seq=seq, **fields)


class Device:
    """An inbox that runs."""

    def __init__(self, store: DeviceStore, handlers: dict[str, Handler], now: float = 1e6) -> None:
        self.store, self.outbox = store, Outbox(store)
        self.clock = HubClock(lambda: now)
        self.inbox = Inbox(store, self.outbox, self.clock, handlers)

    async def answers(self) -> list[tuple[str | None, str]]:
        """The ids and outcomes, in order."""
        events = await self.outbox.after(USUAL, 0, 1000, epoch=self.store.epoch)
        return [(event.re, event.p["status"]) for event in events if event.type == "command.done"]

    async def answered(self, count: int) -> list[tuple[str | None, str]]:
        async def enough() -> bool:
            return len(await self.answers()) >= count

        await until(enough)
        return await self.answers()

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        task = asyncio.create_task(self.inbox.run())
        try:
            yield
        finally:
            await cancel_and_wait(task)


class Spoken:
    """A handler that notes what it was given."""

    def __init__(self) -> None:
        self.commands: list[Command] = []

    async def __call__(self, command: Command) -> None:
        self.commands.append(command)


async def test_commands_are_handled_in_order_and_answered(store: DeviceStore) -> None:
    spoken = Spoken()
    device = Device(store, {"speak": spoken})
    await device.inbox.follow(EPOCH)
    frames = [command(n) for n in range(1, 6)]
    assert await device.inbox.keep(frames, epoch=EPOCH) == (5, 0)
    async with device.running():
        assert await device.answered(5) == [(frame.id, "done") for frame in frames]
    assert [(each.id, each.payload, each.attempt) for each in spoken.commands] == [(f.id, f.p, 1) for f in frames]


async def test_a_repetition_is_stored_once_and_a_gap_stores_nothing(store: DeviceStore) -> None:
    spoken = Spoken()
    device = Device(store, {"speak": spoken})
    await device.inbox.follow(EPOCH)
    first = command(1)
    assert await device.inbox.keep([first, first], epoch=EPOCH) == (1, 0)
    with pytest.raises(ProtocolViolation):
        await device.inbox.keep([command(2), command(4)], epoch=EPOCH)
    assert (await store.position()).down.seq == 1
    assert await device.inbox.keep([command(4, skip=2)], epoch=EPOCH) == (4, 0)
    async with device.running():
        await device.answered(2)
    assert [each.payload["n"] for each in spoken.commands] == [1, 4]


async def test_the_end_of_the_process_between_effect_and_answer_calls_the_handler_again(file: Path) -> None:
    spoken, hung = Spoken(), asyncio.Event()

    async def speak_and_hang(each: Command) -> None:
        await spoken(each)
        hung.set()
        await asyncio.Event().wait()

    frame = command(1)
    async with DeviceStore(file) as store:
        device = Device(store, {"speak": speak_and_hang})
        await device.inbox.follow(EPOCH)
        await device.inbox.keep([frame], epoch=EPOCH)
        async with device.running():
            await hung.wait()
        assert await device.answers() == []
    async with DeviceStore(file) as store:
        device = Device(store, {"speak": spoken})
        async with device.running():
            assert await device.answered(1) == [(frame.id, "done")]
        assert [(each.id, each.attempt) for each in spoken.commands] == [(frame.id, 1), (frame.id, 2)]
        async with device.running():
            await device.inbox.keep([command(2)], epoch=EPOCH)
            await device.answered(2)
        assert len(spoken.commands) == 3, "what was answered is not handled again"


async def test_a_command_that_ends_the_process_each_time_is_given_up(file: Path) -> None:
    frames, hung = [command(1, "restart"), command(2)], asyncio.Event()

    async def hang(_: Command) -> None:
        hung.set()
        await asyncio.Event().wait()

    async with DeviceStore(file) as store:
        await Device(store, {}).inbox.follow(EPOCH)
        await Device(store, {}).inbox.keep(frames, epoch=EPOCH)
    for _ in range(MAX_ATTEMPTS):
        async with DeviceStore(file) as store, Device(store, {"restart": hang}).running():
            await hung.wait()
            hung.clear()
    async with DeviceStore(file) as store:
        device = Device(store, {"restart": hang, "speak": Spoken()})
        async with device.running():
            assert await device.answered(2) == [(frames[0].id, "failed"), (frames[1].id, "done")]


async def test_errors_unknown_types_and_late_commands_are_answered_as_what_they_are(store: DeviceStore) -> None:
    async def break_down(_: Command) -> None:
        raise HardwareError("no loudspeaker \ud800")

    async def crash(_: Command) -> None:
        raise ZeroDivisionError("by nothing")

    device = Device(store, {"speak": break_down, "audio.play": crash})
    device.clock.set(10_000)
    await device.inbox.follow(EPOCH)
    frames = [
        command(1),
        command(2, "audio.play"),
        command(3, "dance.tango"),
        command(4, exp=9_999),
        command(5, exp=10_001),
    ]
    await device.inbox.keep(frames, epoch=EPOCH)
    async with device.running():
        outcomes = [status for _, status in await device.answered(5)]
    assert outcomes == ["failed", "failed", "unsupported", "expired", "failed"]
    events = await device.outbox.after(USUAL, 0, 10, epoch=store.epoch)
    assert events[0].p["error"] == "no loudspeaker ?" and "ZeroDivisionError" in events[1].p["error"]


async def test_a_command_whose_work_is_cancelled_failed_and_the_next_one_is_handled(store: DeviceStore) -> None:
    """Such as a sound that an emergency silences."""
    playing: list[asyncio.Task[None]] = []

    async def play(_: Command) -> None:
        playing.append(asyncio.create_task(asyncio.Event().wait()))  # type: ignore[arg-type]
        await playing[0]

    device = Device(store, {"audio.play": play, "speak": Spoken()})
    await device.inbox.follow(EPOCH)
    frames = [command(1, "audio.play"), command(2)]
    await device.inbox.keep(frames, epoch=EPOCH)
    async with device.running():
        await until(lambda: playing)
        playing[0].cancel()
        assert await device.answered(2) == [(frames[0].id, "failed"), (frames[1].id, "done")]


async def test_a_stored_command_that_makes_no_sense_does_not_hold_back_the_next_one(store: DeviceStore) -> None:
    spoken = Spoken()
    device = Device(store, {"speak": spoken})
    await device.inbox.follow(EPOCH)
    await device.inbox.keep([command(1), command(2)], epoch=EPOCH)
    await store.write(lambda db: db.execute("UPDATE inbox SET body = '{' WHERE arrival = 1"))
    async with device.running():
        await until(lambda: spoken.commands)
    assert [each.payload for each in spoken.commands] == [{"n": 2}]


async def test_a_command_with_an_end_waits_until_the_hubs_time_is_known(store: DeviceStore) -> None:
    """After a restart without a network the device's own clock may be anywhere."""
    spoken = Spoken()
    device = Device(store, {"speak": spoken})
    await device.inbox.follow(EPOCH)
    late, good, urgent = command(1, exp=1_000), command(2, exp=3_000), command(1, "emergency.acknowledged", prio=0)
    await device.inbox.keep([late, good, urgent], epoch=EPOCH)
    async with device.running():
        assert await device.answered(1) == [(urgent.id, "unsupported")], "the other lane does not wait"
        device.clock.set(2_000)
        device.inbox.look_again()
        assert (await device.answered(3))[1:] == [(late.id, "expired"), (good.id, "done")]
    assert [each.attempt for each in spoken.commands] == [1]


async def test_an_urgent_command_does_not_wait_for_one_that_takes_long(store: DeviceStore) -> None:
    begun, finish, alarm = asyncio.Event(), asyncio.Event(), Spoken()

    async def tell_a_story(_: Command) -> None:
        begun.set()
        await finish.wait()

    device = Device(store, {"speak": tell_a_story, "emergency.acknowledged": alarm})
    await device.inbox.follow(EPOCH)
    async with device.running():
        await device.inbox.keep([command(1)], epoch=EPOCH)
        await begun.wait()
        await device.inbox.keep([command(1, "emergency.acknowledged", prio=0)], epoch=EPOCH)
        await until(lambda: alarm.commands)
        finish.set()
        await device.answered(2)


async def test_a_new_numbering_of_the_hub_begins_at_one_and_repeats_no_effect(store: DeviceStore) -> None:
    spoken = Spoken()
    device = Device(store, {"speak": spoken})
    await device.inbox.follow(EPOCH)
    frames = [command(n) for n in range(1, 4)]
    async with device.running():
        await device.inbox.keep(frames, epoch=EPOCH)
        await device.answered(3)
        await device.inbox.follow("hub-2")
        assert (await store.position()).down.model_dump() == {"epoch": "hub-2", "seq": 0, "seq0": 0}
        assert await device.inbox.keep([command(9)], epoch=EPOCH) == (0, 0), "a frame of the old connection"
        again = frames[2].model_copy(update={"seq": 1})
        assert await device.inbox.keep([again, command(2)], epoch="hub-2") == (2, 0)
        answers = await device.answered(5)
    assert len(spoken.commands) == 4 and answers.count((again.id, "done")) == 2, "known by its id, answered again"


async def test_commands_wait_with_the_hub_when_too_many_wait_here(store: DeviceStore) -> None:
    finish = asyncio.Event()

    async def tell_a_story(_: Command) -> None:
        await finish.wait()

    device = Device(store, {"speak": tell_a_story})
    await device.inbox.follow(EPOCH)
    await device.inbox.keep([command(n) for n in range(1, MAX_WAITING + 1)], epoch=EPOCH)
    assert not await device.inbox.has_room()
    async with device.running():
        room = asyncio.create_task(device.inbox.room())
        finish.set()
        await room
    assert await device.inbox.has_room()


async def test_the_emergency_lane_has_numbers_of_its_own(store: DeviceStore) -> None:
    device = Device(store, {})
    await device.inbox.follow(EPOCH)
    urgent = command(1, "emergency.acknowledged", prio=0)
    assert urgent.lane == EMERGENCY
    assert await device.inbox.keep([command(1), urgent, command(2)], epoch=EPOCH) == (2, 1)
