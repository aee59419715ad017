"""Scene routes of the simulator, `/sim/v1`: objects, people, light, camera noise, seed and time.

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
from reachy_mind.sim.appearance import (
    FACE_SIZE,
    LIGHT_DIRECTION,
    PICTURE_SIZE,
    TABLE_OBJECTS,
    Light,
    Shape,
    ThingLook,
)
from reachy_mind.sim.clock import RealTimeClock
from reachy_mind.sim.drawn_pictures import decode
from reachy_mind.sim.people import Looking, SimulatedPerson
from reachy_mind.sim.scene_state import MAX_SPEED, SceneState
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


class SceneRequest(BaseModel):
    model_config = ConfigDict(extra="forbid")


class NewObject(SceneRequest):
    """`size`: three edges of a box, the diameter of a sphere, diameter and height of the others."""

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


class ObjectMove(SceneRequest):
    position: Place
    yaw: FiniteFloat | None = None


class ObjectThrow(SceneRequest):
    velocity: tuple[Rate, Rate, Rate]
    spin: tuple[Rate, Rate, Rate] = (0.0, 0.0, 0.0)


class NewPerson(SceneRequest):
    """Without a `face`, one is generated from the name and the seed."""

    at: OnFloor
    name: Name | None = None
    height: Annotated[FiniteFloat, Field(ge=0.5, le=2.3)] = 1.7
    looking: Looking = "robot"
    face: EncodedPicture | None = None
    clothes: Color | None = None


class Walk(SceneRequest):
    to: OnFloor
    speed: Speed = 1.0
    looking: Looking = "ahead"


class Approach(SceneRequest):
    distance: Annotated[FiniteFloat, Field(gt=0, le=20)] = 0.6
    speed: Speed = 1.0


class TurnRequest(SceneRequest):
    to: Literal["robot", "away"] | FiniteFloat


class LightRequest(SceneRequest):
    level: Annotated[FiniteFloat, Field(ge=0, le=2)] = 1.0
    direction: tuple[Rate, Rate, Rate] = LIGHT_DIRECTION


class NoiseRequest(SceneRequest):
    level: Annotated[FiniteFloat, Field(ge=0, le=100)]


class SeedRequest(SceneRequest):
    seed: Annotated[int, Field(ge=0, lt=1 << 32)]


class TimeRequest(SceneRequest):
    speed: Annotated[FiniteFloat, Field(gt=0, le=MAX_SPEED)] | None = None
    paused: bool | None = None


class StepRequest(SceneRequest):
    """One tick is 20 ms."""

    ticks: Annotated[int, Field(ge=1, le=3000)] = 1


@contextmanager
def _http_errors() -> Iterator[None]:
    """Map our errors to HTTP status codes: 404 unknown name, 409 no room, 422 invalid."""
    try:
        yield
    except MindError as error:
        status = 404 if isinstance(error, NoSuchThing) else 409 if isinstance(error, NoRoom) else 422
        raise HTTPException(status, error.as_dict()) from error


def object_routes(scene_state: SceneState) -> APIRouter:
    router = APIRouter(prefix=f"{protocol.SIM_PREFIX}/objects", tags=["scene"])
    things = scene_state.world.things

    def describe(thing: Thing) -> dict[str, Any]:
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
        return {"objects": [describe(thing) for thing in things]}

    @router.get("/{name}")
    async def an_object(name: str) -> dict[str, Any]:
        with _http_errors():
            return describe(things[name])

    @router.post("", status_code=201)
    async def add(body: NewObject) -> dict[str, Any]:
        """Two coordinates: it stands on the table or floor below. Three: the position of its middle."""
        with _http_errors():
            picture = None if body.texture is None else await asyncio.to_thread(decode, body.texture, PICTURE_SIZE)
            look, where, yaw = body.look(), body.position, body.yaw
            return describe(scene_state.add_thing(look, where, picture, name=body.name, label=body.label, yaw=yaw))

    @router.put("/{name}/position")
    async def move(name: str, body: ObjectMove) -> dict[str, Any]:
        with _http_errors():
            return describe(things.move(name, body.position, body.yaw))

    @router.post("/{name}/throw")
    async def throw(name: str, body: ObjectThrow) -> dict[str, Any]:
        with _http_errors():
            return describe(things.throw(name, body.velocity, body.spin))

    @router.delete("/{name}")
    async def remove(name: str) -> dict[str, str]:
        with _http_errors():
            things.remove(name)
        return {"status": "ok"}

    return router


def _edges(look: ThingLook) -> list[float] | None:
    a, b, c = (2 * half for half in look.half_sizes)
    return {"box": [a, b, c], "sphere": [a], "cylinder": [a, b], "capsule": [a, a + b]}.get(look.shape)


def person_routes(scene_state: SceneState) -> APIRouter:
    router = APIRouter(prefix=f"{protocol.SIM_PREFIX}/people", tags=["scene"])
    people = scene_state.world.people

    def describe(person: SimulatedPerson) -> dict[str, Any]:
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

    def answer(act: Callable[..., SimulatedPerson], *arguments: Any) -> dict[str, Any]:
        with _http_errors():
            return describe(act(*arguments))

    @router.get("")
    async def everybody() -> dict[str, Any]:
        return {"people": [describe(person) for person in people]}

    @router.get("/{name}")
    async def somebody(name: str) -> dict[str, Any]:
        return answer(people.__getitem__, name)

    @router.post("", status_code=201)
    async def add(body: NewPerson) -> dict[str, Any]:
        with _http_errors():
            face = None if body.face is None else await asyncio.to_thread(decode, body.face, FACE_SIZE)
            height, looking = body.height, body.looking
            return describe(
                scene_state.add_person(body.name, body.at, face, body.clothes, height=height, looking=looking)
            )

    @router.post("/{name}/walk")
    async def walk(name: str, body: Walk) -> dict[str, Any]:
        return answer(people.walk, name, body.to, body.speed, body.looking)

    @router.post("/{name}/approach")
    async def approach(name: str, body: Approach) -> dict[str, Any]:
        """Walk straight towards or away from the robot, to a distance from its middle."""
        return answer(people.approach, name, body.distance, body.speed)

    @router.post("/{name}/turn")
    async def turn(name: str, body: TurnRequest) -> dict[str, Any]:
        return answer(people.turn, name, body.to)

    @router.delete("/{name}")
    async def remove(name: str) -> dict[str, str]:
        with _http_errors():
            people.remove(name)
        return {"status": "ok"}

    return router


def environment_routes(scene_state: SceneState, clock: RealTimeClock, tick: Callable[[], None]) -> APIRouter:
    router = APIRouter(prefix=protocol.SIM_PREFIX, tags=["scene"])

    @router.get("/light")
    async def light() -> Light:
        return scene_state.light

    @router.put("/light")
    async def set_light(body: LightRequest) -> Light:
        """Level 1 is a bright room, 0 is night; the direction is that of the light rays."""
        if not any(body.direction):
            with _http_errors():
                raise InvalidParameter("light needs a direction", hint="0, 0, -1 falls from above")
        scene_state.light = Light(level=body.level, direction=body.direction)
        return scene_state.light

    @router.get("/camera/noise")
    async def noise() -> dict[str, float]:
        return {"level": scene_state.noise}

    @router.put("/camera/noise")
    async def set_noise(body: NoiseRequest) -> dict[str, float]:
        """Standard deviation of each pixel's colours, of 255. Deterministic by the seed."""
        scene_state.noise = body.level
        return await noise()

    @router.put("/seed")
    async def set_seed(body: SeedRequest) -> dict[str, int]:
        scene_state.set_seed(body.seed)
        return {"seed": scene_state.seed}

    @router.get("/time")
    async def sim_time() -> dict[str, float | bool]:
        """Simulated and real seconds since the start, and skipped real time (suspended machine)."""
        return {
            "sim_s": scene_state.world.time,
            "wall_s": clock.elapsed(),
            "skipped_s": clock.skipped_s,
            "speed": scene_state.speed,
            "paused": scene_state.paused,
        }

    @router.put("/time")
    async def set_time(body: TimeRequest) -> dict[str, float | bool]:
        """Set the simulation speed, pause or resume."""
        scene_state.speed = scene_state.speed if body.speed is None else body.speed
        scene_state.paused = scene_state.paused if body.paused is None else body.paused
        return await sim_time()

    @router.post("/time/step")
    async def step(body: StepRequest) -> dict[str, float | bool]:
        """While paused: simulate a number of control periods at once."""
        if not scene_state.paused:
            raise HTTPException(409, NotReady("time is running", hint="pause it first").as_dict())
        for done in range(body.ticks):
            tick()
            if done % 10 == 9:
                await asyncio.sleep(0)  # let other requests be served
        return await sim_time()

    return router
