from __future__ import annotations

import asyncio

import pytest

from reachy_mind.events import Bus, Event, LinkChanged, Missed, RobotStopped


async def test_every_subscriber_gets_the_types_it_asked_for() -> None:
    bus = Bus()
    with bus.subscribe(LinkChanged) as links, bus.subscribe() as everything:
        bus.publish(RobotStopped())
        bus.publish(LinkChanged(status="connected"))
        assert isinstance(await links.get(), LinkChanged)
        assert [type(await everything.get()) for _ in range(2)] == [RobotStopped, LinkChanged]


async def test_a_slow_subscriber_never_blocks_and_is_told_how_many_it_missed() -> None:
    bus = Bus()
    with bus.subscribe(size=3) as slow, bus.subscribe(size=100) as fast:
        for number in range(10):
            bus.publish(LinkChanged(status=str(number)))
        first = await slow.get()
        assert isinstance(first, Missed) and first.count == 7
        assert [e.status for e in [await slow.get() for _ in range(3)] if isinstance(e, LinkChanged)] == ["7", "8", "9"]
        assert isinstance(await fast.get(), LinkChanged)


async def test_a_reader_waits_for_the_next_event_and_ends_when_closed() -> None:
    bus = Bus()
    subscription = bus.subscribe()

    async def read() -> list[Event]:
        return [event async for event in subscription]

    reader = asyncio.create_task(read())
    await asyncio.sleep(0)
    bus.publish(RobotStopped())
    await asyncio.sleep(0)
    subscription.close()
    assert len(await reader) == 1
    bus.publish(RobotStopped())
    assert not reader.cancelled()


def test_events_can_not_be_changed() -> None:
    with pytest.raises(AttributeError):
        RobotStopped().at = 0.0  # type: ignore[misc]
