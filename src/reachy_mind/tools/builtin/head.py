"""Tools that move head, body and antennas to a target, in degrees and millimetres.

Every result has the measured position, and what was clamped.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from reachy_mind.body.limits import MAX_BODY_YAW, Clamped
from reachy_mind.body.pose import AWAKE, Pose
from reachy_mind.errors import InvalidParameter, OutOfReach
from reachy_mind.motion.library.gestures import Speed
from reachy_mind.motion.limits import RATE_HZ
from reachy_mind.motion.moves import Frames, min_jerk, rotated
from reachy_mind.tools.builtin.movement import (
    announce,
    antennas,
    clamp_sentence,
    clamped_axes,
    move_to,
    moving,
    position,
)
from reachy_mind.tools.definition import Tool, tool

if TYPE_CHECKING:
    from reachy_mind.motion.client import Arrival
    from reachy_mind.tools.context import Context

Direction = Literal["left", "right", "up", "down", "front", "center", "up_left", "up_right", "down_left", "down_right"]
SIDEWAYS, UP, DOWN = 35.0, 20.0, 25.0
"""Default degrees for a direction."""
SIDES, HEIGHTS = ("left", "right"), ("up", "down")
"""Directions that say nothing about the other angle, which can then be given."""
SPOKEN: dict[str, str] = {
    "left": "to my left",
    "right": "to my right",
    "front": "straight ahead",
    "center": "straight ahead",
    "up_left": "up and to my left",
    "up_right": "up and to my right",
    "down_left": "down and to my left",
    "down_right": "down and to my right",
}
EYE_FORWARD, EYE_HEIGHT = 0.0395, 0.0525
"""Position of the camera on the head, in metres from the head's pivot."""
NEAREST_M = 0.10
WIGGLE_DEGREES, WIGGLE_HZ, WIGGLE_S = 20.0, 2.0, 1.5
NECK = math.radians(45)
"""Beyond this neck angle the body turns along: a neck turned farther sags, and the head misses its aim."""
LEAST_TURN = math.radians(1)

HowFast = Annotated[Speed, Field(description="slow, normal or fast")]
Seconds = Annotated[float, Field(ge=0.1, le=30, description="Seconds the movement takes")]
MaybeSeconds = Annotated[float | None, Field(ge=0.1, le=30, description="Seconds the movement takes, instead of speed")]
Antenna = Annotated[
    float | None,
    Field(ge=-180, le=180, description="Degrees it leans outwards: 0 straight up, 90 level, 180 hanging down"),
]


@tool(group="robot", tier="autonomous", moves=True, timeout_s=60)
async def move_head(
    ctx: Context,
    direction: Annotated[
        Direction | None, Field(description="Where to look, seen from the robot; front and center are straight ahead")
    ] = None,
    pitch: Annotated[
        float | None, Field(ge=-45, le=45, description="Instead of up or down: degrees down; negative is up")
    ] = None,
    yaw: Annotated[
        float | None, Field(ge=-45, le=45, description="Instead of left or right: degrees left; negative is right")
    ] = None,
    roll: Annotated[
        float | None, Field(ge=-30, le=30, description="Degrees leaning to its right; negative is left")
    ] = None,
    speed: HowFast = "normal",
    degrees: Annotated[
        float | None, Field(ge=1, le=180, description="How far in that direction, if not as far as usual")
    ] = None,
    duration: MaybeSeconds = None,
) -> dict[str, Any]:
    """Turn the head: either in a direction, or to angles (pitch, yaw, roll; one that is not given is level)."""
    angles = (roll, pitch, yaw)
    if direction is None:
        if angles == (None, None, None) or degrees is not None:
            raise InvalidParameter("move_head: where to?", hint="a direction such as left, or pitch, yaw and roll")
        level = Pose(*(0.0, 0.0, 0.0), *(math.radians(angle or 0.0) for angle in angles))
        arrival = await move_to(ctx, "move_head", lambda pose: facing(pose, level), duration=duration, speed=speed)
        return looking(arrival, "at " + _angles(arrival.state.pose))
    if (pitch and direction not in SIDES) or (yaw and direction not in HEIGHTS):
        raise InvalidParameter(
            f"move_head: {direction} and an angle", hint="left or right with a pitch, up or down with a yaw"
        )
    across, down = towards(direction, degrees)
    lean, down, across = (math.radians(angle) for angle in (roll or 0.0, pitch or down, yaw or across))
    # A direction is relative to the body; angles alone are relative to the robot's foot, as they are reported.
    arrival = await move_to(
        ctx,
        "move_head",
        lambda pose: facing(pose, Pose(roll=lean, pitch=down, yaw=pose.body_yaw + across)),
        duration=duration,
        speed=speed,
    )
    return looking(arrival, SPOKEN.get(direction, direction))


