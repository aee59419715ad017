"""`HubSocket` and `HubPolling`: the frames of a connection, carried by a WebSocket or by HTTP requests."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections.abc import Iterator, Sequence
from typing import Any, Final, Literal, Protocol

import httpx
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus
from websockets.typing import Subprotocol

from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.errors import LinkLost
from reachy_mind.fleet.device.hub_address import EXCHANGE_PATH, HubAddress
from reachy_mind.fleet.protocol.audio import AudioFrame
from reachy_mind.fleet.protocol.close_codes import CloseCode, ProtocolViolation
from reachy_mind.fleet.protocol.frame import Frame, decode, encode
from reachy_mind.fleet.protocol.limits import (
    CLOSE_TIMEOUT_S,
    MAX_BINARY_BYTES,
    PING_INTERVAL_S,
    PING_TIMEOUT_S,
    SUBPROTOCOL,
)

OPEN_TIMEOUT_S: Final = 10.0
POLL_S: Final = 20.0
"""How long a request waits for something from the hub."""
QUICK_POLL_S: Final = 0.1
MAX_FRAMES, MAX_REQUEST_BYTES = 64, 512 << 10
"""In one request. The hub takes a megabyte, and so do most proxies on the way."""
SEND_TIMEOUT_S: Final = 30.0
"""A network that takes a frame no sooner is gone. Pings do not notice: they wait behind it."""
MAX_AUDIO_WAITING_BYTES: Final = 8 << 10
"""With more than this on its way to a slow peer, sound is dropped. A socket that made somebody wait has more."""
REFUSALS: Final = ("UNAUTHORIZED", "PERMISSION_DENIED")
"""What the hub says to a device that it does not know. Anybody else's 403, such as a firewall's, says nothing of it."""
MAX_RETRY_AFTER_S: Final = 120.0
MAX_ANSWER_BYTES: Final = 8 << 20
Why = Literal["refused", "later", "unreachable", "blocked", "closed"]
"""The hub does not know us; it is busy; no network; something answers, but not cp1; the connection has ended."""


class HubLost(LinkLost):
    """There is no connection to the hub, or no longer."""

    def __init__(self, why: Why, message: str, *, code: int | None = None, retry_after_s: float = 0.0) -> None:
        super().__init__(message, hint="events wait on the device; it connects again by itself")
        self.why, self.close_code, self.retry_after_s = why, code, retry_after_s


class HubTransport(Protocol):
    """Its methods raise HubLost when the connection has ended, and `receive` ProtocolError."""

    name: Literal["websocket", "http"]

    async def send(self, frames: Sequence[Frame]) -> None: ...

    async def send_audio(self, frame: AudioFrame) -> bool:
        """Send sound, or drop it: whether it was sent."""
        ...

    async def receive(self) -> Frame | AudioFrame: ...

    async def close(self, code: int, reason: str) -> None: ...


class HubSocket:
    """A WebSocket."""

    name: Literal["websocket", "http"] = "websocket"

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket

    @classmethod
    async def open(
        cls, address: HubAddress, token: str, *, timeout: float = OPEN_TIMEOUT_S, ping_s: float = PING_INTERVAL_S
    ) -> HubSocket:
        """Raises HubLost."""
        try:
            socket = await connect(
                address.socket_url(),
                additional_headers={"Authorization": f"Bearer {token}"},
                subprotocols=[Subprotocol(SUBPROTOCOL)],
                compression=None,
                proxy=None,
                ssl=address.tls,
                open_timeout=timeout,
                ping_interval=ping_s,
                ping_timeout=PING_TIMEOUT_S,
                close_timeout=CLOSE_TIMEOUT_S,
                max_size=MAX_BINARY_BYTES,
            )
        except InvalidStatus as error:
            headers = error.response.headers
            raise status_error(
                error.response.status_code, headers.get("Retry-After"), bytes(error.response.body)
            ) from None
        except (TimeoutError, InvalidHandshake) as error:
            raise HubLost("blocked", f"no WebSocket gets through: {error}") from error
        except OSError as error:
            raise HubLost("unreachable", f"the control plane can't be reached: {error}") from error
        if socket.subprotocol != SUBPROTOCOL:
            await socket.close()
            raise HubLost("blocked", f"what answers there does not speak {SUBPROTOCOL}")
        return cls(socket)

    async def send(self, frames: Sequence[Frame]) -> None:
        try:
            for frame in frames:
                async with asyncio.timeout(SEND_TIMEOUT_S):
                    await self._socket.send(encode(frame))
        except ConnectionClosed as error:
            raise _closed(error) from None
        except TimeoutError:
            raise HubLost("closed", f"the network took nothing for {SEND_TIMEOUT_S:g} s") from None

    async def send_audio(self, frame: AudioFrame) -> bool:
        if self._socket.transport.get_write_buffer_size() > MAX_AUDIO_WAITING_BYTES:
            return False
        try:
            await self._socket.send(frame.encode())
        except ConnectionClosed as error:
            raise _closed(error) from None
        return True

    async def receive(self) -> Frame | AudioFrame:
        try:
            message = await self._socket.recv()
        except ConnectionClosed as error:
            raise _closed(error) from None
        return decode(message) if isinstance(message, str) else AudioFrame.decode(message)

    async def close(self, code: int, reason: str) -> None:
        try:
            async with asyncio.timeout(1.5 * CLOSE_TIMEOUT_S):
                await self._socket.close(code, reason)
        except TimeoutError:  # what was sent before does not get through
            self._socket.transport.abort()


class HubPolling:
    """HTTP requests: one waits for what the hub has to say, others carry what is sent meanwhile."""

    name: Literal["websocket", "http"] = "http"

    def __init__(self, address: HubAddress, token: str) -> None:
        self._client = address.client(token, POLL_S + OPEN_TIMEOUT_S)
        self._url = address.http_url(EXCHANGE_PATH)
        self._conn: str | None = None
        self._arrived: asyncio.Queue[str | HubLost] = asyncio.Queue()
        self._sending = asyncio.Lock()
        self._poller: asyncio.Task[None] | None = None

    async def send(self, frames: Sequence[Frame]) -> None:
        async with self._sending:
            for texts in _requests([encode(frame) for frame in frames]):
                await self._exchange(texts, 0.0 if self._conn else OPEN_TIMEOUT_S)
        if self._poller is None:
            self._poller = asyncio.create_task(self._poll(), name="fleet poll")

    async def send_audio(self, frame: AudioFrame) -> bool:  # noqa: ARG002 -- requests carry none
        return False

    async def receive(self) -> Frame | AudioFrame:
        arrived = await self._arrived.get()
        if isinstance(arrived, HubLost):
            raise arrived
        return decode(arrived)

    async def close(self, code: int, reason: str) -> None:  # noqa: ARG002 -- the hub notices that nobody asks any more
        if self._poller is not None:
            await cancel_and_wait(self._poller)
        await self._client.aclose()

    async def _poll(self) -> None:
        try:
            while True:
                began = time.monotonic()
                await self._exchange([], POLL_S)
                if time.monotonic() - began < QUICK_POLL_S:
                    await asyncio.sleep(QUICK_POLL_S)  # at most ten requests a second, whatever answers
        except HubLost as error:
            self._arrived.put_nowait(error)

    async def _exchange(self, texts: list[str], wait_s: float) -> None:
        content: dict[str, Any] = {"frames": texts, "wait_s": wait_s} | ({"conn": self._conn} if self._conn else {})
        answer = await _post(self._client, self._url, content)
        try:
            self._conn = str(answer["conn"])
            for text in answer["frames"]:
                self._arrived.put_nowait(str(text))
            if closed := answer.get("closed"):
                self._arrived.put_nowait(HubLost("closed", str(closed["reason"])[:200], code=int(closed["code"])))
        except (KeyError, TypeError, ValueError) as error:
            raise HubLost("blocked", "what answers there does not speak cp1") from error


def _requests(texts: list[str]) -> Iterator[list[str]]:
    """Frames in their order, as many at a time as a request has room for."""
    request: list[str] = []
    room = MAX_REQUEST_BYTES
    for text in texts:
        size = len(json.dumps(text))
        if request and (size > room or len(request) == MAX_FRAMES):
            yield request
            request, room = [], MAX_REQUEST_BYTES
        request.append(text)
        room -= size
    if request:
        yield request


def status_error(status: int, retry_after: str | None, body: bytes) -> HubLost:
    """What an HTTP status means to a device."""
    said = _error_in(body)
    match status:
        case 401 | 403 if said.get("code") in REFUSALS:
            return HubLost("refused", said.get("message") or "the control plane refuses this device")
        case 429 | 503:
            delay = 0.0
            with contextlib.suppress(TypeError, ValueError):  # a date, which we do not need
                delay = min(MAX_RETRY_AFTER_S, max(0.0, float(retry_after or 0)))
            return HubLost("later", "the control plane is busy", retry_after_s=delay)
        case _ if said.get("code") == "UNKNOWN_CONNECTION":
            return HubLost("closed", "the connection has ended")
        case _:
            return HubLost("blocked", said.get("message") or f"what answers there says {status}")


def _error_in(body: bytes) -> dict[str, str]:
    with contextlib.suppress(ValueError, KeyError, TypeError, AttributeError):
        error = json.loads(body)["error"]
        return {key: str(error[key])[:200] for key in ("code", "message") if key in error}
    return {}


def _closed(error: ConnectionClosed) -> HubLost:
    if error.rcvd is None:
        return HubLost("closed", "the connection broke")
    return HubLost("closed", error.rcvd.reason or f"closed with {error.rcvd.code}", code=error.rcvd.code)


async def _post(client: httpx.AsyncClient, url: str, content: dict[str, Any]) -> dict[str, Any]:
    """Raises HubLost."""
    try:
        async with client.stream("POST", url, json=content) as response:
            body = await read_limited(response, MAX_ANSWER_BYTES)
    except (httpx.HTTPError, ProtocolViolation) as error:
        raise HubLost("unreachable", f"the control plane can't be reached: {error or type(error).__name__}") from error
    if response.status_code != 200:
        raise status_error(response.status_code, response.headers.get("Retry-After"), body)
    try:
        answer: dict[str, Any] = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise HubLost("blocked", "what answers there does not speak cp1") from error
    return answer


async def read_limited(response: httpx.Response, limit: int) -> bytes:
    """The content of a streamed response. Raises ProtocolError when it is larger, httpx.HTTPError."""
    body = bytearray()
    async for chunk in response.aiter_bytes():
        body += chunk
        if len(body) > limit:
            raise ProtocolViolation(CloseCode.TOO_LARGE, f"an answer larger than {limit >> 10} KiB")
    return bytes(body)
