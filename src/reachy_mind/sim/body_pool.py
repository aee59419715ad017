"""`BodyPool`: preallocated, hidden MuJoCo bodies, so that objects and people can be added to a running model.

MuJoCo fixes the number of bodies when a model is compiled. Two alternatives were compared, on the table scene (one run
each, on a busy two-core machine):

* Compile again (`MjSpec.recompile`, which keeps the state). A change took 0.01 s (physics), 0.03 s (eye) and 0.6 s
  (studio), but the daemon would need the spec and not the compiled file: 2.7 s more at a start. The camera process
  would have to rebuild its renderer at each change (0.5 s of CPU, 1.3 to 2.1 s of waiting), and meanwhile the two
  processes would disagree on the number of joints.
* A pool. A change is a few numbers written into the same model: the robot's own joints are not touched and the camera
  keeps rendering. Sixteen more free bodies made a step slower by 31 microseconds of CPU (76 to 107, of 2,000 available;
  the pool adds thirteen), and the numbers are limited: THINGS and PEOPLE.

The pool won. Its objects are free bodies; hidden ones have no weight and no contacts. All are compiled as meshes,
because a mesh has the general form of inertia and MuJoCo would otherwise fix a simpler one. People are mocap bodies
without contacts: they are visible, but neither push nor can be pushed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np

from reachy_mind.sim.appearance import (
    FACE_SIZE,
    PICTURE_SIZE,
    TABLE_OBJECTS,
    PersonLook,
    Shape,
    TableObject,
    ThingLook,
    Vector,
)

THINGS = 16
PEOPLE = 6
HEAD = (0.095, 0.078, 0.118)
"""Half sizes of a person's head; the body's origin is its centre, it looks along x."""
SHOWN_GROUP, HIDDEN_GROUP = 0, 5

_TYPES = {
    "box": mujoco.mjtGeom.mjGEOM_BOX,
    "sphere": mujoco.mjtGeom.mjGEOM_SPHERE,
    "cylinder": mujoco.mjtGeom.mjGEOM_CYLINDER,
    "capsule": mujoco.mjtGeom.mjGEOM_CAPSULE,
}
# Rolling friction, so that a ball stops. The vendor's meshes keep the friction of their settled poses.
_PRIMITIVE_FRICTION, _MESH_FRICTION = (0.8, 0.02, 0.002), (0.8, 0.4, 0.1)
_MESH_MASS = {"apple": 0.10, "croissant": 0.07, "duck": 0.10}


def thing_name(slot: int) -> str:
    return f"thing_{slot}"


def person_name(slot: int) -> str:
    return f"person_{slot}"


def add_things(spec: Any, poses: dict[TableObject, tuple[Sequence[float], Sequence[float]]], park: Vector) -> None:
    """Add the free bodies: the table's objects in their places, the rest parked out of sight. Needs their meshes."""
    for slot in range(THINGS):
        shape = TABLE_OBJECTS[slot] if slot < len(TABLE_OBJECTS) else TABLE_OBJECTS[0]
        where, turned = poses[shape] if slot < len(poses) else (park, (1.0, 0.0, 0.0, 0.0))
        body = spec.worldbody.add_body(name=thing_name(slot), pos=where, quat=turned, gravcomp=1.0)
        body.add_freejoint(name=thing_name(slot))
        body.add_geom(
            name=thing_name(slot),
            type=mujoco.mjtGeom.mjGEOM_MESH,
            meshname=shape,
            material=shape,
            mass=_MESH_MASS[shape],
            friction=_MESH_FRICTION,
        )
        _blank_picture(spec, thing_name(slot), mujoco.mjtTexture.mjTEXTURE_CUBE, PICTURE_SIZE)


