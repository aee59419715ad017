"""`Simulation`: many simulated devices in one process, which connect at a rate, say how they are, and press buttons."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable, Sequence
from typing import Final, Self

from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.fleet.device.hub_address import HubAddress
from reachy_mind.fleet.device.simulated_device import DeviceCredentials, SimulatedDevice, SimulationCounters
from reachy_mind.fleet.protocol.frame import Frame
from reachy_mind.fleet.protocol.limits import HEARTBEAT_S

CONNECTS_PER_S: Final = 400.0
TICK_S: Final = 0.05


class Simulation:
    """Use as an async context manager: the devices connect, `connects_per_s` of them a second, and stay connected, with
    several `addresses` to one after the other.

    `on_command(device id, frame)` is called for each command that arrives.
    """

    def __init__(
        self,
        credentials: Sequence[DeviceCredentials],
        addresses: Sequence[HubAddress],
        *,
        connects_per_s: float = CONNECTS_PER_S,
        heartbeat_s: float = HEARTBEAT_S,
        on_command: Callable[[str, Frame], None] | None = None,
    ) -> None:
        self.counters = SimulationCounters()
        self.connected = 0
        self._held_back: set[SimulatedDevice] = set()
        self.devices = [self._device(each, addresses, number, on_command) for number, each in enumerate(credentials)]
        self._connects_per_s, self._heartbeat_s = connects_per_s, heartbeat_s
        self._tasks: list[asyncio.Task[None]] = []
        self._changed = asyncio.Event()
        self._traffic: asyncio.Task[None] | None = None
        self._random = random.Random(0)  # noqa: S311 -- which device presses

    async def __aenter__(self) -> Self:
        self._tasks = [
            asyncio.create_task(self._start_devices(), name="simulation start"),
            asyncio.create_task(self._beat(), name="simulation heartbeats"),
        ]
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._traffic is not None:
            await cancel_and_wait(self._traffic)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    @property
    def waiting(self) -> int:
        """Events that no hub has acknowledged."""
        return sum(each.waiting for each in self.devices)

    async def until_connected(self, number: int | None = None, within_s: float = 600.0) -> float:
        """Wait until so many devices are connected (all); seconds it took. Raises TimeoutError."""
        began = time.monotonic()
        async with asyncio.timeout(within_s):
            while self.connected < (len(self.devices) if number is None else number):
                self._changed.clear()
                await self._changed.wait()
        return time.monotonic() - began

    async def until_quiet(self, within_s: float = 60.0) -> bool:
        """Wait until every event is acknowledged. Whether that happened in time."""
        deadline = time.monotonic() + within_s
        while self.waiting:
            if time.monotonic() > deadline:
                return False
            await asyncio.sleep(TICK_S)
        return True

    def connected_to(self, address: HubAddress) -> int:
        """How many devices are connected there."""
        return sum(each.connected and each.address == address for each in self.devices)

    async def move(self, number: int) -> int:
        """Devices chosen at random leave, and connect to their next address. How many did."""
        leaving = [each for each in self._random.sample(self.devices, number) if each.connected]
        await asyncio.gather(*(each.leave() for each in leaving))
        return len(leaving)

    def press_buttons(self, per_s: float) -> None:
        """From now on devices chosen at random press a button, so often in all."""
        self._traffic = asyncio.create_task(self._press(per_s), name="simulation buttons")

    async def stop_pressing(self) -> None:
        if self._traffic is not None:
            await cancel_and_wait(self._traffic)
            self._traffic = None

    def _device(
        self,
        credentials: DeviceCredentials,
        addresses: Sequence[HubAddress],
        number: int,
        on_command: Callable[[str, Frame], None] | None,
    ) -> SimulatedDevice:
        return SimulatedDevice(
            credentials,
            addresses,
            self.counters,
            first=number,
            held_back=self._held_back,
            on_change=self._count,
            on_command=None if on_command is None else lambda frame: on_command(credentials.id, frame),
        )

    def _count(self, connected: bool) -> None:
        self.connected += 1 if connected else -1
        self._changed.set()

    async def _start_devices(self) -> None:
        began = time.monotonic()
        for number, device in enumerate(self.devices, 1):
            self._tasks.append(asyncio.create_task(device.run(), name="simulated device"))
            ahead = number / self._connects_per_s - (time.monotonic() - began)
            if ahead > 0:
                await asyncio.sleep(ahead)

    async def _beat(self) -> None:
        """Each device in its turn, all of them once in `heartbeat_s`; those that were held back go on."""
        began, beats = time.monotonic(), 0
        while True:
            await asyncio.sleep(TICK_S)
            due = int((time.monotonic() - began) / self._heartbeat_s * len(self.devices))
            for number in range(beats, due):
                await self.devices[number % len(self.devices)].heartbeat()
            beats = max(beats, due)
            for device in list(self._held_back):
                await device.send_due()

    async def _press(self, per_s: float) -> None:
        began, pressed = time.monotonic(), 0
        while True:
            await asyncio.sleep(min(TICK_S, 1 / per_s))
            due = int((time.monotonic() - began) * per_s)
            for number in range(pressed, due):
                device = self._random.choice(self.devices)
                await device.accept("button.pressed", {"button": "green", "press": number})
            pressed = max(pressed, due)
