"""The simulated robot's daemon: the vendor's protocol in real time, on loopback, without telemetry.

`python -m reachy_mind.sim.daemon` prints one JSON line (`port`, `pid`) when it listens and runs until SIGINT or
SIGTERM, or, with `--with-parent`, until its standard input ends; then it also writes an empty line every second as a
heartbeat.
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
from reachy_mind.access.loopback import LocalOnly
from reachy_mind.body import protocol
from reachy_mind.body.kinematics import Kinematics
from reachy_mind.sim import vendor_messages
from reachy_mind.sim.audio import audio_routes
from reachy_mind.sim.audio_streams import stream_routes
from reachy_mind.sim.camera import CameraProcess
from reachy_mind.sim.clock import RealTimeClock
from reachy_mind.sim.commands import Commands
from reachy_mind.sim.daemon_service import TRY_AGAIN_LATER, DaemonService
from reachy_mind.sim.device import DaemonIdentity
from reachy_mind.sim.recordings import Datasets
from reachy_mind.sim.rest.apps import account_routes, app_routes
from reachy_mind.sim.rest.daemon import daemon_routes
from reachy_mind.sim.rest.media import hardware_routes, media_routes, volume_routes
from reachy_mind.sim.rest.moves import motor_routes, move_routes, update_routes
from reachy_mind.sim.rest.sounds import sound_routes
from reachy_mind.sim.rest.state import kinematics_routes, state_routes
from reachy_mind.sim.robot import Refused, SimulatedRobot
from reachy_mind.sim.routes import sim_routes
from reachy_mind.sim.scene import SCENES, TABLE_DEPTH_M, SceneName
from reachy_mind.sim.scene_routes import environment_routes, object_routes, person_routes
from reachy_mind.sim.scene_state import SceneState
from reachy_mind.sim.sound_files import Sounds
from reachy_mind.sim.sound_mixer import SoundMixer
from reachy_mind.sim.websocket_clients import WebSocketClient, WebSocketClients
from reachy_mind.sim.world import CONTROL_PERIOD_S, SimulatedWorld
from reachy_mind.system.parent import Heartbeats, on_stdin_end

SEND_BUFFER_BYTES = 32768
"""Of each connection. The kernel's default would buffer over a minute of sound for a client that does not read."""

HEARTBEAT_S = 1.0

_log = log.get(__name__)


