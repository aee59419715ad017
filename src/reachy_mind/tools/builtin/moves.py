"""Tools that play moves of the repertoire (gestures, emotions, dances, recordings), and tools that stop them."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import AliasChoices, Field

from reachy_mind.errors import InvalidParameter, MindError
from reachy_mind.motion.editing import scaled, slowed
from reachy_mind.motion.library.dances import DANCES, MAX_REPEATS, numbered_dance, resolve_dance
from reachy_mind.motion.library.emotion_names import resolve_name
from reachy_mind.motion.library.emotions import EMOTIONS
from reachy_mind.motion.library.gestures import SLOWNESS, Side, Speed, Times
from reachy_mind.motion.library.score import DEFAULT_INTENSITY, MIN_INTENSITY
from reachy_mind.motion.moves import MAX_DURATION_S
from reachy_mind.tools.builtin.movement import RunningMovements, announce, clamped_axes, moving, position, wait_ended
from reachy_mind.tools.definition import Tool, tool

if TYPE_CHECKING:
    from reachy_mind.motion.clips import Clip
    from reachy_mind.tools.context import Context

STOP_SOUND_TIMEOUT_S = 0.5

HowOften = Annotated[Times, Field(description="How many times")]
HowFast = Annotated[Speed, Field(description="slow, normal or fast")]
Unused = Annotated[bool, Field(description="Not used; leave it out")]


@tool(group="robot", tier="autonomous", moves=True)
async def nod(ctx: Context, times: HowOften = 2, speed: HowFast = "normal") -> dict[str, Any]:
    """Nod to say yes."""
    return await _play(ctx, "nod", "I nodded.", times=times, speed=speed)


@tool(group="robot", tier="autonomous", moves=True)
async def shake(ctx: Context, times: HowOften = 2, speed: HowFast = "normal") -> dict[str, Any]:
    """Shake the head to say no."""
    return await _play(ctx, "shake", "I shook my head.", times=times, speed=speed)


@tool(group="robot", tier="autonomous", moves=True)
async def wave(
    ctx: Context,
    times: HowOften = 3,
    speed: HowFast = "normal",
    side: Annotated[Side, Field(description="With which antenna")] = "left",
) -> dict[str, Any]:
    """Wave hello or goodbye with an antenna."""
    return await _play(ctx, "wave", "I waved.", times=times, speed=speed, side=side)


@tool(group="robot", tier="autonomous", moves=True, timeout_s=60)
async def express_emotion(
    ctx: Context,
    emotion: Annotated[
        str, Field(min_length=1, max_length=60, description=f"One of: {', '.join(EMOTIONS)}; or a word like them")
    ],
    intensity: Annotated[
        float, Field(ge=0, le=1, description="0 is faint, 1 is as strong as can be")
    ] = DEFAULT_INTENSITY,
) -> dict[str, Any]:
    """Show a feeling with the whole body."""
    name = resolve_name(emotion, EMOTIONS)
    return await _play(ctx, name, f"I showed that I am {name}.", intensity=max(intensity, MIN_INTENSITY))


@tool(group="robot", tier="autonomous")
async def stop_emotion(ctx: Context, dummy: Unused = False) -> dict[str, Any]:  # noqa: ARG001 -- a source requires it
    """End the emotion that is being shown; other movements go on."""
    return await _stop_kind(ctx, "emotion", "I am not showing any emotion.")


@tool(group="robot", tier="autonomous", moves=True, timeout_s=300, background=True)
async def dance(
    ctx: Context,
    name: Annotated[
        str,
        Field(
            min_length=1,
            max_length=200,
            description=f"One of: {', '.join(DANCES)}; or random",
            validation_alias=AliasChoices("name", "dance_name"),
        ),
    ] = "random",
    repeat: Annotated[int, Field(ge=1, le=MAX_REPEATS, description="How many times; once takes about 10 s")] = 1,
    speed: HowFast = "normal",
    intensity: Annotated[float, Field(ge=0.3, le=1, description="How large the movements are; 1 is full size")] = 1.0,
) -> dict[str, Any]:
    """Dance one of the dances, or any of them at random."""
    try:
        known = resolve_dance(name)
    except InvalidParameter:
        try:
            return await _recorded_dance(ctx, name, repeat, slowness=SLOWNESS[speed], size=intensity)
        except InvalidParameter:
            if (known := numbered_dance(name)) == "":
                raise
    told = f"I danced the {known.replace('_', ' ')}."
    return await _play(ctx, known, told, slowness=SLOWNESS[speed], size=intensity, repeat=repeat)


@tool(group="robot", tier="autonomous")
async def stop_dance(ctx: Context, dummy: Unused = False) -> dict[str, Any]:  # noqa: ARG001 -- a source requires it
    """End the dance that is being danced; other movements go on."""
    return await _stop_kind(ctx, "dance", "I am not dancing.")


@tool(group="robot", tier="autonomous", moves=True, timeout_s=MAX_DURATION_S + 60, background=True)
async def play_move(
    ctx: Context,
    name: Annotated[
        str, Field(min_length=1, max_length=500, description="A move, DATASET/MOVE, or several: nod+happy+twist")
    ],
) -> dict[str, Any]:
    """Play any move of the repertoire by name: a recorded one, a gesture, an emotion or a dance."""
    return await _play(ctx, name, "")


async def _recorded_dance(ctx: Context, name: str, repeat: int, **how: float) -> dict[str, Any]:
    """Play a dance of a recorded dataset. Raises InvalidParameter when there is none of that name."""
    entry = await asyncio.to_thread(ctx.repertoire.entry, name)
    if entry.kind != "recorded":
        hint = f"one of {', '.join(DANCES)}, or random"
        raise InvalidParameter(f"{entry.name} is no dance but {entry.kind}", hint=hint)
    names = "+".join([entry.name] * repeat)
    return await _play(ctx, names, f"I danced {entry.name}.", kind="dance", **how)


async def _play(
    ctx: Context,
    name: str,
    message: str,
    *,
    kind: str | None = None,
    slowness: float = 1.0,
    size: float = 1.0,
    **parameters: Any,
) -> dict[str, Any]:
    """Play a move to its end, in `slowness` times its duration and at `size` times its size.

    Raises InvalidParameter for an unknown name, before it wakes the robot.
    """
    motion, repertoire = ctx.motion, ctx.repertoire

    def load() -> tuple[str, Clip]:
        clip = repertoire.clip(name, **parameters)
        found = repertoire.entry(name.partition("+")[0].strip()).kind
        return found, replace(clip, frames=slowed(scaled(clip.frames, size), slowness))

    found, clip = await asyncio.to_thread(load)
    sound = "none"
    async with moving(ctx, clip.name, kind or found):
        try:
            await motion.wake()
            if clip.sound is not None:
                sound = await motion.play_sound(clip.sound)
            arrival = await motion.play(clip.frames)
        except asyncio.CancelledError:
            if sound == "played":  # only a stop ends the sound; do not wait for the robot to rest
                with contextlib.suppress(MindError, TimeoutError):
                    async with asyncio.timeout(STOP_SOUND_TIMEOUT_S):
                        await motion.stop()
            raise
    announce(ctx, clip.name, arrival)
    said = message or f"I played {clip.name}."
    return {
        "message": said if sound in ("none", "played") else f"{said} Its sound could not be played.",
        "move": clip.name,
        "duration_s": round(clip.duration, 2),
        "sound": sound,
        "final_position": position(arrival.state.pose),
        "clamped": clamped_axes(arrival.clamped),
    }


async def _stop_kind(ctx: Context, kind: str, otherwise: str) -> dict[str, Any]:
    movements = RunningMovements.of(ctx.parts).end(f"stop_{kind} was called", {kind})
    await wait_ended(movements)
    names = [movement.what for movement in movements]
    said = f"I stopped: {', '.join(names).replace('_', ' ')}." if names else otherwise
    return {"message": said, "stopped": names}


TOOLS: tuple[Tool, ...] = (
    nod,
    shake,
    wave,
    express_emotion,
    stop_emotion,
    dance,
    stop_dance,
    play_move,
)