def add_people(spec: Any, park: Vector) -> None:
    """Add the mocap bodies, with all visible parts of a person."""
    _face_mesh(spec)
    capsule, ellipsoid = mujoco.mjtGeom.mjGEOM_CAPSULE, mujoco.mjtGeom.mjGEOM_ELLIPSOID
    seen: dict[str, Any] = {"contype": 0, "conaffinity": 0, "group": HIDDEN_GROUP}
    for slot in range(PEOPLE):
        name = person_name(slot)
        _blank_picture(spec, name, mujoco.mjtTexture.mjTEXTURE_2D, FACE_SIZE)
        body = spec.worldbody.add_body(name=name, pos=park, mocap=True)
        body.add_geom(
            name=f"{name}_face", type=mujoco.mjtGeom.mjGEOM_MESH, meshname="face", material=name, mass=0, **seen
        )
        body.add_geom(name=f"{name}_skin_head", type=ellipsoid, size=HEAD, **seen)
        body.add_geom(name=f"{name}_hair", type=ellipsoid, size=[0.098, 0.086, 0.116], pos=[-0.022, 0, 0.016], **seen)
        for part, radius, start_end in (
            ("skin_neck", 0.058, (-0.015, 0, -0.08, -0.02, 0, -0.17)),
            ("clothes_shoulders", 0.08, (-0.02, -0.15, -0.245, -0.02, 0.15, -0.245)),
            ("clothes_left_arm", 0.05, (-0.02, 0.2, -0.26, 0, 0.235, -0.72)),
            ("clothes_right_arm", 0.05, (-0.02, -0.2, -0.26, 0, -0.235, -0.72)),
            ("clothes_trunk", 0.14, (-0.02, 0, -0.33, -0.01, 0, -0.72)),
            ("clothes_left_leg", 0.085, (0, 0.09, -0.75, 0, 0.09, -1.85)),
            ("clothes_right_leg", 0.085, (0, -0.09, -0.75, 0, -0.09, -1.85)),
        ):
            body.add_geom(name=f"{name}_{part}", type=capsule, size=[radius, 0, 0], fromto=start_end, **seen)


def _blank_picture(spec: Any, name: str, kind: Any, size: int) -> None:
    """Add a texture that is filled later; its size is fixed now."""
    spec.add_texture(
        name=name,
        type=kind,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_FLAT,
        rgb1=[1, 1, 1],
        rgb2=[1, 1, 1],
        width=size,
        height=size,
    )
    material = spec.add_material(name=name, specular=0.1, shininess=0.2)
    material.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = name


def _face_mesh(spec: Any) -> None:
    """Add the mesh of the face: the front of the head, slightly larger, with a picture projected from the front."""
    rings, spokes, (deep, wide, tall) = 12, 32, HEAD
    points, corners, faces = [(deep * 1.04, 0.0, 0.0)], [(0.5, 0.5)], []
    for ring in range(1, rings + 1):
        radius = 0.985 * ring / rings
        for spoke in range(spokes):
            across, up = radius * math.cos(math.tau * spoke / spokes), radius * math.sin(math.tau * spoke / spokes)
            points.append((deep * 1.04 * math.sqrt(1 - radius**2), wide * 1.04 * across, tall * 1.04 * up))
            corners.append((0.5 + across / 2, 0.5 - up / 2))
            this, following = 1 + (ring - 1) * spokes + spoke, 1 + (ring - 1) * spokes + (spoke + 1) % spokes
            if ring == 1:
                faces.append((0, this, following))
            else:
                faces.append((this - spokes, this, following))
                faces.append((this - spokes, following, following - spokes))
    spec.add_mesh(
        name="face",
        uservert=np.ravel(points).tolist(),
        usertexcoord=np.ravel(corners).tolist(),
        userface=np.ravel(faces).tolist(),
        inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL,
    )


@dataclass(frozen=True)
class _Mesh:
    """Compiled values that make a geom and its body one of the table's objects."""

    geom: dict[str, Any]
    body: dict[str, Any]
    bounds: Any


_GEOM = ("type", "dataid", "matid", "size", "rbound", "aabb", "pos", "quat", "rgba")
_BODY = ("mass", "inertia", "ipos", "iquat")


