"""The two ends of cp1 with their real stores, and a network between them that a test controls frame by frame."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, TypeVar

from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.fleet.control import connections, devices, downlink, uplink
from reachy_mind.fleet.control.devices import Device
from reachy_mind.fleet.control.store.sqlite import SqliteStore
from reachy_mind.fleet.control.store.store import Sql
from reachy_mind.fleet.device.hub_clock import HubClock
from reachy_mind.fleet.device.inbox import Command, Inbox
from reachy_mind.fleet.device.outbox import Outbox, OutboxFull, OutboxLimits
from reachy_mind.fleet.device.session import Acknowledged, CommandArrived, DeviceSession, Welcomed, after_close
from reachy_mind.fleet.device.store import DeviceStore
from reachy_mind.fleet.protocol.close_codes import CloseCode, ProtocolViolation
from reachy_mind.fleet.protocol.delivery import Outgoing
from reachy_mind.fleet.protocol.frame import EMERGENCY, USUAL, Frame, Lane, decode, encode, new_frame, now_ms
from reachy_mind.fleet.protocol.handshake import Hello, Welcome
from reachy_mind.fleet.protocol.limits import ConnectionLimits
from reachy_mind.storage.database import IN_MEMORY
from tests.waiting import until

TENANT = "tenant"
LANES: tuple[Lane, Lane] = (USUAL, EMERGENCY)
MAX_EVENTS = 8
Result = TypeVar("Result")


class HubEnd:
    """The hub's side of one connection: its own functions, on its own store."""

    def __init__(self, store: SqliteStore, device: Device) -> None:
        self._store, self._device = store, device
        self._stored: dict[int, int] = {}
        self._ack_due = False

    async def open(self, hello: Hello) -> str:
        opened = await self._store.write(
            lambda sql: connections.open_connection(sql, self._device.id, hello, node="n", transport="test")
        )
        self._source = uplink.Source(self._device.id, TENANT, hello.epoch, opened.generation, "n")
        self._outgoing = Outgoing(usual=opened.down_acked.seq, emergency=opened.down_acked.seq0, window=4)
        self._stored = {USUAL: opened.up.seq, EMERGENCY: opened.up.seq0}
        about = {"conn": opened.conn, "generation": opened.generation, "up": opened.up, "down": opened.down_epoch}
        welcome = Welcome.model_validate(
            about | {"time": now_ms(), "limits": ConnectionLimits(rate_per_s=1e6, burst=10**6)}
        )
        return encode(new_frame("welcome", welcome.model_dump(mode="json", exclude_none=True)))

    async def receive(self, text: str) -> None:
        """Raises ProtocolError."""
        frame = decode(text)
        acked = self._outgoing.note_acks(frame)
        await self._store.write(lambda sql: downlink.acknowledge(sql, self._device.id, *acked))
        if frame.seq is not None:
            await self._store.write(lambda sql: uplink.accept(sql, self._source, frame))
            self._stored[frame.lane] = max(self._stored[frame.lane], frame.seq)
            self._ack_due = True

    async def due(self) -> list[str]:
        """What it sends now."""
        frames: list[Frame] = []
        for lane in (EMERGENCY, USUAL):
            after, room = self._outgoing.sent(lane), self._outgoing.room(lane)
            for frame in await self._store.read(
                lambda sql, lane=lane, after=after, room=room: downlink.waiting(sql, self._device.id, lane, after, room)
            ):
                assert frame.seq is not None
                frames.append(frame.model_copy(update={"skip": self._outgoing.skip(lane, frame.seq)}))
                self._outgoing.note_sent(lane, frame.seq)
        if self._ack_due:
            frames.append(new_frame("ack", ack=self._stored[USUAL], ack0=self._stored[EMERGENCY]))
            self._ack_due = False
        return [encode(frame) for frame in frames]


