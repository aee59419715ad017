"""`Overlay`: what is recognised in the camera's latest picture, for everybody who draws it, found once for them all."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Awaitable, Sequence
from typing import Any, TypeVar

from reachy_mind.errors import MindError
from reachy_mind.eyes.faces import Face
from reachy_mind.eyes.things import Seen
from reachy_mind.mind import Mind

FRESH_S = 0.25
"""Who asks again sooner gets the same."""
SAME_FACE = 1.0
"""A face is where somebody should be if it is not further from there than it is high."""
MOST_DRAWN = 60

Told = dict[str, Any]
Part = TypeVar("Part")


class Overlay:
    """One for the server. Looks only when somebody asks."""

    def __init__(self, mind: Mind) -> None:
        self._mind = mind
        self._lock = asyncio.Lock()
        self._told: Told = {}
        self._told_at = 0.0

    async def now(self) -> Told:
        """A camera that is off and a detector that is missing are told of, not raised."""
        async with self._lock:
            if not self._told or time.monotonic() - self._told_at > FRESH_S:
                self._told = await self._look()
                self._told_at = time.monotonic()
            return self._told

    async def _look(self) -> Told:
        told: Told = {"camera": "open", "reason": "", "hint": "", "at": time.time(), "width": 0, "height": 0}
        told |= {"faces": [], "things": [], "missing": []}
        sight = self._mind.sight
        try:
            picture = await sight.look()
        except MindError as error:
            camera = "off" if error.code == "NOT_READY" else "lost"
            return told | {"camera": camera, "reason": error.message, "hint": error.hint}
        taken_at = time.time() - (time.monotonic() - picture.taken_at)
        told |= {"at": round(taken_at, 3), "width": picture.width, "height": picture.height}
        if sight.state in ("dark", "frozen"):
            return told | {"camera": sight.state, "reason": sight.described()["trouble"]}
        missing: list[str] = []
        faces = await _found(sight.faces(picture), missing)
        things = await _found(sight.things(picture), missing)
        direction = sight.gazing.followed(picture.taken_at)
        place = sight.lens.place(*direction, sight.pose_at(picture.taken_at)) if direction is not None else None
        return told | {"faces": _faces(faces, place), "things": _things(things), "missing": missing}


async def _found(finding: Awaitable[Sequence[Part]], missing: list[str]) -> Sequence[Part]:
    try:
        return (await finding)[:MOST_DRAWN]
    except MindError as error:
        missing.append(error.message)
        return []


def _faces(faces: Sequence[Face], followed: tuple[float, float] | None) -> list[Told]:
    """At most one of them is the followed one: the nearest to where they should be, if it is near enough."""
    away = [math.dist(face.box.centre, followed) / face.box.height if followed else math.inf for face in faces]
    nearest = min(away, default=math.inf)
    return [
        {
            "confidence": round(face.score, 3),
            "box": face.box.within().as_dict(),
            "followed": distance == nearest < SAME_FACE,
        }
        for face, distance in zip(faces, away, strict=True)
    ]


def _things(things: Sequence[Seen]) -> list[Told]:
    return [
        {
            "name": thing.name[:60],
            "confidence": round(thing.score, 3),
            "box": thing.box.within().as_dict(),
            "detector": thing.detector,
        }
        for thing in things
    ]
