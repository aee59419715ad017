"""Demonstration routes: show the robot a task, and list, replay, trim and delete what was shown.

The WebSocket `ws/teach` records what the robot does, whoever moves it (`ws/teleoperate`, a hand, a program). In, JSON:

    start {task_description, dataset, source, person, camera}    record from now on
    action {name, args}             one tool call through the gate, noted in the demonstration
    target {yaw, pitch, visible}    where the camera sees what the task is about from now on, in degrees
    stop {}                         keep it
    cancel {}                       do not

Out: `recording {}`, `done {name, status}`, `stored {demo_id, ...}`, `cancelled {}`, `error`.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, WebSocket, WebSocketDisconnect
from pydantic import AliasChoices, BaseModel, ConfigDict, Field, FiniteFloat, ValidationError

from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.errors import InvalidParameter, MindError, NotReady
from reachy_mind.learning.demonstrations.demonstration import MAX_TASK, Demonstration, Source
from reachy_mind.learning.demonstrations.recorder import MAX_CALLS, DemonstrationRecorder
from reachy_mind.learning.demonstrations.store import DEFAULT_DATASET, checked_name
from reachy_mind.learning.demonstrations.teaching import ShownCall, Teaching
from reachy_mind.mind import Mind
from reachy_mind.server.moves import sampled_trajectory
from reachy_mind.server.websocket_frames import receive_frame
from reachy_mind.tools.context import Caller

Task = Annotated[str, Field(min_length=1, max_length=MAX_TASK, description="What is shown, in words")]
Dataset = Annotated[str, Field(min_length=1, max_length=64, description="The dataset to add it to")]
Person = Annotated[str, Field(max_length=100, description="Who shows it")]
Camera = Annotated[bool, Field(description="Keep the camera's frames too")]
Seconds = Annotated[FiniteFloat, Field(ge=0, le=600)]


class ShownAction(BaseModel):
    """A tool call of a demonstration: `name` (or `tool`) and `args` (or `parameters`)."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(min_length=1, max_length=200, validation_alias=AliasChoices("name", "tool"))
    args: dict[str, Any] = Field({}, validation_alias=AliasChoices("args", "parameters"))


class ShownTask(BaseModel):
    """A demonstration by tool calls."""

    model_config = ConfigDict(extra="forbid")

    task_description: Task
    actions: list[ShownAction] = Field(min_length=1, max_length=MAX_CALLS)
    dataset: Dataset = DEFAULT_DATASET
    person: Person = ""
    camera: Camera = False


class TrimRequest(BaseModel):
    """The part of a demonstration to keep, in seconds."""

    model_config = ConfigDict(extra="forbid")

    start: Seconds = 0.0
    end: Seconds | None = None


class TeachFrame(BaseModel):
    """A frame from the client."""

    model_config = ConfigDict(extra="forbid")

    type: Literal["start", "action", "target", "stop", "cancel"]
    task_description: Annotated[str, Field(max_length=MAX_TASK)] = ""
    dataset: Dataset = DEFAULT_DATASET
    source: Source = "teleoperation"
    person: Person = ""
    camera: Camera = False
    name: str = Field("", max_length=200, validation_alias=AliasChoices("name", "tool"))
    args: dict[str, Any] = Field({}, validation_alias=AliasChoices("args", "parameters"))
    yaw: Annotated[FiniteFloat, Field(ge=-180, le=180)] = 0.0
    pitch: Annotated[FiniteFloat, Field(ge=-90, le=90)] = 0.0
    visible: bool = True


