"""The simulated robot's daemon: the vendor's protocol in real time, on loopback, without telemetry.

`python -m reachy_mind.sim.daemon` prints one JSON line (`port`, `pid`) when it listens and runs until SIGINT or
SIGTERM, or, with `--with-parent`, until its standard input ends.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import socket
import sys
from collections.abc import AsyncIterator, MutableMapping
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import FastAPI, Request, WebSocket, WebSocketDisconnect, WebSocketException
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import ValidationError

from reachy_mind import log
from reachy_mind.body import protocol
from reachy_mind.body.kinematics import Kinematics
from reachy_mind.loopback import LocalOnly
from reachy_mind.sim import vocabulary
from reachy_mind.sim.audio import audio_routes
from reachy_mind.sim.camera import Camera
from reachy_mind.sim.clock import Clock
from reachy_mind.sim.commands import Commands
from reachy_mind.sim.device import Device
from reachy_mind.sim.hub import Client, Hub
from reachy_mind.sim.recordings import Datasets
from reachy_mind.sim.rest.apps import account_routes, app_routes
from reachy_mind.sim.rest.daemon import daemon_routes
from reachy_mind.sim.rest.media import hardware_routes, media_routes, volume_routes
from reachy_mind.sim.rest.moves import motor_routes, move_routes, update_routes
from reachy_mind.sim.rest.sounds import sound_routes
from reachy_mind.sim.rest.state import kinematics_routes, state_routes
from reachy_mind.sim.robot import Refused, Robot
from reachy_mind.sim.routes import sim_routes
from reachy_mind.sim.scene import SCENES, TABLE_DEPTH_M, SceneName
from reachy_mind.sim.service import TRY_AGAIN_LATER, Service
from reachy_mind.sim.sound import Sound
from reachy_mind.sim.sounds import Sounds
from reachy_mind.sim.stage import Stage
from reachy_mind.sim.stage_routes import object_routes, person_routes, stage_routes
from reachy_mind.sim.streams import stream_routes
from reachy_mind.sim.world import CONTROL_PERIOD_S, World

SEND_BUFFER_BYTES = 32768
"""Of each connection. The kernel's own would keep over a minute of sound for a program that does not read."""

_log = log.get(__name__)


class Daemon:
    """The robot, its clock and its clients."""

    def __init__(self, description: Path, scene: SceneName, cache: Path) -> None:
        self.description = description
        self.robot = Robot(World(description, scene, cache), Kinematics(description / "kinematics_data.json"))
        self.stage = Stage(self.robot.world)
        self.camera = Camera(description, scene, cache)
        self.sound = Sound(foot_height=TABLE_DEPTH_M if scene == "table" else 0.0)
        self.hub = Hub()
        self.clock = Clock(CONTROL_PERIOD_S)
        self.device = Device()
        self.service = Service(self.robot, self.hub)
        self.datasets = Datasets.of_this_machine()
        self.sounds = Sounds(self.sound)
        self.commands = Commands(
            self.robot, self.device, self.datasets, self.sound, self.sounds, self.service, self.hub
        )

    def status(self) -> protocol.DaemonStatus:
        body = protocol.BackendStatus(motor_control_mode=self.robot.world.mode, error=self.robot.error)
        return protocol.DaemonStatus(
            robot_name=self.device.name,
            state=self.service.state,
            simulation_enabled=True,
            mockup_sim_enabled=False,
            no_media=True,
            media_released=self.device.media_released,
            backend_status=body if self.service.state == "running" else None,
            version=protocol.VERSION,
        )

    def tick(self) -> None:
        """Once a real control period, however fast simulated time passes: whoever listens hears 50 states a second."""
        for _ in range(self.stage.owed()):
            self.robot.tick()
        self.sound.tick(self.robot.world.head)
        if len(self.hub):
            world = self.robot.world
            head = world.head()
            joints = {"head_joint_positions": world.joints(), "antennas_joint_positions": world.antennas()}
            self.hub.broadcast(json.dumps({"type": "joint_positions", **joints}))
            rows = [head[0:4], head[4:8], head[8:12], head[12:16]]
            self.hub.broadcast(json.dumps({"type": "head_pose", "head_pose": rows}))

    async def announce(self) -> None:
        while True:
            self.hub.broadcast(self.status().model_dump_json())
            await asyncio.sleep(1.0)

    async def talk(self, socket: WebSocket) -> None:
        """Serve one client on `/ws/sdk` until it leaves."""
        if self.service.state != "running":
            raise WebSocketException(TRY_AGAIN_LATER, "Daemon not ready")
        await socket.accept()
        async with self.hub.joined(socket) as client:
            client.offer(self.status().model_dump_json())
            with contextlib.suppress(WebSocketDisconnect):
                while True:
                    self._receive(client, await socket.receive())

    def _receive(self, client: Client, frame: MutableMapping[str, Any]) -> None:
        if frame["type"] == "websocket.disconnect":
            raise WebSocketDisconnect
        text = frame.get("text")
        try:
            if not isinstance(text, str):
                raise Refused("INVALID_PARAMETER", "binary frame", "send JSON as text")
            self.commands.obey(vocabulary.commands.validate_json(text))
        except ValidationError as error:
            note = _explain(error)
            _log.warning("message refused", client=client.name, reason=note.message)
            client.offer(note.model_dump_json())
        except Refused as refused:
            note = protocol.ErrorNote(code=refused.code, message=refused.message, hint=refused.hint)
            client.offer(note.model_dump_json())

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """The clock and the announcements, for the time of a `with`."""
        tasks = [
            asyncio.create_task(self.clock.run(self.tick), name="clock"),
            asyncio.create_task(self.announce(), name="announce"),
        ]
        try:
            yield
        finally:
            await self.service.aclose()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await self.commands.aclose()
            await self.camera.close()

    def app(self) -> LocalOnly:
        @contextlib.asynccontextmanager
        async def lifespan(_: FastAPI) -> AsyncIterator[None]:
            async with self.running():
                yield

        app = FastAPI(title="Reachy Mini, simulated", version=protocol.VERSION, lifespan=lifespan)
        app.add_exception_handler(RequestValidationError, _bad_request)
        robot, device, service = self.robot, self.device, self.service
        for routes in (
            daemon_routes(device, service, self.status),
            state_routes(robot, self.sound, service),
            kinematics_routes(self.description),
            move_routes(robot, self.datasets, self.sounds, service),
            update_routes(robot),
            motor_routes(robot, service),
            media_routes(robot, device, service),
            volume_routes(self.sound),
            sound_routes(self.sounds, device, service),
            hardware_routes(),
            app_routes(device, service),
            account_routes(),
            sim_routes(robot, self.camera, self.stage, self.sound),
            stage_routes(self.stage, self.clock, robot.tick),
            object_routes(self.stage),
            person_routes(self.stage),
            audio_routes(self.sound, robot.world.people),
            stream_routes(self.sound, robot.world.people),
        ):
            app.include_router(routes)
        app.add_api_websocket_route(protocol.SDK_SOCKET, self.talk)
        return LocalOnly(app)


