"""`DeviceLink`: keeps a device connected to its hub, whatever happens in between.

It connects again by itself, with growing random delays, at once when somebody presses a button (`hurry`). Where no
WebSocket gets through twice in a row, it goes on by HTTP, and tries the WebSocket again after a while. An emergency
that nobody acknowledges goes over the other one: each way gets two seconds, then four, and so on. A hub that does not
know the device's token any more stops it: somebody has to enrol it.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal, Self

from reachy_mind import __version__, log
from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.errors import MindError
from reachy_mind.fleet.device.connection import HubConnection
from reachy_mind.fleet.device.device_parts import DeviceParts, LinkCounters, LinkListener
from reachy_mind.fleet.device.enrolment import DeviceIdentity
from reachy_mind.fleet.device.hub_address import HubAddress
from reachy_mind.fleet.device.hub_clock import HubClock
from reachy_mind.fleet.device.hub_time import HubTimePort
from reachy_mind.fleet.device.inbox import Handler, Inbox
from reachy_mind.fleet.device.outbox import Outbox
from reachy_mind.fleet.device.pacing import ReconnectDelays
from reachy_mind.fleet.device.personas import PersonaCache
from reachy_mind.fleet.device.session import after_close
from reachy_mind.fleet.device.store import DeviceStore
from reachy_mind.fleet.device.transports import HubLost, HubPolling, HubSocket, HubTransport
from reachy_mind.fleet.device.twin import DeviceTwin, TwinApplier
from reachy_mind.fleet.protocol.audio import AudioFrame
from reachy_mind.fleet.protocol.close_codes import CloseCode, ProtocolViolation
from reachy_mind.fleet.protocol.handshake import Hello, Welcome
from reachy_mind.fleet.protocol.limits import EMERGENCY_ACK_S
from reachy_mind.fleet.protocol.message_ids import uuid7
from reachy_mind.storage.database import DatabaseError

BLOCKED_TWICE: Final = 2
HTTP_FOR_S: Final = 300.0
"""How long a device stays with HTTP before it tries the WebSocket again."""
GOOD_AFTER_S: Final = 10.0
"""A connection that lasted so long was good: the next delay is short again."""
MAX_PATIENCE_S: Final = 15.0

_log = log.get(__name__)
LinkState = Literal["offline", "connecting", "connected", "refused"]
Kind = Literal["websocket", "http"]


class DeviceLink:
    """Use as an async context manager, with an open store. `state` says how it is, `reason` why.

    `on_change` is called whenever `state` or `reason` changes; it must not wait. `outbox`: that of the store, when it
    was made before; `hub_time` gets the hub's exact time, over all connections.
    """

    def __init__(
        self,
        store: DeviceStore,
        identity: DeviceIdentity,
        applier: TwinApplier,
        *,
        handlers: Mapping[str, Handler] | None = None,
        caps: Sequence[str] = (),
        personas: Path | None = None,
        vitals: Callable[[], Mapping[str, Any]] | None = None,
        on_change: Callable[[], None] | None = None,
        delays: ReconnectDelays | None = None,
        http_for_s: float = HTTP_FOR_S,
        outbox: Outbox | None = None,
        hub_time: HubTimePort | None = None,
    ) -> None:
        self.identity = identity
        """May be replaced by one with a new token: the next connection uses it."""
        self.state: LinkState = "offline"
        self.reason = ""
        self.transport: Kind | None = None
        """What carries the open connection."""
        clock, outbox = HubClock(), outbox or Outbox(store)
        cache = PersonaCache(personas or store.file.parent / "personas", self._reach)
        self._parts = DeviceParts(
            store,
            outbox,
            Inbox(store, outbox, clock, handlers),
            DeviceTwin(store, applier, cache),
            clock,
            vitals,
            hub_time,
        )
        self.outbox, self.twin = outbox, self._parts.twin
        self._caps, self._on_change, self._boot = list(caps), on_change, uuid7()
        self._delays, self._http_for_s = delays or ReconnectDelays(), http_for_s
        self._hurry = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self._connection: HubConnection | None = None
        self._opened_at: float | None = None
        """When the latest connection was open."""
        self._blocked = 0
        """Attempts in a row in which no WebSocket got through."""
        self._had_http = False
        self._http_until = 0.0
        self._patience_s = EMERGENCY_ACK_S

    @property
    def counters(self) -> LinkCounters:
        return self._parts.counters

    async def __aenter__(self) -> Self:
        await self._parts.twin.load()
        works = (self._keep_connected, self._parts.inbox.run, self._parts.twin.run)
        self._tasks = [
            asyncio.create_task(_keep_working(each), name=f"fleet link {each.__qualname__}") for each in works
        ]
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in self._tasks:
            await cancel_and_wait(task)

    def hurry(self) -> None:
        """Try to connect now; also when the hub has refused the device before."""
        self._hurry.set()

    def beat(self) -> None:
        """Say now how the device is, because that has changed. Without a connection it is said when there is one."""
        if self._connection is not None:
            self._connection.beat()

    async def accept_emergency(self, type_: str, payload: Mapping[str, Any] | None = None) -> str:
        """Store an emergency and hurry; its id. The local alarm must not wait for this. Raises as `Outbox.accept`."""
        try:
            return (await self.outbox.accept(type_, payload, prio=0)).id
        finally:
            self.hurry()

    async def send_audio(self, frame: AudioFrame) -> bool:
        """Send sound if there is a connection that takes it now; otherwise it is dropped."""
        if self._connection is None or self.state != "connected":
            return False
        try:
            return await self._connection.send_audio(frame)
        except HubLost:
            return False

    async def say(self, type_: str, payload: dict[str, Any]) -> bool:
        """Send a message that is not kept. Whether there was a connection that took it."""
        if self._connection is None or self.state != "connected":
            return False
        try:
            await self._connection.say(type_, payload)
        except HubLost:
            return False
        return True

    def listen(self, listener: LinkListener) -> Callable[[], None]:
        """Give a listener what the hub says besides events and state. Returns what ends that."""
        listeners = self._parts.listeners
        listeners.append(listener)

        def unlisten() -> None:
            if listener in listeners:  # one that failed was removed
                listeners.remove(listener)

        return unlisten

    def _reach(self) -> tuple[HubAddress, str]:
        return self.identity.address, self.identity.token

    async def _keep_connected(self) -> None:
        while True:
            self._opened_at = None
            kind = await self._next_kind()
            self.counters.attempts += 1
            self._show("connecting", self.reason)
            wait_s = 0.0
            try:
                await self._connect(kind)
            except HubLost as error:
                wait_s = error.retry_after_s
                await self._note_lost(error, kind)
            except ProtocolViolation as error:
                await self._note_close(error.code, error.reason)
            except MindError as error:
                _log.error("the device can't connect", reason=error.message, hint=error.hint)
                self._show("offline", error.message)
            except Exception as error:  # noqa: BLE001 -- a device has to come back, whatever happens
                _log.exception("the connection failed")
                self._show("offline", f"{type(error).__name__}: {error}")
            if self._was_good():
                self._delays.reset()
            await self._wait(wait_s)

    def _was_good(self) -> bool:
        """Whether the latest connection lasted; an attempt that took as long to fail did not."""
        return self._opened_at is not None and time.monotonic() - self._opened_at > GOOD_AFTER_S

    async def _next_kind(self) -> Kind:
        """What to try now."""
        enough = 1 if self._had_http or await self._emergency_waits() else BLOCKED_TWICE
        return "http" if self._blocked >= enough or time.monotonic() < self._http_until else "websocket"

    async def _connect(self, kind: Kind) -> None:
        """One connection, until it ends, or until an emergency has waited too long for it to open. Raises why."""
        opened = asyncio.Event()
        attempt = asyncio.create_task(self._attempt(kind, opened), name="fleet attempt")
        impatience = asyncio.create_task(self._lose_patience(opened), name="fleet patience")
        try:
            await asyncio.wait({attempt, impatience}, return_when=asyncio.FIRST_COMPLETED)
            if not attempt.done():
                raise HubLost("blocked", "an emergency waits: trying another way")
        finally:
            await cancel_and_wait(impatience)
            if not attempt.done():
                await cancel_and_wait(attempt)
        attempt.result()

    async def _attempt(self, kind: Kind, opened: asyncio.Event) -> None:
        hello = await self._hello()
        address, token = self.identity.address, self.identity.token
        transport: HubTransport = HubPolling(address, token) if kind == "http" else await HubSocket.open(address, token)

        def on_open(welcome: Welcome) -> None:
            opened.set()
            self._opened_at = time.monotonic()
            self._hurry.clear()
            self.transport, self._had_http, self._blocked = kind, kind == "http", 0
            self._http_until = time.monotonic() + self._http_for_s if kind == "http" else 0.0
            self.counters.connects += 1
            self.counters.by_http += kind == "http"
            self._show("connected", "")
            _log.info("connected to the control plane", transport=kind, generation=welcome.generation)

        self._connection = HubConnection(self._parts, transport, hello, patience_s=self._patience_s, on_open=on_open)
        try:
            async with asyncio.timeout(self._http_for_s if kind == "http" else None) as leaving:
                await self._connection.run()
        except TimeoutError:
            if not leaving.expired():
                raise
            raise HubLost("closed", "going back to the WebSocket") from None
        finally:
            self._connection = self.transport = None
            for listener in tuple(self._parts.listeners):
                listener.connection_lost()

    async def _lose_patience(self, opened: asyncio.Event) -> None:
        """Return when an emergency has waited for a while, and the connection is not open yet."""
        stored = asyncio.Event()
        self.outbox.watchers.add(stored)
        try:
            while not await self._emergency_waits():
                await stored.wait()
                stored.clear()
            await asyncio.sleep(self._patience_s)
            if opened.is_set():
                await asyncio.Event().wait()  # the connection itself watches them
        finally:
            self.outbox.watchers.discard(stored)

    async def _hello(self) -> Hello:
        twin, position = self._parts.twin, await self._parts.store.position()
        return Hello(
            device=self.identity.device,
            boot=self._boot,
            epoch=position.epoch,
            down=position.down,
            twin=twin.desired.version,
            reported=twin.reported,
            agent=f"reachy-mind {__version__}",
            caps=self._caps,
        )

    async def _note_lost(self, error: HubLost, kind: Kind) -> None:
        if error.close_code is not None:
            await self._note_close(error.close_code, error.message)
            return
        if error.why == "refused":
            self._refuse(error.message)
            return
        if kind == "http":  # it fails, too: WebSockets are not what is blocked
            self._blocked, self._http_until = 0, 0.0
        elif error.why == "blocked" or await self._emergency_waits():
            self._blocked += 1
        else:
            self._blocked = 0
        waits = await self._emergency_waits()
        self._patience_s = min(MAX_PATIENCE_S, self._patience_s * 2) if waits else EMERGENCY_ACK_S
        self._show("offline", error.message)

    async def _note_close(self, code: int, reason: str) -> None:
        self.counters.closes[code] = self.counters.closes.get(code, 0) + 1
        match after_close(code):
            case "enrol":
                self._refuse(reason)
                return
            case "new epoch":
                _log.error("these numbers belong to other events of this device: it begins a new epoch")
                with contextlib.suppress(DatabaseError):  # the next hello fails for the same reason, and is tried again
                    await self._parts.store.begin_epoch()
                    self.counters.new_epochs += 1
            case "again":
                level = _log.info if code in (CloseCode.ENDING, CloseCode.TRY_LATER) else _log.warning
                level("the connection to the control plane ended", code=int(code), reason=reason)
        self._show("offline", reason)

    async def _emergency_waits(self) -> bool:
        try:
            return bool((await self.outbox.totals()).emergencies)
        except DatabaseError:
            return False  # what is wrong with the store is said where it is needed

    async def _wait(self, at_least_s: float) -> None:
        """Until the next attempt. A device that was refused waits for somebody."""
        delay = None if self.state == "refused" else max(self._delays.next_s(), at_least_s)
        if delay is not None and await self._emergency_waits():
            delay = min(delay, EMERGENCY_ACK_S)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(delay):
                await self._hurry.wait()
        self._hurry.clear()

    def _refuse(self, reason: str) -> None:
        _log.error("the control plane refuses this device: enrol it again", reason=reason)
        self._show("refused", f"{reason}: enrol the device again with reachy-mind device enroll")

    def _show(self, state: LinkState, reason: str) -> None:
        if (state, reason) != (self.state, self.reason):
            self.state, self.reason = state, reason
            try:
                if self._on_change is not None:
                    self._on_change()
            except Exception:  # noqa: BLE001 -- who is shown it is not who keeps it
                _log.exception("a change of the connection can't be shown", state=state)


async def _keep_working(work: Callable[[], Awaitable[None]]) -> None:
    """Until cancelled. A device runs for years: what nobody thought of costs a moment, not the rest of its commands."""
    delays = ReconnectDelays()
    while True:
        try:
            await work()
        except Exception:  # noqa: BLE001 -- as above
            _log.exception("a part of the device failed: it begins again", part=work.__qualname__)
        await asyncio.sleep(delays.next_s())
