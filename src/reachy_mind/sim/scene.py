"""Scenes: builds and compiles MuJoCo models of the vendor's robot in our surroundings, with a cache on disk.

A scene has three models with the same joints: `physics` (no visible shapes, loads in milliseconds), `eye` (what the
robot's camera sees: everything but itself) and `studio` (with the robot, seen from outside). They are cached as MuJoCo
binaries under a hash of the MuJoCo version, the robot description and our sources, so that a change of any of them
recompiles. All contain the pool of bodies that can be added later (`body_pool`).
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, get_args

import mujoco
import numpy as np

from reachy_mind import log
from reachy_mind.body.kinematics import Kinematics
from reachy_mind.body.pose import ASLEEP
from reachy_mind.errors import AssetError, InvalidParameter
from reachy_mind.sim import appearance, body_pool
from reachy_mind.sim.appearance import LIGHT_DIRECTION, TABLE_OBJECTS, TableObject, ThingLook, Vector

SceneName = Literal["empty", "table"]
View = Literal["physics", "eye", "studio"]
VIEWS: tuple[View, ...] = get_args(View)
SCENES: tuple[SceneName, ...] = get_args(SceneName)
TIMESTEP_S = 0.002
ASLEEP_KEY = "asleep"
TABLE_DEPTH_M = 0.8

TABLE_TOP = (0.35, 0.0, 0.56, 0.35)
"""Centre and half sizes, in metres from the robot's foot; its height is 0."""

# shape in the description's assets, scale, position, turns (axis and degrees, one after the other)
OBJECTS: dict[TableObject, tuple[str, float, Vector, tuple[tuple[float, float, float, float], ...]]] = {
    "apple": ("food_apple_01", 1.0, (0.50, -0.17, 0.005), ((1, 0, 0, 90), (0, 0, 1, 200))),
    "croissant": ("croissant", 1.0, (0.52, 0.02, 0.005), ((0, 0, 1, 100),)),
    "duck": ("rubber_duck_toy", 0.4, (0.50, 0.20, 0.0), ((1, 0, 0, 90), (0, 0, 1, -75))),
}
_PARK: Vector = (0.35, 0.0, -0.4)

_log = log.get(__name__)


def model(description: Path, scene: str, view: View, cache: Path) -> mujoco.MjModel:
    """A compiled model, from the cache if present. Raises AssetError without the robot description."""
    if scene not in SCENES:
        raise InvalidParameter(f"no scene called {scene!r}", hint=f"scenes: {', '.join(SCENES)}")
    file = cache / f"{scene}-{_key(description)}" / f"{view}.mjb"
    for attempt in ("as found", "compiled anew"):
        if not file.is_file():
            _compile_all(description, scene, file.parent)
        try:
            return mujoco.MjModel.from_binary_path(str(file))
        except ValueError as error:  # a truncated or foreign file
            _log.warning("compiled scene unusable", file=str(file), error=str(error), attempt=attempt)
            file.unlink(missing_ok=True)
    raise AssetError(f"scene {scene} can't be loaded from {file}", hint="is the disk full? delete the folder and retry")


def floor_height(scene: str) -> float:
    """Height of the floor, in metres from the robot's foot."""
    return -TABLE_DEPTH_M if scene == "table" else 0.0


def _key(description: Path) -> str:
    root = description / "mjcf" / "reachy_mini.xml"
    try:
        sources = [Path(file).read_bytes() for file in (__file__, body_pool.__file__, appearance.__file__)]
        parts = (root.read_bytes(), *sources, mujoco.__version__.encode())
    except OSError as error:
        raise AssetError(
            f"the robot description is not in {description}", hint="reachy-mind models pull robot-description"
        ) from error
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:12]


def _compile_all(description: Path, scene: str, folder: Path) -> None:
    _log.info("compiling scene", scene=scene)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        physics = _settled(description, scene)
        for view in VIEWS:
            compiled = _spec(description, scene, view, physics).compile()
            _save(compiled, folder / f"{view}.mjb")
    except OSError as error:
        raise AssetError(f"the compiled scene can't be kept in {folder}: {error}") from error


def _save(compiled: mujoco.MjModel, file: Path) -> None:
    """Write to a temporary file, then rename: a reader never sees half a model."""
    handle, partial = tempfile.mkstemp(dir=file.parent, suffix=".mjb")
    os.close(handle)
    try:
        mujoco.mj_saveModel(compiled, partial)
        if Path(partial).stat().st_size == 0:
            raise OSError("nothing was written: is the disk full?")
        Path(partial).replace(file)
    finally:
        with contextlib.suppress(FileNotFoundError):
            Path(partial).unlink()


def _settled(description: Path, scene: str) -> Sequence[float]:
    """Positions of joints and objects with the robot asleep and everything at rest."""
    compiled = _spec(description, scene, "physics", None).compile()
    data = mujoco.MjData(compiled)
    things = body_pool.BodyPool(compiled)
    for slot, shape in enumerate(TABLE_OBJECTS if scene == "table" else ()):
        things.set_look(slot, ThingLook(shape=shape))
    joints = Kinematics(description / "kinematics_data.json").joints(ASLEEP.head_matrix(), 0.0)
    assert joints is not None
    wanted = [*joints, -ASLEEP.antenna_right, -ASLEEP.antenna_left]
    for actuator, position in enumerate(wanted):
        data.qpos[compiled.jnt_qposadr[compiled.actuator_trnid[actuator, 0]]] = position
    data.ctrl[:] = wanted
    colliding = compiled.geom_contype.copy(), compiled.geom_conaffinity.copy()
    robot = _robot_geoms(compiled)
    # While the rods pull the head into place, contacts of the shells would push it away again.
    compiled.geom_contype[robot] = compiled.geom_conaffinity[robot] = 0
    mujoco.mj_step(compiled, data, nstep=500)
    compiled.geom_contype[:], compiled.geom_conaffinity[:] = colliding
    mujoco.mj_step(compiled, data, nstep=1500)
    return [float(q) for q in data.qpos]


