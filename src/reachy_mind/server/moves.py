"""Move routes: list and search moves, the trajectory of one for plotting, and deleting one's own."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Query

from reachy_mind.body.pose import Pose
from reachy_mind.mind import Mind
from reachy_mind.motion.moves import Frames
from reachy_mind.motion.repertoire import Kind, RepertoireEntry
from reachy_mind.tools.context import Caller

AXES = ("roll", "pitch", "yaw", "body_yaw", "antenna_left", "antenna_right")
MAX_SAMPLES = 200


def router(mind: Mind) -> APIRouter:
    routes = APIRouter(prefix="/api/v1")

    @routes.get("/moves")
    async def moves(
        kind: Kind | None = None,
        query: Annotated[str, Query(max_length=100)] = "",
        offset: Annotated[int, Query(ge=0)] = 0,
        limit: Annotated[int, Query(ge=1, le=1000)] = 100,
    ) -> dict[str, Any]:
        """Moves that can be played; with a query, those with all of its words in name, kind or description."""
        words = query.casefold().split()
        entries = [
            entry
            for entry in await asyncio.to_thread(mind.repertoire.entries)
            if kind in (None, entry.kind) and all(word in _searchable_text(entry) for word in words)
        ]
        listed = [asdict(entry) | {"own": _is_own(entry)} for entry in entries[offset : offset + limit]]
        return {"moves": listed, "total": len(entries)}

    @routes.get("/moves/{name:path}/trajectory")
    async def trajectory(name: str) -> dict[str, Any]:
        """Angles of head, body and antennas over time, in degrees and seconds, for plotting."""
        clip = await asyncio.to_thread(mind.repertoire.clip, name)
        about = {"name": clip.name, "description": clip.description, "sound": clip.sound is not None}
        return about | sampled_trajectory(clip.frames)

    @routes.delete("/moves/{name}")
    async def remove(name: str) -> dict[str, Any]:
        """Delete one of your own moves, for good; needs a person's confirmation."""
        return await mind.act("robot.remove_move", {"name": name}, Caller("person", "rest"))

    return routes


def sampled_trajectory(frames: Frames) -> dict[str, Any]:
    """At most `MAX_SAMPLES` samples of a move and its last frame, in degrees, by axis."""
    step = max(1, math.ceil(len(frames.frames) / MAX_SAMPLES))
    kept: Sequence[Any] = frames.frames[::step]
    if (len(frames.frames) - 1) % step:
        kept = [*kept, frames.frames[-1]]
    poses = [Pose(*frame) for frame in kept]
    times = [round(min(index * step, len(frames.frames) - 1) / 100, 3) for index in range(len(poses))]
    axes = {axis: [round(math.degrees(getattr(pose, axis)), 2) for pose in poses] for axis in AXES}
    return {"duration_s": round(frames.duration, 2), "times": times, "axes": axes}


def _searchable_text(entry: RepertoireEntry) -> str:
    return f"{entry.name} {entry.kind} {entry.description}".replace("_", " ").casefold()


def _is_own(entry: RepertoireEntry) -> bool:
    return entry.kind == "recorded" and "/" not in entry.name
