"""`DeviceConnection`: the hub's half of one cp1 connection, whatever carries its frames.

What arrives is handled in order, each event stored before the next is read. What is to be sent is found in the store by
a task that exists only while there is something to send: a connection at rest costs little memory. A peer that does not
read is closed.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol

from reachy_mind import log
from reachy_mind.access.rate_limits import RateLimit
from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.fleet.control import downlink, fencing, persona_requests, twin_reports, twins, uplink
from reachy_mind.fleet.protocol import voice_messages
from reachy_mind.fleet.protocol.audio import AudioFrame
from reachy_mind.fleet.protocol.clock import ClockPing, ClockPong, hub_time_ms
from reachy_mind.fleet.protocol.close_codes import CloseCode, ProtocolViolation
from reachy_mind.fleet.protocol.delivery import Outgoing
from reachy_mind.fleet.protocol.frame import EMERGENCY, USUAL, Frame, Lane, decode, encode, new_frame, now_ms
from reachy_mind.fleet.protocol.handshake import Heartbeat, Hello, Reported, Welcome, payload_of
from reachy_mind.storage.database import DatabaseError

if TYPE_CHECKING:
    from reachy_mind.fleet.control.connections import Opened
    from reachy_mind.fleet.control.devices import Device
    from reachy_mind.fleet.control.hub import DeviceHub
    from reachy_mind.fleet.control.store.store import Sql

SEND_TIMEOUT_S: Final = 10.0
"""A peer that takes a frame no sooner is too slow."""
RATE_SLACK: Final = 1.5
"""What a device may send beyond the limits that it is told: its clock is not ours."""
AUDIO_BURST_S: Final = 4.0
EMERGENCIES_PER_S, EMERGENCY_BURST = 20.0, 200.0
"""Emergencies of one device are never refused; past this they are taken one after the other, so that a device gone mad
does not hold up those of others."""
Due = Literal["command", "twin"]

_log = log.get(__name__)


class DeviceTransport(Protocol):
    """What carries the frames of a connection."""

    name: str
    carries_sound: bool

    async def send(self, text: str) -> None:
        """Send a text frame; waits while the peer is slow. Does nothing once it is closed."""
        ...

    async def send_sound(self, data: bytes) -> None:
        """Send a binary frame in the same way; does nothing where no sound is carried."""
        ...

    async def close(self, code: int, reason: str) -> None: ...


class DeviceConnection:
    """One open connection. `device` was authenticated; `opened` is what the store says of the connection."""

    __slots__ = (
        *("device", "generation", "conn", "heartbeat", "seen_at", "transport"),
        *("_hub", "_source", "_outgoing", "_desired_sent", "_stored", "_stored_sent", "_due", "_sending", "_rate"),
        *("_audio_rate", "_emergency_rate", "_closing", "_serving", "_abandoned"),
    )

    def __init__(
        self, hub: DeviceHub, device: Device, transport: DeviceTransport, hello: Hello, opened: Opened
    ) -> None:
        self.device, self.transport = device, transport
        self.generation, self.conn = opened.generation, opened.conn
        self.heartbeat: Heartbeat | None = None
        self.seen_at = now_ms()
        self._hub = hub
        self._source = uplink.Source(device.id, device.tenant, hello.epoch, opened.generation, hub.node)
        self._outgoing = Outgoing(usual=opened.down_acked.seq, emergency=opened.down_acked.seq0)
        self._desired_sent = hello.twin
        self._stored = {USUAL: opened.up.seq, EMERGENCY: opened.up.seq0}
        self._stored_sent = dict(self._stored)
        self._due: set[Due] = {"command", "twin"}
        self._sending: asyncio.Task[None] | None = None
        limits = hub.limits
        self._rate = RateLimit(limits.rate_per_s * RATE_SLACK, limits.burst * RATE_SLACK)
        kib_per_s = limits.audio_bytes_per_s / 1024
        self._audio_rate = RateLimit(kib_per_s * RATE_SLACK, kib_per_s * AUDIO_BURST_S)
        self._emergency_rate = RateLimit(EMERGENCIES_PER_S, EMERGENCY_BURST)
        self._closing = self._abandoned = False
        self._serving: asyncio.Task[Any] | None = None

    async def serve(self, pumping: Coroutine[Any, Any, None]) -> None:
        """Hand on what arrives, until the transport ends or `abandon` is called."""
        self._serving = asyncio.current_task()
        try:
            await pumping
        except asyncio.CancelledError:
            if not self._abandoned or self._serving is None or self._serving.uncancel():
                raise
        finally:
            self._serving = None

    def abandon(self) -> None:
        """End a connection whose peer is silent, without waiting for it: what is sent to it goes nowhere."""
        self._closing = self._abandoned = True
        self._hub.counters.note_close(CloseCode.TOO_SLOW)
        if self._serving is not None:
            self._serving.cancel()

    async def welcome(self, opened: Opened) -> None:
        """Answer the device's hello, and begin to send what waits for it."""
        desired = opened.desired if opened.desired.version > self._desired_sent else None
        answer = Welcome(
            conn=opened.conn,
            generation=opened.generation,
            up=opened.up,
            down=opened.down_epoch,
            time=now_ms(),
            limits=self._hub.limits,
            desired=desired,
        )
        if desired is not None:
            self._desired_sent = desired.version
        await self._send(new_frame("welcome", answer.model_dump(mode="json", exclude_none=True)))
        self.wake("command")

    async def receive(self, text: str, *, limited: bool = True) -> None:
        """Handle a text frame. What can't be accepted closes the connection. `limited`: whether it counts as sent by
        the device; what is said in its place does not. Does nothing once the connection is closed.
        """
        if self._closing:
            return
        arrived = hub_time_ms()
        try:
            frame = decode(text)
            self._hub.counters.note("in", frame.type)
            self.seen_at = now_ms()
            if limited:
                await self._keep_to_rate(frame)
            if frame.type == "clock.ping":
                await self._tell_time(frame, arrived)
            await self._note_acks(frame)
            if frame.seq is not None:
                await self._accept(frame)
            else:
                await self._note_state(frame)
        except ProtocolViolation as error:
            await self.close(error.code, error.reason)
        except TimeoutError:
            await self.close(CloseCode.TOO_SLOW, f"nothing was read for {SEND_TIMEOUT_S:g} s")
        except DatabaseError as error:
            _log.error("an event can't be stored: its device keeps it", device=self.device.id, reason=error.message)
            await self.close(CloseCode.TRY_LATER, "the store can't be written")

    async def receive_audio(self, data: bytes) -> None:
        """Check a piece of sound and pass it to whoever listens to this device; without a listener it is dropped."""
        if self._closing:
            return
        try:
            if not all(self._audio_rate.allows() for _ in range(1 + len(data) // 1024)):
                raise ProtocolViolation(CloseCode.TOO_MANY, "more sound than the limit")
            frame = AudioFrame.decode(data)
            self._hub.hear(self.device, frame)
            if self._hub.voice is not None:
                await self._hub.voice.hear(self, frame)
        except ProtocolViolation as error:
            await self.close(error.code, error.reason)

    async def say(self, type_: str, payload: dict[str, Any]) -> None:
        """Send a message that is not stored. Raises TimeoutError when the peer takes nothing."""
        if not self._closing:
            await self._send(new_frame(type_, payload))

    async def send_sound(self, frame: AudioFrame) -> None:
        """Send a piece of sound; waits while the peer is slow."""
        if not self._closing:
            await self.transport.send_sound(frame.encode())

    def wake(self, due: Due | None = None) -> None:
        """Something is to be sent. Returns at once."""
        if due is not None:
            self._due.add(due)
        if not self._closing and (self._sending is None or self._sending.done()):
            self._sending = asyncio.create_task(self._send_due(), name="fleet sender")

    async def close(self, code: int, reason: str) -> None:
        """End the connection; only the first code counts."""
        if self._closing:
            return
        self._closing = True
        self._hub.counters.note_close(code)
        if code not in (CloseCode.ENDING, CloseCode.SUPERSEDED):
            _log.warning("a device's connection is closed", device=self.device.id, code=int(code), reason=reason)
        try:
            async with asyncio.timeout(SEND_TIMEOUT_S):
                await self.transport.close(code, reason)
        except TimeoutError:
            _log.warning("a device does not take the end of its connection", device=self.device.id)

    async def finish(self) -> None:
        """Wait for the sender, once the transport has ended."""
        self._closing = True
        if self._sending is not None and self._sending is not asyncio.current_task():
            await cancel_and_wait(self._sending)

    async def _keep_to_rate(self, frame: Frame) -> None:
        """Emergencies wait, everything else raises ProtocolError."""
        if frame.prio == 0 and frame.seq is not None:
            while not self._emergency_rate.allows():
                self._hub.counters.emergencies_held_back += 1
                await asyncio.sleep(1 / EMERGENCIES_PER_S)
        elif not self._rate.allows():
            raise ProtocolViolation(CloseCode.TOO_MANY, f"more than {self._hub.limits.rate_per_s:g} messages a second")

    async def _accept(self, frame: Frame) -> None:
        began = time.monotonic()
        arrival = await self._hub.store.write(lambda sql: uplink.accept(sql, self._source, frame))
        assert frame.seq is not None
        self._stored[frame.lane] = max(self._stored[frame.lane], frame.seq)
        self.wake()
        if arrival == "repetition":
            self._hub.counters.repetitions += 1
            # What the peer does not know it sends again: repeat the acknowledgement, too.
            self._stored_sent[frame.lane] = min(self._stored_sent[frame.lane], frame.seq - 1)
            return
        self._hub.counters.note_stored(frame.prio, time.monotonic() - began)
        await self._hub.announce_event(self.device, frame)
        if persona_requests.asks(frame):
            self.wake("twin")
            await self._hub.announce(self.device.tenant, "twin", device=self.device.id)

    async def _note_acks(self, frame: Frame) -> None:
        if frame.ack is None and frame.ack0 is None:
            return
        before = (self._outgoing.acked(USUAL), self._outgoing.acked(EMERGENCY))
        now = self._outgoing.note_acks(frame)
        if now != before:
            await self._hub.store.write(lambda sql: downlink.acknowledge(sql, self.device.id, *now))
            self.wake("command")

    async def _note_state(self, frame: Frame) -> None:
        match frame.type:
            case "twin.reported":
                reported = payload_of(frame, Reported)
                rollouts = await self._hub.store.write(lambda sql: self._report(sql, reported))
                await self._hub.announce(self.device.tenant, "twin", device=self.device.id, version=reported.version)
                for rollout in rollouts:
                    await self._hub.announce(self.device.tenant, "rollout", id=rollout)
            case "heartbeat":
                before, self.heartbeat = self.heartbeat, payload_of(frame, Heartbeat)
                if before is None or before.state != self.heartbeat.state:
                    self._hub.note_state(self)
            case "hello":
                raise ProtocolViolation(CloseCode.NOT_UNDERSTOOD, "hello is said once")
            case type_ if type_.startswith(voice_messages.PREFIX):
                await self._note_voice(frame)
            case _:
                pass  # acknowledgements, and what a newer program may say

    async def _note_voice(self, frame: Frame) -> None:
        if self._hub.voice is not None:
            await self._hub.voice.receive(self, frame)
        elif frame.type == "voice.open":
            stream = payload_of(frame, voice_messages.VoiceOpen).stream
            refusal = {"reason": "voice sessions are switched off here", "hint": "fleet.voice_sessions"}
            await self.say("voice.refused", {"stream": stream, "retry_after_s": 0.0, **refusal})

    async def _tell_time(self, frame: Frame, arrived: float) -> None:
        """Answer before anything else is done: what takes time between its two times is no part of the way."""
        asked = payload_of(frame, ClockPing)
        answer = ClockPong(t0=asked.t0, t1=arrived, t2=hub_time_ms())
        await self._send(new_frame("clock.pong", answer.model_dump()))

    def _report(self, sql: Sql, reported: Reported) -> set[str]:
        if not fencing.is_current(sql, self.device.id, self.generation):
            raise ProtocolViolation(CloseCode.SUPERSEDED, "a newer connection of this device is open")
        return twin_reports.note(sql, self.device.id, reported)

    async def _send_due(self) -> None:
        """Send until nothing is due. Errors of the store end the connection: the device will come back."""
        try:
            while not self._closing and (self._due or self._ack_is_due()):
                if "twin" in self._due:
                    self._due.discard("twin")
                    await self._send_desired()
                if "command" in self._due:
                    self._due.discard("command")
                    await self._send_commands(EMERGENCY)
                    await self._send_commands(USUAL)
                if self._ack_is_due():
                    await self._send(new_frame("ack"))
        except TimeoutError:
            await self.close(CloseCode.TOO_SLOW, f"nothing was read for {SEND_TIMEOUT_S:g} s")
        except DatabaseError as error:
            _log.error("commands can't be read", device=self.device.id, reason=error.message)
            await self.close(CloseCode.TRY_LATER, "the store can't be read")
        except Exception:  # noqa: BLE001 -- the device comes back; a sender that ended silently would send nothing more
            _log.exception("a device can't be sent what is meant for it", device=self.device.id)
            await self.close(CloseCode.TRY_LATER, "something went wrong here")

    async def _send_desired(self) -> None:
        desired = (await self._hub.store.read(lambda sql: twins.get(sql, self.device.id))).desired
        if desired.version > self._desired_sent:
            self._desired_sent = desired.version
            await self._send(new_frame("twin.desired", desired.model_dump(mode="json")))

    async def _send_commands(self, lane: Lane) -> None:
        while (room := self._outgoing.room(lane)) > 0:
            after = self._outgoing.sent(lane)
            found = await self._hub.store.read(
                lambda sql, after=after, room=room: downlink.waiting(  # type: ignore[misc]
                    sql, self.device.id, lane, after, room
                )
            )
            for frame in found:
                assert frame.seq is not None
                skip = self._outgoing.skip(lane, frame.seq)
                self._outgoing.note_sent(lane, frame.seq)
                await self._send(frame.model_copy(update={"skip": skip}))
            if len(found) < room:
                return

    def _ack_is_due(self) -> bool:
        return self._stored != self._stored_sent

    async def _send(self, frame: Frame) -> None:
        acks: dict[str, Any] = {}
        for field, lane in (("ack", USUAL), ("ack0", EMERGENCY)):
            if self._stored[lane] != self._stored_sent[lane]:
                acks[field] = self._stored[lane]
        self._stored_sent = dict(self._stored)
        self._hub.counters.note("out", frame.type)
        async with asyncio.timeout(SEND_TIMEOUT_S):
            await self.transport.send(encode(frame.model_copy(update=acks) if acks else frame))
