"""The WebSocket `ws/live_feedback`: feedback while the robot acts, and a stop. Frames in, JSON:

    stop {}                stop the robot, then record it
    bad {}, good {}, great {}
    rating {value}         -1 to 1
    text {text}            in words, which can also be sent as they are; words that mean stop are a stop

Each can have `turn` (or `episode_id`) and `tool`: what it is about; `about: training` means what the training that is
under way does just now. Out, one for each frame, with its `number` (1: the first one):

    feedback {number, status, reward, confidence, feedback}    it is on disk; `feedback` is the record
    error {number, error {code, message, hint}}
    missed {count}         so many answers found no room, because the client does not read

A stop acts as soon as its frame is read, whatever else waits. It needs no scope and has no rate limit, as
`POST /robot/stop`. Many stops at once are recorded as one, and each is answered, with `stopped`: whether the robot was
stopped, whatever came of the record.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from dataclasses import dataclass, replace
from typing import Annotated, Any, Generic, Literal, TypeVar

from fastapi import APIRouter, Query, WebSocket, WebSocketDisconnect
from pydantic import AliasChoices, BaseModel, ConfigDict, Field, FiniteFloat, ValidationError
from starlette.exceptions import WebSocketException

from reachy_mind import log
from reachy_mind.access.authorization import NotAllowed, principal_of
from reachy_mind.access.rate_limits import RateLimit, RateLimits, caller_key
from reachy_mind.brains.stop_words import is_stop
from reachy_mind.errors import InvalidParameter, MindError, TooMany
from reachy_mind.feedback.readings import BUTTONS
from reachy_mind.feedback.records import LONGEST_TEXT, FeedbackRecord
from reachy_mind.memory.people import LONGEST_NAME, person_id
from reachy_mind.mind import Mind
from reachy_mind.server.feedback import LONGEST_EPISODE_ID, record_feedback, stop_robot
from reachy_mind.server.websocket_frames import receive_frame

FRAMES_PER_S, FRAMES_AT_ONCE = 50.0, 200.0
"""For each caller, over all of its sockets. Stops are not counted."""
MOST_WAITING = 200
"""Frames of one socket that wait to be recorded."""
MOST_UNSENT = 1024
"""Answers that wait to be sent."""
STOPS_AT_ONCE = 4
"""Stops under way: a stop that hangs does not hold up the next one."""
FINISH_TIMEOUT_S = 5.0
"""For recording what was sent before the client left."""
LONGEST_FRAME = 16 << 10
HINT = "a frame is stop, bad, good, great, rating (value) or text (text)"

_log = log.get(__name__)

Item = TypeVar("Item")
Frame = dict[str, Any]
Id = Annotated[str, Query(max_length=64)]
Name = Annotated[str, Query(max_length=LONGEST_NAME)]


class LiveFrame(BaseModel):
    """A frame from the client."""

    model_config = ConfigDict(extra="forbid")

    type: Literal["stop", "bad", "good", "great", "rating", "text"]
    value: FiniteFloat | None = Field(None, ge=-1, le=1)
    text: str = Field("", max_length=LONGEST_TEXT)
    turn: str = Field("", max_length=LONGEST_EPISODE_ID, validation_alias=AliasChoices("turn", "episode_id"))
    tool: str = Field("", max_length=64)
    about: Literal["", "training"] = ""


@dataclass(frozen=True)
class NumberedFrame:
    """A frame, with its number on its socket and, after a stop, what went wrong with that."""

    number: int
    frame: LiveFrame
    error: MindError | None = None


class Batch(Generic[Item]):
    """Items that wait to be taken together, at most `size`."""

    def __init__(self, size: int) -> None:
        self._items: list[Item] = []
        self._size = size
        self._filled = asyncio.Event()

    def add(self, item: Item) -> bool:
        """Whether there was room. Where there is none, others wait to be taken, which wakes the taker as well."""
        fits = len(self._items) < self._size
        if fits:
            self._items.append(item)
        self._filled.set()
        return fits

    async def take(self) -> list[Item]:
        """All that wait, as soon as there are any."""
        while not self._items:
            self._filled.clear()
            await self._filled.wait()
        items, self._items = self._items, []
        return items


def router(mind: Mind) -> APIRouter:
    routes = APIRouter(prefix="/api/v1")
    limits = RateLimits(FRAMES_PER_S, FRAMES_AT_ONCE)

    @routes.websocket("/ws/live_feedback")
    async def live(websocket: WebSocket, session_id: Id = "", person: Name = "") -> None:
        """See the docstring of the module."""
        try:
            who = person_id(person)
        except InvalidParameter as error:
            raise WebSocketException(1008, error.message) from None
        await websocket.accept()
        limit = limits.of(caller_key(websocket.scope))
        await LiveFeedback(mind, websocket, limit, person=who, conversation=session_id).run()

    return routes


class LiveFeedback:
    """One client that gives feedback over a WebSocket."""

    def __init__(
        self, mind: Mind, websocket: WebSocket, rate_limit: RateLimit, *, person: str, conversation: str
    ) -> None:
        self._mind, self._websocket, self._rate_limit = mind, websocket, rate_limit
        self._person, self._conversation = person, conversation
        self._principal = principal_of(websocket.scope)
        self._waiting: asyncio.Queue[NumberedFrame] = asyncio.Queue(MOST_WAITING)
        self._stops = Batch[NumberedFrame](MOST_UNSENT)
        self._stopped = Batch[NumberedFrame](MOST_UNSENT)
        self._unsent: asyncio.Queue[Frame] = asyncio.Queue(MOST_UNSENT)
        self._missed = 0
        self._number = 0
        self._unanswered = 0
        self._settled = asyncio.Event()

    async def run(self) -> None:
        """Serve the client until it disconnects; what it sent before that is recorded."""
        async with asyncio.TaskGroup() as group:
            parts = [self._record(), self._record_stops(), self._send(), *(self._stop() for _ in range(STOPS_AT_ONCE))]
            tasks = [group.create_task(part, name="live feedback") for part in parts]
            with contextlib.suppress(WebSocketDisconnect, RuntimeError):
                while True:
                    self._receive(await receive_frame(self._websocket))
            await self._finish()
            for task in tasks:
                task.cancel()

    def _receive(self, text: str | bytes) -> None:
        """Take a frame. Never waits: the next one may be a stop."""
        self._number += 1
        try:
            frame = _parse(text)
            if frame.type == "stop" or (frame.type == "text" and is_stop(frame.text)):
                self._accept(fits=self._stops.add(NumberedFrame(self._number, frame)))
            else:
                self._enqueue(frame)
        except MindError as error:
            self._answer(_error(self._number, error))

    def _accept(self, *, fits: bool) -> None:
        self._unanswered += fits
        self._missed += not fits

    def _settle(self) -> None:
        self._unanswered -= 1
        self._settled.set()

    def _enqueue(self, frame: LiveFrame) -> None:
        if not self._principal.may("control"):
            raise NotAllowed("feedback needs the scope control", hint="only a stop needs none")
        if not self._rate_limit.allows():
            raise TooMany("too many frames", hint=f"at most {FRAMES_PER_S:g} a second; a stop is not limited")
        try:
            self._waiting.put_nowait(NumberedFrame(self._number, frame))
        except asyncio.QueueFull:
            raise TooMany("earlier feedback waits to be recorded", hint="send less at once") from None
        self._unanswered += 1

    async def _stop(self) -> None:
        while True:
            stops = await self._stops.take()
            error = await stop_robot(self._mind, "live feedback")
            for each in stops:
                if not self._stopped.add(replace(each, error=error)):
                    self._missed += 1
                    self._settle()

    async def _record_stops(self) -> None:
        """The robot was stopped: keep that as one feedback, and answer each frame."""
        while True:
            stopped = await self._stopped.take()
            answer = await self._recorded(stopped[0]) if self._principal.may("control") else _processed(0, None)
            for each in stopped:
                failed = _error(each.number, each.error) if each.error else {}
                self._settle()
                self._answer(answer | {"number": each.number, "stopped": not each.error} | failed)

    async def _record(self) -> None:
        while True:
            given = await self._waiting.get()
            answer = await self._recorded(given)
            self._settle()
            await self._unsent.put(answer)

    async def _recorded(self, given: NumberedFrame) -> Frame:
        frame = given.frame
        try:
            record = await record_feedback(
                self._mind,
                text=frame.text,
                rating=frame.value if frame.type == "rating" else None,
                button=frame.type if frame.type in BUTTONS else None,
                turn=frame.turn,
                tool=frame.tool,
                person=self._person,
                conversation=self._conversation,
                channel="live",
                training=frame.about == "training",
            )
        except MindError as error:
            return _error(given.number, error)
        return _processed(given.number, record)

    def _answer(self, answer: Frame) -> None:
        try:
            self._unsent.put_nowait(answer)
        except asyncio.QueueFull:
            self._missed += 1

    async def _send(self) -> None:
        """Send answers. To a client that has left they are not sent, and what waits is still recorded."""
        while True:
            answer = await self._unsent.get()
            missed, self._missed = self._missed, 0
            with contextlib.suppress(WebSocketDisconnect, RuntimeError):
                if missed:
                    await self._websocket.send_text(json.dumps({"type": "missed", "count": missed}))
                await self._websocket.send_text(json.dumps(answer))

    async def _finish(self) -> None:
        try:
            async with asyncio.timeout(FINISH_TIMEOUT_S):
                while self._unanswered:
                    self._settled.clear()
                    await self._settled.wait()
        except TimeoutError:
            _log.warning("a client left before its feedback was recorded", frames=self._unanswered)


def _processed(number: int, record: FeedbackRecord | None) -> Frame:
    """`record` is None for the stop of a caller who may stop, and may not teach."""
    reward, confidence = (record.reward, record.confidence) if record else (BUTTONS["stop"], 1.0)
    about = {"reward": reward, "confidence": confidence, "feedback": record.as_dict() if record else None}
    return {"type": "feedback", "number": number, "status": "processed"} | about


def _error(number: int, error: MindError) -> Frame:
    return {"type": "error", "number": number, "status": "error", "error": error.as_dict()}


def _parse(text: str | bytes) -> LiveFrame:
    if isinstance(text, str) and len(text) > LONGEST_FRAME:
        raise InvalidParameter("the frame is too long", hint=f"at most {LONGEST_FRAME} characters")
    try:
        is_plain = isinstance(text, str) and not text.lstrip().startswith("{")
        frame = _made(type="text", text=text) if is_plain else LiveFrame.model_validate_json(text)
    except ValidationError as error:
        if _is_stop_frame(text):
            return _made(type="stop")
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "the frame"
        raise InvalidParameter(f"{place}: {first['msg']}", hint=HINT) from None
    if frame.type == "rating" and frame.value is None:
        raise InvalidParameter("value: a rating needs one", hint="-1 to 1")
    if frame.type == "text" and not frame.text.strip():
        raise InvalidParameter("text: it is empty", hint=HINT)
    return frame


def _made(**fields: Any) -> LiveFrame:
    return LiveFrame.model_validate(fields)


def _is_stop_frame(text: str | bytes) -> bool:
    """Whether a frame that is wrong in some other way is a stop."""
    try:
        frame = json.loads(text)
    except ValueError:
        return False
    return isinstance(frame, dict) and frame.get("type") == "stop"
