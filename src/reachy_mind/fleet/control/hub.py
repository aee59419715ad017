"""`DeviceHub`: the devices that are connected to this node.

It wakes their connections when something changed for them in the store, closes those that were replaced or revoked,
and keeps the store informed which of them are here. The bus makes that quick; a look at the store every few seconds
makes it certain.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING, Any, Final

from reachy_mind import log
from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.fleet.control import connections, device_trouble, downlink
from reachy_mind.fleet.control.bus import NodeBus, Wake
from reachy_mind.fleet.control.device_connection import DeviceConnection, DeviceTransport
from reachy_mind.fleet.control.devices import Device
from reachy_mind.fleet.control.hub_counters import HubCounters
from reachy_mind.fleet.control.store.store import FleetStore, Sql
from reachy_mind.fleet.protocol.audio import AudioFrame
from reachy_mind.fleet.protocol.close_codes import CloseCode, ProtocolViolation
from reachy_mind.fleet.protocol.frame import Frame, now_ms
from reachy_mind.fleet.protocol.handshake import Heartbeat, Hello
from reachy_mind.fleet.protocol.limits import MISSED_HEARTBEATS, ConnectionLimits
from reachy_mind.storage.database import DatabaseError

if TYPE_CHECKING:
    from reachy_mind.fleet.control.voice_routing import VoiceRouting

NODE_INTERVAL_S: Final = 3.0
"""How often a node says in the store that it lives."""
NODE_TIMEOUT_MS: Final = 10_000
"""A node that has not said so for this long is dead; its devices count as offline."""
REPAIR_INTERVAL_S: Final = 2.0
"""How often the store is asked what the bus may have lost."""
REPAIR_WINDOW_MS: Final = 30_000
PRESENCE_INTERVAL_S: Final = 10.0
STATE_INTERVAL_S: Final = 0.25
"""How long it takes at most until it is stored and shown that a device does something else."""
PRESENCE_CHUNK: Final = 500
"""Devices in one write of their heartbeats."""
CLOSE_CHUNK: Final = 200

_log = log.get(__name__)
Listener = Callable[[Device, AudioFrame], None]


class DeviceHub:
    """Use as an async context manager while the node serves. `node`: its name, unique among the nodes."""

    def __init__(self, store: FleetStore, bus: NodeBus, node: str, limits: ConnectionLimits | None = None) -> None:
        self.store, self.bus, self.node = store, bus, node
        self.limits = limits or ConnectionLimits()
        self.counters = HubCounters()
        self.listeners: list[Listener] = []
        """Called with the sound of devices."""
        self.voice: VoiceRouting | None = None
        """Holds the voice sessions of devices; None: there are none at this node."""
        self._connections: dict[str, DeviceConnection] = {}
        self._tasks: list[asyncio.Task[None]] = []
        self._flushed_at = 0
        self._restated: set[DeviceConnection] = set()
        self._waking: set[asyncio.Task[None]] = set()
        self._open = contextlib.AsyncExitStack()

    async def __aenter__(self) -> DeviceHub:
        await self.store.write(self._start_node)
        self._open.enter_context(self.bus.subscribe(f"node.{self.node}", self._on_wake))
        loops = ((NODE_INTERVAL_S, self._say_alive), (REPAIR_INTERVAL_S, self._repair))
        presence = ((PRESENCE_INTERVAL_S, self.flush_presence), (STATE_INTERVAL_S, self._flush_states))
        for interval, work in (*loops, *presence):
            self._tasks.append(asyncio.create_task(self._repeat(interval, work), name=f"fleet {work.__name__}"))
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close_all()
        for task in (*self._tasks, *self._waking):
            await cancel_and_wait(task)
        await self._open.aclose()
        with contextlib.suppress(DatabaseError):  # a store that is gone can't be told; the others notice
            await self.flush_presence()
            await self.store.write(self._stop_node)

    def __len__(self) -> int:
        return len(self._connections)

    def connected(self, device: str) -> bool:
        """Whether a device is connected to this node."""
        return device in self._connections

    @contextlib.asynccontextmanager
    async def connection(
        self, device: Device, hello: Hello, transport: DeviceTransport
    ) -> AsyncIterator[DeviceConnection]:
        """A connection of an authenticated device, from its hello until the context ends.

        Raises ProtocolError when the hello names another device, or a newer connection is open; DatabaseError.
        """
        if hello.device not in (device.id, device.name):
            raise ProtocolViolation(CloseCode.NOT_UNDERSTOOD, "the token belongs to another device")

        opened, old_node = await self._begin(device, hello, transport.name)
        old = self._connections.get(device.id)
        if old is not None and old.generation > opened.generation:  # the store may answer two of them in any order
            raise ProtocolViolation(CloseCode.SUPERSEDED, "a newer connection of this device is open")
        connection = DeviceConnection(self, device, transport, hello, opened)
        self._connections[device.id] = connection
        self.counters.opened += 1
        try:
            if old is not None:
                self._close_soon(old, CloseCode.SUPERSEDED, "a newer connection of this device is open")
            elif old_node not in (None, self.node):
                wake = Wake(device.id, "fence", opened.generation)
                await self.bus.publish(f"node.{old_node}", wake.as_message())
            await connection.welcome(opened)
            del hello, opened, old  # a connection lives for days, and there are thousands
            await self.announce(device.tenant, "online", device=device.id)
            yield connection
        finally:
            await self._end(device, connection)

    async def wake(self, device: str, kind: str) -> None:
        """Tell the node that has a device that something changed for it: "command", "twin" or "revoked"."""
        wake = Wake(device, kind)  # type: ignore[arg-type]
        if device in self._connections:
            self._on_wake(wake.as_message())
            return
        row = await self.store.read(
            lambda sql: sql.row("SELECT node FROM connection WHERE device = ? AND closed_at IS NULL", device)
        )
        if row is not None:
            await self.bus.publish(f"node.{row['node']}", wake.as_message())

    async def announce(self, tenant: str, kind: str, **about: Any) -> None:
        """Say on the page of a tenant what happened."""
        await self.bus.publish(f"tenant.{tenant}", {"kind": kind, "at": now_ms(), **about})

    async def announce_event(self, device: Device, frame: Frame) -> None:
        """Say that an event was stored."""
        kind = "emergency" if frame.type.startswith("emergency.") else "event"
        await self.announce(device.tenant, kind, device=device.id, id=frame.id, type=frame.type)

    def hear(self, device: Device, frame: AudioFrame) -> None:
        """Pass on a device's sound."""
        self.counters.audio_frames += 1
        for listener in self.listeners:
            listener(device, frame)

    async def close_all(self) -> None:
        """End all connections: the devices find another node, or wait for this one."""
        open_now = list(self._connections.values())
        for start in range(0, len(open_now), CLOSE_CHUNK):
            chunk = open_now[start : start + CLOSE_CHUNK]
            await asyncio.gather(*(each.close(CloseCode.ENDING, "this node is ending") for each in chunk))

    async def flush_presence(self) -> None:
        """Write when devices were last heard of, and how they were."""
        since, self._flushed_at = self._flushed_at, now_ms()
        await self._write_presence([each for each in self._connections.values() if each.seen_at >= since])

    def note_state(self, connection: DeviceConnection) -> None:
        """A device does something else than before: it is stored and shown soon."""
        self._restated.add(connection)

    async def _flush_states(self) -> None:
        """Store it, and only then show it: a page that asks at once gets the same."""
        changed, self._restated = list(self._restated), set()
        if not changed:
            return
        await self._write_presence(changed)
        for each in changed:
            if each.heartbeat is not None:
                about = each.heartbeat.model_dump(mode="json")
                await self.announce(each.device.tenant, "heartbeat", device=each.device.id, heartbeat=about)

    async def _write_presence(self, chosen: list[DeviceConnection]) -> None:
        rows = [(each.seen_at, *_told(each.heartbeat), each.device.id) for each in chosen]

        def write(sql: Sql, part: list[tuple[int, str | None, str | None, str | None, str]]) -> None:
            for row in part:
                sql.run(
                    "UPDATE device SET last_seen_at = ?, heartbeat = coalesce(?, heartbeat),"
                    " state = coalesce(?, state), trouble = coalesce(?, trouble) WHERE id = ?",
                    *row,
                )

        for start in range(0, len(rows), PRESENCE_CHUNK):
            part = rows[start : start + PRESENCE_CHUNK]
            await self.store.write(lambda sql, part=part: write(sql, part))  # type: ignore[misc]

    async def _begin(self, device: Device, hello: Hello, transport: str) -> tuple[connections.Opened, str | None]:
        """Store that a connection begins; also returns the node that had the one before."""

        def begin(sql: Sql) -> tuple[connections.Opened, str | None]:
            before = sql.row("SELECT node FROM connection WHERE device = ? AND closed_at IS NULL", device.id)
            opened = connections.open_connection(sql, device.id, hello, node=self.node, transport=transport)
            return opened, before["node"] if before else None

        return await self.store.write(begin)

    async def _end(self, device: Device, connection: DeviceConnection) -> None:
        if self._connections.get(device.id) is connection:
            del self._connections[device.id]
        self.counters.closed += 1
        await connection.finish()
        if self.voice is not None:
            await self.voice.leave(connection)
        try:
            await self.store.write(lambda sql: connections.close_connection(sql, device.id, connection.generation))
        except DatabaseError as error:
            _log.warning("the end of a connection can't be stored", device=device.id, reason=error.message)
        if not self.connected(device.id):
            await self.announce(device.tenant, "offline", device=device.id)

    def _on_wake(self, message: dict[str, Any]) -> None:
        connection = self._connections.get(str(message.get("device")))
        if connection is None:
            return
        match message.get("kind"):
            case "command" | "twin" as due:
                connection.wake(due)
            case "fence" if int(message.get("generation", 0)) > connection.generation:
                self._close_soon(connection, CloseCode.SUPERSEDED, "a newer connection of this device is open")
            case "revoked":
                self._close_soon(connection, CloseCode.REVOKED, "this device was revoked")

    def _close_soon(self, connection: DeviceConnection, code: CloseCode, reason: str) -> None:
        task = asyncio.create_task(connection.close(code, reason), name="fleet close")
        self._waking.add(task)
        task.add_done_callback(self._waking.discard)

    async def _repeat(self, interval: float, work: Callable[[], Any]) -> None:
        """Do some work again and again; a store that can't be reached is tried again the next time."""
        failing = False
        while True:
            await asyncio.sleep(interval)
            try:
                await work()
                failing = False
            except DatabaseError as error:
                if not failing:
                    _log.error("the store can't be used; trying again", work=work.__name__, reason=error.message)
                failing = True

    async def _say_alive(self) -> None:
        await self.store.write(self._note_alive)

    def _note_alive(self, sql: Sql) -> None:
        now = now_ms()
        sql.run(
            "INSERT INTO node (id, started_at, seen_at) VALUES (?, ?, ?)"
            " ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at",
            *(self.node, now, now),
        )

    def _start_node(self, sql: Sql) -> None:
        """Connections that a killed node of this name left behind are over."""
        self._note_alive(sql)
        sql.run("UPDATE connection SET closed_at = ? WHERE node = ? AND closed_at IS NULL", now_ms(), self.node)

    def _stop_node(self, sql: Sql) -> None:
        sql.run("UPDATE connection SET closed_at = ? WHERE node = ? AND closed_at IS NULL", now_ms(), self.node)
        sql.run("DELETE FROM node WHERE id = ?", self.node)

    async def _repair(self) -> None:
        """What the bus may have lost: commands, twins, newer connections, revocations."""
        now = now_ms()

        def look(sql: Sql) -> tuple[list[str], list[str], list[dict[str, Any]], list[str]]:
            since = now - REPAIR_WINDOW_MS
            mine = "SELECT connection.device FROM connection JOIN"
            changed = sql.rows(
                f"{mine} twin ON twin.device = connection.device WHERE connection.node = ? AND twin.desired_at > ?"
                " AND connection.closed_at IS NULL",
                *(self.node, since),
            )
            revoked = sql.rows(
                f"{mine} device ON device.id = connection.device WHERE connection.node = ? AND device.revoked_at > ?",
                *(self.node, since),
            )
            newer = sql.rows(
                "SELECT device, generation FROM connection WHERE node <> ? AND connected_at > ?", self.node, since
            )
            return (
                downlink.overdue(sql, self.node, now - int(REPAIR_INTERVAL_S * 1000)),
                [row["device"] for row in changed],
                newer,
                [row["device"] for row in revoked],
            )

        silent = now - int(self.limits.heartbeat_s * (MISSED_HEARTBEATS + 1) * 1000)
        for connection in [each for each in self._connections.values() if each.seen_at < silent]:
            _log.warning("a device has been silent for too long", device=connection.device.id)
            connection.abandon()
        overdue, changed, newer, revoked = await self.store.read(look)
        messages = [Wake(each, "command") for each in overdue] + [Wake(each, "twin") for each in changed]
        messages += [Wake(row["device"], "fence", row["generation"]) for row in newer]
        for wake in (*messages, *(Wake(each, "revoked") for each in revoked)):
            self._on_wake(wake.as_message())
        await self.store.write(downlink.expire)


def _told(heartbeat: Heartbeat | None) -> tuple[str | None, str | None, str | None]:
    """A heartbeat as the registry keeps it."""
    if heartbeat is None:
        return None, None, None
    return heartbeat.model_dump_json(), heartbeat.state, device_trouble.of(heartbeat)


def online(sql: Sql, tenant: str) -> set[str]:
    """The devices of a tenant that are connected to a node that lives."""
    rows = sql.rows(
        "SELECT connection.device FROM connection JOIN device ON device.id = connection.device"
        " JOIN node ON node.id = connection.node"
        " WHERE device.tenant = ? AND connection.closed_at IS NULL AND node.seen_at > ?",
        *(tenant, now_ms() - NODE_TIMEOUT_MS),
    )
    return {row["device"] for row in rows}
