"""`Overlay`: faces and objects detected in the camera's latest picture, cached for all clients that draw them."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Awaitable, Sequence
from typing import Any, TypeVar

from reachy_mind.errors import MindError
from reachy_mind.eyes.faces import Face
from reachy_mind.eyes.objects import DetectedObject
from reachy_mind.mind import Mind
from reachy_mind.tools.acts import FIND_FACES, FIND_OBJECTS, TAKE_PICTURE, Act
from reachy_mind.tools.definition import Tier

CACHE_S = 0.25
"""A request within this time gets the same result."""
SAME_FACE = 1.0
"""A face is the followed one if its distance from the expected place is below this many times its height."""
MAX_DETECTIONS = 60

Detections = dict[str, Any]
Part = TypeVar("Part")


class Overlay:
    """One for the server. Detects only on request."""

    def __init__(self, mind: Mind) -> None:
        self._mind = mind
        self._lock = asyncio.Lock()
        self._cached: Detections = {}
        self._cached_at = 0.0

    async def detect(self) -> Detections:
        """The current detections. A camera that is off or a missing detector is in the result, not raised."""
        async with self._lock:
            if not self._cached or time.monotonic() - self._cached_at > CACHE_S:
                self._cached = await self._look()
                self._cached_at = time.monotonic()
            return self._cached

    async def _look(self) -> Detections:
        found: Detections = {"camera": "open", "reason": "", "hint": "", "at": time.time(), "width": 0, "height": 0}
        found |= {"faces": [], "things": [], "missing": []}
        sight = self._mind.sight
        if refused := self._refused(TAKE_PICTURE):
            return found | {"camera": "off", "reason": refused, "hint": "see the rules in permissions.yaml"}
        try:
            picture = await sight.look()
        except MindError as error:
            camera = "off" if error.code == "NOT_READY" else "lost"
            return found | {"camera": camera, "reason": error.message, "hint": error.hint}
        taken_at = time.time() - (time.monotonic() - picture.taken_at)
        found |= {"at": round(taken_at, 3), "width": picture.width, "height": picture.height}
        if sight.state in ("dark", "frozen"):
            return found | {"camera": sight.state, "reason": sight.described()["trouble"]}
        missing: list[str] = []
        faces: Sequence[Face] = []
        things: Sequence[DetectedObject] = []
        if refused := self._refused(FIND_FACES):
            missing.append(refused)
        else:
            faces = await _or_missing(sight.faces(picture), missing)
        if refused := self._refused(FIND_OBJECTS):
            missing.append(refused)
        else:
            things = await _or_missing(sight.things(picture), missing)
        direction = sight.gaze.followed(picture.taken_at)
        place = sight.lens.project(*direction, sight.pose_at(picture.taken_at)) if direction is not None else None
        return found | {"faces": _faces(faces, place), "things": _things(things), "missing": missing}

    def _refused(self, act: Act) -> str:
        """Why an act is not done without a yes; empty when it is. This is polled, so nobody is asked."""
        decision = self._mind.toolbox.decisions.acts((act,))
        return f"{decision.tier.label}: {decision.reason}" if decision.tier >= Tier.CONFIRM else ""


async def _or_missing(detecting: Awaitable[Sequence[Part]], missing: list[str]) -> Sequence[Part]:
    try:
        return (await detecting)[:MAX_DETECTIONS]
    except MindError as error:
        missing.append(error.message)
        return []


def _faces(faces: Sequence[Face], followed: tuple[float, float] | None) -> list[Detections]:
    """At most one is marked as followed: the nearest to the expected place `followed`, if it is near enough."""
    distances = [math.dist(face.box.centre, followed) / face.box.height if followed else math.inf for face in faces]
    nearest = min(distances, default=math.inf)
    return [
        {
            "confidence": round(face.score, 3),
            "box": face.box.clipped().as_dict(),
            "followed": distance == nearest < SAME_FACE,
        }
        for face, distance in zip(faces, distances, strict=True)
    ]


def _things(things: Sequence[DetectedObject]) -> list[Detections]:
    return [
        {
            "name": thing.name[:60],
            "confidence": round(thing.score, 3),
            "box": thing.box.clipped().as_dict(),
            "detector": thing.detector,
        }
        for thing in things
    ]
