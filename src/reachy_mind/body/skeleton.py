"""The robot's links, joints and looks, from the vendor's description.

A `Skeleton` has a frame for each link of the figure, writes them as URDF and gives what one sees of them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from reachy_mind.body import meshes
from reachy_mind.body.meshes import Floats, Integers, Material, Seen, Surface

# What one sees of each link, and in how many triangles. Screws, connectors, boards and all that a shell hides is left
# out. The six arms are the same shape in the same frame, and so are the two antennas.
SHAPES: dict[str, dict[str, int]] = {
    "foot": {"body_foot_3dprint": 3300, "body_turning_3dprint": 900},
    "body": {
        "body_top_3dprint": 6000,
        "body_down_3dprint": 5000,
        "stewart_tricap_3dprint": 800,
        "stewart_main_plate_3dprint": 300,
    },
    "arm": {"mp01062_stewart_arm_3": 250, "stewart_link_ball": 100},
    "rod": {"stewart_link_rod": 500},
    "head": {
        "head_front_3dprint": 5500,
        "head_back_3dprint": 5500,
        "head_mic_3dprint": 2000,
        "glasses_dolder_3dprint": 2400,
        "big_lens_d40": 700,
        "small_lens_d30": 700,
        "lens_cap_d40_3dprint": 100,
        "lens_cap_d30_3dprint": 100,
        "neck_reference_3dprint": 1500,
        "stewart_link_ball__2": 120,
        "antenna_holder_l_3dprint": 400,
        "antenna_holder_r_3dprint": 400,
        "pp01102_arducam_carter": 150,
        "arducam": 350,
    },
    "antenna": {"antenna": 2500, "antenna_interface_3dprint": 200, "antenna_body_3dprint": 1300},
}
# What can hide parts of what. The foot closes the body from below, and the body hides most of the foot.
SHELLS = (("foot", "body"), ("head",))
LENSES = ("big_lens_d40", "small_lens_d30")
LENS_COLOUR = (0.03, 0.03, 0.035)
PLASTIC = Material("plastic", roughness=0.55)
GLASS = Material("glass", roughness=0.08)

LEGS = range(1, 7)
COPIES = {"arm": len(LEGS), "rod": len(LEGS), "antenna": 2}


class Damaged(Exception):
    """This is not the robot we know."""


class Skeleton:
    """The vendor's robot with all joints at zero: a frame for each of our links, and what one sees of it."""

    def __init__(self, root: Path) -> None:
        """Of the MJCF file `root`. Raises Damaged when it, or a mesh, can't be read, KeyError for a name it lacks."""
        try:
            model: Any = mujoco.MjSpec.from_file(str(root)).compile()
        except ValueError as error:
            raise Damaged(str(error)) from error
        self._model = model
        self._data = mujoco.MjData(model)
        mujoco.mj_forward(model, self._data)
        head = self._jointed("passive_7")
        self._bodies = {
            "foot": model.body("body_foot_3dprint").id,
            "body": self._jointed("yaw_body"),
            "arm": self._jointed("stewart_1"),
            "rod": self._jointed("passive_1"),
            "head": head,
            "antenna": self._jointed("left_antenna"),
        }
        neck = self._data.site("head")
        upright = neck.xmat.reshape(3, 3)
        self.frames = {"foot": np.eye(4), "head": _frame(neck.xpos, upright)}
        self.frames["body"] = _frame(self._data.body(self._bodies["body"]).xpos, np.eye(3))
        for side in ("left", "right"):
            self.frames[f"{side}_antenna_link"] = self._body_frame(self._jointed(f"{side}_antenna"))
        for leg in LEGS:
            self.frames[f"arm_{leg}"] = self._body_frame(self._jointed(f"stewart_{leg}"))
            tip = self._data.body(self._jointed(f"passive_{leg}")).xpos
            # The sixth rod carries the head in MuJoCo's tree; the others are tied to it at a site.
            ball = self._data.body(head).xpos if leg == 6 else self._data.site(f"closing_{leg}_2").xpos
            self.frames[f"arm_tip_{leg}"] = _frame(tip, self.frames[f"arm_{leg}"][:3, :3])
            self.frames[f"head_ball_{leg}"] = _frame(ball, upright)
            along = (ball - tip) / np.linalg.norm(ball - tip)
            aside = np.cross(along, [0.0, 0.0, 1.0])
            aside /= np.linalg.norm(aside)
            self.frames[f"rod_{leg}"] = _frame(tip, np.column_stack([aside, np.cross(along, aside), along]))

    def _jointed(self, joint: str) -> int:
        """The body that a joint moves."""
        return int(self._model.joint(joint).bodyid[0])

    def _body_frame(self, body: int) -> Floats:
        placed = self._data.body(body)
        return _frame(placed.xpos, placed.xmat.reshape(3, 3))

    def _seen(self) -> dict[int, Seen]:
        """By geom, which triangles of the shells and of what they hold can be seen."""
        found: dict[int, Seen] = {}
        for shell in SHELLS:
            geoms = [geom for link in shell for geom, _ in self._geoms(link)]
            placed = [points[faces] for points, faces in (self._placed(geom, np.eye(4)) for geom in geoms)]
            ends = np.cumsum([len(triangles) for triangles in placed])
            found |= dict(zip(geoms, np.split(meshes.seen(np.concatenate(placed)), ends[:-1]), strict=True))
        return found

    def _geoms(self, name: str) -> list[tuple[int, str]]:
        """The geoms of a link that we show, and their shapes."""
        own = np.flatnonzero(self._model.geom_bodyid == self._bodies[name])
        geoms = [(int(geom), self._model.mesh(self._model.geom_dataid[geom]).name) for geom in own]
        absent = SHAPES[name].keys() - {shape for _, shape in geoms}
        if absent:
            raise Damaged(f"it has no {', '.join(sorted(absent))}")
        return [(geom, shape) for geom, shape in geoms if shape in SHAPES[name]]

    def _placed(self, geom: int, frame: Floats) -> tuple[Floats, Integers]:
        """A geom's vertices in a frame, and its triangles."""
        mesh = self._model.mesh(self._model.geom_dataid[geom])
        first, start = mesh.vertadr[0], mesh.faceadr[0]
        points = self._model.mesh_vert[first : first + mesh.vertnum[0]].astype(np.float64)
        points = points @ self._data.geom_xmat[geom].reshape(3, 3).T + self._data.geom_xpos[geom]
        faces = self._model.mesh_face[start : start + mesh.facenum[0]].astype(np.int64)
        return (points - frame[:3, 3]) @ frame[:3, :3], faces

    def surfaces(self) -> dict[str, list[Surface]]:
        """What is seen of each link, in its frame: all that is plastic in one surface, the lenses in another."""
        seen = self._seen()
        return {name: meshes.merged(list(self._parts(name, seen))) for name in SHAPES}

    def _parts(self, name: str, seen: dict[int, Seen]) -> Iterator[Surface]:
        frame = self.frames[{"arm": "arm_1", "rod": "rod_1", "antenna": "left_antenna_link"}.get(name, name)]
        for geom, shape in self._geoms(name):
            points, faces = self._placed(geom, frame)
            if geom in seen:
                faces = meshes.grown(faces, seen[geom])
            if not len(faces):
                continue
            points, normals, faces = meshes.smooth(*meshes.lighter(points, faces, SHAPES[name][shape]))
            shown = self._model.mat_rgba[self._model.geom_matid[geom], :3]
            material, shown = (GLASS, LENS_COLOUR) if shape in LENSES else (PLASTIC, shown)
            colours = np.tile(meshes.linear(np.asarray(shown, dtype=np.float64)), (len(points), 1))
            yield Surface(material, points, normals, colours, faces)


