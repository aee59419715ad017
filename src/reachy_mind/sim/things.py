"""`Things`: the objects around the robot, by name: add, move, throw and remove while the simulation runs.

An object uses a body of the pool until it is removed. A position inside the robot, the table or another object is
refused: the physics would throw them apart.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import mujoco
import numpy as np

from reachy_mind.errors import InvalidParameter
from reachy_mind.sim.appearance import TABLE_OBJECTS, ThingLook, Vector
from reachy_mind.sim.body_pool import THINGS, BodyPool, half_extent
from reachy_mind.sim.scene import OBJECTS, TABLE_TOP, floor_height, turned

MAX_OVERLAP_M = 0.004
REST_SPEED, REST_SPIN = 0.005, 0.2
"""Metres and radians a second: lying still, some objects tremble at a quarter of that."""
ROBOT_RADIUS_M, ROBOT_HEIGHT_M = 0.09, 0.30
Quaternion = tuple[float, float, float, float]


class NoSuchThing(InvalidParameter):
    """There is no object or person of this name."""

    code = "NOT_FOUND"


class NoRoom(InvalidParameter):
    """The pool is exhausted, the name is taken, or the position is occupied."""

    code = "NO_ROOM"


@dataclass(frozen=True)
class Thing:
    """One object: its name, class label, look, and slot in the pool."""

    name: str
    label: str
    look: ThingLook
    slot: int


class Things:
    """All objects of a world. Positions are of an object's middle, in metres from the robot's foot."""

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData, pool: BodyPool, scene: str) -> None:
        self._model, self._data, self._pool, self._scene = model, data, pool, scene
        self._scratch = mujoco.MjData(model)
        self._statistics = model.stat.meaninertia
        self._by_name: dict[str, Thing] = {}
        self.version = 0

    def __iter__(self) -> Iterator[Thing]:
        return iter(tuple(self._by_name.values()))

    def __getitem__(self, name: str) -> Thing:
        try:
            return self._by_name[name]
        except KeyError:
            known = ", ".join(self._by_name) or "none"
            raise NoSuchThing(f"there is no object called {name!r}", hint=f"objects: {known}") from None

    def reset(self) -> None:
        """Restore the scene's own objects. The simulation state must be reset before."""
        self._by_name.clear()
        for slot in range(THINGS):
            shape = TABLE_OBJECTS[slot] if self._scene == "table" and slot < len(TABLE_OBJECTS) else None
            look = None if shape is None else ThingLook(shape=shape)
            self._pool.set_look(slot, look)
            if shape is not None and look is not None:
                self._by_name[shape] = Thing(shape, shape, look, slot)
        self._update_constants()
        self.version += 1

    def add(
        self,
        look: ThingLook,
        position: tuple[float, float] | Vector,
        *,
        name: str | None = None,
        label: str = "",
        yaw: float = 0.0,
    ) -> Thing:
        """Add an object; with two coordinates it stands on what is below. Raises NoRoom."""
        name = self._new_name(look.shape) if name is None else name
        if name in self._by_name:
            raise NoRoom(f"there is an object called {name!r} already", hint="choose another name, or remove it first")
        taken = {thing.slot for thing in self}
        slot = next((slot for slot in range(THINGS) if slot not in taken), None)
        if slot is None:
            raise NoRoom(f"there are {THINGS} objects already", hint="remove one: more were not compiled in")
        thing = Thing(name, label or name, look, slot)
        self._set_look(slot, look)
        try:
            self._put(thing, position, yaw)
        except NoRoom:
            self._set_look(slot, None)
            raise
        self._by_name[name] = thing
        self.version += 1
        return thing

    def _new_name(self, shape: str) -> str:
        names = [shape, *(f"{shape}_{number}" for number in range(2, THINGS + 2))]
        return next(name for name in names if name not in self._by_name)

    def move(self, name: str, position: tuple[float, float] | Vector, yaw: float | None = None) -> Thing:
        """Move it, at rest; it keeps its orientation unless a yaw is given. Raises NoSuchThing, NoRoom."""
        thing = self[name]
        self._put(thing, position, yaw)
        return thing

    def throw(self, name: str, velocity: Vector, spin: Vector = (0.0, 0.0, 0.0)) -> Thing:
        """Set its velocity, in metres and radians a second along the robot's axes: x forward, y left, z up."""
        thing = self[name]
        at = self._pool.velocities[thing.slot]
        local = np.zeros(3)
        inverse = np.zeros(4)
        mujoco.mju_negQuat(inverse, np.array(self.quaternion(thing)))
        mujoco.mju_rotVecQuat(local, np.array(spin, dtype=float), inverse)
        self._data.qvel[at : at + 6] = (*velocity, *local)
        return thing

    def remove(self, name: str) -> None:
        """Raises NoSuchThing."""
        thing = self[name]
        at = self._pool.velocities[thing.slot]
        self._data.qvel[at : at + 6] = 0.0
        self._set_look(thing.slot, None)
        del self._by_name[name]
        self.version += 1

    def position(self, thing: Thing) -> Vector:
        at = self._pool.positions[thing.slot]
        x, y, z = self._data.qpos[at : at + 3]
        return float(x), float(y), float(z)

    def quaternion(self, thing: Thing) -> Quaternion:
        at = self._pool.positions[thing.slot]
        w, x, y, z = self._data.qpos[at + 3 : at + 7]
        return float(w), float(x), float(y), float(z)

    def velocity(self, thing: Thing) -> Vector:
        at = self._pool.velocities[thing.slot]
        x, y, z = self._data.qvel[at : at + 3]
        return float(x), float(y), float(z)

    def at_rest(self, thing: Thing) -> bool:
        """Whether it neither moves nor turns, but for the tremor of its contacts."""
        at = self._pool.velocities[thing.slot]
        moves, turns = np.abs(self._data.qvel[at : at + 3]).max(), np.abs(self._data.qvel[at + 3 : at + 6]).max()
        return bool(moves < REST_SPEED and turns < REST_SPIN)

    def _put(self, thing: Thing, position: tuple[float, float] | Vector, yaw: float | None) -> None:
        where = position if len(position) == 3 else (*position, self._support_height(thing, position))
        turn = self.quaternion(thing) if yaw is None else _upright(thing.look, yaw)
        at, speed = self._pool.positions[thing.slot], self._pool.velocities[thing.slot]
        self._scratch.qpos[:] = self._data.qpos
        self._scratch.qpos[at : at + 7] = (*where, *turn)
        within = math.hypot(*where[:2]) < ROBOT_RADIUS_M and abs(where[2]) < ROBOT_HEIGHT_M  # its shell is hollow
        obstacle = "the robot" if within else self._obstacle(thing.slot)
        if obstacle:
            raise NoRoom(
                f"{thing.name} would stand inside {obstacle}", hint="put it somewhere else; z is that of its middle"
            )
        self._data.qpos[at : at + 7] = (*where, *turn)
        self._data.qvel[speed : speed + 6] = 0.0

    def _support_height(self, thing: Thing, position: tuple[float, float]) -> float:
        x, y, half_x, half_y = TABLE_TOP
        on_table = self._scene == "table" and abs(position[0] - x) < half_x and abs(position[1] - y) < half_y
        support = 0.0 if on_table else floor_height(self._scene)
        shape = thing.look.shape
        if shape in OBJECTS:
            return support + OBJECTS[shape][2][2] + 0.002  # their middle is at their foot
        return support + half_extent(thing.look)[2] + 0.001

    def _obstacle(self, slot: int) -> str | None:
        """The object that it would overlap in the scratch state."""
        mujoco.mj_kinematics(self._model, self._scratch)
        mujoco.mj_comPos(self._model, self._scratch)
        mujoco.mj_collision(self._model, self._scratch)
        geom = self._pool.geoms[slot]
        for contact in self._scratch.contact:
            pair = [int(contact.geom1), int(contact.geom2)]
            if geom in pair and contact.dist < -MAX_OVERLAP_M:
                pair.remove(geom)
                return self._owner(pair[0])
        return None

    def _owner(self, geom: int) -> str:
        for thing in self:
            if self._pool.geoms[thing.slot] == geom:
                return thing.name
        name = self._model.geom(geom).name
        return "the floor" if name == "floor" else "the table" if name.startswith("table") else "the robot"

    def _set_look(self, slot: int, look: ThingLook | None) -> None:
        self._pool.set_look(slot, look)
        self._update_constants()

    def _update_constants(self) -> None:
        """Recompute MuJoCo's constants after a change; in a scratch state, because MuJoCo modifies it."""
        mujoco.mj_setConst(self._model, self._scratch)
        self._model.stat.meaninertia = self._statistics  # scales the solver: must not change for the robot


def _upright(look: ThingLook, yaw: float) -> Quaternion:
    """The orientation at a yaw. The table's objects lie on their side in their files, and are turned upright."""
    own = OBJECTS[look.shape][3] if look.shape in OBJECTS else ()
    w, x, y, z = turned((*own, (0.0, 0.0, 1.0, math.degrees(yaw))))
    return w, x, y, z
