"""`VoiceRouting`: the voice sessions of the devices of a node, between their connections and the pool of workers.

A device has one session at a time. What is said in it is passed on and kept nowhere: neither the store nor the log has
a word of it. A session ends with its connection, and when the device does not play what it is sent.
"""

from __future__ import annotations

import asyncio
import bisect
import math
import random
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Self

from reachy_mind import log
from reachy_mind.access.rate_limits import RateLimit
from reachy_mind.body.media import SAMPLE_RATE_HZ
from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.errors import InvalidParameter, MindError
from reachy_mind.fleet.control import personas
from reachy_mind.fleet.device.personas import PersonaTexts, read_bundle
from reachy_mind.fleet.protocol.audio import MICROPHONE, SPEAKER, AudioFlags, AudioFrame
from reachy_mind.fleet.protocol.frame import Frame
from reachy_mind.fleet.protocol.handshake import payload_of
from reachy_mind.fleet.protocol.voice_messages import OfStream, VoiceOpen, VoicePlayed
from reachy_mind.fleet.voice.session import (
    SessionEnded,
    SoundFlushed,
    SpeakerSound,
    VoiceRefused,
    VoiceSessionEvent,
)
from reachy_mind.fleet.voice.session_messages import message_of
from reachy_mind.fleet.voice.voice_process import ProcessSession

if TYPE_CHECKING:
    from reachy_mind.fleet.control.device_connection import DeviceConnection
    from reachy_mind.fleet.control.devices import Device
    from reachy_mind.fleet.control.store.store import FleetStore, Sql
    from reachy_mind.fleet.protocol.handshake import Persona
    from reachy_mind.fleet.voice.pool import VoicePool

MAX_UNPLAYED_S: Final = 5.0
"""Sound is sent about a second ahead of what the device says it has played. One that is so far behind plays nothing."""
SEND_TIMEOUT_S: Final = 3.0
"""A device that takes a piece of sound no sooner loses its session."""
OPENS_PER_S: Final = 0.5
OPENS_AT_ONCE: Final = 4.0
FIRST_SOUND_BUCKETS_S: Final = (0.1, 0.2, 0.3, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 5.0)
RETRY_SPREAD: Final = (0.7, 1.5)
"""Devices that were refused together should not come back together."""

_log = log.get(__name__)


@dataclass
class VoiceCounters:
    """Counted since the start of the node."""

    opened: int = 0
    refused: int = 0
    ended: int = 0
    first_sound: Counter[float] = field(default_factory=Counter)
    """Answers by the bucket of the time to their first sound, in seconds; `inf` is the last one."""
    first_sound_s: float = 0.0

    def note_first_sound(self, ms: float) -> None:
        """From the end of a person's voice to the first sound of the answer."""
        index = bisect.bisect_left(FIRST_SOUND_BUCKETS_S, ms / 1000)
        bound = FIRST_SOUND_BUCKETS_S[index] if index < len(FIRST_SOUND_BUCKETS_S) else math.inf
        self.first_sound[bound] += 1
        self.first_sound_s += ms / 1000