def router(mind: Mind) -> APIRouter:
    routes = APIRouter(prefix="/api/v1")
    teaching = Teaching.of(mind)
    store, caller = teaching.store, Caller("person", "rest")

    @routes.post("/demonstration")
    async def demonstrate(shown: ShownTask) -> dict[str, Any]:
        """Show a task by tool calls: each passes the gate, and what the robot does meanwhile is kept."""
        calls = [ShownCall(action.name, action.args) for action in shown.actions]
        by = Caller("person", "rest", person=shown.person)
        return await teaching.show(shown.task_description, calls, shown.dataset, by, camera=shown.camera)

    @routes.get("/demonstrations")
    async def demonstrations(
        dataset: Annotated[str | None, Query(max_length=64)] = None,
        offset: Annotated[int, Query(ge=0)] = 0,
        limit: Annotated[int, Query(ge=1, le=1000)] = 100,
    ) -> dict[str, Any]:
        """What was shown, by dataset; `broken` has the datasets that can't be read, and why."""
        found = await asyncio.to_thread(store.listing, dataset)
        listed = [one.as_dict() for one in found.demonstrations[offset : offset + limit]]
        broken = [{"dataset": name} | error.as_dict() for name, error in found.broken.items()]
        return {"demonstrations": listed, "total": len(found.demonstrations), "broken": broken}

    @routes.get("/demonstrations/{demo_id}")
    async def demonstration(demo_id: str) -> dict[str, Any]:
        """One demonstration, and its trajectory in degrees over seconds, for plotting."""
        summary = await asyncio.to_thread(store.summary, demo_id)
        shown: Demonstration = await asyncio.to_thread(store.get, demo_id)
        return summary.as_dict() | sampled_trajectory(shown.as_move())

    @routes.delete("/demonstrations/{demo_id}")
    async def remove(demo_id: str) -> dict[str, Any]:
        """Delete a demonstration, for good; needs a person's confirmation."""
        await asyncio.to_thread(store.summary, demo_id)
        return await mind.act("robot.remove_demonstration", {"demo_id": demo_id}, caller)

    @routes.post("/demonstrations/{demo_id}/replay")
    async def replay(demo_id: str) -> dict[str, Any]:
        """Do again what was shown."""
        await asyncio.to_thread(store.summary, demo_id)
        return await mind.act("robot.replay_demonstration", {"demo_id": demo_id}, caller)

    @routes.post("/demonstrations/{demo_id}/trim")
    async def trim(demo_id: str, part: TrimRequest) -> dict[str, Any]:
        """Keep only the part from `start` to `end` seconds, for good; needs a person's confirmation."""
        summary = await asyncio.to_thread(store.summary, demo_id)
        end = summary.episode.duration if part.end is None else part.end
        if not part.start < end <= summary.episode.duration + 0.5 / summary.episode.fps:
            hint = f"it lasts {summary.episode.duration:g} s"
            raise InvalidParameter(f"nothing to keep from {part.start:g} to {end:g} s", hint=hint)
        return await mind.act("robot.trim_demonstration", {"demo_id": demo_id} | part.model_dump(), caller)

    @routes.websocket("/ws/teach")
    async def teach(websocket: WebSocket) -> None:
        await websocket.accept()
        session = TeachingSession(teaching, websocket)
        try:
            await session.run()
        except (WebSocketDisconnect, RuntimeError):
            return
        finally:
            await session.aclose()

    return routes


class TeachingSession:
    """One client that shows the robot a task over a WebSocket. What was not stopped when it leaves is not kept."""

    def __init__(self, teaching: Teaching, websocket: WebSocket) -> None:
        self._teaching, self._websocket = teaching, websocket
        self._start: TeachFrame | None = None
        self._recording = contextlib.AsyncExitStack()
        self._recorder: DemonstrationRecorder | None = None
        self._acting: asyncio.Task[None] | None = None
        self._acted = False

    async def run(self) -> None:
        """Handle frames until the client disconnects. Raises WebSocketDisconnect."""
        while True:
            text = await receive_frame(self._websocket)
            try:
                await self._handle(_parse(text))
            except MindError as error:
                await self._send(type="error", **error.as_dict())

    async def aclose(self) -> None:
        if self._acting is not None:
            await cancel_and_wait(self._acting)
        self._start = self._recorder = self._acting = None
        await self._recording.aclose()

    async def _handle(self, frame: TeachFrame) -> None:
        if frame.type == "start":
            await self._begin(frame)
            return
        if self._recorder is None or self._start is None:
            raise NotReady("nothing is being recorded", hint='send {"type": "start", "task_description": "..."} first')
        match frame.type:
            case "target":
                self._recorder.target(math.radians(frame.yaw), math.radians(frame.pitch), visible=frame.visible)
            case "action":
                if self._acting is not None and not self._acting.done():
                    raise NotReady("the action before is not done", hint="wait for its done")
                self._acted = True
                self._acting = asyncio.create_task(self._act(self._recorder, ShownCall(frame.name, frame.args)))
            case "stop":
                await self._keep(self._recorder, self._start)
            case "cancel":
                await self.aclose()
                await self._send(type="cancelled")

    async def _begin(self, frame: TeachFrame) -> None:
        if self._recorder is not None:
            raise NotReady("a demonstration is being recorded already", hint="stop or cancel it first")
        if not frame.task_description.strip():
            raise InvalidParameter("task_description: what is shown, in words", hint="see docs/api.md")
        checked_name(frame.dataset)
        recorder = await self._recording.enter_async_context(self._teaching.recorder(camera=frame.camera))
        self._recorder, self._start, self._acted = recorder, frame, False
        await self._send(type="recording", task_description=frame.task_description)

    async def _act(self, recorder: DemonstrationRecorder, call: ShownCall) -> None:
        try:
            done = await self._teaching.call(recorder, call, Caller("person", "rest"))
            await self._send(type="done", **done)
        except MindError as error:
            await self._send(type="error", about="action", **error.as_dict())

    async def _keep(self, recorder: DemonstrationRecorder, start: TeachFrame) -> None:
        if self._acting is not None:
            await asyncio.wait([self._acting])  # its end belongs to what was shown
        source: Source = "tools" if self._acted else start.source
        await self.aclose()
        shown = recorder.demonstration(start.task_description, source, start.person)
        kept = await self._teaching.keep(shown, start.dataset, Caller("person", "rest", person=start.person))
        await self._send(type="stored", **kept)

    async def _send(self, **event: Any) -> None:
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):
            await self._websocket.send_text(json.dumps(event))


def _parse(text: str | bytes) -> TeachFrame:
    try:
        return TeachFrame.model_validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "the frame"
        raise InvalidParameter(f"{place}: {first['msg']}", hint="see docs/api.md") from None
