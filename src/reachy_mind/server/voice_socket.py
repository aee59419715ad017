"""`VoiceCall`: the voice socket, a spoken conversation with a remote client for as long as it is open.

Binary frames are sound: what the client's microphone hears, and what its loudspeaker plays. Text frames are JSON: the
client sends `VoiceControl`, and gets `wire.VoiceFrame`.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections import deque
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from fastapi import WebSocket, WebSocketDisconnect
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from reachy_mind import log
from reachy_mind.access.rate_limits import RateLimit
from reachy_mind.body.media.network_audio import NetworkAudio
from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.conversation.events import RequestFailed, SpokenState, VoiceEvent
from reachy_mind.conversation.wire import VoiceFrame, error_frame, voice_frame
from reachy_mind.errors import InvalidParameter, MindError, TooMany
from reachy_mind.mind import Mind
from reachy_mind.server.websocket_frames import receive_frame

if TYPE_CHECKING:
    from reachy_mind.conversation.spoken import SpokenConversation

MOST_CALLS = 4
"""Each runs voice activity detection all the time, which takes a twentieth of a processor core."""
MOST_UNSENT = 500
FRAMES_PER_S, FRAMES_AT_ONCE = 200.0, 1000.0
TRY_LATER = 1013

_log = log.get(__name__)


class VoiceControl(BaseModel):
    """A text frame from the client.

    `start`: its microphone is heard (as it is at first); `stop`: not any more, and what was said so far gets its
    answer; `interrupt`: the answer is cut short; `played`: how many `samples` its loudspeaker has played since the
    flush of that `number` (0: the start). Without `played` the clock counts.
    """

    model_config = ConfigDict(extra="forbid")

    type: Literal["start", "stop", "interrupt", "played"]
    samples: int = Field(0, ge=0, le=1 << 40)
    number: int = Field(0, ge=0, le=1 << 40)


class VoiceCalls:
    """The calls that are open."""

    def __init__(self, mind: Mind) -> None:
        self._mind = mind
        self._count = 0

    async def take(
        self, websocket: WebSocket, conversation: str | None, *, confirms: bool, scopes: frozenset[str]
    ) -> None:
        """One call, from its beginning to its end. `confirms`: the client may answer questions; `scopes` limit what is
        done about what it says."""
        await websocket.accept()
        if self._count >= MOST_CALLS:
            await _refuse(websocket, TooMany(f"{MOST_CALLS} people are on the line", hint="try again later"))
            return
        self._count += 1
        try:
            await VoiceCall(self._mind, websocket, conversation, confirms=confirms, scopes=scopes).run()
        except MindError as error:
            await _refuse(websocket, error)
        except (WebSocketDisconnect, RuntimeError):
            pass  # the client has left
        finally:
            self._count -= 1


class VoiceCall:
    def __init__(
        self, mind: Mind, websocket: WebSocket, conversation: str | None, *, confirms: bool, scopes: frozenset[str]
    ) -> None:
        self._mind, self._websocket, self._conversation, self._confirms = mind, websocket, conversation, confirms
        self._scopes = scopes
        self._audio = NetworkAudio(self._send)
        self._unsent: deque[bytes | VoiceFrame] = deque()
        self._more = asyncio.Event()
        self._sent = asyncio.Condition()

    async def run(self) -> None:
        """Until the client leaves. Raises NotReady when there is no speech to text or no voice."""
        talking = await self._mind.speech.conversation(
            media=self._audio.media("they are at the other end of a line"),
            conversation=self._conversation,
            always_awake=True,
            confirms=self._confirms,
            scopes=self._scopes,
            on_event=self._emit,
        )
        writing = asyncio.create_task(self._write(), name="call")
        try:
            async with talking:
                reading = asyncio.create_task(self._read(talking), name="call reader")
                await asyncio.wait([reading, writing], return_when=asyncio.FIRST_COMPLETED)
                self._audio.gone = "they have left"
                await _over(reading)
        finally:
            await _over(writing)

    async def _read(self, talking: SpokenConversation) -> None:
        frames, complaints = RateLimit(FRAMES_PER_S, FRAMES_AT_ONCE), RateLimit(1.0, 1.0)
        while True:
            frame = await receive_frame(self._websocket)
            try:
                if not frames.allows():
                    if not complaints.allows():
                        continue
                    raise TooMany("too many frames", hint=f"at most {FRAMES_PER_S:g} a second")
                if isinstance(frame, bytes):
                    self._audio.feed(frame)
                else:
                    await self._handle(VoiceControl.model_validate_json(frame), talking)
            except ValidationError as error:
                first = error.errors()[0]
                wrong = InvalidParameter(f"{'.'.join(map(str, first['loc']))}: {first['msg']}", hint="see docs/api.md")
                self._emit(RequestFailed(wrong))
            except MindError as error:
                self._emit(RequestFailed(error))

    async def _handle(self, control: VoiceControl, talking: SpokenConversation) -> None:
        match control.type:
            case "played":
                self._audio.report(control.samples, control.number)
            case "interrupt":
                await talking.interrupt()
            case _:
                self._audio.muted = control.type == "stop"
                self._emit(talking.state)

    async def _send(self, sound: bytes | int) -> None:
        """Sound, or the number of a flush. Waits while too much is unsent (backpressure), and with it the voice."""
        async with self._sent:
            await self._sent.wait_for(lambda: len(self._unsent) < MOST_UNSENT or self._audio.gone)
        self._put(sound if isinstance(sound, bytes) else {"type": "flush", "number": sound})

    def _emit(self, event: VoiceEvent) -> None:
        if isinstance(event, SpokenState) and event.microphone == "open" and self._audio.muted:
            event = replace(event, microphone="off")
        if len(self._unsent) < 2 * MOST_UNSENT:  # a client that reads nothing gets no more events
            self._put(voice_frame(event))

    def _put(self, what: bytes | VoiceFrame) -> None:
        self._unsent.append(what)
        self._more.set()

    async def _write(self) -> None:
        while True:
            await self._more.wait()
            self._more.clear()
            while self._unsent:
                what = self._unsent.popleft()
                if isinstance(what, bytes):
                    await self._websocket.send_bytes(what)
                else:
                    await self._websocket.send_text(json.dumps(what))
                async with self._sent:
                    self._sent.notify_all()


async def _over(task: asyncio.Task[None]) -> None:
    """End it, whatever it raises: the client has left, or is leaving."""
    with contextlib.suppress(WebSocketDisconnect, RuntimeError):
        await cancel_and_wait(task)


async def _refuse(websocket: WebSocket, error: MindError) -> None:
    _log.info("a call was refused", reason=error.message)
    with contextlib.suppress(WebSocketDisconnect, RuntimeError):
        await websocket.send_text(json.dumps(error_frame(error)))
        await websocket.close(TRY_LATER, error.message[:100])
