"""`Looks`: what the camera has to know of a scene beyond positions: who wears what, the light, the noise.

The physics and the camera are two processes with a model each. The daemon sends the camera new looks when they have
changed, and the pictures that they name once each; where everything is comes with every frame.
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
"""Points along a side of the picture on a thing, and on a face."""
LIGHT_DIRECTION: Vector = (0.1, -0.3, -1.0)


class Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)


class ThingLook(Frozen):
    """A shape, its half sizes as MuJoCo counts them, its colour (0 to 1) and the key of the picture on it, if any."""

    shape: Shape
    half_sizes: Vector = (0.0, 0.0, 0.0)
    color: Vector = (0.5, 0.5, 0.5)
    picture: str | None = None
    mass: float = 0.1


class PersonLook(Frozen):
    """The key of the picture on the face, and the colours (0 to 1) of the rest."""

    face: str
    skin: Vector
    hair: Vector
    clothes: Vector


class Light(Frozen):
    """Level 1 is a bright room, 0 is night; the direction is the way the light falls."""

    level: float = 1.0
    direction: Vector = LIGHT_DIRECTION


class Looks(Frozen):
    """By place in the pool: what is not there is not seen. `noise` is a standard deviation in steps of 255."""

    things: dict[int, ThingLook] = {}
    people: dict[int, PersonLook] = {}
    light: Light = Light()
    noise: float = 0.0
    seed: int = 0

    def pictures(self) -> set[str]:
        """The keys of all pictures that can be seen."""
        on_things = {look.picture for look in self.things.values() if look.picture is not None}
        return on_things | {look.face for look in self.people.values()}
