"""Finds the target of a demonstration with the camera: the thing that the task names."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from reachy_mind.body.pose import Pose
from reachy_mind.eyes import answers
from reachy_mind.eyes.faces import Face
from reachy_mind.eyes.frame_source import CameraFrame
from reachy_mind.eyes.lens import Lens
from reachy_mind.eyes.object_names import KINDS, KNOWN, PEOPLE, canonical, singular
from reachy_mind.eyes.objects import DetectedObject
from reachy_mind.eyes.pictures import Picture
from reachy_mind.eyes.questions import subject
from reachy_mind.learning.demonstrations.sightings import TargetSighting

_NAMED = re.compile(
    r"\b(?:the|an?|my|your|his|her|our|their|this|that|these|those|some|at|for|to|towards?)\s+"
    r"(?=((?:[\w-]+\s+){0,3}[\w-]+))",
    re.IGNORECASE,
)
"""What follows an article or a preposition; "face" is a verb in "face the duck"."""
_ME = frozenset(("me", "us"))
LONGEST_NAME = 3


@dataclass(frozen=True, slots=True)
class NamedTarget:
    """What a task is about: an everyday name, and a colour if one is said."""

    name: str
    colour: str = ""


class TargetSight(Protocol):
    """The part of the eyes that finds things; `eyes.sight.Sight` has it."""

    lens: Lens

    async def things(self, picture: Picture) -> list[DetectedObject]: ...

    async def faces(self, picture: Picture) -> list[Face]: ...

    def pose_at(self, moment: float) -> Pose: ...


def named_target(task: str) -> NamedTarget | None:
    """The first thing in the words of a task that detectors know: "look at the red apple on the table" is about an
    apple. None when there is none."""
    for match in _NAMED.finditer(task):
        words = match[1].casefold().split()
        for start, phrase in _phrases(words):
            if phrase in _ME:
                return NamedTarget(PEOPLE)
            name = canonical(phrase)
            if name in KNOWN or singular(phrase) in KINDS:
                _, colour = subject(" ".join(words[: start + 1]))
                return NamedTarget(name, colour)
    return None


def _phrases(words: list[str]) -> Iterator[tuple[int, str]]:
    """Runs of words, by where they begin, the longest first."""
    for start in range(len(words)):
        for count in range(min(LONGEST_NAME, len(words) - start), 0, -1):
            yield start, " ".join(words[start : start + count])


class TargetFinder:
    """Finds one target in frames, one after the other. Of several that match it stays with the one it had."""

    def __init__(self, sight: TargetSight, target: NamedTarget) -> None:
        self._sight, self._target = sight, target
        self._last: tuple[float, float] | None = None

    async def find(self, frame: CameraFrame) -> TargetSighting:
        """Raises a MindError when the detector can't be used."""
        picture = await frame.picture()
        there = await self._there(picture)
        if not there:
            return TargetSighting(frame.taken_at, visible=False)
        lens, pose = self._sight.lens, self._sight.pose_at(frame.taken_at)
        if (last := self._last) is not None:
            there.sort(key=lambda one: math.dist(lens.direction(one[0], one[1], pose), last))
        across, down, distance = there[0]
        self._last = lens.direction(across, down, pose)
        ahead, left, up = lens.ray(across, down)
        yaw, pitch = float(np.arctan2(left, ahead)), float(-np.arctan2(up, np.hypot(ahead, left)))
        return TargetSighting(frame.taken_at, yaw, pitch, distance=distance)

    async def _there(self, picture: Picture) -> list[tuple[float, float, float]]:
        """Place in the picture and distance (0: unknown) of what matches, the likeliest first."""
        if self._target.name == PEOPLE:
            return [(*face.box.centre, 0.0) for face in await self._sight.faces(picture)]
        found = answers.matching(await self._sight.things(picture), self._target.name, self._target.colour)
        return [(*one.box.centre, one.distance_m or 0.0) for one in found]
