"""`RealtimeConnection`: one WebSocket connection to a Realtime server, which is one conversation there.

Messages are queued and sent in order, without waiting. Incoming events are routed: speech events become notices,
events of the requested response go to `receive`. Events of a cancelled response are dropped, however late they come.
"""

from __future__ import annotations

import asyncio
import base64
import json
from collections import deque
from collections.abc import Mapping
from itertools import count
from typing import TYPE_CHECKING, Any, Self, cast

from websockets.exceptions import ConnectionClosed, WebSocketException

from reachy_mind import log
from reachy_mind.errors import MissingExtra

try:
    from openai import AsyncOpenAI, OpenAIError
    from openai.resources.realtime.realtime import AsyncRealtimeConnection
except ImportError as error:
    raise MissingExtra("speech to speech", "realtime") from error

from reachy_mind.brains.brain import BrainUnavailable
from reachy_mind.brains.realtime import server_errors
from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.speech.remote_listener import ListenerNotice

if TYPE_CHECKING:
    from openai.types.realtime import RealtimeServerEvent

RATE_HZ = 24000
LARGEST_MESSAGE_BYTES = 16 << 20
LONGEST_SEND_QUEUE = 500
"""Messages (backpressure): audio is dropped while the server takes none."""
VAD_SILENCE_S, VAD_LEAD_S = 0.45, 0.1
"""The server's voice activity detection: the silence that ends speech, and its delay in noticing the start."""
ACTIVE_RESPONSE_ERROR = "conversation_already_has_active_response"

_log = log.get(__name__)


class UnrequestedResponse:
    """A response that the server began by itself, buffered until a turn adopts or rejects it. `item`: what it heard."""

    def __init__(self, response: str, item: str) -> None:
        self.response, self.item = response, item
        self.events: deque[RealtimeServerEvent] = deque()


