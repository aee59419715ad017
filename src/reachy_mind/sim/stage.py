"""`Stage`: the scene as people change it: its world, the pictures in it, light, noise, and how time passes.

The same seed, the same changes and the same number of steps give the same world and, to the last point, the same
frames: nothing else here is left to chance.
"""

from __future__ import annotations

from reachy_mind.sim.camera import Sight
from reachy_mind.sim.looks import Light, Looks, PersonLook, ThingLook, Vector
from reachy_mind.sim.people import Looking, Person
from reachy_mind.sim.pictures import Picture, drawn_person, mean_color
from reachy_mind.sim.seen import Named, Names
from reachy_mind.sim.things import Thing
from reachy_mind.sim.world import CONTROL_PERIOD_S, World

FASTEST = 8.0


class Stage:
    """One per simulator. `owed` says how many control periods are due, 50 times a real second."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._pictures: dict[str, bytes] = {}
        self._looks: Looks | None = None
        self._names = Names()
        self._versions: tuple[int, ...] = ()
        self._light, self._noise, self.seed, self._seeded_at = Light(), 0.0, 0, world.time
        self.speed, self.paused, self._credit = 1.0, False, 0.0

    def reset(self, seed: int = 0, *, paused: bool = False) -> None:
        """As at the start, at real speed. The world is reset apart from this."""
        self._light, self._noise = Light(), 0.0
        self.speed, self.paused, self._credit = 1.0, paused, 0.0
        self.sow(seed)

    def sow(self, seed: int) -> None:
        """Noise and drawn faces follow from this number, and noise from the time since."""
        self.seed, self._seeded_at, self._looks = seed, self.world.time, None

    @property
    def light(self) -> Light:
        return self._light

    @light.setter
    def light(self, light: Light) -> None:
        self._light, self._looks = light, None

    @property
    def noise(self) -> float:
        return self._noise

    @noise.setter
    def noise(self, noise: float) -> None:
        self._noise, self._looks = noise, None

    def owed(self) -> int:
        """Control periods that are due now; asked once a real control period."""
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
        picture: Picture | None = None,
        *,
        name: str | None = None,
        label: str = "",
        yaw: float = 0.0,
    ) -> Thing:
        """As `Things.add`, with a picture on it if there is one."""
        if picture is not None:
            look = look.model_copy(update={"picture": picture.key})
            self._pictures[picture.key] = picture.pixels
        return self.world.things.add(look, position, name=name, label=label, yaw=yaw)

    def add_person(
        self,
        name: str | None,
        at: tuple[float, float],
        face: Picture | None = None,
        clothes: Vector | None = None,
        *,
        height: float,
        looking: Looking,
    ) -> Person:
        """As `People.add`; without a picture of a face, one is drawn that follows from name and seed."""
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

    def looks(self) -> Looks:
        """How everything looks now; the same object until something has changed."""
        things, people = self.world.things, self.world.people
        versions = things.version, people.version
        if self._looks is None or versions != self._versions:
            self._versions = versions
            self._looks = Looks(
                things={thing.place: thing.look for thing in things},
                people={person.place: person.look for person in people},
                light=self._light,
                noise=self._noise,
                seed=self.seed,
            )
            self._pictures = {key: self._pictures[key] for key in self._looks.pictures()}
            self._names = Names(
                {thing.place: Named(thing.name, thing.label) for thing in things},
                {person.place: Named(person.name, "person") for person in people},
            )
        return self._looks

    def sight(self) -> Sight:
        """For the camera, now."""
        moment = round((self.world.time - self._seeded_at) / CONTROL_PERIOD_S)
        looks = self.looks()
        return Sight(self.world.snapshot(), looks, self._pictures, moment, self._names, exact=self.paused)
