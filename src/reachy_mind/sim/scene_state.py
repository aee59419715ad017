"""`SceneState`: the mutable state of a scene: objects, people, pictures, light, camera noise, and simulation speed.

Deterministic: the same seed, changes and number of steps give the same world and, pixel by pixel, the same frames.
"""

from __future__ import annotations

from reachy_mind.sim.appearance import Light, PersonLook, SceneAppearance, ThingLook, Vector
from reachy_mind.sim.camera import SceneSnapshot
from reachy_mind.sim.drawn_pictures import ScenePicture, drawn_person, mean_color
from reachy_mind.sim.frame_objects import FrameNames, ObjectName
from reachy_mind.sim.people import Looking, SimulatedPerson
from reachy_mind.sim.things import Thing
from reachy_mind.sim.world import CONTROL_PERIOD_S, SimulatedWorld

MAX_SPEED = 8.0


class SceneState:
    """One per simulator. `due_ticks` is called once per real control period (50 Hz)."""

    def __init__(self, world: SimulatedWorld) -> None:
        self.world = world
        self._pictures: dict[str, bytes] = {}
        self._appearance: SceneAppearance | None = None
        self._names = FrameNames()
        self._versions: tuple[int, ...] = ()
        self._light, self._noise, self.seed, self._seeded_at = Light(), 0.0, 0, world.time
        self.speed, self.paused, self._credit = 1.0, False, 0.0

    def reset(self, seed: int = 0, *, paused: bool = False) -> None:
        """Reset light, noise, seed and time to the start. Does not reset the world."""
        self._light, self._noise = Light(), 0.0
        self.speed, self.paused, self._credit = 1.0, paused, 0.0
        self.set_seed(seed)

    def set_seed(self, seed: int) -> None:
        """Set the random seed of noise and generated faces. Noise also depends on the time since."""
        self.seed, self._seeded_at, self._appearance = seed, self.world.time, None

    @property
    def light(self) -> Light:
        return self._light

    @light.setter
    def light(self, light: Light) -> None:
        self._light, self._appearance = light, None

    @property
    def noise(self) -> float:
        return self._noise

    @noise.setter
    def noise(self, noise: float) -> None:
        self._noise, self._appearance = noise, None

    def due_ticks(self) -> int:
        """Number of control periods to simulate in this real control period."""
        if self.paused:
            return 0
        self._credit += self.speed
        due = int(self._credit)
        self._credit -= due
        return due

    def add_thing(
        self,
        look: ThingLook,
        position: tuple[float, float] | Vector,
        picture: ScenePicture | None = None,
        *,
        name: str | None = None,
        label: str = "",
        yaw: float = 0.0,
    ) -> Thing:
        """As `Things.add`, with an optional picture on it."""
        if picture is not None:
            look = look.model_copy(update={"picture": picture.key})
            self._pictures[picture.key] = picture.pixels
        return self.world.things.add(look, position, name=name, label=label, yaw=yaw)

    def add_person(
        self,
        name: str | None,
        at: tuple[float, float],
        face: ScenePicture | None = None,
        clothes: Vector | None = None,
        *,
        height: float,
        looking: Looking,
    ) -> SimulatedPerson:
        """As `SimulatedPeople.add`; without a picture a face is generated from name and seed."""
        name = name or self.world.people.free_name()
        drawn = drawn_person(name, self.seed)
        look = PersonLook(
            face=(face or drawn.face).key,
            skin=drawn.skin if face is None else mean_color(face),
            hair=drawn.hair,
            clothes=clothes or drawn.clothes,
        )
        self._pictures[look.face] = (face or drawn.face).pixels
        return self.world.people.add(name, look, at, height=height, looking=looking)

    def appearance(self) -> SceneAppearance:
        """The current appearance; the same object until something changes."""
        things, people = self.world.things, self.world.people
        versions = things.version, people.version
        if self._appearance is None or versions != self._versions:
            self._versions = versions
            self._appearance = SceneAppearance(
                things={thing.slot: thing.look for thing in things},
                people={person.slot: person.look for person in people},
                light=self._light,
                noise=self._noise,
                seed=self.seed,
            )
            self._pictures = {key: self._pictures[key] for key in self._appearance.pictures()}
            self._names = FrameNames(
                {thing.slot: ObjectName(thing.name, thing.label) for thing in things},
                {person.slot: ObjectName(person.name, "person") for person in people},
            )
        return self._appearance

    def snapshot(self) -> SceneSnapshot:
        """The current scene for the camera."""
        moment = round((self.world.time - self._seeded_at) / CONTROL_PERIOD_S)
        appearance = self.appearance()
        return SceneSnapshot(self.world.snapshot(), appearance, self._pictures, moment, self._names, exact=self.paused)
