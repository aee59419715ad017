"""The scene's routes under `/sim/v1`: objects, people, light, noise, seed and time.

Angles are radians, lengths metres, speeds metres a second; x is forward of the robot, y left, z up, from its foot.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any, Literal

from fastapi import APIRouter, HTTPException
from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, model_validator

from reachy_mind.body import protocol
from reachy_mind.errors import InvalidParameter, MindError, NotReady
from reachy_mind.sim.clock import Clock
from reachy_mind.sim.looks import (
    FACE_SIZE,
    LIGHT_DIRECTION,
    PICTURE_SIZE,
    TABLE_OBJECTS,
    Light,
    Shape,
    ThingLook,
)
from reachy_mind.sim.people import Looking, Person
from reachy_mind.sim.pictures import decode
from reachy_mind.sim.stage import FASTEST, Stage
from reachy_mind.sim.things import NoRoom, NoSuchThing, Thing

Name = Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[\w.-]+$")]
Text = Annotated[str, Field(max_length=200)]
Coordinate = Annotated[FiniteFloat, Field(ge=-20, le=20)]
OnFloor = tuple[Coordinate, Coordinate]
Place = tuple[Coordinate, Coordinate, Coordinate] | OnFloor
Length = Annotated[FiniteFloat, Field(ge=0.005, le=2.0)]
Speed = Annotated[FiniteFloat, Field(gt=0, le=10)]
Rate = Annotated[FiniteFloat, Field(ge=-50, le=50)]
Share = Annotated[FiniteFloat, Field(ge=0, le=1)]
Color = tuple[Share, Share, Share]
EncodedPicture = Annotated[
    str, Field(max_length=12_000_000, description="A PNG or JPEG in base64, or a data: address.")
]

_DENSITY = 200.0
_SIZES: dict[Shape, tuple[float, ...]] = {
    "box": (0.05, 0.05, 0.05),
    "sphere": (0.06,),
    "cylinder": (0.05, 0.08),
    "capsule": (0.04, 0.10),
}


class Request(BaseModel):
    model_config = ConfigDict(extra="forbid")


class NewObject(Request):
    """`size` is the whole of it: a box's three edges; a sphere's diameter; diameter and height of the others."""

    shape: Shape
    position: Place
    size: Annotated[list[Length], Field(min_length=1, max_length=3)] | None = None
    color: Color = (0.8, 0.2, 0.2)
    yaw: FiniteFloat = 0.0
    name: Name | None = None
    label: Text = ""
    mass: Annotated[FiniteFloat, Field(ge=0.001, le=5)] | None = None
    texture: EncodedPicture | None = None

    @model_validator(mode="after")
    def _fits(self) -> NewObject:
        if self.shape in TABLE_OBJECTS:
            if self.size is not None or self.texture is not None or self.mass is not None:
                raise ValueError(f"{self.shape} has its own size, mass and texture")
        elif self.size is not None and len(self.size) != len(_SIZES[self.shape]):
            raise ValueError(f"a {self.shape} has {len(_SIZES[self.shape])} sizes, not {len(self.size)}")
        elif self.shape == "capsule" and self.size is not None and self.size[1] <= self.size[0]:
            raise ValueError("a capsule is higher than wide: size is diameter, height")
        return self

    def look(self) -> ThingLook:
        if self.shape in TABLE_OBJECTS:
            return ThingLook(shape=self.shape)
        edges = self.size or _SIZES[self.shape]
        match self.shape:
            case "box":
                halves = edges[0] / 2, edges[1] / 2, edges[2] / 2
                volume = edges[0] * edges[1] * edges[2]
            case "sphere":
                halves, volume = (edges[0] / 2, 0.0, 0.0), 0.52 * edges[0] ** 3
            case "cylinder":
                halves, volume = (edges[0] / 2, edges[1] / 2, 0.0), 0.785 * edges[0] ** 2 * edges[1]
            case _:
                halves, volume = (edges[0] / 2, (edges[1] - edges[0]) / 2, 0.0), 0.785 * edges[0] ** 2 * edges[1]
        mass = self.mass or min(max(_DENSITY * volume, 0.005), 5.0)
        return ThingLook(shape=self.shape, half_sizes=halves, color=self.color, mass=mass)


class ObjectMove(Request):
    position: Place
    yaw: FiniteFloat | None = None


class ObjectThrow(Request):
    velocity: tuple[Rate, Rate, Rate]
    spin: tuple[Rate, Rate, Rate] = (0.0, 0.0, 0.0)


class NewPerson(Request):
    """Without a `face`, one is drawn that follows from the name and the seed."""

    at: OnFloor
    name: Name | None = None
    height: Annotated[FiniteFloat, Field(ge=0.5, le=2.3)] = 1.7
    looking: Looking = "robot"
    face: EncodedPicture | None = None
    clothes: Color | None = None


class Walk(Request):
    to: OnFloor
    speed: Speed = 1.0
    looking: Looking = "ahead"


class Approach(Request):
    distance: Annotated[FiniteFloat, Field(gt=0, le=20)] = 0.6
    speed: Speed = 1.0


class Turn(Request):
    to: Literal["robot", "away"] | FiniteFloat


class LightWish(Request):
    level: Annotated[FiniteFloat, Field(ge=0, le=2)] = 1.0
    direction: tuple[Rate, Rate, Rate] = LIGHT_DIRECTION


class NoiseWish(Request):
    level: Annotated[FiniteFloat, Field(ge=0, le=100)]


class SeedWish(Request):
    seed: Annotated[int, Field(ge=0, lt=1 << 32)]


class TimeWish(Request):
    speed: Annotated[FiniteFloat, Field(gt=0, le=FASTEST)] | None = None
    paused: bool | None = None


class StepWish(Request):
    """One tick is 20 ms."""

    ticks: Annotated[int, Field(ge=1, le=3000)] = 1


@contextmanager
def _answering() -> Iterator[None]:
    """Our errors as status codes: 404 nothing of that name, 409 no room, 422 not usable."""
    try:
        yield
    except MindError as error:
        status = 404 if isinstance(error, NoSuchThing) else 409 if isinstance(error, NoRoom) else 422
        raise HTTPException(status, error.as_dict()) from error


def object_routes(stage: Stage) -> APIRouter:
    router = APIRouter(prefix=f"{protocol.SIM_PREFIX}/objects", tags=["scene"])
    things = stage.world.things

    def described(thing: Thing) -> dict[str, Any]:
        look = thing.look
        return {
            "name": thing.name,
            "label": thing.label,
            "shape": look.shape,
            "size": _edges(look),
            "color": look.color if look.shape not in TABLE_OBJECTS else None,
            "textured": look.picture is not None or look.shape in TABLE_OBJECTS,
            "position": things.position(thing),
            "quaternion": things.quaternion(thing),
            "velocity": things.velocity(thing),
        }

    @router.get("")
    async def objects() -> dict[str, Any]:
        return {"objects": [described(thing) for thing in things]}

    @router.get("/{name}")
    async def an_object(name: str) -> dict[str, Any]:
        with _answering():
            return described(things[name])

    @router.post("", status_code=201)
    async def add(wish: NewObject) -> dict[str, Any]:
        """With two coordinates it stands on the table or the floor below; with three, that is its middle."""
        with _answering():
            picture = None if wish.texture is None else await asyncio.to_thread(decode, wish.texture, PICTURE_SIZE)
            look, where, yaw = wish.look(), wish.position, wish.yaw
            return described(stage.add_thing(look, where, picture, name=wish.name, label=wish.label, yaw=yaw))

    @router.put("/{name}/position")
    async def move(name: str, wish: ObjectMove) -> dict[str, Any]:
        with _answering():
            return described(things.move(name, wish.position, wish.yaw))

    @router.post("/{name}/throw")
    async def throw(name: str, wish: ObjectThrow) -> dict[str, Any]:
        with _answering():
            return described(things.throw(name, wish.velocity, wish.spin))

    @router.delete("/{name}")
    async def remove(name: str) -> dict[str, str]:
        with _answering():
            things.remove(name)
        return {"status": "ok"}

    return router


def _edges(look: ThingLook) -> list[float] | None:
    a, b, c = (2 * half for half in look.half_sizes)
    return {"box": [a, b, c], "sphere": [a], "cylinder": [a, b], "capsule": [a, a + b]}.get(look.shape)


def person_routes(stage: Stage) -> APIRouter:
    router = APIRouter(prefix=f"{protocol.SIM_PREFIX}/people", tags=["scene"])
    people = stage.world.people

    def described(person: Person) -> dict[str, Any]:
        return {
            "name": person.name,
            "at": (person.x, person.y),
            "head": people.head(person),
            "yaw": person.yaw,
            "height": person.height,
            "distance": person.distance,
            "looking": person.looking,
            "walking_to": person.goal,
        }

    def answer(act: Callable[..., Person], *arguments: Any) -> dict[str, Any]:
        with _answering():
            return described(act(*arguments))

    @router.get("")
    async def everybody() -> dict[str, Any]:
        return {"people": [described(person) for person in people]}

    @router.get("/{name}")
    async def somebody(name: str) -> dict[str, Any]:
        return answer(people.__getitem__, name)

    @router.post("", status_code=201)
    async def add(wish: NewPerson) -> dict[str, Any]:
        with _answering():
            face = None if wish.face is None else await asyncio.to_thread(decode, wish.face, FACE_SIZE)
            height, looking = wish.height, wish.looking
            return described(stage.add_person(wish.name, wish.at, face, wish.clothes, height=height, looking=looking))

    @router.post("/{name}/walk")
    async def walk(name: str, wish: Walk) -> dict[str, Any]:
        return answer(people.walk, name, wish.to, wish.speed, wish.looking)

    @router.post("/{name}/approach")
    async def approach(name: str, wish: Approach) -> dict[str, Any]:
        """Straight towards the robot, or back from it, until that far from its middle."""
        return answer(people.approach, name, wish.distance, wish.speed)

    @router.post("/{name}/turn")
    async def turn(name: str, wish: Turn) -> dict[str, Any]:
        return answer(people.turn, name, wish.to)

    @router.delete("/{name}")
    async def remove(name: str) -> dict[str, str]:
        with _answering():
            people.remove(name)
        return {"status": "ok"}

    return router


def stage_routes(stage: Stage, clock: Clock, tick: Callable[[], None]) -> APIRouter:
    router = APIRouter(prefix=protocol.SIM_PREFIX, tags=["scene"])

    @router.get("/light")
    async def light() -> Light:
        return stage.light

    @router.put("/light")
    async def set_light(wish: LightWish) -> Light:
        """1 is a bright room, 0 is night; the direction is the way the light falls."""
        if not any(wish.direction):
            with _answering():
                raise InvalidParameter("light needs a direction", hint="0, 0, -1 falls from above")
        stage.light = Light(level=wish.level, direction=wish.direction)
        return stage.light

    @router.get("/camera/noise")
    async def noise() -> dict[str, float]:
        return {"level": stage.noise}

    @router.put("/camera/noise")
    async def set_noise(wish: NoiseWish) -> dict[str, float]:
        """The standard deviation of each point's colours, of 255. It follows from the seed."""
        stage.noise = wish.level
        return await noise()

    @router.put("/seed")
    async def set_seed(wish: SeedWish) -> dict[str, int]:
        stage.sow(wish.seed)
        return {"seed": stage.seed}

    @router.get("/time")
    async def sim_time() -> dict[str, float | bool]:
        """Simulated and real seconds since the start, and how much real time was given up (suspended machine)."""
        return {
            "sim_s": stage.world.time,
            "wall_s": clock.elapsed(),
            "skipped_s": clock.skipped_s,
            "speed": stage.speed,
            "paused": stage.paused,
        }

    @router.put("/time")
    async def set_time(wish: TimeWish) -> dict[str, float | bool]:
        """How fast simulated time passes, and whether it does."""
        stage.speed = stage.speed if wish.speed is None else wish.speed
        stage.paused = stage.paused if wish.paused is None else wish.paused
        return await sim_time()

    @router.post("/time/step")
    async def step(wish: StepWish) -> dict[str, float | bool]:
        """While time stands still: let so many control periods pass, at once."""
        if not stage.paused:
            raise HTTPException(409, NotReady("time is running", hint="pause it first").as_dict())
        for done in range(wish.ticks):
            tick()
            if done % 10 == 9:
                await asyncio.sleep(0)  # others want to be answered meanwhile
        return await sim_time()

    return router