class DeviceEnd:
    """The device: its store on disk, and its process, which may end at any moment."""

    def __init__(self, file: Path, name: str) -> None:
        self.file, self._name = file, name
        self.effects: list[str] = []
        """Ids of commands, each when its handler was called with it for the first time."""

    async def start(self) -> None:
        self.store = await DeviceStore(self.file).__aenter__()
        self.outbox = Outbox(self.store, OutboxLimits(max_events=MAX_EVENTS))
        self.clock = HubClock()
        self.inbox = Inbox(
            self.store, self.outbox, self.clock, {"speak": self._act, "emergency.acknowledged": self._act}
        )
        self._handling = asyncio.create_task(self.inbox.run())
        self.session: DeviceSession | None = None

    async def end(self) -> None:
        await cancel_and_wait(self._handling)
        await self.store.__aexit__(None, None, None)
        self.session = None

    async def hello(self) -> Hello:
        position = await self.store.position()
        self._epoch = position.epoch
        hello = Hello(device=self._name, boot="boot", epoch=position.epoch, down=position.down)
        self.session = DeviceSession(hello)
        return hello

    async def receive(self, text: str) -> list[str]:
        """What it answers at once. Raises ProtocolError."""
        session = self.session
        assert session is not None
        answers: list[Frame] = []
        for effect in session.receive(decode(text)):
            match effect:
                case Welcomed(welcome):
                    position = await self.store.position()
                    if welcome.up.seq > position.last[USUAL] or welcome.up.seq0 > position.last[EMERGENCY]:
                        raise ProtocolViolation(CloseCode.EPOCH_CONFLICT, "set back")
                    held = [
                        await self.outbox.last_up_to(EMERGENCY, welcome.up.seq0),
                        await self.outbox.last_up_to(USUAL, welcome.up.seq),
                    ]
                    answers += session.confirm([event for event in held if event is not None])
                    await self.inbox.follow(welcome.down)
                case Acknowledged(seq, seq0):
                    await self.outbox.acknowledge(seq, seq0, epoch=self._epoch)
                case CommandArrived(frame):
                    assert session.welcome is not None
                    session.note_stored(*await self.inbox.keep([frame], epoch=session.welcome.down))
        return [encode(frame) for frame in answers]

    async def due(self) -> list[str]:
        session = self.session
        if session is None or session.welcome is None:
            return []
        frames = []
        for lane in (EMERGENCY, USUAL):
            events = await self.outbox.after(lane, session.sent(lane), session.room(lane), epoch=self._epoch)
            frames += [session.event(event) for event in events]
        if session.ack_is_due():
            frames.append(session.say("ack"))
        return [encode(frame) for frame in frames]

    async def _act(self, command: Command) -> None:
        if command.id not in self.effects:
            self.effects.append(command.id)


