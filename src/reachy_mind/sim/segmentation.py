"""Segmentation of a frame of the simulated eye: the visible objects, from MuJoCo's segmentation and depth images.

Runs in the camera process. An object is listed only when it is really visible: not occluded, not outside the picture,
not just a few pixels, and not too dark.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from reachy_mind.sim.body_pool import PEOPLE, THINGS, person_name, thing_name

if TYPE_CHECKING:
    import mujoco

MIN_POINTS = 60
"""Pixels of 230,400: a spot eight pixels wide can't be recognised."""
MIN_LIGHT = 14.0
"""Brightness of 255, of an object or its background: below, nothing can be distinguished."""
_NOTHING = -1


class Segments:
    """The segmentation for one model and camera."""

    def __init__(self, model: mujoco.MjModel, camera: str) -> None:
        self._owners = np.full(model.ngeom + 1, _NOTHING)  # one more: the background's number is -1
        self._heads = np.zeros(model.ngeom + 1, bool)
        for slot in range(THINGS):
            self._owners[model.geom(thing_name(slot)).id] = slot
        for slot in range(PEOPLE):
            body = model.body(person_name(slot))
            for geom in range(int(body.geomadr[0]), int(body.geomadr[0] + body.geomnum[0])):
                self._owners[geom] = THINGS + slot
                self._heads[geom] = model.geom(geom).name.endswith(("_face", "_head", "_hair"))
        self._half_height = math.tan(math.radians(float(model.camera(camera).fovy[0])) / 2)

    def read(self, renderer: mujoco.Renderer, noise: float) -> list[dict[str, Any]]:
        """The visible objects in the renderer's current scene, nearest first; `noise` is that of the picture."""
        renderer.enable_segmentation_rendering()
        try:
            shapes = renderer.render()
        finally:
            renderer.disable_segmentation_rendering()
        geoms = np.where(shapes[..., 1] == _GEOM, shapes[..., 0], -1)
        owners = self._owners[geoms]
        pixels = np.bincount(owners.ravel() - _NOTHING)[1:]  # `unique` takes five times as long
        shown = [int(owner) for owner in np.flatnonzero(pixels >= MIN_POINTS)]
        if not shown:
            return []
        light = renderer.render() @ np.array([0.299, 0.587, 0.114], np.float32)
        renderer.enable_depth_rendering()
        try:
            depth = renderer.render()
        finally:
            renderer.disable_depth_rendering()
        found = []
        for owner in shown:
            mask = owners == owner
            if _light(mask, light) < MIN_LIGHT + noise:
                continue
            head = mask & self._heads[geoms] if owner >= THINGS else None
            found.append(self._describe(owner, mask, depth, head))
        return sorted(found, key=lambda one: float(one["distance_m"]))

    def _describe(self, owner: int, mask: Any, depth: Any, head: Any) -> dict[str, Any]:
        height, width = mask.shape
        rows, columns = np.nonzero(mask)
        middle_x, middle_y = float(columns.mean()) + 0.5, float(rows.mean()) + 0.5
        # Depth is measured along the camera's axis; the distance of an object at the side is larger.
        across = (2 * middle_x - width) / height * self._half_height
        down = (2 * middle_y / height - 1) * self._half_height
        away = float(np.median(depth[mask])) * math.sqrt(1 + across * across + down * down)
        described: dict[str, Any] = {
            "kind": "thing" if owner < THINGS else "person",
            "slot": owner if owner < THINGS else owner - THINGS,
            "pixels": int(mask.sum()),
            "box": _box(mask),
            "distance_m": round(away, 3),
        }
        if head is not None:
            described["head"] = _box(head) if head.sum() >= MIN_POINTS else None
        return described


_GEOM = 5
"""MuJoCo's object type of geoms (`mjOBJ_GEOM`)."""


def _light(mask: Any, light: Any) -> float:
    """Brightness of an object and its surroundings: a black cat is visible on a white wall, nothing is at night."""
    left, top, right, bottom = _edges(mask)
    high, wide = bottom - top, right - left
    window = light[max(0, top - high // 2) : bottom + high // 2, max(0, left - wide // 2) : right + wide // 2]
    return float(np.percentile(window, 90))


def _edges(mask: Any) -> tuple[int, int, int, int]:
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    return int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1


def _box(mask: Any) -> list[float]:
    """Left, top, right and bottom, as shares of the picture."""
    height, width = mask.shape
    left, top, right, bottom = _edges(mask)
    return [round(left / width, 4), round(top / height, 4), round(right / width, 4), round(bottom / height, 4)]
