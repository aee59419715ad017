"""Triangle meshes: hidden surface removal, simplification, smooth normals, and binary glTF output."""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import fast_simplification
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Mask = NDArray[np.bool_]

# The simplifier's thresholds are absolute. In centimetres and with low aggression, edges of least error collapse first.
UNITS_PER_M, AGGRESSION = 100, 5.0
WELDS_M = (0.0003, 0.0006, 0.001, 0.0015, 0.0022)
CREASE_RADIANS = np.radians(38)
VIEWS = 48
PIXEL_M = 0.0018
MIN_VIEW_HEIGHT = -0.6  # no views from under the table
DEPTH_TOLERANCE_M = 0.002
MIN_FACING = 0.3  # a surface at a flatter angle is better seen from another view

_FLOAT, _UNSIGNED_BYTE, _UNSIGNED_SHORT, _UNSIGNED_INT = 5126, 5121, 5123, 5125
_VERTICES, _INDICES = 34962, 34963


@dataclass(frozen=True)
class Material:
    """How a surface reflects light. Colours are per vertex."""

    name: str
    roughness: float


@dataclass(frozen=True)
class Surface:
    """Triangles of one material: one draw call. Colours are linear, one per vertex."""

    material: Material
    positions: Floats
    normals: Floats
    colours: Floats
    faces: Integers


def merge_by_material(surfaces: Sequence[Surface]) -> list[Surface]:
    """One surface for each material."""
    return [
        _joined([surface for surface in surfaces if surface.material == material])
        for material in dict.fromkeys(surface.material for surface in surfaces)
    ]


def _joined(surfaces: Sequence[Surface]) -> Surface:
    sizes = [len(surface.positions) for surface in surfaces]
    return Surface(
        surfaces[0].material,
        positions=np.concatenate([surface.positions for surface in surfaces]),
        normals=np.concatenate([surface.normals for surface in surfaces]),
        colours=np.concatenate([surface.colours for surface in surfaces]),
        faces=np.concatenate([s.faces + sum(sizes[:before]) for before, s in enumerate(surfaces)]),
    )