@tool(group="robot", tier="autonomous", moves=True, timeout_s=60)
async def look_at(
    ctx: Context,
    roll: Annotated[float, Field(ge=-45, le=45, description="Degrees leaning to its right; negative is left")] = 0.0,
    pitch: Annotated[float, Field(ge=-45, le=45, description="Degrees down; negative is up")] = 0.0,
    yaw: Annotated[float, Field(ge=-180, le=180, description="Degrees to the left; negative is right")] = 0.0,
    z: Annotated[float, Field(ge=-50, le=50, description="Millimetres the head is raised; negative is lower")] = 0.0,
    duration: Seconds = 1.0,
) -> dict[str, Any]:
    """Bring the head to an exact pose; the body turns along when it is far to the side."""
    target = Pose(0.0, 0.0, z / 1000, math.radians(roll), math.radians(pitch), math.radians(yaw))
    arrival = await move_to(ctx, "look_at", lambda pose: facing(pose, target), duration=duration)
    return looking(arrival, "at " + _angles(arrival.state.pose))


@tool(group="robot", tier="autonomous", moves=True, timeout_s=60)
async def look_at_world(
    ctx: Context,
    x: Annotated[float, Field(ge=-100, le=100, description="Metres in front of the robot's foot")],
    y: Annotated[float, Field(ge=-100, le=100, description="Metres to its left; negative is right")],
    z: Annotated[float, Field(ge=-100, le=100, description="Metres above what it stands on; its eyes are at 0.23")],
    duration: Seconds = 1.0,
) -> dict[str, Any]:
    """Look at a point in the room, given in metres from the robot's foot."""
    down, left = _aim(x, y, z - ctx.motion.kinematics.head_height)
    arrival = await move_to(
        ctx, "look_at_world", lambda pose: facing(pose, Pose(pitch=down, yaw=left)), duration=duration
    )
    return looking(arrival, f"at the point {x:g} m ahead, {y:g} m to the left, {z:g} m up")


@tool(group="robot", tier="autonomous", moves=True, timeout_s=60)
async def rotate(
    ctx: Context,
    direction: Annotated[Literal["left", "right"], Field(description="Which way to turn")],
    degrees: Annotated[float, Field(ge=1, le=320, description="How far")] = 90.0,
    speed: HowFast = "normal",
) -> dict[str, Any]:
    """Turn the whole body on its foot, the head along with it; at most 160 degrees to either side of the front."""
    asked = math.radians(degrees if direction == "left" else -degrees)
    lost: list[Clamped] = []

    def target(pose: Pose) -> Pose:
        wanted = pose.body_yaw + asked
        given = min(max(wanted, -MAX_BODY_YAW), MAX_BODY_YAW)
        turn = given - pose.body_yaw
        if abs(turn) < LEAST_TURN:
            other = "right" if direction == "left" else "left"
            raise OutOfReach(f"the body can't turn any further {direction}", hint=f"it can turn {other}")
        lost[:] = [Clamped("body_yaw", wanted, given)] if abs(wanted - given) > 1e-6 else []
        x, y = rotated(pose.x, pose.y, turn)
        return replace(pose, x=x, y=y, yaw=pose.yaw + turn, body_yaw=given)

    arrival = await move_to(ctx, "rotate", target, speed=speed)
    clamped = (*lost, *arrival.clamped)
    faces = arrival.state.pose.in_degrees()["body_yaw"]
    return {
        "message": f"I turned {direction}; my body faces {sideways(faces)}.{clamp_sentence(clamped)}",
        "final_position": position(arrival.state.pose),
        "clamped": clamped_axes(clamped),
    }


