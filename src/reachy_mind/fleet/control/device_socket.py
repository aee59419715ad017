"""`DeviceSocket`: the WebSocket at which devices connect, as a plain ASGI app.

A framework's route would keep several objects for each of thousands of connections. A device is authenticated before
its WebSocket is accepted. When many come at once, as after a restart, only some are let in at a time; the others are
told when to try again.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
from typing import Any, Final

from reachy_mind import log
from reachy_mind.errors import MindError
from reachy_mind.fleet.control import devices
from reachy_mind.fleet.control.device_admission import DeviceAdmission, NodeBusy
from reachy_mind.fleet.control.device_connection import DeviceConnection
from reachy_mind.fleet.control.devices import Device, DeviceRefused
from reachy_mind.fleet.control.hub import DeviceHub
from reachy_mind.fleet.protocol.close_codes import CloseCode, ProtocolViolation
from reachy_mind.fleet.protocol.frame import decode
from reachy_mind.fleet.protocol.handshake import Hello, payload_of
from reachy_mind.fleet.protocol.limits import CLOSE_TIMEOUT_S, SUBPROTOCOL
from reachy_mind.storage.database import DatabaseError

PATH: Final = "/fleet/v1/device/connect"
HELLO_TIMEOUT_S: Final = 10.0
RETRY_AFTER_S: Final = (1.0, 8.0)
"""While the store can't be used."""

_log = log.get(__name__)


class DeviceSocket:
    """Serves the devices of a hub."""

    def __init__(self, hub: DeviceHub) -> None:
        self._hub = hub
        self._admission = DeviceAdmission()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await receive()  # websocket.connect
        try:
            device = await self._admit(scope)
        except MindError as error:
            await refuse(error, scope, receive, send, self._hub)
            return
        transport = SocketTransport(send)
        await send({"type": "websocket.accept", "subprotocol": SUBPROTOCOL})
        scope["headers"].clear()  # a connection lives for days, and there are thousands
        try:
            async with self._hub.connection(device, await _hello(receive), transport) as connection:
                await connection.serve(pump(connection, receive))
                transport.ended = True
        except ProtocolViolation as error:
            self._hub.counters.rejected["handshake"] += 1
            _log.warning("a device's handshake failed", device=device.id, reason=error.reason)
            await transport.close(error.code, error.reason)
        except DatabaseError as error:
            _log.error("a device can't be let in", device=device.id, reason=error.message)
            await transport.close(CloseCode.TRY_LATER, "the store can't be used")

    async def _admit(self, scope: Any) -> Device:
        """Raises DeviceRefused, NoRoom, DatabaseError."""
        if SUBPROTOCOL not in scope.get("subprotocols", ()):
            raise DeviceRefused(f"this is a WebSocket of the subprotocol {SUBPROTOCOL}", hint="see docs/fleet.md")
        async with self._admission.place():
            return await authenticate(self._hub, scope)


class SocketTransport:
    """An accepted WebSocket."""

    name = "websocket"
    carries_sound = True
    __slots__ = ("_send", "ended")

    def __init__(self, send: Any) -> None:
        self._send = send
        self.ended = False

    async def send(self, text: str) -> None:
        await self._tell({"type": "websocket.send", "text": text})

    async def send_sound(self, data: bytes) -> None:
        await self._tell({"type": "websocket.send", "bytes": data})

    async def close(self, code: int, reason: str) -> None:
        await self._tell({"type": "websocket.close", "code": int(code), "reason": reason})
        self.ended = True

    async def _tell(self, message: dict[str, Any]) -> None:
        if not self.ended:
            try:
                await self._send(message)
            except (OSError, RuntimeError):
                # The peer has gone, or uvicorn has closed the WebSocket for bytes that are no UTF-8; who reads from it
                # finds out, too.
                self.ended = True


async def pump(connection: DeviceConnection, receive: Any) -> None:
    """Hand on what arrives until the WebSocket ends."""
    while True:
        message = await receive()
        if message["type"] == "websocket.disconnect":
            return
        text = message.get("text")
        if text is not None:
            await connection.receive(text)
        elif message.get("bytes") is not None:
            await connection.receive_audio(message["bytes"])


async def authenticate(hub: DeviceHub, scope: Any) -> Device:
    """The device whose token a request has. Raises DeviceRefused, DatabaseError."""
    headers = dict(scope["headers"])
    kind, _, text = headers.get(b"authorization", b"").decode("latin-1").partition(" ")
    if kind.lower() != "bearer":
        raise DeviceRefused("a device needs its token", hint="Authorization: Bearer dev_...")

    token = text.strip()
    device = await hub.store.read(lambda sql: devices.authenticate(sql, token))
    named = headers.get(b"x-device-id", b"").decode("latin-1")
    if named and named not in (device.id, device.name):
        raise DeviceRefused("the token belongs to another device than X-Device-ID", hint="enrol this device")
    if await hub.store.read(lambda sql: devices.has_older_tokens(sql, token)):
        await hub.store.write(lambda sql: devices.note_used_token(sql, token))
    return device


async def _hello(receive: Any) -> Hello:
    """What the device says first. Raises ProtocolError."""
    try:
        async with asyncio.timeout(HELLO_TIMEOUT_S):
            message = await receive()
    except TimeoutError:
        raise ProtocolViolation(CloseCode.NOT_UNDERSTOOD, f"no hello within {HELLO_TIMEOUT_S:g} s") from None
    if message["type"] != "websocket.receive" or message.get("text") is None:
        raise ProtocolViolation(CloseCode.NOT_UNDERSTOOD, "the first message is hello")
    frame = decode(message["text"])
    if frame.type != "hello":
        raise ProtocolViolation(CloseCode.NOT_UNDERSTOOD, "the first message is hello")
    return payload_of(frame, Hello)


async def refuse(error: MindError, scope: Any, receive: Any, send: Any, hub: DeviceHub) -> None:
    """Answer the request for a WebSocket with an HTTP error."""
    busy = isinstance(error, NodeBusy | DatabaseError)
    reason = "busy" if isinstance(error, NodeBusy) else "store" if busy else "token"
    hub.counters.rejected[reason] += 1
    if not busy:
        address = scope["client"][0] if scope.get("client") else ""
        _log.warning("a device was refused", reason=error.message, address=address)
    if "websocket.http.response" not in scope.get("extensions", {}):
        await send({"type": "websocket.close", "code": 1008, "reason": error.message[:100]})
        return
    headers = [(b"content-type", b"application/json")]
    if busy:
        spread = random.uniform(*RETRY_AFTER_S)  # noqa: S311 -- it spreads them, it protects nothing
        delay = error.retry_after_s if isinstance(error, NodeBusy) else spread
        headers.append((b"retry-after", str(round(delay)).encode()))
    status = 503 if busy else 401
    await send({"type": "websocket.http.response.start", "status": status, "headers": headers})
    await send({"type": "websocket.http.response.body", "body": json.dumps({"error": error.as_dict()}).encode()})
    with contextlib.suppress(TimeoutError):  # until the peer has gone, uvicorn reports the handshake as unfinished
        async with asyncio.timeout(CLOSE_TIMEOUT_S):
            await receive()
            await receive()
