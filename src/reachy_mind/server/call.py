"""`Call`: a spoken conversation with somebody at the other end of a socket, for as long as it is open.

In: binary frames, what their microphone hears; and text frames, JSON:

    start {}            their microphone is heard (as it is at first)
    stop {}             and no longer: what was said so far gets its answer
    interrupt {}        the answer is cut short
    played {samples, number}    how much their loudspeaker has played since the `flush` of that number (0: the start);
                                who does not tell is taken to play at once and without a pause

Out: binary frames, what to play; text frames are those of `telling`: state, transcription, response, interrupted; and

    flush {number}      play nothing more of what has come so far
    error {code, message, hint}
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections import deque
from typing import TYPE_CHECKING, Any, Literal

from fastapi import WebSocket, WebSocketDisconnect
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from reachy_mind import log
from reachy_mind.body.media.line import Line
from reachy_mind.ending import ended
from reachy_mind.errors import InvalidParameter, MindError
from reachy_mind.mind import Mind
from reachy_mind.server.frames import frame_of
from reachy_mind.server.limits import Pace
from reachy_mind.tools.tasks import TooMany
from reachy_mind.voice import conversing

if TYPE_CHECKING:
    from reachy_mind.talking import Talking

MOST_CALLS = 4
"""Each listens all the time, which takes a twentieth of a processor core."""
MOST_UNSENT = 500
FRAMES_PER_S, FRAMES_AT_ONCE = 200.0, 1000.0
TRY_LATER = 1013

_log = log.get(__name__)


class Control(BaseModel):
    """A text frame."""

    model_config = ConfigDict(extra="forbid")

    type: Literal["start", "stop", "interrupt", "played"]
    samples: int = Field(0, ge=0, le=1 << 40)
    number: int = Field(0, ge=0, le=1 << 40)


class Calls:
    """Those under way."""

    def __init__(self, mind: Mind) -> None:
        self._mind = mind
        self._count = 0

    async def take(self, websocket: WebSocket, conversation: str | None, *, confirms: bool) -> None:
        """One call, from its beginning to its end. `confirms`: whoever calls may answer questions."""
        await websocket.accept()
        if self._count >= MOST_CALLS:
            await _refuse(websocket, TooMany(f"{MOST_CALLS} people are on the line", hint="try again later"))
            return
        self._count += 1
        try:
            await Call(self._mind, websocket, conversation, confirms=confirms).run()
        except MindError as error:
            await _refuse(websocket, error)
        except (WebSocketDisconnect, RuntimeError):
            pass  # they have left
        finally:
            self._count -= 1


class Call:
    def __init__(self, mind: Mind, websocket: WebSocket, conversation: str | None, *, confirms: bool) -> None:
        self._mind, self._websocket, self._conversation, self._confirms = mind, websocket, conversation, confirms
        self._line = Line(self._send)
        self._out: deque[bytes | dict[str, Any]] = deque()
        self._more = asyncio.Event()
        self._unsent = asyncio.Condition()

    async def run(self) -> None:
        """Until they leave. Raises NotReady when there are no ears or no voice."""
        speech = self._mind.speech
        parts = (speech.ears(), speech.mouth())
        module = await asyncio.to_thread(conversing)
        media = self._line.media("they are at the other end of a line")
        talking: Talking = module.Talking(
            self._mind,
            parts=parts,
            media=media,
            conversation=self._conversation,
            called=True,
            confirms=self._confirms,
            told=self._tell,
        )
        writing = asyncio.create_task(self._write(), name="call")
        try:
            async with talking:
                reading = asyncio.create_task(self._read(talking), name="call reader")
                await asyncio.wait([reading, writing], return_when=asyncio.FIRST_COMPLETED)
                self._line.gone = "they have left"
                await _over(reading)
        finally:
            await _over(writing)

    async def _read(self, talking: Talking) -> None:
        pace, complaints = Pace(FRAMES_PER_S, FRAMES_AT_ONCE), Pace(1.0, 1.0)
        while True:
            frame = await frame_of(self._websocket)
            try:
                if not pace.allows():
                    if not complaints.allows():
                        continue
                    raise TooMany("too many frames", hint=f"at most {FRAMES_PER_S:g} a second")
                if isinstance(frame, bytes):
                    self._line.feed(frame)
                else:
                    await self._obey(Control.model_validate_json(frame), talking)
            except ValidationError as error:
                first = error.errors()[0]
                wrong = InvalidParameter(f"{'.'.join(map(str, first['loc']))}: {first['msg']}", hint="see docs/api.md")
                self._tell({"type": "error", **wrong.as_dict()})
            except MindError as error:
                self._tell({"type": "error", **error.as_dict()})

    async def _obey(self, control: Control, talking: Talking) -> None:
        match control.type:
            case "played":
                self._line.report(control.samples, control.number)
            case "interrupt":
                await talking.hush()
            case _:
                self._line.muted = control.type == "stop"
                told = talking.described()
                state = {name: told[name] for name in ("session_id", "doing", "microphone")}
                self._tell({"type": "state", **state, "reason": told["trouble"]})

    async def _send(self, what: bytes | dict[str, Any]) -> None:
        """Sound waits for its turn, and with it whoever speaks."""
        async with self._unsent:
            await self._unsent.wait_for(lambda: len(self._out) < MOST_UNSENT or self._line.gone)
        self._put(what)

    def _tell(self, told: dict[str, Any]) -> None:
        if told.get("microphone") == "open" and self._line.muted:
            told = told | {"microphone": "off"}
        if len(self._out) < 2 * MOST_UNSENT:  # who reads nothing is told nothing any more
            self._put(told)

    def _put(self, what: bytes | dict[str, Any]) -> None:
        self._out.append(what)
        self._more.set()

    async def _write(self) -> None:
        while True:
            await self._more.wait()
            self._more.clear()
            while self._out:
                what = self._out.popleft()
                if isinstance(what, bytes):
                    await self._websocket.send_bytes(what)
                else:
                    await self._websocket.send_text(json.dumps(what))
                async with self._unsent:
                    self._unsent.notify_all()


async def _over(task: asyncio.Task[None]) -> None:
    """Whatever it says: they have left, or are leaving."""
    with contextlib.suppress(WebSocketDisconnect, RuntimeError):
        await ended(task)


async def _refuse(websocket: WebSocket, error: MindError) -> None:
    _log.info("a call was refused", reason=error.message)
    with contextlib.suppress(WebSocketDisconnect, RuntimeError):
        await websocket.send_text(json.dumps({"type": "error", **error.as_dict()}))
        await websocket.close(TRY_LATER, error.message[:100])