class Parties:
    """A device, a hub, and what is on its way between them."""

    def __init__(self, folder: Path) -> None:
        self._runner = asyncio.Runner()
        self.folder = folder
        self.up: list[str] = []
        self.down: list[str] = []
        self.stale: list[tuple[HubEnd, str]] = []
        """Frames of connections that are over, which a hub may still get."""
        self.hub: HubEnd | None = None
        self.accepted: dict[Lane, list[str]] = {USUAL: [], EMERGENCY: []}
        self.dropped: set[str] = set()
        self.commanded: dict[Lane, list[str]] = {USUAL: [], EMERGENCY: []}
        self.closes: list[int] = []
        self.run(self._begin())

    def run(self, work: Coroutine[Any, Any, Result]) -> Result:
        return self._runner.run(work)

    def end(self) -> None:
        self.run(self._end())
        self._runner.close()
        shutil.rmtree(self.folder)

    async def _begin(self) -> None:
        self._hub_store = await SqliteStore(IN_MEMORY).__aenter__()

        def add(sql: Sql) -> Device:
            sql.run("INSERT INTO tenant (id, name, created_at) VALUES (?, ?, 0)", TENANT, TENANT)
            return devices.add(sql, TENANT, "device")

        self._device = await self._hub_store.write(add)
        self.device = DeviceEnd(self.folder / "device.db", self._device.id)
        await self.device.start()

    async def _end(self) -> None:
        await self.device.end()
        await self._hub_store.__aexit__(None, None, None)

    async def accept(self, prio: int) -> None:
        """An event happens. What the outbox drops for it is noted, and must be the oldest of priority 2."""
        store, outbox = self.device.store, self.device.outbox
        await until(self._everything_is_handled)  # an answer to a command takes room, too
        before = await outbox.after(USUAL, 0, 1000, epoch=store.epoch)
        droppable = [event.id for event in before if event.prio == 2]
        try:
            event = await outbox.accept("button.pressed", {}, prio=prio)
        except OutboxFull:
            assert prio != 0 and len(before) - len(droppable) >= MAX_EVENTS
            return
        self.accepted[event.lane].append(event.id)
        after = {each.id for each in await outbox.after(USUAL, 0, 1000, epoch=store.epoch)}
        gone = [each.id for each in before if each.id not in after]
        assert gone == droppable[: len(gone)] and (not gone or len(before) >= MAX_EVENTS)
        self.dropped |= set(gone)

    async def command(self, prio: int) -> None:
        type_ = "speak" if prio else "emergency.acknowledged"
        frame = await self._hub_store.write(
            lambda sql: downlink.queue(sql, self._device.id, TENANT, type_, {}, by="test", prio=prio)
        )
        self.commanded[frame.lane].append(frame.id)

    async def connect(self) -> None:
        self.cut()
        hub = HubEnd(self._hub_store, self._device)
        welcome = await hub.open(await self.device.hello())
        self.hub, self.down = hub, [welcome]

    def cut(self) -> None:
        if self.hub is not None:
            self.stale += [(self.hub, text) for text in self.up]
        self.up, self.down, self.hub, self.device.session = [], [], None, None

    async def work(self, frames: int) -> None:
        """So many frames arrive, each way."""
        if self.hub is None:
            await self.connect()
        for _ in range(frames):
            await self.send()
            await self.deliver_up()
            await self.deliver_down()

    def break_a_frame(self, fault: str, index: int, *, up: bool) -> None:
        """Do something to a frame on its way."""
        frames = self.up if up else self.down
        if not frames:
            return
        at = index % len(frames)
        match fault:
            case "lose":
                del frames[at]
            case "repeat":
                frames.insert(index * 7 % (len(frames) + 1), frames[at])
            case "reorder":
                frames.append(frames.pop(at))
            case "damage":
                frames[at] = frames[at].replace("e", "a", 3)

    async def send(self) -> None:
        """Both sides say what they have to say."""
        if self.hub is not None:
            self.up += await self.device.due()
            self.down += await self.hub.due()

    async def deliver_up(self) -> None:
        """The hub gets the next frame, and may close the connection for it."""
        if self.hub is None or not self.up:
            return
        try:
            await self.hub.receive(self.up.pop(0))
        except ProtocolViolation as error:
            await self._closed(error.code)

    async def deliver_down(self) -> None:
        if self.hub is None or not self.down:
            return
        try:
            self.up += await self.device.receive(self.down.pop(0))
        except ProtocolViolation as error:
            await self._closed(error.code)

    async def deliver_stale(self) -> None:
        """A connection that is over delivers one more frame."""
        if self.stale:
            hub, text = self.stale.pop(0)
            with contextlib.suppress(ProtocolViolation):
                await hub.receive(text)

    async def restart_device(self) -> None:
        self.cut()
        await self.device.end()
        await self.device.start()

    async def snapshot(self) -> None:
        await self.device.store.read(lambda db: db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall())
        shutil.copyfile(self.device.file, self.folder / "snapshot")

    async def set_back(self) -> None:
        """The disk loses its last writes."""
        self.cut()
        await self.device.end()
        for name in ("device.db-wal", "device.db-shm"):
            (self.folder / name).unlink(missing_ok=True)
        shutil.copyfile(self.folder / "snapshot", self.device.file)
        await self.device.start()

    async def settle(self) -> None:
        """Without faults, until nothing is left to say."""
        for _ in range(6):  # a connection may end for what happened before
            await self.connect()
            while self.hub is not None:
                await self.send()
                if not self.up and not self.down:
                    break
                while self.hub is not None and (self.up or self.down):
                    await self.deliver_up()
                    await self.deliver_down()
            else:
                continue
            await until(self._everything_is_handled)
            await self.send()
            if not self.up and not self.down and not (await self.device.outbox.totals()).events:
                return
        raise AssertionError(f"no end: closed with {self.closes[-10:]}")

    async def stored(self, lane: Lane) -> list[str]:
        """What the hub has of a lane, in the order in which it was stored."""
        rows = await self._hub_store.read(
            lambda sql: sql.rows(
                "SELECT id FROM uplink WHERE type = 'button.pressed' AND lane = ? ORDER BY rowid", lane
            )
        )
        return [row["id"] for row in rows]

    async def unanswered(self) -> int:
        """Commands whose outcome the hub does not know."""
        rows = await self._hub_store.read(lambda sql: sql.rows("SELECT id FROM downlink WHERE done_at IS NULL"))
        return len(rows)

    async def _everything_is_handled(self) -> bool:
        sql = "SELECT count(*) FROM inbox WHERE status IS NULL"
        return not await self.device.store.read(lambda db: db.execute(sql).fetchone()[0])

    async def _closed(self, code: int) -> None:
        self.closes.append(code)
        self.cut()
        if after_close(code) == "new epoch":
            await self.device.store.begin_epoch()
