"""Demonstration routes: show the robot a task, and list, replay, trim and delete what was shown.

The WebSocket `ws/teach` records what the robot does, whoever moves it (`ws/teleoperate`, a hand, a program). In, JSON:

    start {task_description, dataset, source, person, camera}    record from now on; with the camera, its frames too,
                        and where they show the thing that the task names
    action {name, args}    one tool call through the gate, noted in the demonstration
    target {yaw, pitch, visible, distance}    where the camera sees what the task is about now, in degrees (yaw to the
                        left, pitch down) and metres, for who knows better than the robot
    stop {}             keep it; after an error, try again
    cancel {}           do not

Out: `recording {task_description, target}`, `done {name, status, result}`, `stored {demo_id, ...}`, `cancelled {}`,
`error`.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, WebSocket, WebSocketDisconnect
from pydantic import AliasChoices, BaseModel, ConfigDict, Field, FiniteFloat, ValidationError, model_validator

from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.errors import InvalidParameter, MindError, NotReady
from reachy_mind.learning.demonstrations.demonstration import MAX_TASK, Demonstration, Source
from reachy_mind.learning.demonstrations.recorder import MAX_CALLS, DemonstrationRecorder
from reachy_mind.learning.demonstrations.teaching import ShownCall, ShownTask, Teaching
from reachy_mind.mind import Mind
from reachy_mind.server.moves import sampled_trajectory
from reachy_mind.server.websocket_frames import receive_frame
from reachy_mind.tools.context import Caller

Task = Annotated[str, Field(min_length=1, max_length=MAX_TASK, description="What is shown, in words")]
Dataset = Annotated[str, Field(max_length=64, description="The dataset to add it to; empty for the usual one")]
Person = Annotated[str, Field(max_length=100, description="Who shows it")]
Camera = Annotated[bool, Field(description="Keep the camera's frames, and where they show what the task names")]
Seconds = Annotated[FiniteFloat, Field(ge=0, le=600)]


class ShownAction(BaseModel):
    """A tool call of a demonstration: `name` (or `tool`) and `args` (or `parameters`)."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(min_length=1, max_length=200, validation_alias=AliasChoices("name", "tool"))
    args: dict[str, Any] = Field({}, validation_alias=AliasChoices("args", "parameters"))


class DemonstrationRequest(BaseModel):
    """A demonstration by tool calls, or by whatever moves the robot for some seconds."""

    model_config = ConfigDict(extra="forbid")

    task_description: Task
    actions: list[ShownAction] = Field([], max_length=MAX_CALLS)
    seconds: Annotated[Seconds, Field(description="How long to record after the actions")] = 0.0
    source: Annotated[Source, Field(description="Who moves the robot")] = "tools"
    dataset: Dataset = ""
    person: Person = ""
    camera: Camera = False

    @model_validator(mode="after")
    def _shows_something(self) -> DemonstrationRequest:
        if not self.actions and not self.seconds:
            raise ValueError("needs actions, or seconds to record")
        return self


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
    dataset: Dataset = ""
    source: Source = "teleoperation"
    person: Person = ""
    camera: Camera = False
    name: str = Field("", max_length=200, validation_alias=AliasChoices("name", "tool"))
    args: dict[str, Any] = Field({}, validation_alias=AliasChoices("args", "parameters"))
    yaw: Annotated[FiniteFloat, Field(ge=-180, le=180)] = 0.0
    pitch: Annotated[FiniteFloat, Field(ge=-90, le=90)] = 0.0
    visible: bool = True
    distance: Annotated[FiniteFloat, Field(ge=0, le=20)] = 0.0

    def shown(self) -> ShownTask:
        return ShownTask(self.task_description, self.dataset, self.source, self.camera)


def router(mind: Mind) -> APIRouter:
    routes = APIRouter(prefix="/api/v1")
    teaching = Teaching.of(mind)
    store, caller = teaching.store, Caller("person", "rest")

    @routes.post("/demonstration")
    async def demonstrate(wanted: DemonstrationRequest) -> dict[str, Any]:
        """Show a task by tool calls: each passes the gate, and what the robot does meanwhile is kept."""
        shown = ShownTask(wanted.task_description, wanted.dataset, wanted.source, wanted.camera)
        calls = [ShownCall(action.name, action.args) for action in wanted.actions]
        by = Caller("person", "rest", person=wanted.person)
        return await teaching.show(shown, calls, by, seconds=wanted.seconds)

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
        self._recorded: Demonstration | None = None
        """What was recorded and could not be stored yet."""
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
        self._recorder = self._acting = None
        await self._recording.aclose()

    async def _handle(self, frame: TeachFrame) -> None:
        match frame.type:
            case "start":
                await self._begin(frame)
            case "stop":
                await self._keep()
            case "cancel":
                await self.aclose()
                self._recorded = None
                await self._send(type="cancelled")
            case "target":
                self._require_recorder().target(
                    math.radians(frame.yaw),
                    math.radians(frame.pitch),
                    visible=frame.visible,
                    distance=frame.distance,
                )
            case "action":
                recorder = self._require_recorder()
                if self._acting is not None and not self._acting.done():
                    raise NotReady("the action before is not done", hint="wait for its done")
                self._acted = True
                self._acting = asyncio.create_task(self._act(recorder, ShownCall(frame.name, frame.args)))

    def _require_recorder(self) -> DemonstrationRecorder:
        if self._recorder is None:
            raise NotReady("nothing is being recorded", hint='send {"type": "start", "task_description": "..."} first')
        return self._recorder

    async def _begin(self, frame: TeachFrame) -> None:
        if self._recorder is not None:
            raise NotReady("a demonstration is being recorded already", hint="stop or cancel it first")
        if not frame.task_description.strip():
            raise InvalidParameter("task_description: what is shown, in words", hint="see docs/api.md")
        shown = frame.shown()
        by = Caller("person", "rest", person=frame.person)
        self._recorder = await self._recording.enter_async_context(self._teaching.recording(shown, by))
        self._start, self._recorded, self._acted = frame, None, False
        target = shown.target.name if shown.target is not None else ""
        await self._send(type="recording", task_description=shown.task, target=target)

    async def _act(self, recorder: DemonstrationRecorder, call: ShownCall) -> None:
        try:
            done = await self._teaching.call(recorder, call, Caller("person", "rest"))
            await self._send(type="done", **done)
        except MindError as error:
            await self._send(type="error", about="action", **error.as_dict())

    async def _keep(self) -> None:
        if self._recorded is None:
            recorder = self._require_recorder()
            if self._acting is not None:
                await asyncio.wait([self._acting])  # its end belongs to what was shown
            await self.aclose()
            assert self._start is not None
            source: Source = "tools" if self._acted and self._start.source == "teleoperation" else self._start.source
            self._recorded = recorder.demonstration(self._start.task_description, source, self._start.person)
        assert self._start is not None
        by = Caller("person", "rest", person=self._start.person)
        kept = await self._teaching.keep(self._recorded, self._start.dataset, by)
        self._recorded = None
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
