"""State tools: wake, sleep, motor mode, stop, and reading the robot's state and sensors."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from reachy_mind.body.limits import JOINTS
from reachy_mind.body.protocol import MotorMode
from reachy_mind.events import RobotStopped
from reachy_mind.tools.builtin.light import LightState
from reachy_mind.tools.builtin.movement import RunningMovements, announce, antennas, moving, position
from reachy_mind.tools.definition import Tool, tool

if TYPE_CHECKING:
    from reachy_mind.motion.client import Motion
    from reachy_mind.motion.connection import State
    from reachy_mind.tools.context import Context

Sensor = Literal["joints", "antennas", "motors", "link", "imu", "sound_direction", "temperature", "battery"]
PRESENT: tuple[Sensor, ...] = ("joints", "antennas", "motors", "link", "sound_direction")
ABSENT: dict[Sensor, str] = {
    "imu": "only wireless robots have one, and it is not read yet",
    "temperature": "the robot does not report it",
    "battery": "the robot does not report it",
}


@tool(group="robot", tier="autonomous", moves=True)
async def wake_up(ctx: Context) -> dict[str, Any]:
    """Wake up: motors on, head up."""
    async with moving(ctx, "wake_up") as motion:
        before = motion.awake
        arrival = await motion.wake()
    announce(ctx, "wake_up", arrival)
    said = "I was awake already." if before else "I am awake."
    return {"message": said, "motor_mode": arrival.state.mode, "final_position": position(arrival.state.pose)}


@tool(group="robot", tier="autonomous", moves=True)
async def sleep(ctx: Context) -> dict[str, Any]:
    """Go to sleep: lay the head down, motors off."""
    async with moving(ctx, "sleep") as motion:
        arrival = await motion.sleep()
    announce(ctx, "sleep", arrival)
    off = arrival.state.mode is MotorMode.DISABLED
    said = "I am asleep: head down, motors off." if off else "My head is down, but my motors stayed on."
    return {"message": said, "motor_mode": arrival.state.mode, "final_position": position(arrival.state.pose)}


@tool(group="robot", tier="notify", moves=True)
async def set_motor_mode(
    ctx: Context,
    mode: Annotated[
        MotorMode,
        Field(description="enabled holds still, disabled lies down and lets go, gravity_compensation yields to a hand"),
    ],
) -> dict[str, Any]:
    """Switch the motors. Before they go off the head is laid down, so that it does not drop."""
    async with moving(ctx, "set_motor_mode") as motion:
        if mode is MotorMode.DISABLED:
            if motion.state.mode is not mode:
                await motion.sleep()
            if motion.state.mode is not mode:  # sleep tolerates motors that stay on
                await motion.motor_mode(mode)
            said = "My motors are off."
        elif motion.state.mode is mode and motion.state.engaged is (mode is MotorMode.ENABLED):
            said = f"My motors were {_spoken(mode)} already."
        else:
            await motion.motor_mode(mode)
            said = f"My motors are {_spoken(mode)}."
        state = motion.state
    return {"message": said, "motor_mode": state.mode, "final_position": position(state.pose)}


@tool(group="robot", tier="autonomous")
async def stop(ctx: Context) -> dict[str, Any]:
    """Stop every movement at once and hold still."""
    ended = [movement.what for movement in RunningMovements.of(ctx.parts).end("stop was called")]
    motion = ctx.parts.motion
    if motion is None:
        return {"message": "There is no robot, so nothing is moving.", "stopped": ended}
    ctx.parts.bus.publish(RobotStopped())
    arrival = await motion.stop()
    what = f": {', '.join(ended).replace('_', ' ')}" if ended else ""
    return {"message": f"I stopped{what}.", "stopped": ended, "final_position": position(arrival.state.pose)}


@tool(group="robot", tier="autonomous", read_only=True)
async def do_nothing(
    ctx: Context,  # noqa: ARG001 -- needs nothing
    reason: Annotated[str, Field(max_length=500, description="Why, if there is a reason")] = "",
) -> dict[str, Any]:
    """Do nothing: stay as you are and keep quiet."""
    return {"message": "I do nothing.", "reason": reason}


@tool(group="robot", tier="autonomous", read_only=True)
async def get_robot_state(ctx: Context) -> dict[str, Any]:
    """Tell how the robot is: awake or asleep, moving or still, motors, connection, pose."""
    motion = ctx.motion
    state = motion.state
    doing = "asleep" if not motion.awake else "moving" if state.busy else "awake and still"
    trouble = f" The robot reports: {state.error}." if state.error else ""
    return {
        "message": f"I am {doing}; motors {_spoken(state.mode)}.{_running(ctx)}{trouble}",
        "robot": state.robot,
        "simulated": state.simulated,
        "version": state.version,
        "link": motion.status,
        "age_ms": _age_ms(state),
        "awake": motion.awake,
        "moving": state.busy,
        "motor_mode": state.mode,
        "pose": state.pose.in_degrees(),
        "antennas": antennas(state.pose),
        "light": LightState.of(ctx.parts).as_dict(),
        "error": state.error or None,
    }


def _running(ctx: Context) -> str:
    """What goes on in the background, in words."""
    tasks = [task for task in ctx.parts.tasks.all() if task.state == "running"] if ctx.parts.tasks is not None else []
    names = [task.tool.rpartition(".")[2].replace("_", " ") for task in tasks]
    return f" In the background I do this: {', '.join(names)}." if names else ""


@tool(group="robot", tier="autonomous", read_only=True)
async def get_pose(ctx: Context) -> dict[str, Any]:
    """Tell where head, body and antennas are: degrees, left, down and leaning right positive; millimetres."""
    pose = ctx.motion.state.pose
    now = pose.in_degrees()
    where = f"yaw {now['yaw']:.0f}, pitch {now['pitch']:.0f}, roll {now['roll']:.0f} degrees"
    return {
        "message": f"My head is at {where}; my body at {now['body_yaw']:.0f}.",
        "pose": now,
        "antennas": antennas(pose),
    }


@tool(group="robot", tier="autonomous", read_only=True)
async def get_sensor_data(
    ctx: Context,
    sensors: Annotated[list[Sensor] | None, Field(description="Which ones; all, if not given")] = None,
) -> dict[str, Any]:
    """Read the sensors: joint angles, antennas, motors, connection, sound direction; tells which there are not."""
    motion = ctx.motion
    wanted = sensors or [*PRESENT, *ABSENT]
    read: dict[str, Any] = {name: await _reading(name, motion) for name in wanted if name in PRESENT}
    absent = {name: ABSENT[name] for name in wanted if name in ABSENT}
    said = f"I read {', '.join(read) or 'nothing'}."
    if absent:
        said += f" There is no {' and no '.join(absent).replace('_', ' ')}."
    return {"message": said, **read, "absent": absent}


async def _reading(sensor: Sensor, motion: Motion) -> dict[str, Any]:
    state = motion.state
    match sensor:
        case "joints":
            return {name: round(math.degrees(j), 2) for name, j in zip(JOINTS, state.joints, strict=True)}
        case "antennas":
            return dict(antennas(state.pose))
        case "motors":
            return {"mode": state.mode, "moving": state.busy, "error": state.error or None}
        case "sound_direction":
            heard = await motion.sound_direction()
            left = None if heard is None else round(90 - math.degrees(heard.angle), 1)
            return {"degrees_left_of_the_head": left, "somebody_speaks": heard is not None and heard.speech_detected}
        case _:
            return {"status": motion.status, "age_ms": _age_ms(state)}


def _age_ms(state: State) -> float:
    return round((time.monotonic() - state.at) * 1000, 1)


def _spoken(mode: MotorMode | None) -> str:
    match mode:
        case MotorMode.ENABLED:
            return "on"
        case MotorMode.DISABLED:
            return "off"
        case MotorMode.GRAVITY_COMPENSATION:
            return "yielding to a hand"
        case None:
            return "not known"


TOOLS: tuple[Tool, ...] = (
    wake_up,
    sleep,
    set_motor_mode,
    stop,
    do_nothing,
    get_robot_state,
    get_pose,
    get_sensor_data,
)
