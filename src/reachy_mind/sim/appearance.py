"""`SceneAppearance`: what the camera needs to know of a scene besides positions: looks, light and noise.

Physics and camera are two processes with a model each. The daemon sends the camera a new appearance after a change,
and each picture once; positions come with every frame.
"""

from __future__ import annotations

from typing import Literal, get_args

from pydantic import BaseModel, ConfigDict

Primitive = Literal["box", "sphere", "cylinder", "capsule"]
TableObject = Literal["apple", "croissant", "duck"]
Shape = Primitive | TableObject
PRIMITIVES: tuple[Primitive, ...] = get_args(Primitive)
TABLE_OBJECTS: tuple[TableObject, ...] = get_args(TableObject)
Vector = tuple[float, float, float]

PICTURE_SIZE, FACE_SIZE = 128, 256
"""Pixels along a side of the picture on an object, and on a face."""
LIGHT_DIRECTION: Vector = (0.1, -0.3, -1.0)


class FrozenModel(BaseModel):
    model_config = ConfigDict(frozen=True)


class ThingLook(FrozenModel):
    """A shape, its half sizes in MuJoCo's order, its colour (0 to 1) and the key of the picture on it, if any."""

    shape: Shape
    half_sizes: Vector = (0.0, 0.0, 0.0)
    color: Vector = (0.5, 0.5, 0.5)
    picture: str | None = None
    mass: float = 0.1


class PersonLook(FrozenModel):
    """The key of the picture on the face, and the colours (0 to 1) of the rest."""

    face: str
    skin: Vector
    hair: Vector
    clothes: Vector


class Light(FrozenModel):
    """Level 1 is a bright room, 0 is night; the direction is that of the light rays."""

    level: float = 1.0
    direction: Vector = LIGHT_DIRECTION


class SceneAppearance(FrozenModel):
    """Visible objects and people by slot in the pool. `noise` is a standard deviation, of 255."""

    things: dict[int, ThingLook] = {}
    people: dict[int, PersonLook] = {}
    light: Light = Light()
    noise: float = 0.0
    seed: int = 0

    def pictures(self) -> set[str]:
        """The keys of all visible pictures."""
        on_things = {look.picture for look in self.things.values() if look.picture is not None}
        return on_things | {look.face for look in self.people.values()}