def _robot_geoms(compiled: mujoco.MjModel) -> np.ndarray[Any, np.dtype[np.int64]]:
    foot = compiled.body("body_foot_3dprint").id
    return np.flatnonzero(compiled.body_rootid[compiled.geom_bodyid] == foot)


def _spec(description: Path, scene: str, view: View, asleep: Sequence[float] | None) -> Any:
    spec = mujoco.MjSpec.from_file(str(description / "mjcf" / "reachy_mini.xml"))
    spec.option.timestep = TIMESTEP_S
    # With MuJoCo's default friction the apple rolls 8 mm a minute by itself.
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.impratio = 10
    if view == "eye":
        for body in spec.body("body_foot_3dprint").find_all(mujoco.mjtObj.mjOBJ_BODY):
            for geom in list(body.geoms):
                spec.delete(geom)
        for geom in list(spec.body("body_foot_3dprint").geoms):
            spec.delete(geom)
        for mesh in list(spec.meshes):
            spec.delete(mesh)
    _surroundings(spec, floor_height(scene))
    if scene == "table":
        _table(spec)
    for name, (shape, scale, _, _) in OBJECTS.items():
        _shape(spec, name, shape, scale)
    body_pool.add_things(spec, {name: (place, turned(turns)) for name, (_, _, place, turns) in OBJECTS.items()}, _PARK)
    body_pool.add_people(spec, _PARK)
    spec.compiler.discardvisual = view == "physics"
    if asleep is not None:
        spec.add_key(name=ASLEEP_KEY, qpos=asleep)
    return spec


def _surroundings(spec: Any, height: float) -> None:
    spec.visual.headlight.ambient = [0.45, 0.45, 0.45]
    spec.visual.headlight.diffuse = [0.4, 0.4, 0.4]
    spec.visual.headlight.specular = [0.0, 0.0, 0.0]
    spec.stat.extent = 1.8  # sets the near clipping plane; parked people must not change it
    spec.visual.global_.offwidth, spec.visual.global_.offheight = 1280, 720
    spec.add_texture(
        name="sky",
        type=mujoco.mjtTexture.mjTEXTURE_SKYBOX,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_GRADIENT,
        rgb1=[0.93, 0.91, 0.87],
        rgb2=[0.62, 0.66, 0.70],
        width=128,
        height=768,
    )
    spec.add_texture(
        name="floor",
        type=mujoco.mjtTexture.mjTEXTURE_2D,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_CHECKER,
        rgb1=[0.55, 0.53, 0.50],
        rgb2=[0.49, 0.47, 0.45],
        width=128,
        height=128,
    )
    floor = spec.add_material(name="floor", texrepeat=[4, 4], texuniform=True)
    floor.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = "floor"
    spec.worldbody.add_light(
        pos=[0.3, 0.6, 2.5], dir=LIGHT_DIRECTION, type=mujoco.mjtLightType.mjLIGHT_DIRECTIONAL, diffuse=[0.5, 0.5, 0.5]
    )
    spec.worldbody.add_geom(
        name="floor", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 0.05], pos=[0, 0, height], material="floor"
    )


def _table(spec: Any) -> None:
    _shape(spec, "table", "wooden_table_02", 1.0)
    table = spec.worldbody.add_body(name="table", pos=[0.35, 0, -TABLE_DEPTH_M], quat=turned(((1, 0, 0, 90),)))
    table.add_geom(
        name="table", type=mujoco.mjtGeom.mjGEOM_MESH, meshname="table", material="table", contype=0, conaffinity=0
    )
    spec.worldbody.add_geom(
        name="table_top",
        type=mujoco.mjtGeom.mjGEOM_BOX,
        size=[*TABLE_TOP[2:], 0.03],
        pos=[*TABLE_TOP[:2], -0.03],
        rgba=[0, 0, 0, 0],
        group=3,
    )


def _shape(spec: Any, name: str, shape: str, scale: float) -> None:
    folder = f"{shape}_1k.blend"
    spec.add_mesh(name=name, file=f"{folder}/{shape}_1k.obj", scale=[scale] * 3)
    spec.add_texture(
        name=name, type=mujoco.mjtTexture.mjTEXTURE_2D, file=f"assets/{folder}/textures/{shape}_diff_1k.png"
    )
    material = spec.add_material(name=name, specular=0.1, shininess=0.2)
    material.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = name


def turned(turns: Sequence[tuple[float, float, float, float]]) -> list[float]:
    """The quaternion of rotations about fixed axes (x, y, z, degrees), applied one after the other."""
    total = np.array([1.0, 0.0, 0.0, 0.0])
    for x, y, z, degrees in turns:
        turn = np.zeros(4)
        mujoco.mju_axisAngle2Quat(turn, np.array([x, y, z], dtype=float), np.radians(degrees))
        mujoco.mju_mulQuat(total, turn, total.copy())
    return [float(q) for q in total]