def _explain(error: ValidationError) -> protocol.ErrorNote:
    first = error.errors(include_url=False)[0]
    match first["type"]:
        case "json_invalid":
            message, hint = f"not JSON: {first['ctx']['error']}", 'send one object a frame, {"type": ...}'
        case "union_tag_invalid" | "union_tag_not_found":
            tag = first.get("ctx", {}).get("tag", "(none)")
            message, hint = f"unknown command {tag!r}"[:200], "the simulator's commands are listed in docs/simulator.md"
        case _:
            place = ".".join(str(part) for part in first["loc"])
            message, hint = (
                f"{place or 'message'}: {first['msg']}",
                "nothing was changed; the robot keeps its last target",
            )
    return protocol.ErrorNote(code="INVALID_PARAMETER", message=message, hint=hint)


async def _bad_request(_: Request, error: Exception) -> JSONResponse:
    """The vendor's 422, less the input: a NaN in it could not be sent back as JSON."""
    assert isinstance(error, RequestValidationError)
    details = [{key: each[key] for key in ("type", "loc", "msg")} for each in error.errors()]
    return JSONResponse({"detail": details}, 422)


class _Server(uvicorn.Server):
    """Says where it listens once it does."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        assert sockets
        print(json.dumps({"port": sockets[0].getsockname()[1], "pid": os.getpid()}), flush=True)  # noqa: T201


async def serve(daemon: Daemon, listener: socket.socket, *, with_parent: bool) -> None:
    """Serve on a bound socket until a signal comes or, `with_parent`, standard input ends."""
    config = uvicorn.Config(
        daemon.app(), ws_max_size=protocol.MAX_MESSAGE_BYTES, log_config=None, timeout_graceful_shutdown=1
    )
    server = _Server(config)
    if with_parent:

        def parent_gone() -> None:
            if not os.read(sys.stdin.fileno(), 4096):
                server.should_exit = True
                asyncio.get_running_loop().remove_reader(sys.stdin.fileno())

        asyncio.get_running_loop().add_reader(sys.stdin.fileno(), parent_gone)
    await server.serve(sockets=[listener])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--description", type=Path, required=True)
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--scene", choices=SCENES, default="table")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--with-parent", action="store_true")
    parser.add_argument("--log-level", default="info")
    given = parser.parse_args()
    log.configure(given.log_level)
    listener = socket.create_server(("127.0.0.1", given.port))
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER_BYTES)
    daemon = Daemon(given.description, given.scene, given.cache)
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(serve(daemon, listener, with_parent=given.with_parent))


if __name__ == "__main__":
    main()
