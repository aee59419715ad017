"""`ThingKind`: the things that stand in scenes with a camera: some to train with, others that are held out.

The held-out ones have other shapes and proportions: a policy that learned from the boxes of round things meets a box
that is flat, tall or lopsided.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from reachy_mind.learning.environments.bodies import Array
from reachy_mind.sim.appearance import ThingLook

ThingSet = Literal["usual", "unseen"]


@dataclass(frozen=True)
class ThingKind:
    """`low` and `high`: corners of the box around the upright thing at a yaw of 0, in metres from the body's origin."""

    name: str
    look: ThingLook
    low: tuple[float, float, float]
    high: tuple[float, float, float]

    @property
    def half_height(self) -> float:
        return (self.high[2] - self.low[2]) / 2

    def origin(self, middle: Array, yaw: float) -> Array:
        """Where the body's origin is when the middle of the thing is there."""
        x, y, z = (np.array(self.low) + np.array(self.high)) / 2
        cos, sin = math.cos(yaw), math.sin(yaw)
        origin: Array = middle - np.array([cos * x - sin * y, sin * x + cos * y, z])
        return origin


def _primitive(name: str, look: ThingLook, x: float, y: float, z: float) -> ThingKind:
    return ThingKind(name, look, (-x, -y, -z), (x, y, z))


_BALL = ThingLook(shape="sphere", half_sizes=(0.04, 0.0, 0.0), color=(0.85, 0.15, 0.1))
_CUP = ThingLook(shape="cylinder", half_sizes=(0.04, 0.05, 0.0), color=(0.15, 0.35, 0.75))
_BOOK = ThingLook(shape="box", half_sizes=(0.015, 0.065, 0.09), color=(0.2, 0.5, 0.25))
_BOTTLE = ThingLook(shape="cylinder", half_sizes=(0.033, 0.11, 0.0), color=(0.1, 0.45, 0.4))

KINDS: Mapping[ThingSet, tuple[ThingKind, ...]] = {
    "usual": (
        ThingKind("apple", ThingLook(shape="apple"), (-0.0503, -0.0465, 0.0), (0.0477, 0.0491, 0.0854)),
        _primitive("ball", _BALL, 0.04, 0.04, 0.04),
        _primitive("cup", _CUP, 0.04, 0.04, 0.05),
    ),
    "unseen": (
        ThingKind("duck", ThingLook(shape="duck"), (-0.0601, -0.0437, 0.0), (0.0567, 0.0434, 0.1142)),
        ThingKind("croissant", ThingLook(shape="croissant"), (-0.0634, -0.1038, -0.0323), (0.0122, 0.0938, 0.0432)),
        _primitive("book", _BOOK, 0.015, 0.065, 0.09),
        _primitive("bottle", _BOTTLE, 0.033, 0.033, 0.11),
    ),
}
"""The corners of the meshes were measured on their vertices, upright."""