class VoiceRouting:
    """Use as an async context manager while the node serves. `tenant_percent`: the share of the sessions that a tenant
    may have at once when the node has several tenants."""

    def __init__(self, store: FleetStore, pool: VoicePool, tenant_percent: int = 50) -> None:
        self.pool, self._store, self._tenant_percent = pool, store, tenant_percent
        self.counters = VoiceCounters()
        pool.told_latency = self.counters.note_first_sound
        self._routed: dict[str, RoutedSession] = {}
        """By connection."""
        self._opens: dict[str, RateLimit] = {}
        """By device, while it is connected and has opened one."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        for routed in tuple(self._routed.values()):
            await routed.end("this node is ending")

    async def receive(self, connection: DeviceConnection, frame: Frame) -> None:
        """A message of a device about its session. Raises ProtocolError for one that is not understood."""
        routed = self._routed.get(connection.conn)
        match frame.type:
            case "voice.open":
                await self._open(connection, payload_of(frame, VoiceOpen))
            case "voice.close" if routed is not None and routed.stream == payload_of(frame, OfStream).stream:
                await routed.end("the device closed it")
            case "voice.played" if routed is not None:
                played = payload_of(frame, VoicePlayed)
                if played.stream == routed.stream:
                    await routed.played(played.samples, played.flush)

    async def hear(self, connection: DeviceConnection, frame: AudioFrame) -> None:
        """Sound of a device; without a session it goes nowhere."""
        routed = self._routed.get(connection.conn)
        if routed is not None and frame.kind == MICROPHONE and frame.stream == routed.stream:
            await routed.hear(frame)

    async def leave(self, connection: DeviceConnection) -> None:
        """A connection has ended, and its session with it."""
        routed = self._routed.get(connection.conn)
        if routed is not None:
            await routed.end("the connection has ended")
        self._opens.pop(connection.conn, None)

    async def _open(self, connection: DeviceConnection, wanted: VoiceOpen) -> None:
        before = self._routed.get(connection.conn)
        if not self._opens.setdefault(connection.conn, RateLimit(OPENS_PER_S, OPENS_AT_ONCE)).allows():
            await _refuse(connection, wanted.stream, VoiceRefused("too many sessions in a row", retry_after_s=10.0))
        elif not connection.transport.carries_sound:
            reason = "this connection carries no sound"
            await _refuse(connection, wanted.stream, VoiceRefused(reason, hint="voice needs a WebSocket"))
        elif before is not None and before.stream == wanted.stream:
            reason = f"stream {wanted.stream} is in use"
            await _refuse(connection, wanted.stream, VoiceRefused(reason, hint="close it, or choose another number"))
        else:
            if before is not None:
                await before.end("the device opened another one")
            routed = self._routed[connection.conn] = RoutedSession(self, connection, wanted)
            routed.begin()

    async def refused(self, connection: DeviceConnection, stream: int, error: VoiceRefused) -> None:
        """Count and say why a session can't be opened."""
        self.counters.refused += 1
        await _refuse(connection, stream, error)

    def forget(self, routed: RoutedSession) -> None:
        if self._routed.get(routed.connection.conn) is routed:
            del self._routed[routed.connection.conn]

    async def open_session(self, device: Device, wanted: VoiceOpen) -> ProcessSession:
        """Raises VoiceRefused, DatabaseError."""
        texts, tenants = await self._store.read(lambda sql: self._look_up(sql, device.tenant, wanted.persona))
        share = math.ceil(self.pool.limit * self._tenant_percent / 100) if tenants > 1 else None
        return await self.pool.open(device.tenant, texts, wanted.language, share=share)

    @staticmethod
    def _look_up(sql: Sql, tenant: str, persona: Persona | None) -> tuple[PersonaTexts | None, int]:
        """The texts of a personality, and the number of tenants. Raises VoiceRefused."""
        row = sql.row("SELECT count(*) AS n FROM tenant")
        tenants = int(row["n"]) if row is not None else 1
        if persona is None:
            return None, tenants
        try:
            body = personas.get(sql, tenant, persona.id, persona.etag)["body"]
            return read_bundle(str(body).encode(), persona), tenants
        except MindError as error:
            raise VoiceRefused(error.message, hint=error.hint) from error


