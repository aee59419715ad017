"""`SimulatedDevice`: a device that speaks cp1 like a real one and keeps what it has in memory.

Thousands of them fit into one process. They answer commands and apply every state that they are asked for.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from reachy_mind.fleet.device.hub_address import HubAddress
from reachy_mind.fleet.device.pacing import ReconnectDelays
from reachy_mind.fleet.device.session import Acknowledged, CommandArrived, DesiredArrived, DeviceSession, Welcomed
from reachy_mind.fleet.device.transports import HubLost, HubSocket
from reachy_mind.fleet.protocol.audio import AudioFrame
from reachy_mind.fleet.protocol.close_codes import CloseCode, ProtocolViolation
from reachy_mind.fleet.protocol.frame import EMERGENCY, USUAL, Frame, Lane, new_frame
from reachy_mind.fleet.protocol.handshake import Desired, DownHigh, Heartbeat, Hello, Reported, Welcome
from reachy_mind.fleet.protocol.message_ids import uuid7

AGENT = "reachy-mind simulated"
OPEN_TIMEOUT_S = 30.0
"""A hub to which thousands come at once answers late."""
GOOD_AFTER_S = 10.0


@dataclass(frozen=True)
class DeviceCredentials:
    """Who a simulated device is."""

    id: str
    name: str
    token: str


@dataclass
class SimulationCounters:
    """What all devices of a simulation did. `ack_s`: times from the press to its acknowledgement, the latest ones."""

    connects: int = 0
    failures: Counter[str] = field(default_factory=Counter)
    closes: Counter[int] = field(default_factory=Counter)
    accepted: int = 0
    acknowledged: int = 0
    commands: int = 0
    ack_s: deque[float] = field(default_factory=lambda: deque(maxlen=100_000))


@dataclass(slots=True)
class _Waiting:
    """An event that the hub has not acknowledged."""

    frame: Frame
    accepted_at: float


class SimulatedDevice:
    """`run` keeps it connected. It tries the `addresses` in turn, `first` at first. `on_command` is called when one
    arrives, `on_change` when it is connected, and no longer. While the hub's limits hold events back, it is in
    `held_back`: somebody has to call `send_due` again after a while.
    """

    __slots__ = (
        *(
            "addresses",
            "connected",
            "credentials",
            "_boot",
            "_counters",
            "_delays",
            "_down",
            "_epoch",
            "_held_back",
            "_next",
        ),
        *("_on_change", "_on_command", "_seen", "_session", "_socket", "_twin", "_waiting", "address"),
    )

    def __init__(
        self,
        credentials: DeviceCredentials,
        addresses: Sequence[HubAddress],
        counters: SimulationCounters,
        *,
        first: int = 0,
        held_back: set[SimulatedDevice],
        on_change: Callable[[bool], None],
        on_command: Callable[[Frame], None] | None = None,
    ) -> None:
        self.credentials, self.addresses = credentials, addresses
        self.address = addresses[first % len(addresses)]
        """Where it is connected, or was at last."""
        self.connected = False
        self._counters, self._held_back = counters, held_back
        self._on_change, self._on_command = on_change, on_command
        self._boot, self._epoch = uuid7(), uuid7()
        self._delays = ReconnectDelays()
        self._next: dict[Lane, int] = {USUAL: 1, EMERGENCY: 1}
        self._waiting: dict[Lane, deque[_Waiting]] = {USUAL: deque(), EMERGENCY: deque()}
        self._down = DownHigh()
        self._seen: deque[str] = deque(maxlen=64)
        """Ids of the last commands: a hub that was set back sends them again."""
        self._twin = Desired()
        self._session: DeviceSession | None = None
        self._socket: HubSocket | None = None

    @property
    def waiting(self) -> int:
        """Events that the hub has not acknowledged."""
        return sum(len(each) for each in self._waiting.values())

    async def run(self) -> None:
        """Stay connected until cancelled, or refused for good."""
        while True:
            began, wait_s = time.monotonic(), 0.0
            try:
                await self._connect(self.address)
            except HubLost as error:
                wait_s = error.retry_after_s
                if error.why == "refused" or error.close_code == CloseCode.REVOKED:
                    self._counters.failures["refused"] += 1
                    return
                self._note_lost(error)
            except ProtocolViolation as error:
                self._counters.closes[error.code] += 1
            if wait_s == 0.0:  # a hub that is busy is worth waiting for
                self.address = self.addresses[(self.addresses.index(self.address) + 1) % len(self.addresses)]
            if time.monotonic() - began > GOOD_AFTER_S:
                self._delays.reset()
            await asyncio.sleep(max(wait_s, self._delays.next_s()))

    async def accept(self, type_: str, payload: dict[str, Any], *, prio: int = 1) -> None:
        """Something happens: it is sent when there is a connection."""
        event = new_frame(type_, payload, prio=prio)
        lane = event.lane
        numbered = event.model_copy(update={"seq": self._next[lane]})
        self._next[lane] += 1
        self._waiting[lane].append(_Waiting(numbered, time.monotonic()))
        self._counters.accepted += 1
        await self.send_due()

    async def leave(self) -> None:
        """End the connection; it goes on at the next address."""
        if self._socket is not None:
            await self._socket.close(CloseCode.ENDING, "the device goes elsewhere")

    async def heartbeat(self) -> None:
        """Say how it is."""
        if self._session is not None and self._socket is not None and self.connected:
            content = Heartbeat(stored=self.waiting, temperature_c=41.0, battery_percent=80.0, state="idle")
            await self._send([self._session.say("heartbeat", content.model_dump(mode="json", exclude_none=True))])

    def _note_lost(self, error: HubLost) -> None:
        self._counters.failures[error.why] += 1
        if error.close_code is not None:
            self._counters.closes[error.close_code] += 1
            if error.close_code == CloseCode.EPOCH_CONFLICT:
                self._begin_epoch()

    def _begin_epoch(self) -> None:
        self._epoch = uuid7()
        for lane, waiting in self._waiting.items():
            for number, each in enumerate(waiting, 1):
                each.frame = each.frame.model_copy(update={"seq": number})
            self._next[lane] = len(waiting) + 1

    async def _connect(self, address: HubAddress) -> None:
        """One connection, until it ends. Raises HubLost, ProtocolError."""
        socket = await HubSocket.open(address, self.credentials.token, timeout=OPEN_TIMEOUT_S)
        try:
            hello = Hello(
                device=self.credentials.id,
                boot=self._boot,
                epoch=self._epoch,
                down=self._down,
                twin=self._twin.version,
                reported=self._reported() if self._twin.version else None,
                agent=AGENT,
            )
            self._session, self._socket = DeviceSession(hello), socket
            await socket.send([self._session.hello()])
            while True:
                frame = await socket.receive()
                if not isinstance(frame, AudioFrame):
                    await self._take(self._session, frame)
        finally:
            self._session = self._socket = None
            if self.connected:
                self.connected = False
                self._on_change(False)  # noqa: FBT003 -- whether it is connected
            with contextlib.suppress(HubLost):
                await socket.close(CloseCode.ENDING, "the device ends the connection")

    async def _take(self, session: DeviceSession, frame: Frame) -> None:
        for effect in session.receive(frame):
            match effect:
                case Welcomed(welcome):
                    await self._open(session, welcome)
                case Acknowledged(seq, seq0):
                    self._drop(USUAL, seq)
                    self._drop(EMERGENCY, seq0)
                case CommandArrived(command):
                    await self._carry_out(session, command)
                case DesiredArrived(desired):
                    await self._apply(session, desired)
        await self.send_due()

    async def _open(self, session: DeviceSession, welcome: Welcome) -> None:
        if welcome.up.seq >= self._next[USUAL] or welcome.up.seq0 >= self._next[EMERGENCY]:
            self._begin_epoch()
            raise ProtocolViolation(CloseCode.EPOCH_CONFLICT, "the hub has events of another simulation")
        if welcome.down != self._down.epoch:
            self._down = DownHigh(epoch=welcome.down)
        self._counters.connects += 1
        self.connected = True
        self._on_change(True)  # noqa: FBT003 -- whether it is connected
        held = [
            each.frame
            for lane, high in ((EMERGENCY, welcome.up.seq0), (USUAL, welcome.up.seq))
            for each in list(self._waiting[lane])
            if each.frame.seq == high
        ]
        await self._send(session.confirm(held))
        if welcome.desired is not None:
            await self._apply(session, welcome.desired)

    def _drop(self, lane: Lane, acknowledged: int) -> None:
        waiting, now = self._waiting[lane], time.monotonic()
        while waiting and (waiting[0].frame.seq or 0) <= acknowledged:
            self._counters.ack_s.append(now - waiting.popleft().accepted_at)
            self._counters.acknowledged += 1

    async def _carry_out(self, session: DeviceSession, command: Frame) -> None:
        assert command.seq is not None
        lane = "seq0" if command.lane == EMERGENCY else "seq"
        self._down = self._down.model_copy(update={lane: command.seq})
        session.note_stored(self._down.seq, self._down.seq0)
        if command.id in self._seen:
            return
        self._seen.append(command.id)
        self._counters.commands += 1
        if self._on_command is not None:
            self._on_command(command)
        answer = new_frame("command.done", {"status": "done"}, re=command.id)
        self._waiting[USUAL].append(_Waiting(answer.model_copy(update={"seq": self._next[USUAL]}), time.monotonic()))
        self._next[USUAL] += 1
        self._counters.accepted += 1

    async def _apply(self, session: DeviceSession, desired: Desired) -> None:
        if desired.version > self._twin.version:
            self._twin = desired
            reported = self._reported().model_dump(mode="json", exclude_none=True)
            await self._send([session.say("twin.reported", reported)])

    def _reported(self) -> Reported:
        return Reported.model_validate(self._twin.model_dump())

    async def send_due(self) -> None:
        """Send the events that the hub takes now."""
        session = self._session
        if session is None or not self.connected:
            return
        frames: list[Frame] = []
        for lane in (EMERGENCY, USUAL):
            sent = session.sent(lane)
            unsent = [each.frame for each in self._waiting[lane] if (each.frame.seq or 0) > sent]
            room = session.room(lane)
            frames += [session.event(frame) for frame in unsent[:room]]
            if lane == USUAL:
                (self._held_back.add if len(unsent) > room else self._held_back.discard)(self)
        if not frames and session.ack_is_due():
            frames.append(session.say("ack"))
        await self._send(frames)

    async def _send(self, frames: Sequence[Frame]) -> None:
        if self._socket is not None and frames:
            with contextlib.suppress(HubLost):  # the reading side finds out, and connects again
                await self._socket.send(frames)
