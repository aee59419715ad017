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
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import FastAPI, Request, WebSocket, WebSocketDisconnect
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import ValidationError

from reachy_mind import log
from reachy_mind.body import protocol
from reachy_mind.body.kinematics import Kinematics
from reachy_mind.loopback import LocalOnly
from reachy_mind.sim.camera import Camera
from reachy_mind.sim.clock import Clock
from reachy_mind.sim.hub import Client, Hub
from reachy_mind.sim.robot import Move, Refused, Robot
from reachy_mind.sim.routes import daemon_routes, move_routes, sim_routes, state_routes
from reachy_mind.sim.scene import SCENES, SceneName
from reachy_mind.sim.world import CONTROL_PERIOD_S, MOTORS, World

ROBOT_NAME = "reachy_mini_sim"

_log = log.get(__name__)


class Daemon:
    """The robot, its clock and its clients."""

    def __init__(self, description: Path, scene: SceneName, cache: Path) -> None:
        self.robot = Robot(World(description, scene, cache), Kinematics(description / "kinematics_data.json"))
        self.camera = Camera(description, scene, cache)
        self.hub = Hub()
        self.clock = Clock(CONTROL_PERIOD_S)
        self._reports: set[asyncio.Task[None]] = set()

    def status(self) -> protocol.DaemonStatus:
        return protocol.DaemonStatus(
            robot_name=ROBOT_NAME,
            state="running",
            simulation_enabled=True,
            mockup_sim_enabled=False,
            no_media=True,
            backend_status=protocol.BackendStatus(motor_control_mode=self.robot.world.mode, error=self.robot.error),
            version=protocol.VERSION,
        )

    def tick(self) -> None:
        self.robot.tick()
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
            self._obey(protocol.commands.validate_json(text))
        except ValidationError as error:
            note = _explain(error)
            _log.warning("message refused", client=client.name, reason=note.message)
            client.offer(note.model_dump_json())
        except Refused as refused:
            note = protocol.ErrorNote(code=refused.code, message=refused.message, hint=refused.hint)
            client.offer(note.model_dump_json())

    def _obey(self, command: protocol.Command) -> None:  # noqa: PLR0912 -- one line per command of the protocol
        robot = self.robot
        match command:
            case protocol.SetFullTarget() as c:
                robot.target(c.head, c.antennas, c.body_yaw)
            case protocol.SetTarget() as c:
                robot.target(head=c.head)
            case protocol.SetAntennas() as c:
                robot.target(antennas=c.antennas)
            case protocol.SetBodyYaw() as c:
                robot.target(body_yaw=c.body_yaw)
            case protocol.SetHeadJoints() as c:
                robot.target_joints(c.joints)
            case protocol.SetSpeechOffsets() as c:
                robot.offset(c.offsets)
            case protocol.GotoTarget() as c:
                robot.goto(c.head, c.antennas, c.body_yaw, c.duration)
            case protocol.Task() as c:
                self._run_task(c)
            case protocol.WakeUp():
                robot.wake_up()
            case protocol.GotoSleep():
                robot.goto_sleep()
            case protocol.StopMove():
                robot.stop()
            case protocol.SetMotorMode() as c:
                robot.set_mode(c.mode)
            case protocol.SetGravityCompensation() as c:
                on, off = protocol.MotorMode.GRAVITY_COMPENSATION, protocol.MotorMode.ENABLED
                robot.set_mode(on if c.enabled else off)
            case protocol.SetTorque() as c:
                self._set_torque(c)
            case protocol.SetAutomaticBodyYaw() as c:
                robot.automatic_body_yaw = c.enabled
            case protocol.StartRecording():
                robot.start_recording()
            case protocol.AppendRecord() as c:
                robot.append_record(c.record)
            case protocol.StopRecording():
                self.hub.broadcast(protocol.RecordedData(data=robot.stop_recording()).model_dump_json())

    def _set_torque(self, command: protocol.SetTorque) -> None:
        if command.ids is None:
            mode = protocol.MotorMode.ENABLED if command.on else protocol.MotorMode.DISABLED
            self.robot.set_mode(mode)
            return
        try:
            self.robot.world.set_torque(command.ids, command.on)
        except KeyError as error:
            hint = f"motors: {', '.join(MOTORS)}"
            raise Refused("INVALID_PARAMETER", f"no motor called {error}", hint) from None

    def _run_task(self, task: protocol.Task) -> None:
        """A goto whose end, or refusal, every client is told."""
        try:
            wish = task.req
            move = self.robot.goto(wish.head, wish.antennas, wish.body_yaw, wish.duration, wish.method)
        except Refused as refused:
            self._report(task, refused.message)
            return
        waiter = asyncio.create_task(self._await_end(task, move), name=f"task {task.uuid}")
        self._reports.add(waiter)
        waiter.add_done_callback(self._reports.discard)

    async def _await_end(self, task: protocol.Task, move: Move) -> None:
        self._report(task, await move.done)

    def _report(self, task: protocol.Task, error: str | None) -> None:
        progress = protocol.TaskProgress(uuid=task.uuid, finished=True, error=error, timestamp=datetime.now(UTC))
        self.hub.broadcast(progress.model_dump_json())

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
            for task in (*tasks, *self._reports):
                task.cancel()
            await asyncio.gather(*tasks, *self._reports, return_exceptions=True)
            await self.camera.close()

    def app(self) -> LocalOnly:
        @contextlib.asynccontextmanager
        async def lifespan(_: FastAPI) -> AsyncIterator[None]:
            async with self.running():
                yield

        app = FastAPI(title="Reachy Mini, simulated", version=protocol.VERSION, lifespan=lifespan)
        app.add_exception_handler(RequestValidationError, _bad_request)
        app.include_router(daemon_routes(self.robot, self.status))
        app.include_router(state_routes(self.robot))
        app.include_router(move_routes(self.robot))
        app.include_router(sim_routes(self.robot, self.camera, self.clock))
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
    daemon = Daemon(given.description, given.scene, given.cache)
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(serve(daemon, listener, with_parent=given.with_parent))


if __name__ == "__main__":
    main()
