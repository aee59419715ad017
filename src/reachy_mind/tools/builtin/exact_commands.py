"""Exact commands for the command line, the page and programs: any pose in numbers, any move with all parameters.

They are hidden from brains, which have simpler tools for the same, but pass the same gate.
"""

from __future__ import annotations

import asyncio
import math
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field, FiniteFloat

from reachy_mind.body.limits import reachable_body_yaw
from reachy_mind.body.pose import AWAKE, Pose
from reachy_mind.events import RobotMoved
from reachy_mind.motion.clips import Clip
from reachy_mind.motion.editing import Edit, trim_still_ends
from reachy_mind.motion.moves import MAX_DURATION_S
from reachy_mind.tools.context import Context
from reachy_mind.tools.definition import Tool, tool

if TYPE_CHECKING:
    from reachy_mind.motion.client import Arrival, Motion

Seconds = Annotated[FiniteFloat, Field(ge=0.1, le=60, description="How long the movement takes")]
Degrees = Annotated[FiniteFloat, Field(description="Degrees; left, down and leaning right are positive")]
Millimetres = Annotated[FiniteFloat | None, Field(description="Millimetres: forward, left and up are positive")]
Angle = Annotated[FiniteFloat | None, Field(description="Degrees; left, down and leaning right are positive")]
Clamp = Annotated[bool, Field(description="Go as far as the robot can instead of refusing")]


def apply_target(pose: Pose, target: dict[str, float | None]) -> Pose:
    """`pose` with the given values in millimetres and degrees. The body follows the head if needed."""
    said = {
        name: value / 1000 if name in "xyz" else math.radians(value)
        for name, value in target.items()
        if value is not None
    }
    merged = replace(pose, **said)
    return merged if "body_yaw" in said else replace(merged, body_yaw=reachable_body_yaw(merged.yaw, pose.body_yaw))


def report(motion: Motion) -> dict[str, Any]:
    """The last reported state. Raises LinkLost while the robot can't be reached."""
    state = motion.state
    return {
        "robot": state.robot,
        "address": str(motion.address),
        "simulated": state.simulated,
        "version": state.version,
        "link": motion.status,
        "motor_mode": state.mode,
        "busy": state.busy,
        "pose": state.pose.in_degrees(),
        "joints": [round(math.degrees(joint), 2) for joint in state.joints],
        "age_ms": round((time.monotonic() - state.at) * 1000, 1),
        "error": state.error or None,
    }


def arrival_result(ctx: Context, command: str, arrival: Arrival) -> dict[str, Any]:
    """Publish and return where a command ended, as measured."""
    measured = arrival.state.pose.in_degrees()
    ctx.parts.bus.publish(RobotMoved(command=command, measured=measured))
    clamped = [clamp.as_dict() for clamp in arrival.clamped]
    result = {"pose": measured, "motor_mode": arrival.state.mode, "clamped": clamped}
    return {"command": command} | report(ctx.motion) | result


async def goto_awake(motion: Motion, target: dict[str, float | None], seconds: float, *, clamp: bool) -> Arrival:
    """Wake the robot and move it. A target out of reach raises before it wakes."""
    if not clamp:
        motion.kinematics.require_reach(apply_target(motion.state.command if motion.awake else AWAKE, target))
    await motion.wake()
    # From the commanded pose, not the measured one: else the sag of every call would add up.
    return await motion.goto(apply_target(motion.state.command, target), seconds, clamp=clamp)


@tool(group="robot", tier="autonomous", moves=True, hidden=True, timeout_s=90)
async def look(
    ctx: Context,
    yaw: Degrees = 0.0,
    pitch: Degrees = 0.0,
    roll: Degrees = 0.0,
    duration: Seconds = 1.0,
    clamp: Clamp = False,
) -> dict[str, Any]:
    """Turn the head to exact angles; what is not given is level, and the body follows when the neck can't."""
    target: dict[str, float | None] = {"x": 0.0, "y": 0.0, "z": 0.0, "yaw": yaw, "pitch": pitch, "roll": roll}
    return arrival_result(ctx, "look", await goto_awake(ctx.motion, target, duration, clamp=clamp))


