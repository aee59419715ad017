"""Many devices at once: those that find no room are told times at which there will be some."""

from __future__ import annotations

import asyncio
from typing import Self

import pytest

from reachy_mind.fleet.control.device_admission import MAX_WAITING, DeviceAdmission, NodeBusy
from tests.waiting import until


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


async def refused(admission: DeviceAdmission) -> float:
    with pytest.raises(NodeBusy) as refusal:
        async with admission.place():
            pass
    return refusal.value.retry_after_s


class Crowd:
    """Devices at the door. Use as an async context manager; at its end all come in."""

    def __init__(self, admission: DeviceAdmission) -> None:
        self._admission = admission
        self._done = asyncio.Semaphore(0)
        self._coming: list[asyncio.Task[None]] = []
        self._arrived = 0

    async def __aenter__(self) -> Self:
        await self.add(MAX_WAITING)
        return self

    async def __aexit__(self, *_: object) -> None:
        for _each in self._coming:
            self._done.release()
        await asyncio.gather(*self._coming)

    async def add(self, number: int) -> None:
        self._coming += [asyncio.create_task(self._come()) for _ in range(number)]
        await until(lambda: self._arrived == len(self._coming))

    async def let_in(self) -> None:
        """One handshake ends."""
        self._done.release()
        await asyncio.sleep(0)

    async def _come(self) -> None:
        self._arrived += 1
        async with self._admission.place():
            await self._done.acquire()


async def test_those_without_a_place_come_back_one_after_the_other() -> None:
    admission = DeviceAdmission(Clock())
    async with Crowd(admission):
        times = [await refused(admission) for _ in range(2000)]
    assert times == sorted(times)
    assert times[0] >= 1, "not before those that wait are through"
    at_once = [times.count(each) for each in set(times)]
    assert max(at_once[:-1]) <= 650, "no more in a second than are let in"


async def test_a_slow_node_tells_later_times() -> None:
    clock = Clock()
    async with Crowd(quick := DeviceAdmission(clock)):
        usual = await refused(quick)
    async with Crowd(slow := DeviceAdmission(clock)) as crowd:
        for _ in range(200):
            clock.now += 0.05
            await crowd.let_in()
        await crowd.add(200)
        assert await refused(slow) > 3 * usual


async def test_a_place_is_free_again_after_a_handshake() -> None:
    admission = DeviceAdmission(Clock())
    async with Crowd(admission) as crowd:
        await refused(admission)
        await crowd.let_in()
        await crowd.add(1)
        await refused(admission)
