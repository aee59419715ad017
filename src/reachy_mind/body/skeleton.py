"""`Skeleton`: links, joints and visible surfaces of the robot, from the vendor's MJCF description; writes URDF."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from reachy_mind.body import meshes
from reachy_mind.body.meshes import Floats, Integers, Mask, Material, Surface

# The visible shapes of each link and their triangle budgets. Screws, connectors, boards and hidden parts are left out.
# The six arms have the same shape in the same frame, and so have the two antennas.
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
# Links that hide each other's parts. The foot closes the body from below, and the body hides most of the foot.
SHELLS = (("foot", "body"), ("head",))
LENSES = ("big_lens_d40", "small_lens_d30")
LENS_COLOUR = (0.03, 0.03, 0.035)
PLASTIC = Material("plastic", roughness=0.55)
GLASS = Material("glass", roughness=0.08)

LEGS = range(1, 7)
COPIES = {"arm": len(LEGS), "rod": len(LEGS), "antenna": 2}


class DescriptionDamaged(Exception):
    """The description lacks a part or can't be read."""


class Skeleton:
    """The vendor's robot with all joints at zero: a frame and the visible surfaces of each link."""

    def __init__(self, root: Path) -> None:
        """Read the MJCF file `root`. Raises DescriptionDamaged for an unreadable file, KeyError for a missing name."""
        try:
            model: Any = mujoco.MjSpec.from_file(str(root)).compile()
        except ValueError as error:
            raise DescriptionDamaged(str(error)) from error
        self._model = model
        self._data = mujoco.MjData(model)
        mujoco.mj_forward(model, self._data)
        head = self._body_of_joint("passive_7")
        self._bodies = {
            "foot": model.body("body_foot_3dprint").id,
            "body": self._body_of_joint("yaw_body"),
            "arm": self._body_of_joint("stewart_1"),
            "rod": self._body_of_joint("passive_1"),
            "head": head,
            "antenna": self._body_of_joint("left_antenna"),
        }
        neck = self._data.site("head")
        upright = neck.xmat.reshape(3, 3)
        self.frames = {"foot": np.eye(4), "head": _frame(neck.xpos, upright)}
        self.frames["body"] = _frame(self._data.body(self._bodies["body"]).xpos, np.eye(3))
        for side in ("left", "right"):
            self.frames[f"{side}_antenna_link"] = self._body_frame(self._body_of_joint(f"{side}_antenna"))
        for leg in LEGS:
            self.frames[f"arm_{leg}"] = self._body_frame(self._body_of_joint(f"stewart_{leg}"))
            tip = self._data.body(self._body_of_joint(f"passive_{leg}")).xpos
            # In MuJoCo's tree the sixth rod carries the head; the others are tied to it at a site.
            ball = self._data.body(head).xpos if leg == 6 else self._data.site(f"closing_{leg}_2").xpos
            self.frames[f"arm_tip_{leg}"] = _frame(tip, self.frames[f"arm_{leg}"][:3, :3])
            self.frames[f"head_ball_{leg}"] = _frame(ball, upright)
            along = (ball - tip) / np.linalg.norm(ball - tip)
            aside = np.cross(along, [0.0, 0.0, 1.0])
            aside /= np.linalg.norm(aside)
            self.frames[f"rod_{leg}"] = _frame(tip, np.column_stack([aside, np.cross(along, aside), along]))

    def _body_of_joint(self, joint: str) -> int:
        """The body that a joint moves."""
        return int(self._model.joint(joint).bodyid[0])

    def _body_frame(self, body: int) -> Floats:
        placed = self._data.body(body)
        return _frame(placed.xpos, placed.xmat.reshape(3, 3))

    def _visible_triangles(self) -> dict[int, Mask]:
        """By geom, the mask of the visible triangles of the shells and their contents."""
        found: dict[int, Mask] = {}
        for shell in SHELLS:
            geoms = [geom for link in shell for geom, _ in self._geoms(link)]
            placed = [points[faces] for points, faces in (self._placed(geom, np.eye(4)) for geom in geoms)]
            ends = np.cumsum([len(triangles) for triangles in placed])
            found |= dict(
                zip(geoms, np.split(meshes.visible_triangles(np.concatenate(placed)), ends[:-1]), strict=True)
            )
        return found

    def _geoms(self, name: str) -> list[tuple[int, str]]:
        """The geoms of a link that are shown, and their shapes."""
        own = np.flatnonzero(self._model.geom_bodyid == self._bodies[name])
        geoms = [(int(geom), self._model.mesh(self._model.geom_dataid[geom]).name) for geom in own]
        absent = SHAPES[name].keys() - {shape for _, shape in geoms}
        if absent:
            raise DescriptionDamaged(f"it has no {', '.join(sorted(absent))}")
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
        """The visible surfaces of each link in its frame: plastic in one surface, lenses in another."""
        seen = self._visible_triangles()
        return {name: meshes.merge_by_material(list(self._parts(name, seen))) for name in SHAPES}

    def _parts(self, name: str, seen: dict[int, Mask]) -> Iterator[Surface]:
        frame = self.frames[{"arm": "arm_1", "rod": "rod_1", "antenna": "left_antenna_link"}.get(name, name)]
        for geom, shape in self._geoms(name):
            points, faces = self._placed(geom, frame)
            if geom in seen:
                faces = meshes.with_neighbours(faces, seen[geom])
            if not len(faces):
                continue
            points, normals, faces = meshes.smooth_normals(*meshes.simplify(points, faces, SHAPES[name][shape]))
            shown = self._model.mat_rgba[self._model.geom_matid[geom], :3]
            material, shown = (GLASS, LENS_COLOUR) if shape in LENSES else (PLASTIC, shown)
            colours = np.tile(meshes.srgb_to_linear(np.asarray(shown, dtype=np.float64)), (len(points), 1))
            yield Surface(material, points, normals, colours, faces)


def _frame(place: Floats, turn: Floats) -> Floats:
    frame = np.eye(4)
    frame[:3, :3], frame[:3, 3] = turn, place
    return frame


def urdf(frames: dict[str, Floats], height: float) -> str:
    """The URDF of the links and joints; `height`: the head's height in the zero pose."""
    lines = ['<?xml version="1.0"?>', '<robot name="reachy_mini">']
    looks = {"foot": "foot", "body": "body", "head": "head"}
    looks |= {f"{side}_antenna_link": "antenna" for side in ("left", "right")}
    looks |= {f"{part}_{leg}": part for part in ("arm", "rod") for leg in LEGS}
    for link in frames:
        mesh = f'<visual><geometry><mesh filename="{looks[link]}.glb"/></geometry></visual>' if link in looks else ""
        lines.append(f'  <link name="{link}">{mesh}</link>')
    for name, kind, parent, child, axis in _joints():
        origin = np.linalg.inv(frames[parent]) @ frames[child]
        if kind == "floating":  # the head counts from its zero pose; the page places the rods
            origin = _frame(np.array([0.0, 0.0, height if child == "head" else 0.0]), np.eye(3))
        # No real limits: the page shows what the robot reports.
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
    for side in ("left", "right"):  # antenna angles have the opposite sign in MuJoCo
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