@tool(group="robot", tier="autonomous", moves=True, hidden=True, timeout_s=90)
async def goto(
    ctx: Context,
    x: Millimetres = None,
    y: Millimetres = None,
    z: Millimetres = None,
    roll: Angle = None,
    pitch: Angle = None,
    yaw: Angle = None,
    body_yaw: Angle = None,
    antenna_left: Angle = None,
    antenna_right: Angle = None,
    duration: Seconds = 1.0,
    clamp: Clamp = False,
) -> dict[str, Any]:
    """Move any part to exact places, millimetres and degrees; what is not given stays."""
    target = {"x": x, "y": y, "z": z, "roll": roll, "pitch": pitch, "yaw": yaw, "body_yaw": body_yaw}
    target |= {"antenna_left": antenna_left, "antenna_right": antenna_right}
    return arrival_result(ctx, "goto", await goto_awake(ctx.motion, target, duration, clamp=clamp))


@tool(group="robot", tier="autonomous", moves=True, hidden=True, timeout_s=60)
async def wake(ctx: Context) -> dict[str, Any]:
    """Motors on, head up."""
    return arrival_result(ctx, "wake", await ctx.motion.wake())


@tool(group="robot", tier="autonomous", moves=True, hidden=True, timeout_s=60)
async def lie_down(ctx: Context) -> dict[str, Any]:
    """Head down, motors off."""
    return arrival_result(ctx, "sleep", await ctx.motion.sleep())


@tool(group="robot", tier="autonomous", moves=True, hidden=True, timeout_s=MAX_DURATION_S + 60)
async def perform(
    ctx: Context,
    name: Annotated[str, Field(min_length=1, max_length=500, description="A move, or several: nod+happy")],
    parameters: Annotated[dict[str, float | int | str], Field(description="How to do it, as moves list says")] = {},  # noqa: B006
    edit: Annotated[Edit | None, Field(description="What to change in it")] = None,
) -> dict[str, Any]:
    """Play a move of the repertoire, with every parameter it has, changed on the way."""
    motion, repertoire = ctx.motion, ctx.repertoire

    def load() -> Clip:
        clip = repertoire.clip(name, **parameters)
        return replace(clip, frames=edit.applied(clip.frames)) if edit else clip

    clip = await asyncio.to_thread(load)
    await motion.wake()
    sound = await motion.play_sound(clip.sound) if clip.sound is not None else "none"
    result = arrival_result(ctx, "play", await motion.play(clip.frames))
    return result | {"move": clip.name, "duration_s": round(clip.duration, 2), "sound": sound}


@tool(group="robot", tier="autonomous", hidden=True, timeout_s=MAX_DURATION_S + 60)
async def record_move(
    ctx: Context,
    name: Annotated[str, Field(min_length=1, max_length=64, description="What to call it")],
    seconds: Annotated[FiniteFloat, Field(ge=0.5, le=MAX_DURATION_S)] = 10.0,
    by_hand: Annotated[bool, Field(description="Let the motors yield, so that it can be posed")] = False,
    overwrite: bool = False,
    description: Annotated[str, Field(max_length=500)] = "",
) -> dict[str, Any]:
    """Keep what the robot does from now on as a move, whoever moves it."""
    motion, repertoire = ctx.motion, ctx.repertoire
    repertoire.path_for(name, overwrite=overwrite)
    if by_hand:
        async with motion.compliant():
            frames = trim_still_ends(await motion.record(seconds))
    else:
        frames = await motion.record(seconds)
    clip = Clip(name, frames, description)
    file = await asyncio.to_thread(repertoire.save, clip, overwrite=overwrite)
    return {"command": "record", "move": clip.name, "duration_s": round(clip.duration, 2), "file": str(file)}


TOOLS: tuple[Tool, ...] = (look, goto, wake, lie_down, perform, record_move)