class BodyPool:
    """The pool of a freshly loaded model. `set_look` and `set_person_look` only write into the model."""

    def __init__(self, model: mujoco.MjModel) -> None:
        self._model = model
        self.bodies = [int(model.body(thing_name(slot)).id) for slot in range(THINGS)]
        self.geoms = [int(model.geom(thing_name(slot)).id) for slot in range(THINGS)]
        joints = [model.joint(thing_name(slot)).id for slot in range(THINGS)]
        self.positions = [int(model.jnt_qposadr[joint]) for joint in joints]
        self.velocities = [int(model.jnt_dofadr[joint]) for joint in joints]
        self.mocaps = [int(model.body_mocapid[model.body(person_name(slot)).id]) for slot in range(PEOPLE)]
        self._meshes: dict[Shape, _Mesh] = {}
        for slot, shape in enumerate(TABLE_OBJECTS):
            geom, body = self.geoms[slot], self.bodies[slot]
            self._meshes[shape] = _Mesh(
                {name: np.copy(getattr(model, f"geom_{name}")[geom]) for name in _GEOM},
                {name: np.copy(getattr(model, f"body_{name}")[body]) for name in _BODY},
                np.copy(model.bvh_aabb[model.body_bvhadr[body]]),
            )
        model.geom_sameframe[self.geoms] = 0  # compiler optimizations that hold only for the compiled shapes
        model.body_sameframe[self.bodies] = 0
        for slot in range(THINGS):
            self.set_look(slot, None)

    def set_look(self, slot: int, look: ThingLook | None) -> None:
        """Set shape, mass and contacts of a body; None hides it. The caller must run `mj_setConst` afterwards."""
        model, geom, body = self._model, self.geoms[slot], self.bodies[slot]
        model.geom_group[geom] = HIDDEN_GROUP if look is None else SHOWN_GROUP
        model.geom_contype[geom] = model.geom_conaffinity[geom] = 0 if look is None else 1
        model.body_gravcomp[body] = 1.0 if look is None else 0.0
        if look is None:
            return
        if look.shape in self._meshes:
            mesh = self._meshes[look.shape]
            for name, value in mesh.geom.items():
                getattr(model, f"geom_{name}")[geom] = value
            for name, value in mesh.body.items():
                getattr(model, f"body_{name}")[body] = value
            model.bvh_aabb[model.body_bvhadr[body]] = mesh.bounds
            model.geom_friction[geom], model.geom_condim[geom] = _MESH_FRICTION, 3
            return
        self._shape(geom, body, look)
        material = (
            -1 if look.picture is None else mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_MATERIAL, thing_name(slot))
        )
        model.geom_matid[geom] = material
        # In MuJoCo a geom's colour overrides its material's unless it is this grey.
        model.geom_rgba[geom] = (0.5, 0.5, 0.5, 1.0) if material >= 0 else (*look.color, 1.0)

    def _shape(self, geom: int, body: int, look: ThingLook) -> None:
        model = self._model
        extent = half_extent(look)
        model.geom_type[geom], model.geom_dataid[geom] = _TYPES[look.shape], -1
        model.geom_size[geom] = look.half_sizes
        model.geom_rbound[geom] = math.hypot(*extent) if look.shape in {"box", "cylinder"} else max(extent)
        model.geom_aabb[geom] = model.bvh_aabb[model.body_bvhadr[body]] = (0.0, 0.0, 0.0, *extent)
        model.geom_pos[geom], model.geom_quat[geom] = 0.0, (1.0, 0.0, 0.0, 0.0)
        model.body_ipos[body], model.body_iquat[body] = 0.0, (1.0, 0.0, 0.0, 0.0)
        model.body_mass[body], model.body_inertia[body] = look.mass, _inertia(look.shape, extent, look.mass)
        model.geom_friction[geom], model.geom_condim[geom] = _PRIMITIVE_FRICTION, 6

    def set_person_look(self, slot: int, look: PersonLook | None) -> None:
        """Show a person with these colours; None hides it. For models with visible shapes only."""
        model, name = self._model, person_name(slot)
        body = model.body(name)
        first, count = int(body.geomadr[0]), int(body.geomnum[0])
        for geom in range(first, first + count):
            model.geom_group[geom] = HIDDEN_GROUP if look is None else SHOWN_GROUP
            part = model.geom(geom).name.removeprefix(f"{name}_").split("_")[0]
            if look is not None and part != "face":
                model.geom_rgba[geom] = (*getattr(look, part), 1.0)


def half_extent(look: ThingLook) -> Vector:
    """Half sizes of the bounding box of a primitive."""
    first, second, third = look.half_sizes
    match look.shape:
        case "sphere":
            return first, first, first
        case "cylinder":
            return first, first, second
        case "capsule":
            return first, first, second + first
        case _:
            return first, second, third


def _inertia(shape: Shape, extent: Vector, mass: float) -> Vector:
    """Inertia about the centre. A capsule is treated as a cylinder of its whole length."""
    x, y, z = extent
    if shape == "box":
        return mass / 3 * (y * y + z * z), mass / 3 * (x * x + z * z), mass / 3 * (x * x + y * y)
    if shape == "sphere":
        return (0.4 * mass * x * x,) * 3
    across = mass / 12 * (3 * x * x + 4 * z * z)
    return across, across, mass / 2 * x * x