class RealtimeConnection:
    """Create it with `open`. `closed` is set when it ends; `reason` says why."""

    def __init__(self, client: AsyncOpenAI, connection: AsyncRealtimeConnection) -> None:
        self._client, self._connection = client, connection
        self._send_queue: asyncio.Queue[str] = asyncio.Queue()
        self._numbers = count(1)
        self.closed, self.reason = asyncio.Event(), ""
        self.lost = False
        """Whether the server or the network ended it."""
        self._error: BrainUnavailable | None = None
        self.notices: asyncio.Queue[ListenerNotice] = asyncio.Queue()
        self.unclaimed_items: list[str] = []
        """Ids of audio items the server heard, in order, that belong to no turn yet."""
        self.last_said = ""
        """The request of the last turn in the server's conversation."""
        self.context_item_id = ""
        """The item with the context (memories, what is seen) of the last turn."""
        self.last_item_id = "root"
        """New items are inserted after this one."""
        self.audio_s: dict[str, float] = {}
        """Seconds of audio of each item of the last reply."""
        self.spoke = False
        """Whether it has spoken: from then on the server can't change its voice."""
        self.untrusted_sources: list[str] = []
        """Sources of text by others in this conversation, see `InjectionGuard`."""
        self.session: Mapping[str, Any] = {}
        """The session configuration sent so far, see `session.update`."""
        self.dropped = 0
        """Number of dropped events of cancelled responses."""
        self._response = ""
        self._request = ""
        self._abandoned = 0
        """Responses that were requested, and cancelled before they were created."""
        self._unrequested: UnrequestedResponse | None = None
        self._active: set[str] = set()
        self._idle = asyncio.Event()
        self._idle.set()
        self._inbox: asyncio.Queue[RealtimeServerEvent | None] = asyncio.Queue()
        self._tasks = [asyncio.create_task(part, name="realtime") for part in (self._read(), self._write())]

    @classmethod
    async def open(cls, url: str, model: str, key: str, *, use_proxy: bool, timeout_s: float) -> Self:
        """Connect. Raises BrainUnavailable when that fails."""
        client = AsyncOpenAI(api_key=key or "none", websocket_base_url=url.rstrip("/").removesuffix("/realtime"))
        options: dict[str, Any] = {"max_size": LARGEST_MESSAGE_BYTES, "compression": None, "open_timeout": timeout_s}
        options["close_timeout"] = 1
        if not use_proxy:
            options["proxy"] = None
        try:
            async with asyncio.timeout(timeout_s):
                connection = await client.realtime.connect(
                    model=model, websocket_connection_options=cast("Any", options)
                ).enter()
        except (OSError, TimeoutError, WebSocketException, OpenAIError, ValueError) as error:
            await client.close()
            raise server_errors.unreachable(url, error) from error
        return cls(client, connection)

    async def aclose(self) -> None:
        self._end("it was closed")
        for task in self._tasks:
            await cancel_and_wait(task)
        await self._connection.close()
        await self._client.close()

    # Sending

    def send(self, kind: str, fields: Mapping[str, Any] | None = None, *, purpose: str = "do") -> str:
        """Queue a message and return its event id, which begins with `purpose`."""
        event_id = f"{purpose}_{next(self._numbers)}"
        self._send_queue.put_nowait(json.dumps({"type": kind, "event_id": event_id, **(fields or {})}))
        return event_id

    def append_audio(self, pcm: bytes) -> None:
        """Send audio of the microphone: 16 bits, mono, at `RATE_HZ`."""
        if pcm and self._send_queue.qsize() < LONGEST_SEND_QUEUE:
            self.send("input_audio_buffer.append", {"audio": base64.b64encode(pcm).decode()})

    async def _write(self) -> None:
        try:
            while True:
                await self._connection.send_raw(await self._send_queue.get())
        except (ConnectionClosed, OSError) as error:
            self._on_disconnect(error)

    # Responses

    def request_response(self, fields: Mapping[str, Any]) -> None:
        """Request a response; `receive` returns its events."""
        self._follow("")
        self._request = self.send("response.create", {"response": dict(fields)}, purpose="ask")

    def adopt(self, item: str) -> bool:
        """Follow the response that the server began by itself for this audio item. False, and cancelled, if another."""
        unrequested, self._unrequested = self._unrequested, None
        if unrequested is None or not item or unrequested.item != item:
            if unrequested is not None and unrequested.response in self._active:
                self.send("response.cancel", {"response_id": unrequested.response}, purpose="cancel")
            return False
        self._follow(unrequested.response, *unrequested.events)
        return True

    def _follow(self, response: str, *events: RealtimeServerEvent) -> None:
        """Route the events of this response, and these earlier ones, to `receive`."""
        self._inbox, self._response = asyncio.Queue(), response
        for event in events:
            self._inbox.put_nowait(event)
        if self.closed.is_set():
            self._inbox.put_nowait(None)

    @property
    def responding(self) -> bool:
        """Whether the followed response is active."""
        return self._response in self._active

    async def receive(self, timeout_s: float) -> RealtimeServerEvent:
        """The next event of the followed response. Raises BrainUnavailable after a timeout or a disconnect."""
        try:
            async with asyncio.timeout(timeout_s):
                event = await self._inbox.get()
        except TimeoutError:
            raise self._time_out(timeout_s) from None
        if event is None:
            raise self._error or server_errors.disconnected(self.reason)
        return event

    def _time_out(self, seconds: float) -> BrainUnavailable:
        """End the connection: its state is unknown, a new one is safer."""
        fault = server_errors.timed_out(seconds)
        self._end("it took too long", fault)
        return fault

    async def wait_idle(self, timeout_s: float) -> None:
        """Wait until no response is active. Raises BrainUnavailable after a timeout."""
        try:
            async with asyncio.timeout(timeout_s):
                await self._idle.wait()
        except TimeoutError:
            raise self._time_out(timeout_s) from None

    def cancel_response(self) -> None:
        """Cancel the followed response; its later events are dropped."""
        if self._request and not self._response:
            self._abandoned += 1
        elif self._response in self._active:
            self.send("response.cancel", {"response_id": self._response}, purpose="cancel")
        self._request = self._response = ""

    # Receiving

    async def _read(self) -> None:
        try:
            async for event in self._connection:
                self._handle(event)
            self._on_disconnect(None)
        except (ConnectionClosed, OSError) as error:
            self._on_disconnect(error)
        except (ValueError, TypeError, AttributeError, RecursionError) as error:
            _log.warning("invalid message from the Realtime server", reason=str(error)[:200])
            self._end("a message was invalid", server_errors.protocol_error(str(error)))

    def _handle(self, event: RealtimeServerEvent) -> None:
        match event.type:
            case "input_audio_buffer.speech_started":
                self.notices.put_nowait(ListenerNotice("began", ago_s=VAD_LEAD_S))
            case "input_audio_buffer.speech_stopped":
                self.notices.put_nowait(ListenerNotice("ended", ago_s=VAD_SILENCE_S))
            case "input_audio_buffer.committed":
                self.unclaimed_items.append(event.item_id)
            case "conversation.item.input_audio_transcription.completed":
                self.notices.put_nowait(ListenerNotice("words", event.transcript, event.item_id))
            case "conversation.item.input_audio_transcription.failed":
                _log.warning("the Realtime server could not transcribe", reason=event.error.message)
                self.notices.put_nowait(ListenerNotice("words", "", event.item_id))
            case "response.created":
                self._on_response_created(str(event.response.id))
            case "response.done":
                self._active.discard(str(event.response.id))
                if not self._active:
                    self._idle.set()
                self._route(event, str(event.response.id))
            case "error":
                self._on_error(event)
            case kind if kind.startswith("response."):
                self._route(event, str(cast("Any", event).response_id))

    def _on_response_created(self, response: str) -> None:
        self._active.add(response)
        self._idle.clear()
        if self._abandoned:
            self._abandoned -= 1
            self.send("response.cancel", {"response_id": response}, purpose="cancel")
        elif self._request and not self._response:
            self._response = response
        else:
            self._unrequested = UnrequestedResponse(response, self.unclaimed_items[-1] if self.unclaimed_items else "")

    def _route(self, event: RealtimeServerEvent, response: str) -> None:
        if response == self._response:
            self._inbox.put_nowait(event)
        elif self._unrequested is not None and response == self._unrequested.response:
            self._unrequested.events.append(event)
        else:
            self.dropped += 1

    def _on_error(self, event: Any) -> None:
        event_id = event.error.event_id or ""
        if event_id.startswith("ask") and event_id != self._request:
            self._abandoned = max(0, self._abandoned - 1)  # the cancelled response was never created
        if self._request and (event_id == self._request or event_id.startswith("session") or not event_id):
            self._inbox.put_nowait(event)
            self._request = "" if not event_id.startswith("session") else self._request
        else:
            _log.info(
                "error from the Realtime server", code=event.error.code, reason=event.error.message, event_id=event_id
            )

    def _on_disconnect(self, error: Exception | None) -> None:
        self.lost = self.lost or not self.closed.is_set()
        self._end(str(error or "") or "the server closed it")

    def _end(self, reason: str, fault: BrainUnavailable | None = None) -> None:
        if not self.closed.is_set():
            self.reason, self._error = reason, fault
            self.closed.set()
            self._idle.set()
            self.notices.put_nowait(ListenerNotice("gone"))
            self._inbox.put_nowait(None)


def error_from(event: Any) -> BrainUnavailable:
    """The error for an `error` event."""
    return server_errors.server_error(event.error.code or event.error.type or "", event.error.message or "")