class RoutedSession:
    """One session of a device, in a task of its own from `begin` to its end."""

    def __init__(self, routing: VoiceRouting, connection: DeviceConnection, wanted: VoiceOpen) -> None:
        self.connection, self.stream = connection, wanted.stream
        self._routing, self._wanted = routing, wanted
        self._session: ProcessSession | None = None
        self._task: asyncio.Task[None] | None = None
        self._ended_why = ""
        self._chunk = 0
        self._sent = self._played = 0
        """Samples since the last flush."""

    def begin(self) -> None:
        self._task = asyncio.create_task(self._run(), name="fleet voice session")

    async def hear(self, frame: AudioFrame) -> None:
        if self._session is None or frame.flags & AudioFlags.OPUS:
            return
        try:
            await self._session.send(frame.samples)
        except InvalidParameter:
            self._stop("half a sample was sent")

    async def played(self, samples: int, flush: int) -> None:
        if self._session is None or flush != self._session.flushes:
            return  # of before a flush
        self._played = max(self._played, min(samples, self._sent))
        await self._session.played(self._played, flush)

    async def end(self, reason: str) -> None:
        """End it, tell the device, and wait until it has ended."""
        opening = self._session is None
        self._stop(reason)
        self._routing.forget(self)
        if self._task is None:
            return
        if not opening:
            await asyncio.wait([self._task], timeout=SEND_TIMEOUT_S)
        await cancel_and_wait(self._task)
        if opening:
            await self._tell(SessionEnded(reason))

    def _stop(self, reason: str) -> None:
        self._ended_why = self._ended_why or reason
        if self._session is not None:
            self._session.end(reason)

    async def _run(self) -> None:
        device, began = self.connection.device, time.monotonic()
        try:
            try:
                self._session = await self._routing.open_session(device, self._wanted)
            except MindError as error:
                refusal = error if isinstance(error, VoiceRefused) else VoiceRefused(error.message, hint=error.hint)
                _log.info("a voice session is refused", device=device.id, reason=refusal.message)
                self._routing.forget(self)
                await self._routing.refused(self.connection, self.stream, refusal)
                return
            self._routing.counters.opened += 1
            _log.info("a voice session begins", device=device.id)
            await self._say("voice.opened", {})
            await self._pass_on(self._session)
        except TimeoutError:
            self._stop("the device takes no more sound")
        except Exception:  # noqa: BLE001 -- the connection goes on
            _log.exception("a voice session failed")
            self._stop("it failed at the control plane")
        finally:
            self._routing.forget(self)
            if self._session is not None:
                self._session.end(self._ended_why or "the connection has ended")
                self._routing.counters.ended += 1
                seconds = round(time.monotonic() - began, 1)
                _log.info("a voice session ended", device=device.id, seconds=seconds, reason=self._ended_why)

    async def _pass_on(self, session: ProcessSession) -> None:
        """What happens in the session, until it ends. Raises TimeoutError when the device takes nothing."""
        async for event in session.events():
            match event:
                case SpeakerSound(pcm):
                    await self._send_sound(pcm)
                    if self._sent - self._played > MAX_UNPLAYED_S * SAMPLE_RATE_HZ:
                        self._stop("the device does not say that it plays anything (voice.played)")
                case SoundFlushed():
                    self._sent = self._played = 0
                    await self._tell(event, session.flushes)
                case SessionEnded(reason):
                    self._ended_why = self._ended_why or reason
                    await self._tell(SessionEnded(self._ended_why))
                case _:
                    await self._tell(event)

    async def _send_sound(self, pcm: bytes) -> None:
        frame = AudioFrame(SPEAKER, AudioFlags(0), self.stream, self._chunk & 0xFFFFFFFF, 0, pcm)
        self._chunk += 1
        self._sent += len(pcm) // 2
        async with asyncio.timeout(SEND_TIMEOUT_S):
            await self.connection.send_sound(frame)

    async def _tell(self, event: VoiceSessionEvent, flushes: int = 0) -> None:
        await self._say(*message_of(event, flushes))

    async def _say(self, type_: str, payload: dict[str, Any]) -> None:
        async with asyncio.timeout(SEND_TIMEOUT_S):
            await self.connection.say(type_, {"stream": self.stream, **payload})


async def _refuse(connection: DeviceConnection, stream: int, error: VoiceRefused) -> None:
    delay = error.retry_after_s * random.uniform(*RETRY_SPREAD)  # noqa: S311 -- it spreads them, it protects nothing
    refusal = {"reason": error.message[:500], "hint": error.hint[:500], "retry_after_s": round(delay, 1)}
    await connection.say("voice.refused", {"stream": stream, **refusal})
