"""Routes of the moves: what there is and what it looks like, deleting one's own, and leading the robot to record one.

`ws/teleoperate` leads the robot. In, JSON:

    take {}             have it follow (one call through the gate, `robot.teleoperate`, until `release`)
    pose {yaw, pitch, roll, x, y, z, body_yaw, antenna_left, antenna_right}    degrees and millimetres, what is left
                        out stays; to be said again at least every second, for who falls silent has let go
    release {}
    record {on}         keep what the robot does from now on, whoever moves it; off: what was kept is told
    save {name, description, overwrite}    as a move

Out: `held {pose}`, `released {reason}`, `recording {}`, `take {duration_s, times, axes}`, `saved {move}`, `error`.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, WebSocket, WebSocketDisconnect
from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, ValidationError

from reachy_mind.body.pose import Pose
from reachy_mind.ending import ended
from reachy_mind.errors import InvalidParameter, MindError
from reachy_mind.mind import Mind
from reachy_mind.motion.moves import LONGEST_S, Frames
from reachy_mind.motion.repertoire import Entry, Kind
from reachy_mind.server.frames import frame_of
from reachy_mind.tools.builtin.leading import Reins
from reachy_mind.tools.context import Caller
from reachy_mind.tools.definition import ToolError

AXES = ("roll", "pitch", "yaw", "body_yaw", "antenna_left", "antenna_right")
MOST_SAMPLES = 200
Angle = Annotated[FiniteFloat | None, Field(ge=-360, le=360)]
Length = Annotated[FiniteFloat | None, Field(ge=-200, le=200)]

Told = dict[str, Any]


class Frame(BaseModel):
    """What whoever leads says."""

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

    def wish(self) -> dict[str, float | None]:
        return {name: getattr(self, name) for name in ("x", "y", "z", *AXES)}


def router(mind: Mind) -> APIRouter:
    routes = APIRouter(prefix="/api/v1")

    @routes.get("/moves")
    async def moves(
        kind: Kind | None = None,
        query: Annotated[str, Query(max_length=100)] = "",
        offset: Annotated[int, Query(ge=0)] = 0,
        limit: Annotated[int, Query(ge=1, le=1000)] = 100,
    ) -> Told:
        """What can be played; with a query, what has all of its words in name, kind or description."""
        words = query.casefold().split()
        entries = [
            entry
            for entry in await asyncio.to_thread(mind.repertoire.entries)
            if kind in (None, entry.kind) and all(word in _about(entry) for word in words)
        ]
        listed = [asdict(entry) | {"own": _own(entry)} for entry in entries[offset : offset + limit]]
        return {"moves": listed, "total": len(entries)}

    @routes.get("/moves/{name:path}/trajectory")
    async def trajectory(name: str) -> Told:
        """What a move does with head, body and antennas, in degrees over seconds; for drawing it."""
        clip = await asyncio.to_thread(mind.repertoire.clip, name)
        return {"name": clip.name, "description": clip.description, "sound": clip.sound is not None} | drawn(
            clip.frames
        )

    @routes.delete("/moves/{name}")
    async def remove(name: str) -> Told:
        """One of your own, for good; asks a person."""
        return await mind.act("robot.remove_move", {"name": name}, Caller("person", "rest"))

    @routes.websocket("/ws/teleoperate")
    async def lead(websocket: WebSocket) -> None:
        await websocket.accept()
        with Reins.opened(mind.toolbox.parts) as reins:
            leader = Leader(mind, reins, websocket)
            try:
                await leader.follow()
            except (WebSocketDisconnect, RuntimeError):
                return
            finally:
                await leader.aclose()

    return routes


class Leader:
    """Somebody at the other end of a socket who leads the robot."""

    def __init__(self, mind: Mind, reins: Reins, websocket: WebSocket) -> None:
        self._mind, self._reins, self._websocket = mind, reins, websocket
        self._leading: asyncio.Task[None] | None = None
        self._recording: asyncio.Task[None] | None = None
        self._enough = asyncio.Event()

    async def follow(self) -> None:
        """Until they go. Raises WebSocketDisconnect."""
        while True:
            text = await frame_of(self._websocket)
            try:
                await self._heard(_read(text))
            except MindError as error:
                await self._tell(type="error", **error.as_dict())

    async def aclose(self) -> None:
        self._reins.let_go()
        self._enough.set()
        for task in (self._leading, self._recording):
            if task is not None:
                await ended(task)

    async def _heard(self, frame: Frame) -> None:
        match frame.type:
            case "take" if self._leading is None or self._leading.done():
                self._reins.begin()
                self._leading = asyncio.create_task(self._lead(), name="leading")
            case "pose":
                self._reins.pull(frame.wish())
            case "release":
                self._reins.let_go()
            case "record" if frame.on and (self._recording is None or self._recording.done()):
                self._enough.clear()
                motion = self._mind.body()
                self._recording = asyncio.create_task(self._record(motion.record(LONGEST_S, self._enough)))
                await self._tell(type="recording")
            case "record" if not frame.on:
                self._enough.set()
            case "save":
                await self._save(frame)

    async def _lead(self) -> None:
        """One call through the gate, for as long as they hold on; asking a person for it may take a minute."""
        call = asyncio.create_task(
            self._mind.toolbox.call("robot.teleoperate", {"reins": self._reins.id}, caller=Caller("person", "rest"))
        )
        taken: asyncio.Future[Any] = self._reins.taken
        try:
            waiting: list[asyncio.Future[Any]] = [call, taken]
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            if taken.done() and not taken.cancelled():
                await self._tell(type="held", pose=_in_units(taken.result()))
            outcome = await call
        finally:
            await ended(call)
        error = outcome.error or {}
        await self._tell(type="released", reason=error.get("message", ""), hint=error.get("hint", ""))

    async def _record(self, recording: Any) -> None:
        try:
            self._reins.take = await recording
            await self._tell(type="take", **drawn(self._reins.take))
        except MindError as error:
            await self._tell(type="error", **error.as_dict())

    async def _save(self, frame: Frame) -> None:
        wish = {"name": frame.name, "description": frame.description, "overwrite": frame.overwrite}
        try:
            told = await self._mind.act("robot.save_take", wish | {"reins": self._reins.id}, Caller("person", "rest"))
        except ToolError as error:
            await self._tell(type="error", about="save", **error.as_dict())
        else:
            await self._tell(type="saved", move=told["move"], duration_s=told["duration_s"])

    async def _tell(self, **told: Any) -> None:
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):
            await self._websocket.send_text(json.dumps(told))


def drawn(frames: Frames) -> Told:
    """Some hundred samples of a move, in degrees, by part."""
    step = max(1, math.ceil(len(frames.frames) / MOST_SAMPLES))
    kept: Sequence[Any] = frames.frames[::step]
    if (len(frames.frames) - 1) % step:
        kept = [*kept, frames.frames[-1]]
    poses = [Pose(*frame) for frame in kept]
    times = [round(min(index * step, len(frames.frames) - 1) / 100, 3) for index in range(len(poses))]
    axes = {axis: [round(math.degrees(getattr(pose, axis)), 2) for pose in poses] for axis in AXES}
    return {"duration_s": round(frames.duration, 2), "times": times, "axes": axes}


def _in_units(pose: Pose) -> Told:
    lengths = {axis: round(getattr(pose, axis) * 1000, 2) for axis in ("x", "y", "z")}
    return lengths | {axis: round(math.degrees(getattr(pose, axis)), 2) for axis in AXES}


def _read(text: str | bytes) -> Frame:
    try:
        return Frame.model_validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "the frame"
        raise InvalidParameter(f"{place}: {first['msg']}", hint="see docs/api.md") from None


def _about(entry: Entry) -> str:
    return f"{entry.name} {entry.kind} {entry.description}".replace("_", " ").casefold()


def _own(entry: Entry) -> bool:
    return entry.kind == "recorded" and "/" not in entry.name
