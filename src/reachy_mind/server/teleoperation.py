"""The WebSocket `ws/teleoperate`: a person moves the robot live, under a lease, and records moves. Frames in, JSON:

    take {}             start moving the robot: one tool call through the gate, `robot.teleoperate`, until `release`
    pose {yaw, pitch, roll, x, y, z, body_yaw, antenna_left, antenna_right}    degrees and millimetres; omitted values
                        stay; repeat it at least every second, or the lease ends
    release {}
    record {on, task, dataset, camera}    record the robot's movement, whatever moves it; off: the recording is sent
                        back. With a task it can become a demonstration with the camera's frames and what they show
    save {name, description, overwrite, task, dataset}    save the recording as a move; with a task, as a demonstration
                        of it (too, or only, without a name)

Out: `held {pose}`, `released {reason}`, `recording {}`, `take {duration_s, times, axes}`, `saved {move,
demo_id}`, `error`.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
from dataclasses import replace
from typing import Annotated, Any, Literal

from fastapi import APIRouter, WebSocket, WebSocketDisconnect
from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, ValidationError

from reachy_mind.body.pose import Pose
from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.errors import InvalidParameter, MindError, NotReady
from reachy_mind.learning.demonstrations.demonstration import MAX_TASK, Demonstration, from_move
from reachy_mind.learning.demonstrations.teaching import ShownTask, Teaching
from reachy_mind.mind import Mind
from reachy_mind.motion.client import Motion
from reachy_mind.motion.editing import trim_still_ends
from reachy_mind.motion.moves import MAX_DURATION_S
from reachy_mind.server.moves import AXES, sampled_trajectory
from reachy_mind.server.websocket_frames import receive_frame
from reachy_mind.tools.builtin.teleoperation import TeleoperationLease
from reachy_mind.tools.context import Caller

Angle = Annotated[FiniteFloat | None, Field(ge=-360, le=360)]
Length = Annotated[FiniteFloat | None, Field(ge=-200, le=200)]


class TeleoperationFrame(BaseModel):
    """A frame from the client."""

    model_config = ConfigDict(extra="forbid")

    type: Literal["take", "pose", "release", "record", "save"]
    x: Length = None
    y: Length = None
    z: Length = None
    roll: Angle = None
    pitch: Angle = None
    yaw: Angle = None
    body_yaw: Angle = None
    antenna_left: Angle = None
    antenna_right: Angle = None
    on: bool = True
    name: str = Field("", max_length=64)
    description: str = Field("", max_length=500)
    overwrite: bool = False
    task: str = Field("", max_length=MAX_TASK)
    dataset: str = Field("", max_length=64)
    camera: bool = False

    def pose(self) -> dict[str, float | None]:
        return {name: getattr(self, name) for name in ("x", "y", "z", *AXES)}


def router(mind: Mind) -> APIRouter:
    routes = APIRouter(prefix="/api/v1")

    @routes.websocket("/ws/teleoperate")
    async def teleoperate(websocket: WebSocket) -> None:
        await websocket.accept()
        with TeleoperationLease.open(mind.toolbox.parts) as lease:
            session = TeleoperationSession(mind, lease, websocket)
            try:
                await session.run()
            except (WebSocketDisconnect, RuntimeError):
                return
            finally:
                await session.aclose()

    return routes


class TeleoperationSession:
    """One client that moves the robot over a WebSocket."""

    def __init__(self, mind: Mind, lease: TeleoperationLease, websocket: WebSocket) -> None:
        self._mind, self._lease, self._websocket = mind, lease, websocket
        self._teleoperating: asyncio.Task[None] | None = None
        self._recording: asyncio.Task[None] | None = None
        self._stop_recording = asyncio.Event()
        self._shown: Demonstration | None = None
        """The latest recording, if it was made with a task."""

    async def run(self) -> None:
        """Handle frames until the client disconnects. Raises WebSocketDisconnect."""
        while True:
            text = await receive_frame(self._websocket)
            try:
                await self._handle(_parse(text))
            except MindError as error:
                await self._send(type="error", **error.as_dict())

    async def aclose(self) -> None:
        self._lease.release()
        self._stop_recording.set()
        for task in (self._teleoperating, self._recording):
            if task is not None:
                await cancel_and_wait(task)

    async def _handle(self, frame: TeleoperationFrame) -> None:
        match frame.type:
            case "take" if self._teleoperating is None or self._teleoperating.done():
                self._lease.begin()
                self._teleoperating = asyncio.create_task(self._teleoperate(), name="teleoperation")
            case "pose":
                self._lease.send(frame.pose())
            case "release":
                self._lease.release()
            case "record" if frame.on and (self._recording is None or self._recording.done()):
                self._stop_recording.clear()
                self._recording = asyncio.create_task(self._record(self._mind.body(), frame), name="recording")
            case "record" if not frame.on:
                self._stop_recording.set()
            case "save":
                await self._save(frame)

    async def _teleoperate(self) -> None:
        """One tool call for as long as the lease lasts; its confirmation may take a minute."""
        call = asyncio.create_task(
            self._mind.toolbox.call("robot.teleoperate", {"reins": self._lease.id}, caller=Caller("person", "rest"))
        )
        taken: asyncio.Future[Any] = self._lease.started
        try:
            waiting: list[asyncio.Future[Any]] = [call, taken]
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            if taken.done() and not taken.cancelled():
                await self._send(type="held", pose=_in_units(taken.result()))
            outcome = await call
        finally:
            await cancel_and_wait(call)
        error = outcome.error or {}
        await self._send(type="released", reason=error.get("message", ""), hint=error.get("hint", ""))

    async def _record(self, motion: Motion, frame: TeleoperationFrame) -> None:
        self._shown = None
        try:
            async with contextlib.AsyncExitStack() as stack:
                recorder = None
                if frame.task:
                    shown = ShownTask(frame.task, frame.dataset, "teleoperation", frame.camera)
                    recording = Teaching.of(self._mind).recording(shown, Caller("person", "rest"))
                    recorder = await stack.enter_async_context(recording)
                await self._send(type="recording")
                self._lease.take = await motion.record(MAX_DURATION_S, self._stop_recording)
            if recorder is not None:
                self._shown = recorder.demonstration(frame.task, "teleoperation")
            await self._send(type="take", **sampled_trajectory(self._lease.take))
        except MindError as error:
            await self._send(type="error", **error.as_dict())

    async def _save(self, frame: TeleoperationFrame) -> None:
        args = {"name": frame.name, "description": frame.description, "overwrite": frame.overwrite}
        caller, saved = Caller("person", "rest"), {"move": "", "demo_id": ""}
        try:
            if frame.name or not frame.task:
                saved |= await self._mind.act("robot.save_take", args | {"reins": self._lease.id}, caller)
            if frame.task:
                saved |= await self._save_demonstration(frame, caller)
        except MindError as error:
            await self._send(type="error", about="save", **error.as_dict())
        else:
            shown = {name: saved[name] for name in ("move", "demo_id", "duration_s")}
            await self._send(type="saved", **shown)

    async def _save_demonstration(self, frame: TeleoperationFrame, caller: Caller) -> dict[str, Any]:
        if self._lease.take is None:
            raise NotReady("nothing was recorded", hint="record something first")
        shown = self._shown or from_move(trim_still_ends(self._lease.take), frame.task, "teleoperation")
        return await Teaching.of(self._mind).keep(replace(shown, task=frame.task), frame.dataset, caller)

    async def _send(self, **event: Any) -> None:
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):
            await self._websocket.send_text(json.dumps(event))


def _in_units(pose: Pose) -> dict[str, float]:
    """A pose in degrees and millimetres."""
    lengths = {axis: round(getattr(pose, axis) * 1000, 2) for axis in ("x", "y", "z")}
    return lengths | {axis: round(math.degrees(getattr(pose, axis)), 2) for axis in AXES}


def _parse(text: str | bytes) -> TeleoperationFrame:
    try:
        return TeleoperationFrame.model_validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "the frame"
        raise InvalidParameter(f"{place}: {first['msg']}", hint="see docs/api.md") from None
