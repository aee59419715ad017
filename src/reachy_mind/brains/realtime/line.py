"""`Line`: one connection to a Realtime server, which is one conversation there.

What we send goes out in order, and nobody waits for it. What comes in is sorted: what was heard becomes notices, and
what belongs to the response that was asked for goes to whoever asked. Everything of a response that was given up is
dropped, however late it comes.
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

from reachy_mind.brains.realtime import refusals
from reachy_mind.brains.thought import NoThought
from reachy_mind.ending import ended
from reachy_mind.speech.partner import Notice

if TYPE_CHECKING:
    from openai.types.realtime import RealtimeServerEvent

RATE_HZ = 24000
MOST_BYTES = 16 << 20
MOST_UNSENT = 500
"""Messages; a server that takes no more sound is not sent any."""
SILENCE_S, LEAD_S = 0.45, 0.1
"""After so much silence the server takes a voice to have ended; so long after its first sound it is noticed."""
ACTIVE = "conversation_already_has_active_response"

_log = log.get(__name__)


class Unasked:
    """A response that the server began by itself, kept until somebody wants it, or it is known that nobody does."""

    def __init__(self, response: str, about: str) -> None:
        self.response, self.about = response, about
        self.events: deque[RealtimeServerEvent] = deque()


class Line:
    """Made by `open`; `closed` is set when it is over, for whatever `reason`."""

    def __init__(self, client: AsyncOpenAI, connection: AsyncRealtimeConnection) -> None:
        self._client, self._connection = client, connection
        self._unsent: asyncio.Queue[str] = asyncio.Queue()
        self._count = count(1)
        self.closed, self.reason = asyncio.Event(), ""
        self.lost = False
        """Whether it was cut by whoever is at the other end."""
        self._fault: NoThought | None = None
        self.notices: asyncio.Queue[Notice] = asyncio.Queue()
        self.heard: list[str] = []
        """Items of what was heard, in order, that no turn has claimed."""
        self.last_said = ""
        """What was said in the last turn that the server knows of."""
        self.known_item = ""
        """The item with what was known for the last turn."""
        self.last_item = "root"
        """The item after which what is new is put."""
        self.sounds: dict[str, float] = {}
        """Seconds of sound of each item of the last reply."""
        self.spoke = False
        """Whether its voice was heard, which then stays as it is."""
        self.outside: list[str] = []
        """Where words came from that are not the person's, in all turns that the server knows of, see `Trust`."""
        self.session: Mapping[str, Any] = {}
        """What it was told last, see `session`."""
        self.dropped = 0
        """Events of responses that were given up."""
        self._current = ""
        self._asking = ""
        self._given_up = 0
        """Responses that were asked for and given up before they began."""
        self._unasked: Unasked | None = None
        self._active: set[str] = set()
        self._idle = asyncio.Event()
        self._idle.set()
        self._inbox: asyncio.Queue[RealtimeServerEvent | None] = asyncio.Queue()
        self._tasks = [asyncio.create_task(part, name="realtime") for part in (self._read(), self._write())]

    @classmethod
    async def open(cls, url: str, model: str, key: str, *, proxied: bool, timeout_s: float) -> Self:
        """Raises NoThought with the reason why it can't be opened."""
        client = AsyncOpenAI(api_key=key or "none", websocket_base_url=url.rstrip("/").removesuffix("/realtime"))
        options: dict[str, Any] = {"max_size": MOST_BYTES, "compression": None, "open_timeout": timeout_s}
        options["close_timeout"] = 1
        if not proxied:
            options["proxy"] = None
        try:
            async with asyncio.timeout(timeout_s):
                connection = await client.realtime.connect(
                    model=model, websocket_connection_options=cast("Any", options)
                ).enter()
        except (OSError, TimeoutError, WebSocketException, OpenAIError, ValueError) as error:
            await client.close()
            raise refusals.unreachable(url, error) from error
        return cls(client, connection)

    async def aclose(self) -> None:
        self._end("it was closed")
        for task in self._tasks:
            await ended(task)
        await self._connection.close()
        await self._client.close()

    # What we send

    def send(self, kind: str, about: Mapping[str, Any] | None = None, *, purpose: str = "do") -> str:
        """In order, as soon as it can be; the id of the message."""
        number = f"{purpose}_{next(self._count)}"
        self._unsent.put_nowait(json.dumps({"type": kind, "event_id": number, **(about or {})}))
        return number

    def sound(self, pcm: bytes) -> None:
        """Of the microphone, at `RATE_HZ`."""
        if pcm and self._unsent.qsize() < MOST_UNSENT:
            self.send("input_audio_buffer.append", {"audio": base64.b64encode(pcm).decode()})

    async def _write(self) -> None:
        try:
            while True:
                await self._connection.send_raw(await self._unsent.get())
        except (ConnectionClosed, OSError) as error:
            self._cut(error)

    # Responses

    def ask(self, about: Mapping[str, Any]) -> None:
        """For a response; `receive` gives what comes of it."""
        self._listen("")
        self._asking = self.send("response.create", {"response": dict(about)}, purpose="ask")

    def adopt(self, item: str) -> bool:
        """Take the response that the server began by itself when it had heard this, if there is one."""
        unasked, self._unasked = self._unasked, None
        if unasked is None or not item or unasked.about != item:
            if unasked is not None and unasked.response in self._active:
                self.send("response.cancel", {"response_id": unasked.response}, purpose="cancel")
            return False
        self._listen(unasked.response, *unasked.events)
        return True

    def _listen(self, response: str, *come: RealtimeServerEvent) -> None:
        """From now on only to this response, of which so much has come. The end of the line may have come before."""
        self._inbox, self._current = asyncio.Queue(), response
        for event in come:
            self._inbox.put_nowait(event)
        if self.closed.is_set():
            self._inbox.put_nowait(None)

    @property
    def responding(self) -> bool:
        """Whether something comes that somebody listens to."""
        return self._current in self._active

    async def receive(self, timeout_s: float) -> RealtimeServerEvent:
        """The next event of the response that was asked for. Raises NoThought when none comes."""
        try:
            async with asyncio.timeout(timeout_s):
                event = await self._inbox.get()
        except TimeoutError:
            raise self._too_slow(timeout_s) from None
        if event is None:
            raise self._fault or refusals.cut(self.reason)
        return event

    def _too_slow(self, seconds: float) -> NoThought:
        """Nobody knows what still comes: better a new line."""
        fault = refusals.slow(seconds)
        self._end("it took too long", fault)
        return fault

    async def idle(self, timeout_s: float) -> None:
        """Wait until no response is under way. Raises NoThought when that takes too long."""
        try:
            async with asyncio.timeout(timeout_s):
                await self._idle.wait()
        except TimeoutError:
            raise self._too_slow(timeout_s) from None

    def drop(self) -> None:
        """Nobody listens to the response any more that was asked for: it is cancelled, and all that still comes of it
        is dropped."""
        if self._asking and not self._current:
            self._given_up += 1
        elif self._current in self._active:
            self.send("response.cancel", {"response_id": self._current}, purpose="cancel")
        self._asking = self._current = ""

    # What comes in

    async def _read(self) -> None:
        try:
            async for event in self._connection:
                self._take(event)
            self._cut(None)
        except (ConnectionClosed, OSError) as error:
            self._cut(error)
        except (ValueError, TypeError, AttributeError, RecursionError) as error:
            _log.warning("a message of the Realtime server makes no sense", reason=str(error)[:200])
            self._end("a message made no sense", refusals.nonsense(str(error)))

    def _take(self, event: RealtimeServerEvent) -> None:
        match event.type:
            case "input_audio_buffer.speech_started":
                self.notices.put_nowait(Notice("began", ago_s=LEAD_S))
            case "input_audio_buffer.speech_stopped":
                self.notices.put_nowait(Notice("ended", ago_s=SILENCE_S))
            case "input_audio_buffer.committed":
                self.heard.append(event.item_id)
            case "conversation.item.input_audio_transcription.completed":
                self.notices.put_nowait(Notice("words", event.transcript, event.item_id))
            case "conversation.item.input_audio_transcription.failed":
                _log.warning("the Realtime server did not understand", reason=event.error.message)
                self.notices.put_nowait(Notice("words", "", event.item_id))
            case "response.created":
                self._began(str(event.response.id))
            case "response.done":
                self._active.discard(str(event.response.id))
                if not self._active:
                    self._idle.set()
                self._pass_on(event, str(event.response.id))
            case "error":
                self._complain(event)
            case kind if kind.startswith("response."):
                self._pass_on(event, str(cast("Any", event).response_id))

    def _began(self, response: str) -> None:
        self._active.add(response)
        self._idle.clear()
        if self._given_up:
            self._given_up -= 1
            self.send("response.cancel", {"response_id": response}, purpose="cancel")
        elif self._asking and not self._current:
            self._current = response
        else:
            self._unasked = Unasked(response, self.heard[-1] if self.heard else "")

    def _pass_on(self, event: RealtimeServerEvent, response: str) -> None:
        if response == self._current:
            self._inbox.put_nowait(event)
        elif self._unasked is not None and response == self._unasked.response:
            self._unasked.events.append(event)
        else:
            self.dropped += 1

    def _complain(self, event: Any) -> None:
        about = event.error.event_id or ""
        if about.startswith("ask") and about != self._asking:
            self._given_up = max(0, self._given_up - 1)  # what was given up never began
        if self._asking and (about == self._asking or about.startswith("session") or not about):
            self._inbox.put_nowait(event)
            self._asking = "" if not about.startswith("session") else self._asking
        else:
            _log.info("the Realtime server complains", code=event.error.code, reason=event.error.message, about=about)

    def _cut(self, error: Exception | None) -> None:
        self.lost = self.lost or not self.closed.is_set()
        self._end(str(error or "") or "the server closed it")

    def _end(self, reason: str, fault: NoThought | None = None) -> None:
        if not self.closed.is_set():
            self.reason, self._fault = reason, fault
            self.closed.set()
            self._idle.set()
            self.notices.put_nowait(Notice("gone"))
            self._inbox.put_nowait(None)


def refused(event: Any) -> NoThought:
    """An `error` event, as an error of ours."""
    return refusals.complaint(event.error.code or event.error.type or "", event.error.message or "")