@tool(group="robot", tier="autonomous", moves=True, timeout_s=60)
async def set_antennas(
    ctx: Context,
    left: Antenna = None,
    right: Antenna = None,
    wiggle: Annotated[bool, Field(description="Wiggle them there for a moment")] = False,
    duration: Annotated[float, Field(ge=0.1, le=10, description="Seconds the movement takes")] = 0.5,
) -> dict[str, Any]:
    """Move the antennas, or wiggle them; one that is not given stays as it is."""
    if left is None and right is None and not wiggle:
        raise InvalidParameter("set_antennas: what to do with them?", hint="left, right or wiggle")

    def target(pose: Pose) -> Pose:
        return replace(
            pose,
            antenna_left=pose.antenna_left if left is None else math.radians(left),
            antenna_right=pose.antenna_right if right is None else -math.radians(right),
        )

    if wiggle:
        async with moving(ctx, "set_antennas") as motion:
            await motion.wake()
            start = motion.state.command
            arrival = await motion.play(_wiggling(start, target(start), duration))
        announce(ctx, "set_antennas", arrival)
    else:
        arrival = await move_to(ctx, "set_antennas", target, duration=duration)
    now = antennas(arrival.state.pose)
    where = f"left {now['left']:.0f}, right {now['right']:.0f} degrees outwards"
    done = "I wiggled my antennas" if wiggle else "I moved my antennas"
    return {"message": f"{done}: {where}.", "antennas": now, "clamped": clamped_axes(arrival.clamped)}


@tool(group="robot", tier="autonomous", moves=True)
async def rest(ctx: Context, speed: HowFast = "normal") -> dict[str, Any]:
    """Go back to the resting posture: facing the front, head level, antennas up. It stays awake."""
    arrival = await move_to(ctx, "rest", lambda _: AWAKE, speed=speed)
    return {
        "message": "I am at rest, facing the front.",
        "final_position": position(arrival.state.pose),
        "clamped": clamped_axes(arrival.clamped),
    }


def towards(direction: str, degrees: float | None = None) -> tuple[float, float]:
    """Yaw (left is positive) and pitch (down is positive) of a direction, in degrees from straight ahead."""
    left = down = 0.0
    if "left" in direction:
        left = degrees or SIDEWAYS
    if "right" in direction:
        left = -(degrees or SIDEWAYS)
    if "up" in direction:
        down = -(degrees or UP)
    if "down" in direction:
        down = degrees or DOWN
    return left, down


def facing(pose: Pose, head: Pose, neck: float = NECK) -> Pose:
    """`pose` with the head as in `head`; the body turns along when the neck would exceed `neck`."""
    body_yaw = min(max(pose.body_yaw, head.yaw - neck), head.yaw + neck)
    return replace(
        head,
        body_yaw=min(max(body_yaw, -MAX_BODY_YAW), MAX_BODY_YAW),
        antenna_left=pose.antenna_left,
        antenna_right=pose.antenna_right,
    )


def _aim(x: float, y: float, z: float) -> tuple[float, float]:
    """Pitch and yaw that point the camera at a point, given in metres from the head's pivot."""
    ahead, far = math.hypot(x, y), math.hypot(x, y, z)
    if far < NEAREST_M + math.hypot(EYE_FORWARD, EYE_HEIGHT):
        raise OutOfReach("that point is inside my head, or too near to it", hint="at least 17 cm from my head")
    # The camera is above the head's axis; the pitch corrects for that offset.
    return math.asin(EYE_HEIGHT / far) - math.atan2(z, ahead), math.atan2(y, x) if ahead > 1e-6 else 0.0


def _wiggling(start: Pose, target: Pose, duration: float) -> Frames:
    frames = []
    for tick in range(math.ceil((duration + WIGGLE_S) * RATE_HZ) + 1):
        t = tick / RATE_HZ
        swinging = t - duration
        alive = min_jerk(swinging / 0.2) * min_jerk((WIGGLE_S - swinging) / 0.2)
        swing = math.radians(WIGGLE_DEGREES) * alive * math.sin(math.tau * WIGGLE_HZ * swinging)
        pose = start.blend(target, min_jerk(t / duration))
        # In parallel: one leans out while the other leans in.
        swung = replace(pose, antenna_left=pose.antenna_left + swing, antenna_right=pose.antenna_right + swing)
        frames.append(swung.as_tuple)
    return Frames(frames)


def looking(arrival: Arrival, where: str) -> dict[str, Any]:
    return {
        "message": f"I am looking {where}.{clamp_sentence(arrival.clamped)}",
        "final_position": position(arrival.state.pose),
        "clamped": clamped_axes(arrival.clamped),
    }


def _angles(pose: Pose) -> str:
    values = pose.in_degrees()
    return ", ".join(f"{name} {values[name]:.0f}" for name in ("pitch", "yaw", "roll")) + " degrees"


def sideways(degrees: float) -> str:
    if abs(degrees) < 3:
        return "the front"
    return f"{abs(degrees):.0f} degrees {'left' if degrees > 0 else 'right'} of the front"


TOOLS: tuple[Tool, ...] = (move_head, look_at, look_at_world, rotate, set_antennas, rest)
