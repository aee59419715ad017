"""What the device accepts it keeps, in order, until the hub has it; what it may drop it counts."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from reachy_mind.errors import InvalidParameter
from reachy_mind.fleet.device.outbox import Outbox, OutboxFull, OutboxLimits
from reachy_mind.fleet.device.session import DeviceSession
from reachy_mind.fleet.device.store import DeviceStore
from reachy_mind.fleet.protocol.frame import EMERGENCY, USUAL, Frame, Lane, decode, encode, new_frame
from reachy_mind.fleet.protocol.handshake import Hello


async def waiting(outbox: Outbox, store: DeviceStore, lane: Lane = USUAL) -> list[Frame]:
    return await outbox.after(lane, 0, 100_000, epoch=store.epoch)


async def test_events_are_numbered_in_their_lanes_and_survive_a_restart(file: Path) -> None:
    async with DeviceStore(file) as store:
        outbox, epoch = Outbox(store), store.epoch
        accepted = [await outbox.accept("button.pressed", {"button": str(n)}) for n in range(3)]
        alarm = await outbox.accept("emergency.pressed", prio=0)
        assert [event.seq for event in accepted] == [1, 2, 3] and alarm.seq == 1
    async with DeviceStore(file) as store:
        assert store.epoch == epoch
        outbox = Outbox(store)
        assert await waiting(outbox, store) == accepted and await waiting(outbox, store, EMERGENCY) == [alarm]
        assert (await outbox.accept("device.started")).seq == 4


async def test_what_the_hub_has_is_removed_in_each_lane_by_its_own_number(store: DeviceStore) -> None:
    outbox = Outbox(store)
    for _ in range(4):
        await outbox.accept("button.pressed")
        await outbox.accept("emergency.pressed", prio=0)
    await outbox.acknowledge(3, 1, epoch=store.epoch)
    assert [event.seq for event in await waiting(outbox, store)] == [4]
    assert [event.seq for event in await waiting(outbox, store, EMERGENCY)] == [2, 3, 4]
    totals = await outbox.totals()
    assert (totals.events, totals.emergencies) == (4, 3) and totals.bytes > 0
    await outbox.acknowledge(4, 4, epoch=store.epoch)
    assert (await outbox.totals()).bytes == 0


async def test_an_acknowledgement_of_another_epoch_removes_nothing(store: DeviceStore) -> None:
    outbox, before = Outbox(store), store.epoch
    for _ in range(3):
        await outbox.accept("button.pressed")
    await outbox.acknowledge(1, 0, epoch=before)
    await store.begin_epoch()
    await outbox.acknowledge(3, 0, epoch=before)
    assert [event.seq for event in await waiting(outbox, store)] == [1, 2]
    assert await outbox.after(USUAL, 0, 10, epoch=before) == []


async def test_a_new_epoch_numbers_what_waits_from_one_and_keeps_its_order(store: DeviceStore) -> None:
    outbox = Outbox(store)
    events = [await outbox.accept("button.pressed", {"n": n}, prio=2 if n % 2 else 1) for n in range(20)]
    alarms = [await outbox.accept("emergency.pressed", {"n": n}, prio=0) for n in range(5)]
    await outbox.acknowledge(7, 2, epoch=store.epoch)
    before = store.epoch
    assert await store.begin_epoch() == store.epoch != before
    left = await waiting(outbox, store)
    assert [event.seq for event in left] == list(range(1, 14))
    assert [event.id for event in left] == [event.id for event in events[7:]]
    alarms_left = await waiting(outbox, store, EMERGENCY)
    assert [(event.seq, event.id) for event in alarms_left] == [(n + 1, alarms[n + 2].id) for n in range(3)]
    assert (await outbox.accept("button.pressed")).seq == 14


async def test_a_full_outbox_drops_the_oldest_of_priority_2_and_says_so_to_the_hub(store: DeviceStore) -> None:
    outbox = Outbox(store, OutboxLimits(max_events=4))
    for prio in (1, 2, 2, 1):
        await outbox.accept("button.pressed", {"prio": prio}, prio=prio)
    await outbox.accept("button.pressed", {"prio": 1})
    await outbox.accept("button.pressed", {"prio": 2}, prio=2)
    assert [event.seq for event in await waiting(outbox, store)] == [1, 4, 5, 6]
    assert (await outbox.totals()).dropped == 2
    session = DeviceSession(Hello(device="d", boot="b", epoch=store.epoch))
    down = {"conn": "c", "generation": 1, "up": {}, "down": "e", "time": 0}
    session.receive(new_frame("welcome", down))
    assert [session.event(event).skip for event in await waiting(outbox, store)] == [0, 2, 0, 0]


async def test_without_priority_2_a_full_outbox_refuses_but_never_an_emergency(store: DeviceStore) -> None:
    outbox = Outbox(store, OutboxLimits(max_events=3))
    for _ in range(3):
        await outbox.accept("button.pressed")
    for prio in (1, 2):
        with pytest.raises(OutboxFull) as refused:
            await outbox.accept("button.pressed", prio=prio)
        assert refused.value.code == "BUSY" and refused.value.hint
    for _ in range(5):
        await outbox.accept("emergency.pressed", prio=0)
    assert len(await waiting(outbox, store)) == 3 and len(await waiting(outbox, store, EMERGENCY)) == 5
    await outbox.acknowledge(1, 0, epoch=store.epoch)
    assert (await outbox.accept("button.pressed")).seq == 4


async def test_an_event_too_large_for_what_is_left_drops_nothing_in_vain(store: DeviceStore) -> None:
    outbox = Outbox(store, OutboxLimits(max_bytes=3000))
    await outbox.accept("button.pressed", {"text": "x" * 1000})
    await outbox.accept("button.pressed", {"text": "x" * 500}, prio=2)
    with pytest.raises(OutboxFull):
        await outbox.accept("button.pressed", {"text": "x" * 2500})
    assert len(await waiting(outbox, store)) == 2 and (await outbox.totals()).dropped == 0
    await outbox.accept("button.pressed", {"text": "x" * 1200})
    assert [event.seq for event in await waiting(outbox, store)] == [1, 3]


@pytest.mark.parametrize(
    ("type_", "payload"),
    [
        ("button.pressed", {"text": "x" * (64 << 10)}),
        ("button.pressed", {"number": float("nan")}),
        ("button.pressed", {"text": "\ud800"}),
        ("button.pressed", {"set": {1}}),
        ("Button Pressed", {}),
        ("", {}),
    ],
)
async def test_what_no_frame_can_hold_is_refused_at_once(
    store: DeviceStore, type_: str, payload: dict[str, object]
) -> None:
    """Otherwise the hub would refuse it later, again and again, and what comes after it would wait for ever."""
    with pytest.raises(InvalidParameter):
        await Outbox(store).accept(type_, payload)


async def test_nested_too_deeply_is_refused_at_once(store: DeviceStore) -> None:
    payload: dict[str, object] = {}
    for _ in range(40):
        payload = {"a": payload}
    with pytest.raises(InvalidParameter):
        await Outbox(store).accept("button.pressed", payload)


async def test_the_largest_event_that_is_accepted_can_be_sent(store: DeviceStore) -> None:
    outbox, size = Outbox(store), 64 << 10
    while True:
        try:
            event = await outbox.accept("button.pressed", {"text": "x" * size})
        except InvalidParameter:
            size -= 16
        else:
            break
    frame = event.model_copy(update={"seq": 1 << 40, "skip": 1 << 40, "ack": 1 << 40, "ack0": 1 << 40})
    assert decode(encode(frame)) == frame


async def test_events_accepted_at_the_same_time_each_get_their_number(store: DeviceStore) -> None:
    outbox = Outbox(store)
    events = await asyncio.gather(*(outbox.accept("button.pressed", {"n": n}) for n in range(200)))
    assert sorted(event.seq or 0 for event in events) == list(range(1, 201))
    assert await waiting(outbox, store) == sorted(events, key=lambda event: event.seq or 0)