class SimulatedDaemon:
    """The robot, its clock and its clients. With `wake_up` the robot is awake before the first client is served, as
    with the vendor's daemon; else it is asleep."""

    def __init__(self, description: Path, scene: SceneName, cache: Path, *, wake_up: bool = False) -> None:
        self.description, self._wake_up = description, wake_up
        self.robot = SimulatedRobot(
            SimulatedWorld(description, scene, cache), Kinematics(description / "kinematics_data.json")
        )
        self.scene_state = SceneState(self.robot.world)
        self.camera = CameraProcess(description, scene, cache)
        self.sound = SoundMixer(foot_height=TABLE_DEPTH_M if scene == "table" else 0.0)
        self.clients = WebSocketClients()
        self.clock = RealTimeClock(CONTROL_PERIOD_S)
        self.device = DaemonIdentity()
        self.service = DaemonService(self.robot, self.clients)
        self.datasets = Datasets.of_this_machine()
        self.sounds = Sounds(self.sound)
        self.commands = Commands(
            self.robot, self.device, self.datasets, self.sound, self.sounds, self.service, self.clients
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
        """Runs once per real control period, at any simulation speed: clients get 50 states a second."""
        for _ in range(self.scene_state.due_ticks()):
            self.robot.tick()
        self.sound.tick(self.robot.world.head)
        if len(self.clients):
            world = self.robot.world
            head = world.head()
            joints = {"head_joint_positions": world.joints(), "antennas_joint_positions": world.antennas()}
            self.clients.broadcast(json.dumps({"type": "joint_positions", **joints}))
            rows = [head[0:4], head[4:8], head[8:12], head[12:16]]
            self.clients.broadcast(json.dumps({"type": "head_pose", "head_pose": rows}))

    async def announce(self) -> None:
        while True:
            self.clients.broadcast(self.status().model_dump_json())
            await asyncio.sleep(1.0)

    async def serve_client(self, socket: WebSocket) -> None:
        """Serve one client on `/ws/sdk` until it disconnects."""
        if self.service.state != "running":
            raise WebSocketException(TRY_AGAIN_LATER, "Daemon not ready")
        await socket.accept()
        async with self.clients.connected(socket) as client:
            client.offer(self.status().model_dump_json())
            with contextlib.suppress(WebSocketDisconnect):
                while True:
                    self._receive(client, await socket.receive())

    def _receive(self, client: WebSocketClient, frame: MutableMapping[str, Any]) -> None:
        if frame["type"] == "websocket.disconnect":
            raise WebSocketDisconnect
        text = frame.get("text")
        try:
            if not isinstance(text, str):
                raise Refused("INVALID_PARAMETER", "binary frame", "send JSON as text")
            self.commands.execute(vendor_messages.commands.validate_json(text))
        except ValidationError as error:
            note = _explain(error)
            _log.warning("message refused", client=client.name, reason=note.message)
            client.offer(note.model_dump_json())
        except Refused as refused:
            note = protocol.ErrorNote(code=refused.code, message=refused.message, hint=refused.hint)
            client.offer(note.model_dump_json())

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Run the clock and the status broadcasts for the duration of a `with`."""
        tasks = [
            asyncio.create_task(self.clock.run(self.tick), name="clock"),
            asyncio.create_task(self.announce(), name="announce"),
        ]
        try:
            if self._wake_up:
                await self.service.wake_at_start()
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
            sim_routes(robot, self.camera, self.scene_state, self.sound),
            environment_routes(self.scene_state, self.clock, robot.tick),
            object_routes(self.scene_state),
            person_routes(self.scene_state),
            audio_routes(self.sound, robot.world.people),
            stream_routes(self.sound, robot.world.people),
        ):
            app.include_router(routes)
        app.add_api_websocket_route(protocol.SDK_SOCKET, self.serve_client)
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
    """The vendor's 422 without the input, which may hold a NaN that JSON can't represent."""
    assert isinstance(error, RequestValidationError)
    details = [{key: each[key] for key in ("type", "loc", "msg")} for each in error.errors()]
    return JSONResponse({"detail": details}, 422)


class _Server(uvicorn.Server):
    """Prints its port and pid once it listens; then, if `beats`, heartbeats."""

    def __init__(self, config: uvicorn.Config, *, beats: bool) -> None:
        super().__init__(config)
        self._beats = beats
        self._beating: asyncio.Task[None] | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        assert sockets
        print(json.dumps({"port": sockets[0].getsockname()[1], "pid": os.getpid()}), flush=True)  # noqa: T201
        if self._beats:
            self._beating = asyncio.create_task(_beat(Heartbeats(sys.stdout.fileno())), name="heartbeat")

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        await super().shutdown(sockets)
        if self._beating is not None:
            self._beating.cancel()


async def _beat(heartbeats: Heartbeats) -> None:
    """Proves to the parent that the event loop runs."""
    while True:
        heartbeats.beat()
        await asyncio.sleep(HEARTBEAT_S)


async def serve(daemon: SimulatedDaemon, listener: socket.socket, *, with_parent: bool) -> None:
    """Serve on a bound socket until a signal or, with `with_parent`, the end of standard input."""
    config = uvicorn.Config(
        daemon.app(), ws_max_size=protocol.MAX_MESSAGE_BYTES, log_config=None, timeout_graceful_shutdown=1
    )
    server = _Server(config, beats=with_parent)
    if with_parent:

        def parent_gone() -> None:
            server.should_exit = True

        on_stdin_end(parent_gone)
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
    log.configure_child("simulator", level=given.log_level)
    listener = socket.create_server(("127.0.0.1", given.port))
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER_BYTES)
    daemon = SimulatedDaemon(given.description, given.scene, given.cache)
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(serve(daemon, listener, with_parent=given.with_parent))


if __name__ == "__main__":
    main()
