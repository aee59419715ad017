"""A device's activities without a hub: its clock agrees with the hub's, what it plays and says is noted."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reachy_mind.errors import HardwareError
from reachy_mind.fleet.activities import sounds
from reachy_mind.fleet.activities.clip_cache import ClipCache
from reachy_mind.fleet.activities.clock_estimate import BURST, RESTART_AFTER, ClockEstimate
from reachy_mind.fleet.activities.device_activities import DeviceActivities
from reachy_mind.fleet.activities.timed_player import RATE, SAMPLE_BYTES
from reachy_mind.fleet.device.hub_address import HubAddress
from reachy_mind.fleet.device.inbox import Command
from reachy_mind.fleet.device.outbox import Outbox
from reachy_mind.fleet.device.store import DeviceStore
from reachy_mind.fleet.protocol.frame import USUAL
from reachy_mind.fleet.protocol.message_ids import uuid7
from tests.waiting import until

HUB_AHEAD_MS = 1.79e12
"""The hub's clock is so far before this machine's monotonic clock."""


def hub_ms(in_s: float = 0.0) -> float:
    """The hub's clock, now or later."""
    return (time.monotonic() + in_s) * 1000 + HUB_AHEAD_MS


@dataclass(frozen=True)
class Played:
    """A sound that was handed to the loudspeaker: when it begins, by the hub's clock, and how long it is."""

    at_ms: float
    seconds: float
    pcm: bytes = field(repr=False, default=b"")


class Loudspeaker:
    """Plays in real time. `silenced` counts."""

    def __init__(self) -> None:
        self.played: list[Played] = []
        self.silenced = 0
        self.broken = False
        self._silence = asyncio.Event()

    async def play(self, pcm: bytes, *, at: float | None = None, kind: str = "activity") -> None:
        assert kind == "activity"
        if self.broken:
            raise HardwareError("the loudspeaker is gone")
        begin = at if at is not None else time.monotonic()
        seconds = len(pcm) / RATE / SAMPLE_BYTES
        self.played.append(Played(begin * 1000 + HUB_AHEAD_MS, seconds, pcm))
        silence = self._silence
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(max(0.0, begin + seconds - time.monotonic())):
                await silence.wait()

    async def silence(self, *kinds: str) -> None:
        assert kinds == ("activity",)
        self.silenced += 1
        self._silence.set()
        self._silence = asyncio.Event()


class Narrator:
    """A voice that needs a tenth of a second for each word."""

    name = "test"

    def __init__(self) -> None:
        self.spoken: list[tuple[str, str]] = []

    async def speech(self, text: str, language: str) -> bytes:
        self.spoken.append((text, language))
        return b"\1\0" * round(0.1 * RATE * len(text.split()))


class Dancer:
    def __init__(self) -> None:
        self.moves: list[tuple[str, float]] = []
        self.stops = 0

    async def play_move(self, name: str, *, at: float) -> None:
        if name == "unknown":
            raise HardwareError("no such move")
        self.moves.append((name, at * 1000 + HUB_AHEAD_MS))

    async def stop_moves(self) -> None:
        self.stops += 1


def agree(clock: ClockEstimate, ahead_ms: float = 0.0) -> ClockEstimate:
    """It knows the hub's time then, which was set by `ahead_ms`."""
    hub_ahead_ms = HUB_AHEAD_MS + ahead_ms
    for _ in range(BURST + RESTART_AFTER):
        t0 = time.monotonic() * 1000
        clock.note(t0, t0 + hub_ahead_ms, t0 + hub_ahead_ms, time.monotonic() * 1000)
    return clock


@dataclass
class Stage:
    """One device."""

    activities: DeviceActivities
    outbox: Outbox
    store: DeviceStore
    speaker: Loudspeaker
    narrator: Narrator
    dancer: Dancer
    clock: ClockEstimate

    async def command(self, type_: str, payload: dict[str, Any], *, attempt: int = 1, id_: str = "") -> None:
        command = Command(id_ or uuid7(), type_, payload, 0, None, None, attempt)
        await self.activities.handlers()[type_](command)

    async def prepare(self, activity: str, *parts: dict[str, Any], **about: Any) -> None:
        payload = {"activity": activity, "kind": "exercise", "parts": list(parts)} | about
        await self.command("activity.prepare", payload)

    async def start(self, activity: str, *times_ms: int, in_s: float = 0.3, **about: Any) -> float:
        at = hub_ms(in_s)
        await self.command("activity.start", {"activity": activity, "at": at, "times_ms": list(times_ms)} | about)
        return at

    async def said(self, type_: str) -> list[dict[str, Any]]:
        """The events of this type."""
        events = await self.outbox.after(USUAL, 0, 100, epoch=self.store.epoch)
        return [event.p for event in events if event.type == type_]

    async def one(self, type_: str, count: int = 1) -> dict[str, Any]:
        """Wait until it said so this often; the last one."""

        async def enough() -> bool:
            return len(await self.said(type_)) >= count

        await until(enough)
        return (await self.said(type_))[-1]


def nowhere() -> tuple[HubAddress, str]:
    return HubAddress("http://127.0.0.1:9"), "token"


@contextlib.asynccontextmanager
async def stage(folder: Path, *, clock: ClockEstimate | None = None, voice: bool = True) -> AsyncIterator[Stage]:
    """A device whose data are in a folder: opened again it is the same device after a restart."""
    speaker, narrator, dancer, used = Loudspeaker(), Narrator(), Dancer(), clock or agree(ClockEstimate())
    async with DeviceStore(folder / "device.db") as store:
        outbox = Outbox(store)
        async with DeviceActivities(
            used,
            speaker,
            outbox,
            clips=ClipCache(folder / "clips", nowhere),
            file=folder / "activity.json",
            voice=narrator if voice else None,
            moves=dancer,
        ) as activities:
            yield Stage(activities, outbox, store, speaker, narrator, dancer, used)


def beep_ms() -> int:
    return sounds.duration_ms(sounds.beep("high"))