def visible_triangles(triangles: Floats) -> Mask:
    """Mask of the triangles (n, corner, xyz) visible from outside.

    Renders a depth buffer from each of many directions, from points sampled on the triangles closer than its pixels.
    """
    # Rows of points parallel to the longest edge, shorter towards the opposite corner.
    edges = np.linalg.norm(np.roll(triangles, -1, axis=1) - triangles, axis=2)
    longest = edges.argmax(axis=1)
    every = np.arange(len(triangles))
    a, b, c = (triangles[every, (longest + step) % 3] for step in range(3))
    across = np.cross(b - a, c - a)
    doubled = np.linalg.norm(across, axis=1)
    length = np.maximum(edges.max(axis=1), 1e-9)
    columns, rows = (np.ceil(size / (0.7 * PIXEL_M)).astype(np.int64) + 1 for size in (length, doubled / length))
    counts = columns * rows
    of = np.repeat(every, counts)
    number = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    along = (number % columns[of] / np.maximum(columns[of] - 1, 1))[:, None]
    up = (number // columns[of] / np.maximum(rows[of] - 1, 1))[:, None]
    points = a[of] + (1 - up) * along * (b - a)[of] + up * (c - a)[of]
    points = (points / PIXEL_M).astype(np.float32)  # half the memory, and precise enough
    normals = across / np.maximum(doubled, 1e-18)[:, None]

    visible = np.zeros(len(triangles), dtype=bool)
    for turn in range(VIEWS):  # evenly over the sphere, on a spiral from the top down
        height = 1 - (2 * turn + 1) / VIEWS
        if height < MIN_VIEW_HEIGHT:
            break
        flat, angle = np.sqrt(1 - height**2), turn * np.pi * (3 - np.sqrt(5))
        toward = np.array([flat * np.cos(angle), flat * np.sin(angle), height])
        right = np.array([-np.sin(angle), np.cos(angle), 0.0])
        sight = points @ np.column_stack([right, np.cross(toward, right), toward]).astype(np.float32)
        column, row = ((sight[:, axis] - sight[:, axis].min()).astype(np.int32) for axis in range(2))
        pixel = row * (column.max() + 1) + column
        depth = sight[:, 2]
        nearest = np.full(pixel.max() + 1, -np.inf, dtype=np.float32)
        np.maximum.at(nearest, pixel, depth)
        front = np.zeros(len(triangles), dtype=bool)
        front[of[depth > nearest[pixel] - DEPTH_TOLERANCE_M / PIXEL_M]] = True
        visible |= front & (normals @ toward > MIN_FACING)
    return visible


def with_neighbours(faces: Integers, chosen: Mask) -> Integers:
    """The chosen faces and those that touch one: these may be visible between two of the sampled directions."""
    touched = np.zeros(faces.max() + 1, dtype=bool)
    touched[faces[chosen]] = True
    return faces[touched[faces].any(axis=1)]


def simplify(positions: Floats, faces: Integers, triangles: int) -> tuple[Floats, Integers]:
    """The same shape in about `triangles` triangles at most.

    The simplifier stops early at fine details, where a collapse would flip a triangle. Then vertices in the same grid
    cell are welded, and it continues.
    """
    points, kept = positions, faces
    for grid in (0.0, *WELDS_M):
        if len(kept) > triangles:
            points, kept = _welded(points, kept, grid)
        if len(kept) > triangles:
            found = fast_simplification.simplify(points * UNITS_PER_M, kept, target_count=triangles, agg=AGGRESSION)
            points, kept = found[0].astype(np.float64) / UNITS_PER_M, found[1].astype(np.int64)
    return points, kept


def _welded(positions: Floats, faces: Integers, grid: float) -> tuple[Floats, Integers]:
    """Merge the vertices in each grid cell into the first; drop unused vertices and degenerate faces."""
    used, corner = np.unique(faces, return_inverse=True)
    points = positions[used]
    cells = np.rint(points / grid) if grid else points
    _, first, cell = np.unique(cells, axis=0, return_index=True, return_inverse=True)
    joined = cell.reshape(-1)[corner.reshape(-1, 3)]
    whole = (joined != np.roll(joined, 1, axis=1)).all(axis=1)
    return points[first], joined[whole]


def smooth_normals(positions: Floats, faces: Integers) -> tuple[Floats, Floats, Integers]:
    """Positions, unit normals and faces, with vertices split along creases to keep them sharp.

    Triangles that meet below the crease angle share normals, weighted by area, so that a plane stays flat up to the
    rounding at its rim.
    """
    corners = positions[faces]
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    area = np.linalg.norm(across, axis=1)
    solid = area > area.max() * 1e-9  # a triangle without area has no normal and is invisible
    faces, across = faces[solid], across[solid]
    flat = across / area[solid, None]

    # Each triangle has three corners; edge i runs from corner i to the next. Sorted by the vertices they join, the
    # two sides of an edge are neighbours.
    start = np.arange(faces.size)
    end = start - start % 3 + (start + 1) % 3
    vertex = faces.reshape(-1)
    joined = np.minimum(vertex, vertex[end]) * len(positions) + np.maximum(vertex, vertex[end])
    order = np.argsort(joined, kind="stable")
    one, other = order[:-1], order[1:]
    level = np.einsum("ij,ij->i", flat[one // 3], flat[other // 3]) > np.cos(CREASE_RADIANS)
    soft = (joined[one] == joined[other]) & level
    one, other = one[soft], other[soft]
    opposed = vertex[one] == vertex[end[other]]
    left = np.concatenate([one, end[one]])
    right = np.concatenate([np.where(opposed, end[other], other), np.where(opposed, other, end[other])])

    # Corners joined by soft edges become one vertex: the least label of such a group spreads through it.
    label = start
    while True:
        least = label.copy()
        np.minimum.at(least, left, label[right])
        np.minimum.at(least, right, label[left])
        if (least == label).all():
            break
        label = least
    groups, index = np.unique(label, return_inverse=True)
    normals = np.zeros((len(groups), 3))
    np.add.at(normals, index, np.repeat(across, 3, axis=0))
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    return positions[vertex[groups]], normals, index.reshape(-1, 3)


def srgb_to_linear(colour: Floats) -> Floats:
    """A linear colour from an sRGB colour."""
    return np.where(colour <= 0.04045, colour / 12.92, ((colour + 0.055) / 1.055) ** 2.4)


def glb(surfaces: Sequence[Surface]) -> bytes:
    """A binary glTF 2.0 file with one mesh, in the frame and units of its vertices."""
    content = bytearray()
    views: list[dict[str, Any]] = []
    accessors: list[dict[str, Any]] = []

    def add(values: NDArray[Any], component: int, kind: str, target: int, **more: Any) -> int:
        content.extend(b"\0" * (-len(content) % 4))
        views.append({"buffer": 0, "byteOffset": len(content), "byteLength": values.nbytes, "target": target})
        content.extend(values.tobytes())
        count = values.size if kind == "SCALAR" else len(values)
        accessors.append(
            {"bufferView": len(views) - 1, "componentType": component, "count": count, "type": kind, **more}
        )
        return len(accessors) - 1

    primitives = []
    for number, surface in enumerate(surfaces):
        place = surface.positions.astype("<f4")
        bounds = {"min": place.min(axis=0).tolist(), "max": place.max(axis=0).tolist()}
        colour = np.full((len(place), 4), 255, dtype="u1")
        colour[:, :3] = np.rint(surface.colours * 255)
        wide = len(place) > 0xFFFF
        primitives.append(
            {
                "attributes": {
                    "POSITION": add(place, _FLOAT, "VEC3", _VERTICES, **bounds),
                    "NORMAL": add(surface.normals.astype("<f4"), _FLOAT, "VEC3", _VERTICES),
                    "COLOR_0": add(colour, _UNSIGNED_BYTE, "VEC4", _VERTICES, normalized=True),
                },
                "indices": add(
                    surface.faces.astype("<u4" if wide else "<u2"),
                    *(_UNSIGNED_INT if wide else _UNSIGNED_SHORT, "SCALAR", _INDICES),
                ),
                "material": number,
            }
        )
    materials = [
        {"name": made.name, "pbrMetallicRoughness": {"metallicFactor": 0, "roughnessFactor": made.roughness}}
        for made in (surface.material for surface in surfaces)
    ]
    content.extend(b"\0" * (-len(content) % 4))
    described = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": primitives}],
        "materials": materials,
        "buffers": [{"byteLength": len(content)}],
        "bufferViews": views,
        "accessors": accessors,
    }
    text = json.dumps(described, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    length = 12 + 8 + len(text) + 8 + len(content)
    header = struct.pack("<4sII", b"glTF", 2, length) + struct.pack("<I4s", len(text), b"JSON")
    return header + text + struct.pack("<I4s", len(content), b"BIN\0") + bytes(content)
