"""The simulator's own routes, `/sim/v1`: camera, reset, push and scene. The vendor's routes are in `rest`."""

from __future__ import annotations

import asyncio
import base64
import time
from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Query, Response
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, Field

from reachy_mind.body import protocol
from reachy_mind.errors import MindError
from reachy_mind.sim.camera import RATE_HZ, CameraProcess, CameraView
from reachy_mind.sim.frame_objects import NoSuchFrame
from reachy_mind.sim.robot import SimulatedRobot
from reachy_mind.sim.scene_state import SceneState
from reachy_mind.sim.sound_mixer import SoundMixer

Newtons = Annotated[float, Field(ge=-20, le=20)]
NewtonMetres = Annotated[float, Field(ge=-1, le=1)]


class PushRequest(BaseModel):
    force: tuple[Newtons, Newtons, Newtons] = (0.0, 0.0, 0.0)
    torque: tuple[NewtonMetres, NewtonMetres, NewtonMetres] = (0.0, 0.0, 0.0)
    duration: Annotated[float, Field(gt=0, le=60)] = 0.5


def sim_routes(robot: SimulatedRobot, camera: CameraProcess, scene_state: SceneState, sound: SoundMixer) -> APIRouter:
    router = APIRouter(prefix=protocol.SIM_PREFIX)

    async def picture(view: CameraView) -> bytes:
        try:
            return await camera.frame(view, scene_state.snapshot())
        except MindError as error:
            raise HTTPException(503, error.as_dict()) from error

    late: dict[CameraView, asyncio.Task[bytes]] = {}

    @router.get("/camera/frame.jpg", response_class=Response)
    async def frame(
        view: CameraView = "eye",
        wait: Annotated[float | None, Query(gt=0, le=60, description="Seconds to wait for it, at most")] = None,
    ) -> Response:
        """The robot's camera (`eye`), or a view from outside (`studio`), 640x360. 202 when it takes longer than `wait`:
        the first frame waits for the rendering process, so that a client can tell a slow start from a dead daemon."""
        drawing = late.pop(view, None) or asyncio.create_task(picture(view), name="frame")
        done, _ = await asyncio.wait([drawing], timeout=wait)
        if not done:
            late[view] = drawing  # the next request gets it, or its error
            return Response(status_code=202)
        return Response(drawing.result(), media_type="image/jpeg", headers={"Cache-Control": "no-store"})

    @router.get("/camera/seen")
    async def seen(
        frame: Annotated[str | None, Query(pattern=r"^[0-9a-f]{32}$", description="Digest of a recent frame")] = None,
    ) -> dict[str, Any]:
        """A frame of the eye with the objects visible in it: name, label, pixels, box in shares, metres.

        With the digest (BLAKE2b, 16 bytes) of a recent JPEG: the objects visible in that frame.
        """
        drawn = await picture("eye") if frame is None else b""
        frame = frame or protocol.frame_digest(drawn)
        try:
            found = await camera.seen(frame)
        except MindError as error:
            raise HTTPException(404 if isinstance(error, NoSuchFrame) else 503, error.as_dict()) from error
        answer: dict[str, Any] = {"frame": frame, "seen": found}
        return answer | ({"jpeg": base64.b64encode(drawn).decode()} if drawn else {})

    @router.get("/camera/stream", response_class=StreamingResponse)
    async def stream(
        view: CameraView = "eye", fps: Annotated[float, Query(gt=0, le=RATE_HZ)] = RATE_HZ
    ) -> StreamingResponse:
        """An MJPEG stream (multipart); a browser shows it as an image."""
        first = await picture(view)

        async def frames() -> AsyncIterator[bytes]:
            due, now = time.monotonic(), first
            while True:
                yield b"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n%b\r\n" % (len(now), now)
                due = max(due + 1 / fps, time.monotonic() - 1 / fps)  # catch up at most one late frame
                await asyncio.sleep(max(0.0, due - time.monotonic()))
                now = await picture(view)

        return StreamingResponse(frames(), media_type="multipart/x-mixed-replace; boundary=frame")

    @router.post("/reset")
    async def reset(paused: bool = False, seed: Annotated[int, Query(ge=0, lt=1 << 32)] = 0) -> dict[str, str]:
        """Reset to the start: asleep, motors off, the scene's objects in place, no people, silence.

        Time runs, or with `paused` waits for steps. The same steps then give the same world.
        """
        robot.reset()
        scene_state.reset(seed, paused=paused)
        sound.reset()
        return {"status": "ok"}

    @router.post("/push")
    async def push(body: PushRequest) -> dict[str, str]:
        """Push the head: newtons and newton metres along the robot's axes, for `duration` seconds."""
        robot.world.push(body.force, body.torque, body.duration)
        return {"status": "ok"}

    @router.get("/scene")
    async def scene() -> dict[str, Any]:
        """The scene's name, and positions of objects and people's heads, in metres from the robot's foot."""
        world = robot.world
        heads = {person.name: world.people.head(person) for person in world.people}
        return {"scene": world.scene, "objects": world.places(), "people": heads}

    return router
