"""`DeviceExchange`: cp1 by HTTP requests, where a network lets no WebSocket through.

A device posts the frames that it would send, and gets those that it would receive. Each answer waits a while for
something to say, so that a command arrives at once. The frames are the text frames of cp1, in a list.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from typing import Annotated, Any, Final

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field

from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.errors import InvalidParameter, MindError, TooMany
from reachy_mind.fleet.control.device_connection import DeviceConnection
from reachy_mind.fleet.control.device_socket import authenticate
from reachy_mind.fleet.control.devices import Device
from reachy_mind.fleet.control.hub import DeviceHub
from reachy_mind.fleet.protocol.close_codes import CloseCode, ProtocolViolation
from reachy_mind.fleet.protocol.frame import Frame, decode
from reachy_mind.fleet.protocol.handshake import Hello, payload_of
from reachy_mind.fleet.protocol.limits import MAX_TEXT_BYTES

PATH: Final = "/fleet/v1/device/exchange"
MAX_WAIT_S: Final = 25.0
IDLE_S: Final = 60.0
"""A device that has not asked for this long is gone."""
MAX_FRAMES: Final = 64
MAX_QUEUED: Final = 128
MAX_EXCHANGES: Final = 2000
"""Devices that use this at the same time on a node."""


class UnknownConnection(MindError):
    """The connection has ended, or was on another node: the device says hello again."""

    code = "UNKNOWN_CONNECTION"


class ExchangeRequest(BaseModel):
    """What a device posts. Without `conn` the first frame is its hello."""

    model_config = ConfigDict(extra="forbid")

    conn: Annotated[str, Field(max_length=64)] | None = None
    frames: Annotated[list[Annotated[str, Field(max_length=MAX_TEXT_BYTES)]], Field(max_length=MAX_FRAMES)] = []
    wait_s: Annotated[float, Field(ge=0, le=MAX_WAIT_S)] = 0.0


class QueueTransport:
    """Frames that wait for the device's next request."""

    name = "http"
    carries_sound = False

    def __init__(self) -> None:
        self.frames: deque[str] = deque()
        self.closed: tuple[int, str] | None = None
        self.changed = asyncio.Event()
        self.room = asyncio.Event()
        self.room.set()

    async def send(self, text: str) -> None:
        while len(self.frames) >= MAX_QUEUED and self.closed is None:
            self.room.clear()
            await self.room.wait()
        self.frames.append(text)
        self.changed.set()

    async def send_sound(self, data: bytes) -> None:
        """Requests carry none."""

    async def close(self, code: int, reason: str) -> None:
        self.closed = self.closed or (int(code), reason)
        self.changed.set()
        self.room.set()

    async def take(self, wait_s: float) -> list[str]:
        """What waits, or what comes within this time."""
        if not self.frames and self.closed is None and wait_s > 0:
            self.changed.clear()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(wait_s):
                    await self.changed.wait()
        taken = [self.frames.popleft() for _ in range(min(len(self.frames), MAX_FRAMES))]
        self.room.set()
        return taken


class _Session:
    """A device's connection between its requests."""

    def __init__(self, device: Device, transport: QueueTransport) -> None:
        self.device, self.transport = device, transport
        self.connection: asyncio.Future[DeviceConnection] = asyncio.get_running_loop().create_future()
        self.asked = asyncio.Event()
        self.lock = asyncio.Lock()
        self.task: asyncio.Task[None] | None = None


class DeviceExchange:
    """Use as an async context manager while the hub serves; `router` has its route."""

    def __init__(self, hub: DeviceHub) -> None:
        self._hub = hub
        self._sessions: dict[str, _Session] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> DeviceExchange:
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in tuple(self._tasks):
            await cancel_and_wait(task)

    def __len__(self) -> int:
        """Connections, with those that were closed and of which the device does not know yet."""
        return len(self._sessions)

    def router(self) -> APIRouter:
        router = APIRouter(tags=["devices' side"])

        @router.post(PATH)
        async def exchange(request: Request, content: ExchangeRequest) -> dict[str, Any]:
            """cp1 by requests: for a device whose network lets no WebSocket through."""
            device = await authenticate(self._hub, request.scope)
            session = await self._session(device, content)
            connection = session.connection.result()
            async with session.lock:  # frames of two requests must not mix
                session.asked.set()
                for text in content.frames:
                    await connection.receive(text)  # nothing, once it is closed
            frames = await session.transport.take(content.wait_s)
            answer: dict[str, Any] = {"conn": connection.conn, "frames": frames}
            if session.transport.closed is not None and not session.transport.frames:
                code, reason = session.transport.closed
                answer["closed"] = {"code": code, "reason": reason}
                if session.task is not None:
                    session.task.cancel()
            return answer

        return router

    async def _session(self, device: Device, content: ExchangeRequest) -> _Session:
        """The open one, or a new one that begins with the first frame. Raises Unknown, InvalidParameter, TooMany."""
        if content.conn is not None:
            session = self._sessions.get(content.conn)
            if session is None or session.device.id != device.id:
                raise UnknownConnection("this connection has ended", hint="leave out conn, and say hello again")
            return session
        if not content.frames:
            raise InvalidParameter("the first frame is hello", hint="see docs/fleet.md")
        if len(self._sessions) >= MAX_EXCHANGES:
            raise TooMany("too many devices use this", hint="try again, or use the WebSocket")
        try:
            hello = _hello(decode(content.frames.pop(0)))
        except ProtocolViolation as error:
            raise InvalidParameter(error.reason, hint="see docs/fleet.md") from error
        session = _Session(device, QueueTransport())
        session.task = asyncio.create_task(self._keep(session, hello), name="fleet exchange")
        self._tasks.add(session.task)
        session.task.add_done_callback(self._tasks.discard)
        waited: list[asyncio.Future[Any]] = [session.connection, session.task]
        await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
        if not session.connection.done():
            await session.task  # raises why there is no connection
        return session

    async def _keep(self, session: _Session, hello: Hello) -> None:
        """Keep a connection open as long as its device asks."""
        try:
            async with self._hub.connection(session.device, hello, session.transport) as connection:
                self._forget_older(session.device)
                self._sessions[connection.conn] = session
                session.connection.set_result(connection)
                try:
                    await connection.serve(self._until_idle(session))
                finally:
                    del self._sessions[connection.conn]
                    await session.transport.close(CloseCode.ENDING, "the connection has ended")
        except ProtocolViolation as error:
            raise InvalidParameter(error.reason, hint="see docs/fleet.md") from error

    def _forget_older(self, device: Device) -> None:
        """A device learns that its latest connection was replaced. Those before are not kept: it could open many."""
        older = [session for session in self._sessions.values() if session.device.id == device.id]
        for session in older[:-1]:
            if session.task is not None:
                session.task.cancel()

    @staticmethod
    async def _until_idle(session: _Session) -> None:
        with contextlib.suppress(TimeoutError):
            while True:
                session.asked.clear()
                async with asyncio.timeout(IDLE_S):
                    await session.asked.wait()


def _hello(frame: Frame) -> Hello:
    """Raises ProtocolError."""
    if frame.type != "hello":
        raise ProtocolViolation(CloseCode.NOT_UNDERSTOOD, "the first frame is hello")
    return payload_of(frame, Hello)
