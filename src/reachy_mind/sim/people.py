"""`SimulatedPeople`: people in the room who stand, walk, approach and turn, in simulated time.

A person has a position on the floor, a yaw and a goal. The robot is at (0, 0). People walk in straight lines and
through objects: they are visual only.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import mujoco

from reachy_mind.sim.appearance import PersonLook, Vector
from reachy_mind.sim.body_pool import HEAD, PEOPLE, BodyPool
from reachy_mind.sim.things import NoRoom, NoSuchThing

Looking = Literal["ahead", "robot", "away"]
TURN_RATE = math.radians(180)
"""Radians a second."""
SAME_YAW = 1e-6
OWN_LENGTH_M = 0.35
"""Closest distance to the middle of the robot: nearer, it would be inside the person."""


@dataclass
class SimulatedPerson:
    """One person; `looking` is where the face turns: along its path, to the robot, away from it, or to a fixed yaw."""

    name: str
    look: PersonLook
    slot: int
    height: float
    x: float
    y: float
    yaw: float = 0.0
    looking: Looking | float = "robot"
    goal: tuple[float, float] | None = None
    speed: float = 1.0

    @property
    def distance(self) -> float:
        """Metres to the middle of the robot, along the floor."""
        return math.hypot(self.x, self.y)

    def wanted_yaw(self) -> float:
        towards_robot = math.atan2(-self.y, -self.x)
        match self.looking:
            case float(yaw):
                return yaw
            case "robot":
                return towards_robot
            case "away":
                return towards_robot + math.pi
            case "ahead" if self.goal is not None:
                return math.atan2(self.goal[1] - self.y, self.goal[0] - self.x)
            case _:
                return self.yaw

    @property
    def at_rest(self) -> bool:
        """Whether the person neither walks nor turns."""
        return self.goal is None and abs(math.remainder(self.wanted_yaw() - self.yaw, math.tau)) < SAME_YAW

    def advance(self, seconds: float) -> None:
        turn = math.remainder(self.wanted_yaw() - self.yaw, math.tau)
        most = TURN_RATE * seconds
        self.yaw = math.remainder(self.yaw + max(-most, min(most, turn)), math.tau)
        if self.goal is None:
            return
        left = math.dist((self.x, self.y), self.goal)
        share = 1.0 if left <= self.speed * seconds else self.speed * seconds / left
        self.x += (self.goal[0] - self.x) * share
        self.y += (self.goal[1] - self.y) * share
        if share == 1.0:
            self.goal = None


class SimulatedPeople:
    """All people in the room."""

    def __init__(self, data: mujoco.MjData, pool: BodyPool, floor: float) -> None:
        self._data, self._mocaps, self._floor = data, pool.mocaps, floor
        self._by_name: dict[str, SimulatedPerson] = {}
        self.version = 0

    def __iter__(self) -> Iterator[SimulatedPerson]:
        return iter(tuple(self._by_name.values()))

    def __getitem__(self, name: str) -> SimulatedPerson:
        try:
            return self._by_name[name]
        except KeyError:
            known = ", ".join(self._by_name) or "none"
            raise NoSuchThing(f"there is nobody called {name!r}", hint=f"people: {known}") from None

    def add(
        self,
        name: str,
        look: PersonLook,
        at: tuple[float, float],
        *,
        height: float = 1.7,
        looking: Looking = "robot",
    ) -> SimulatedPerson:
        """Add a person who stands at a position. Raises NoRoom."""
        if name in self._by_name:
            raise NoRoom(f"there is somebody called {name!r} already", hint="choose another name")
        taken = {person.slot for person in self}
        slot = next((slot for slot in range(PEOPLE) if slot not in taken), None)
        if slot is None:
            raise NoRoom(f"there are {PEOPLE} people already", hint="let one leave: more were not compiled in")
        person = SimulatedPerson(name, look, slot, height, *at, looking=looking)
        person.yaw = math.remainder(person.wanted_yaw(), math.tau)
        self._by_name[name] = person
        self._show(person)
        self.version += 1
        return person

    def free_name(self) -> str:
        return next(name for n in range(1, PEOPLE + 2) if (name := f"person_{n}") not in self._by_name)

    def walk(self, name: str, to: tuple[float, float], speed: float, looking: Looking = "ahead") -> SimulatedPerson:
        """Start walking there. Raises NoSuchThing."""
        person = self[name]
        person.goal, person.speed, person.looking = to, speed, looking
        return person

    def approach(self, name: str, distance: float, speed: float) -> SimulatedPerson:
        """Walk straight towards or away from the robot, to a distance, looking at it."""
        person = self[name]
        share = max(distance, OWN_LENGTH_M) / (person.distance or 1.0)
        ahead = (person.x * share, person.y * share) if person.distance else (max(distance, OWN_LENGTH_M), 0.0)
        return self.walk(name, ahead, speed, "robot")

    def turn(self, name: str, to: Literal["robot", "away"] | float) -> SimulatedPerson:
        """Face the robot, the other way, or a direction in radians."""
        person = self[name]
        person.looking = to
        return person

    def remove(self, name: str) -> None:
        """Raises NoSuchThing."""
        del self._by_name[self[name].name]
        self.version += 1

    def clear(self) -> None:
        self._by_name.clear()
        self.version += 1

    def advance(self, seconds: float) -> None:
        """Advance time for all people."""
        for person in self._by_name.values():
            person.advance(seconds)
            self._show(person)

    def head(self, person: SimulatedPerson) -> Vector:
        """The middle of the head, in metres from the robot's foot."""
        return person.x, person.y, self._floor + person.height - HEAD[2]

    def _show(self, person: SimulatedPerson) -> None:
        self._data.mocap_pos[self._mocaps[person.slot]] = self.head(person)
        half = person.yaw / 2
        self._data.mocap_quat[self._mocaps[person.slot]] = math.cos(half), 0.0, 0.0, math.sin(half)
