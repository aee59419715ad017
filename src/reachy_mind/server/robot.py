"""Robot routes: exact commands, each one tool call through the gate, and the WebSocket `ws/robot` with its live state.

`ws/robot` sends the newest state up to `hz` times a second; a slow reader skips some:

    state {at, pose, joints, mode, awake, busy}    `at` is a Unix time; `pose` the nine numbers of a Pose, metres and
                                                   radians: x y z roll pitch yaw body_yaw antenna_left antenna_right;
                                                   `joints` body and six motors of the head, radians
    link {status, reason, hint, robot, simulated}  at the start, whenever the connection to the robot changes, and
                                                   every few seconds while there is none, as a heartbeat
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections.abc import AsyncGenerator
from typing import Annotated, Any

from fastapi import APIRouter, Query, WebSocket

from reachy_mind.errors import MindError
from reachy_mind.events import LinkChanged
from reachy_mind.mind import Mind
from reachy_mind.motion.client import Motion
from reachy_mind.motion.connection import State
from reachy_mind.server.websocket_frames import send_until_closed
from reachy_mind.tools.builtin.light import LightState
from reachy_mind.tools.context import Caller

TOOL_ROUTES = {
    "robot/look": "robot.look",
    "robot/goto": "robot.goto",
    "robot/wake": "robot.wake",
    "robot/sleep": "robot.lie_down",
    "moves/play": "robot.perform",
    "moves/record": "robot.record_move",
}
"""Routes that call one tool each; the request's body is the tool's arguments."""

HEARTBEAT_S = 4.0

Message = dict[str, Any]


def router(mind: Mind) -> APIRouter:
    routes = APIRouter(prefix="/api/v1")
    caller = Caller("person", "rest")

    @routes.get("/robot/state")
    async def state() -> dict[str, Any]:
        return mind.robot() | {"mind": mind.state}

    @routes.get("/robot/light")
    async def light() -> dict[str, Any]:
        return LightState.of(mind.toolbox.parts).as_dict()

    @routes.post("/robot/stop")
    async def stop() -> dict[str, Any]:
        return await mind.stop(caller)

    for route, tool in TOOL_ROUTES.items():
        routes.add_api_route(f"/{route}", _tool_endpoint(mind, tool, caller), methods=["POST"], name=route)

    @routes.websocket("/ws/robot")
    async def live(websocket: WebSocket, hz: Annotated[float, Query(ge=1, le=50)] = 30.0) -> None:
        await websocket.accept()
        await send_until_closed(websocket, _encoded(mind, hz), "robot")

    return routes


def _tool_endpoint(mind: Mind, tool: str, caller: Caller) -> Any:
    async def command(args: dict[str, Any] | None = None) -> dict[str, Any]:
        return await mind.act(tool, args, caller)

    command.__doc__ = mind.toolbox.registry.find(tool)[0].description
    return command


async def _encoded(mind: Mind, hz: float) -> AsyncGenerator[str]:
    async with contextlib.aclosing(_messages(mind, mind.motion, hz)) as messages:
        async for message in messages:
            yield json.dumps(message)


async def _messages(mind: Mind, motion: Motion | None, hz: float) -> AsyncGenerator[Message]:
    with mind.bus.subscribe(LinkChanged) as changes:
        while True:
            yield _link(mind)
            if motion is None or motion.status != "connected":
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(HEARTBEAT_S):
                        await changes.get()
                continue
            with contextlib.suppress(MindError):  # the connection was lost: its status follows
                async for state in motion.states():
                    due = time.monotonic() + 1 / hz
                    yield _state(motion, state)
                    await asyncio.sleep(max(0.0, due - time.monotonic()))


def _state(motion: Motion, state: State) -> Message:
    return {
        "type": "state",
        "at": round(time.time() - (time.monotonic() - state.at), 4),
        "pose": [round(value, 5) for value in state.pose.as_tuple],
        "joints": [round(joint, 5) for joint in state.joints],
        "mode": state.mode,
        "awake": motion.awake,
        "busy": state.busy,
    }


def _link(mind: Mind) -> Message:
    link: Message = {"type": "link", "reason": "", "hint": "", "robot": "", "simulated": mind.simulator is not None}
    if mind.motion is None:
        return link | {"status": "none", "reason": "there is no robot", "hint": "start with --robot sim or HOST"}
    try:
        return link | {"status": mind.motion.status, "robot": mind.motion.state.robot}
    except MindError as error:
        return link | {"status": mind.motion.status, "reason": error.message, "hint": error.hint}
