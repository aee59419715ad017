"""Hearing tools: listen, look towards a voice, switch the microphone."""

from __future__ import annotations

import asyncio
import math
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from reachy_mind.body.pose import Pose
from reachy_mind.errors import NotReady
from reachy_mind.tools.builtin.head import facing, sideways
from reachy_mind.tools.builtin.movement import clamped_axes, move_to, position
from reachy_mind.tools.definition import Tool, tool

if TYPE_CHECKING:
    from reachy_mind.motion.client import Motion
    from reachy_mind.tools.context import Context

POLL_S = 0.05


@tool(group="robot", tier="autonomous", moves=True, timeout_s=60)
async def look_at_sound(
    ctx: Context,
    timeout_ms: Annotated[int, Field(ge=100, le=30000, description="How long to wait for a sound")] = 2000,
) -> dict[str, Any]:
    """Turn to where a voice comes from."""
    try:
        async with asyncio.timeout(timeout_ms / 1000):
            yaw = await _voice_at(ctx.motion)
    except TimeoutError:
        return {"message": "I hear nobody to look at.", "found": False}
    arrival = await move_to(ctx, "look_at_sound", lambda pose: facing(pose, Pose(yaw=yaw)))
    return {
        "message": f"I heard a voice from {sideways(math.degrees(yaw))} and am looking there.",
        "found": True,
        "heard_at": round(math.degrees(yaw), 1),
        "final_position": position(arrival.state.pose),
        "clamped": clamped_axes(arrival.clamped),
    }


async def _voice_at(motion: Motion) -> float:
    """Wait for a voice, and return its direction in radians left of the robot's front.

    The microphone array can't tell front from back. Raises NotReady for a robot without sound direction.
    """
    while True:
        heard = await motion.sound_direction()
        if heard is None:
            raise NotReady(
                "the robot does not tell where sounds come from", hint="its microphone array may be in use or missing"
            )
        if heard.speech_detected:
            return math.remainder(motion.state.pose.yaw + math.pi / 2 - heard.angle, math.tau)
        await asyncio.sleep(POLL_S)


@tool(group="perception", tier="autonomous", timeout_s=90, read_only=True)
async def listen(
    ctx: Context,
    duration_seconds: Annotated[float, Field(ge=0.5, le=60, description="How long to listen")] = 3.0,
) -> dict[str, Any]:
    """Listen for some seconds and tell what was said."""
    text = await ctx.voice.listen(duration_seconds)
    said = f'I heard "{text.rstrip(".")}".' if text else "I heard nobody speak."
    return {"message": said, "text": text, "seconds": duration_seconds}


@tool(group="perception", tier="notify", timeout_s=60)
async def set_microphone(
    ctx: Context, enabled: Annotated[bool, Field(description="true: on; false: off")]
) -> dict[str, Any]:
    """Switch the microphone on or off; off, it is closed."""
    state = await ctx.voice.switch_microphone(on=enabled)
    sentences = {"open": "My microphone is on", "off": "My microphone is off", "lost": "My microphone can't be opened"}
    return {"message": f"{sentences.get(state, f'My microphone is {state}')}.", "microphone": state}


TOOLS: tuple[Tool, ...] = (look_at_sound, listen, set_microphone)
