"""`Overlay`: what is recognised in the camera's latest picture, for everybody who draws it, found once for them all."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Sequence
from typing import Any, Protocol, TypeVar, runtime_checkable

import numpy as np

from reachy_mind.errors import MindError
from reachy_mind.eyes.boxes import Box
from reachy_mind.eyes.pictures import Picture
from reachy_mind.mind import Mind
from reachy_mind.tools.builtin.pictures import Faced, FindsFaces, FindsThings, Found

FRESH_S = 0.25
"""Who asks again sooner gets the same."""
DARK = 6.0
"""Mean brightness, of 255, under which nothing can be seen: a lid, or a camera that sends black."""
SAME_FACE = 0.3
MOST_DRAWN = 60

Told = dict[str, Any]
Part = TypeVar("Part")


@runtime_checkable
class Watches(Protocol):
    """Eyes that notice when their camera is black or frozen."""

    @property
    def trouble(self) -> str:
        """In words; empty when nothing is wrong."""


@runtime_checkable
class Follows(Protocol):
    """Eyes that follow a face."""

    @property
    def followed(self) -> Box | None:
        """Where it was last; None when none is followed."""


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
        if await asyncio.to_thread(_is_dark, picture):
            return told | {"camera": "dark", "reason": "the camera's picture is black", "hint": "is something over it?"}
        if isinstance(sight, Watches) and sight.trouble:
            return told | {"camera": "frozen", "reason": sight.trouble}
        missing: list[str] = []
        faces = await _found(sight.faces(picture), missing) if isinstance(sight, FindsFaces) else []
        things = await _found(sight.things(picture), missing) if isinstance(sight, FindsThings) else []
        followed = sight.followed if isinstance(sight, Follows) else None
        return told | {"faces": _faces(faces, followed), "things": _things(things), "missing": missing}


async def _found(finding: Awaitable[Sequence[Part]], missing: list[str]) -> Sequence[Part]:
    try:
        return (await finding)[:MOST_DRAWN]
    except MindError as error:
        missing.append(error.message)
        return []


def _faces(faces: Sequence[Faced], followed: Box | None) -> list[Told]:
    """At most one of them is the followed one: that which is nearest to where it was."""
    alike = [face.box.overlap(followed) if followed else 0.0 for face in faces]
    best = max(alike, default=0.0)
    return [
        {
            "confidence": round(face.score, 3),
            "box": face.box.within().as_dict(),
            "followed": share == best and share > SAME_FACE,
        }
        for face, share in zip(faces, alike, strict=True)
    ]


def _things(things: Sequence[Found]) -> list[Told]:
    return [
        {
            "name": thing.name[:60],
            "confidence": round(thing.score, 3),
            "box": thing.box.within().as_dict(),
            "detector": thing.detector,
        }
        for thing in things
    ]


def _is_dark(picture: Picture) -> bool:
    return float(np.mean(picture.pixels[::8, ::8])) < DARK