def _frame(place: Floats, turn: Floats) -> Floats:
    frame = np.eye(4)
    frame[:3, :3], frame[:3, 3] = turn, place
    return frame


def urdf(frames: dict[str, Floats], height: float) -> str:
    """The figure's joints and links; `height` is where the head is when its pose is zero."""
    lines = ['<?xml version="1.0"?>', '<robot name="reachy_mini">']
    looks = {"foot": "foot", "body": "body", "head": "head"}
    looks |= {f"{side}_antenna_link": "antenna" for side in ("left", "right")}
    looks |= {f"{part}_{leg}": part for part in ("arm", "rod") for leg in LEGS}
    for link in frames:
        mesh = f'<visual><geometry><mesh filename="{looks[link]}.glb"/></geometry></visual>' if link in looks else ""
        lines.append(f'  <link name="{link}">{mesh}</link>')
    for name, kind, parent, child, axis in _joints():
        origin = np.linalg.inv(frames[parent]) @ frames[child]
        if kind == "floating":  # from where the head is when its pose is zero; a rod is placed by whoever shows it
            origin = _frame(np.array([0.0, 0.0, height if child == "head" else 0.0]), np.eye(3))
        # The robot keeps its joints in range; what it reports is shown as it is.
        turns = f'<axis xyz="{axis}"/><limit lower="-6.3" upper="6.3" effort="1" velocity="10"/>' if axis else ""
        lines.append(
            f'  <joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
            f"{_origin(origin)}{turns}</joint>"
        )
    return "\n".join([*lines, "</robot>", ""])


def _joints() -> Iterator[tuple[str, str, str, str, str]]:
    """Name, type, parent, child and axis."""
    yield "yaw_body", "revolute", "foot", "body", "0 0 1"
    yield "head", "floating", "foot", "head", ""
    for side in ("left", "right"):  # the protocol counts an antenna's angle against MuJoCo's axis
        yield f"{side}_antenna", "revolute", "head", f"{side}_antenna_link", "0 0 -1"
    for leg in LEGS:
        yield f"stewart_{leg}", "revolute", "body", f"arm_{leg}", "0 0 1"
        yield f"arm_tip_{leg}", "fixed", f"arm_{leg}", f"arm_tip_{leg}", ""
        yield f"head_ball_{leg}", "fixed", "head", f"head_ball_{leg}", ""
        yield f"rod_{leg}", "floating", "foot", f"rod_{leg}", ""


def _origin(frame: Floats) -> str:
    turn = frame[:3, :3]
    rpy = (
        math.atan2(turn[2, 1], turn[2, 2]),
        math.atan2(-turn[2, 0], math.hypot(turn[2, 1], turn[2, 2])),
        math.atan2(turn[1, 0], turn[0, 0]),
    )
    xyz, rpy_text = (" ".join(f"{round(value, 6) + 0.0:.6f}" for value in values) for values in (frame[:3, 3], rpy))
    return f'<origin xyz="{xyz}" rpy="{rpy_text}"/>'
