"""`HubConnection`: one session with the hub, over one transport, from its hello to its end.

Four tasks: one reads, one stores the commands that came and acknowledges them, one sends, and one watches that
emergencies are acknowledged: it does not depend on a network that takes what is sent. What is to be sent is found in
the store each time, emergencies first. Where somebody wants to know the hub's time, a fifth one asks for it.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable
from typing import Any, Final

from reachy_mind import __version__, log
from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.fleet.device.device_parts import DeviceParts, LinkListener
from reachy_mind.fleet.device.hub_time import TimeQuestions, monotonic_ms
from reachy_mind.fleet.device.session import (
    Acknowledged,
    CommandArrived,
    DesiredArrived,
    DeviceSession,
    Effect,
    Welcomed,
)
from reachy_mind.fleet.device.transports import OPEN_TIMEOUT_S, HubLost, HubTransport
from reachy_mind.fleet.protocol.audio import AudioFrame
from reachy_mind.fleet.protocol.clock import ClockPong
from reachy_mind.fleet.protocol.close_codes import CloseCode, ProtocolViolation
from reachy_mind.fleet.protocol.frame import EMERGENCY, USUAL, Frame, Lane
from reachy_mind.fleet.protocol.handshake import Heartbeat, Hello, Reported, Welcome, payload_of
from reachy_mind.fleet.protocol.limits import EMERGENCY_ACK_S
from reachy_mind.storage.database import DatabaseError

LOOK_AGAIN_S: Final = 5.0
"""The store is looked at this often, whatever was said."""
SHORTEST_HEARTBEAT_S: Final = 1.0

_log = log.get(__name__)


class HubConnection:
    """`run` raises why the connection ended. `on_open` is called when the hub has said welcome.

    `patience_s`: how long the first emergency may wait for its acknowledgement.
    """

    def __init__(
        self,
        parts: DeviceParts,
        transport: HubTransport,
        hello: Hello,
        *,
        patience_s: float,
        on_open: Callable[[Welcome], None],
    ) -> None:
        self._parts, self._transport, self._hello = parts, transport, hello
        self._patience_s, self._on_open = patience_s, on_open
        self._session = DeviceSession(hello)
        self._down = ""
        self._wake = asyncio.Event()
        self._commands: list[Frame] = []
        self._commands_came = asyncio.Event()
        self._times = TimeQuestions(parts.hub_time, self._ask_time) if parts.hub_time is not None else None
        self._report_due = False
        self._heartbeat_at = self._beat_at = 0.0
        """When the next heartbeat is due, and when the last one was sent."""
        self._acked_emergencies = 0
        self._emergency_acknowledged = asyncio.Event()

    async def run(self) -> None:
        """Raises HubLost, ProtocolError for what the hub should not have said, DatabaseError."""
        outbox, twin = self._parts.outbox, self._parts.twin
        outbox.watchers.add(self._wake)
        twin.watchers.append(self._report)
        tasks: list[asyncio.Task[None]] = []
        try:
            await self._open()
            works = (self._read, self._keep_commands, self._send, self._watch_emergencies)
            tasks += [asyncio.create_task(work(), name=f"fleet {work.__name__}") for work in works]
            if self._times is not None:
                tasks.append(asyncio.create_task(self._times.run(), name="fleet time"))
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            done.pop().result()  # raises why it ended
        except ProtocolViolation as error:
            await self._close(error.code, error.reason)
            raise
        finally:
            outbox.watchers.discard(self._wake)
            twin.watchers.remove(self._report)
            for task in tasks:
                with contextlib.suppress(HubLost, ProtocolViolation, DatabaseError):  # the first one was raised
                    await cancel_and_wait(task)
            await self._close(CloseCode.ENDING, "the device ends the connection")

    async def send_audio(self, frame: AudioFrame) -> bool:
        """Send sound, or drop it: it is never late. Whether it was sent."""
        return self._session.takes_audio(len(frame.samples)) and await self._transport.send_audio(frame)

    def beat(self) -> None:
        """Send a heartbeat as soon as may be: at most one a second."""
        self._heartbeat_at = min(self._heartbeat_at, self._beat_at + SHORTEST_HEARTBEAT_S)
        self._wake.set()

    async def say(self, type_: str, payload: dict[str, Any]) -> None:
        """Say something about the connection, which is not kept for another one. Raises HubLost."""
        await self._say(type_, payload)

    async def _open(self) -> None:
        """Say hello, and take the hub's welcome."""
        try:
            async with asyncio.timeout(OPEN_TIMEOUT_S):
                await self._transport.send([self._session.hello()])
                frame = await self._transport.receive()
        except TimeoutError:
            raise HubLost("blocked", "the control plane does not answer hello") from None
        except HubLost as error:
            if error.why == "closed" and error.close_code is None:
                raise HubLost("blocked", "the connection broke before the control plane answered") from error
            raise
        if isinstance(frame, AudioFrame):
            raise ProtocolViolation(CloseCode.NOT_UNDERSTOOD, "sound before welcome")
        (opened,) = self._session.receive(frame)
        assert isinstance(opened, Welcomed)
        await self._take(opened)

    async def _take(self, effect: Effect) -> None:
        match effect:
            case Welcomed(welcome):
                await self._begin(welcome)
            case Acknowledged(seq, seq0):
                self._parts.counters.acknowledged += 1
                await self._parts.outbox.acknowledge(seq, seq0, epoch=self._hello.epoch)
                if seq0 > self._acked_emergencies:
                    self._acked_emergencies = seq0
                    self._emergency_acknowledged.set()
                self._wake.set()
            case CommandArrived(frame):
                self._commands.append(frame)
                self._commands_came.set()
            case DesiredArrived(desired):
                await self._parts.twin.want(desired)

    async def _begin(self, welcome: Welcome) -> None:
        self._parts.clock.set(welcome.time)
        position = await self._parts.store.position()
        if welcome.up.seq > position.last[USUAL] or welcome.up.seq0 > position.last[EMERGENCY]:
            _log.error("the hub has events that this store never had: it was set back; it begins a new epoch")
            raise ProtocolViolation(CloseCode.EPOCH_CONFLICT, "this store was set back")
        held = [
            await self._parts.outbox.last_up_to(lane, number)
            for lane, number in ((EMERGENCY, welcome.up.seq0), (USUAL, welcome.up.seq))
        ]
        await self._parts.inbox.follow(welcome.down)
        self._down = welcome.down
        if welcome.desired is not None:
            await self._parts.twin.want(welcome.desired)
        self._heartbeat_at = time.monotonic()
        self._report_due = self._parts.twin.reported != (self._hello.reported or Reported())
        self._on_open(welcome)
        await self._transport.send(self._session.confirm([event for event in held if event is not None]))

    async def _read(self) -> None:
        while True:
            frame = await self._transport.receive()
            arrived = monotonic_ms()
            if isinstance(frame, AudioFrame):
                self._tell(lambda listener, sound=frame: listener.sound(sound))  # type: ignore[misc]
                continue
            if frame.type == "clock.pong" and self._times is not None:
                self._times.answered(payload_of(frame, ClockPong), arrived)
            for effect in self._session.receive(frame):
                await self._take(effect)
            if frame.seq is None:
                self._tell(lambda listener, message=frame: listener.message(message))  # type: ignore[misc]
            if self._session.ack_is_due():
                self._wake.set()

    def _tell(self, heard: Callable[[LinkListener], None]) -> None:
        """One listener that fails hears no more; the others, commands and events go on."""
        for listener in tuple(self._parts.listeners):
            try:
                heard(listener)
            except Exception:  # noqa: BLE001 -- as above
                self._parts.listeners.remove(listener)
                _log.exception("what the hub says can't be taken: this listener hears no more")

    async def _keep_commands(self) -> None:
        while True:
            await self._commands_came.wait()
            self._commands_came.clear()
            came, self._commands = self._commands, []
            urgent = [frame for frame in came if frame.lane == EMERGENCY]
            usual = [frame for frame in came if frame.lane == USUAL]
            for frames in (urgent, usual):
                if frames is usual and usual and not await self._parts.inbox.has_room():
                    self._commands[:0] = usual  # the hub's window keeps it from sending many more
                    await self._wait_for_room()
                elif frames:
                    self._session.note_stored(*await self._parts.inbox.keep(frames, epoch=self._down))
                    self._parts.counters.commands += len(frames)
                    self._wake.set()

    async def _wait_for_room(self) -> None:
        """Until commands are handled, or others have come, which may be urgent."""
        waits = {asyncio.create_task(self._parts.inbox.room()), asyncio.create_task(self._commands_came.wait())}
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                await cancel_and_wait(wait)
        self._commands_came.set()

    async def _send(self) -> None:
        while True:
            self._wake.clear()
            held_back = await self._send_due()
            waits = [LOOK_AGAIN_S, max(0.0, self._heartbeat_at - time.monotonic())]
            if held_back:
                waits.append(self._session.wait_s())
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(min(waits)):
                    await self._wake.wait()

    async def _send_due(self) -> bool:
        """Send what may be sent now. Returns whether the hub's limits held something back."""
        await self._send_events(EMERGENCY)
        session = self._session
        if self._report_due and session.wait_s() == 0:
            self._report_due = False
            await self._say("twin.reported", self._parts.twin.reported.model_dump(mode="json", exclude_none=True))
        if time.monotonic() >= self._heartbeat_at and session.wait_s() == 0:
            self._beat_at = time.monotonic()
            self._heartbeat_at = self._beat_at + max(SHORTEST_HEARTBEAT_S, session.limits.heartbeat_s)
            await self._say("heartbeat", (await self._heartbeat()).model_dump(mode="json", exclude_none=True))
        await self._send_events(USUAL)
        if session.ack_is_due() and session.wait_s() == 0:
            await self._say("ack")
        return session.wait_s() > 0

    async def _send_events(self, lane: Lane) -> None:
        """As many as there is room for; the others when the hub has acknowledged some."""
        while (room := self._session.room(lane)) > 0:
            if self._parts.store.epoch != self._hello.epoch:
                raise HubLost("closed", "the store was replaced: its events have new numbers")
            events = await self._parts.outbox.after(lane, self._session.sent(lane), room, epoch=self._hello.epoch)
            if not events:
                return
            self._parts.counters.sent += len(events)
            await self._transport.send([self._session.event(event) for event in events])

    async def _watch_emergencies(self) -> None:
        """Raises HubLost when one waits and the hub acknowledges none: another way may get through."""
        outbox, stored = self._parts.outbox, asyncio.Event()
        outbox.watchers.add(stored)
        try:
            while True:
                stored.clear()
                self._emergency_acknowledged.clear()
                if not (await outbox.totals()).emergencies:
                    await stored.wait()
                    continue
                try:
                    async with asyncio.timeout(self._patience_s):
                        await self._emergency_acknowledged.wait()
                except TimeoutError:
                    reason = f"an emergency was not acknowledged within {self._patience_s:g} s"
                    raise HubLost("blocked", reason) from None
                self._patience_s = EMERGENCY_ACK_S  # this way works
        finally:
            outbox.watchers.discard(stored)

    async def _heartbeat(self) -> Heartbeat:
        totals = await self._parts.outbox.totals()
        ahead = self._parts.clock.ahead_ms()
        about: dict[str, Any] = {"stored": totals.events, "dropped": totals.dropped, "clock_offset_ms": ahead}
        about["versions"] = {"reachy_mind": __version__}
        try:
            vitals = dict(self._parts.vitals()) if self._parts.vitals is not None else {}
            return Heartbeat.model_validate(vitals | about)
        except Exception:  # noqa: BLE001 -- a sensor that fails is no reason to end the connection
            _log.exception("the device's vitals can't be said")
            return Heartbeat.model_validate(about)

    async def _say(self, type_: str, payload: dict[str, Any] | None = None) -> None:
        await self._transport.send([self._session.say(type_, payload)])

    async def _ask_time(self, t0: float) -> None:
        """Not when the hub's limits hold it back: it would tell the time of the queue."""
        if self._session.wait_s() == 0:
            await self._say("clock.ping", {"t0": t0})

    def _report(self) -> None:
        self._report_due = True
        self._wake.set()

    async def _close(self, code: int, reason: str) -> None:
        with contextlib.suppress(HubLost):
            await self._transport.close(code, reason)
