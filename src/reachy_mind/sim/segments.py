"""What shows in a frame of the simulated eye: MuJoCo's own segmentation of it, in the camera process.

Each point of the picture knows which shape it belongs to and how far away that is. A thing is told of only where it can
really be seen: not behind another, not out of the picture, not with a few points, and not black in the dark.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from reachy_mind.sim.pool import PEOPLE, THINGS, person_name, thing_name

if TYPE_CHECKING:
    import mujoco

LEAST_POINTS = 60
"""Of 230,400: a spot eight points wide says nothing about what it is."""
LEAST_LIGHT = 14.0
"""Of 255, of a thing or of what is behind it: below, there is nothing to be told apart."""
_NOTHING = -1


class Segments:
    """For one model and one of its cameras."""

    def __init__(self, model: mujoco.MjModel, camera: str) -> None:
        self._owners = np.full(model.ngeom + 1, _NOTHING)  # one more: the background's number is -1
        self._heads = np.zeros(model.ngeom + 1, bool)
        for place in range(THINGS):
            self._owners[model.geom(thing_name(place)).id] = place
        for place in range(PEOPLE):
            body = model.body(person_name(place))
            for geom in range(int(body.geomadr[0]), int(body.geomadr[0] + body.geomnum[0])):
                self._owners[geom] = THINGS + place
                self._heads[geom] = model.geom(geom).name.endswith(("_face", "_head", "_hair"))
        self._half_height = math.tan(math.radians(float(model.camera(camera).fovy[0])) / 2)

    def read(self, renderer: mujoco.Renderer, noise: float) -> list[dict[str, Any]]:
        """What shows in the scene that the renderer holds, nearest first; `noise` is the picture's."""
        light = renderer.render() @ np.array([0.299, 0.587, 0.114], np.float32)
        renderer.enable_segmentation_rendering()
        try:
            shapes = renderer.render()
        finally:
            renderer.disable_segmentation_rendering()
        geoms = np.where(shapes[..., 1] == _GEOM, shapes[..., 0], -1)
        owners = self._owners[geoms]
        shown = [int(owner) for owner in np.unique(owners) if owner != _NOTHING]
        if not shown:
            return []
        renderer.enable_depth_rendering()
        try:
            depth = renderer.render()
        finally:
            renderer.disable_depth_rendering()
        told = []
        for owner in shown:
            mask = owners == owner
            if mask.sum() < LEAST_POINTS or _light(mask, light) < LEAST_LIGHT + noise:
                continue
            head = mask & self._heads[geoms] if owner >= THINGS else None
            told.append(self._told(owner, mask, depth, head))
        return sorted(told, key=lambda one: float(one["distance_m"]))

    def _told(self, owner: int, mask: Any, depth: Any, head: Any) -> dict[str, Any]:
        height, width = mask.shape
        rows, columns = np.nonzero(mask)
        middle_x, middle_y = float(columns.mean()) + 0.5, float(rows.mean()) + 0.5
        # Depth is measured along the camera's axis; what is at the side is farther away than that.
        across = (2 * middle_x - width) / height * self._half_height
        down = (2 * middle_y / height - 1) * self._half_height
        away = float(np.median(depth[mask])) * math.sqrt(1 + across * across + down * down)
        told: dict[str, Any] = {
            "kind": "thing" if owner < THINGS else "person",
            "place": owner if owner < THINGS else owner - THINGS,
            "pixels": int(mask.sum()),
            "box": _box(mask),
            "distance_m": round(away, 3),
        }
        if head is not None:
            told["head"] = _box(head) if head.sum() >= LEAST_POINTS else None
        return told


_GEOM = 5
"""MuJoCo's number for the kind of object a shape is (`mjOBJ_GEOM`)."""


def _light(mask: Any, light: Any) -> float:
    """How bright it is, or what is around it: a black cat shows on a white wall, and nothing shows at night."""
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
