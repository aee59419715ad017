"""Cases of the benchmark tasks, and their checks: on the state of the simulated world, and on the reply.

Poses come from the robot's own reports, positions of objects from the simulator; photos are files. `tool_checks` has
the checks of tools that the robot makes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field

from reachy_mind.bench.tool_checks import ToolConditions, ToolEvidence, tool_failures
from reachy_mind.body.pose import Pose, wrap_angle

FILES = tuple(Path(__file__).with_name(name) for name in ("tasks.yaml", "tasks_workshop.yaml"))
TURNED, RAISED, STRAIGHT = 12.0, 8.0, 8.0
"""Degrees: minimum to a side, minimum up or down, maximum from straight ahead."""
AIMED = 10.0
SWING, ANTENNA_SWING = 4.0, 15.0
STILL = 2.0

Direction = Literal["left", "right", "up", "down", "front"]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Scene(_Strict):
    """Changes to the default scene."""

    add: tuple[dict[str, Any], ...] = ()
    move: dict[str, tuple[float, float]] = {}
    remove: tuple[str, ...] = ()
    people: tuple[dict[str, Any], ...] = ()


class LaterScene(Scene):
    """Changes while the robot runs a tool that it made, so many seconds after the start."""

    after: float


class Cut(_Strict):
    """Said while the previous turn still moves the robot."""

    cut: str


class TaskWorld(ToolConditions):
    """The conditions on the world; see tasks.yaml."""

    looks_at: str | None = None
    looked_at: str | None = None
    faces: Direction | None = None
    faced: tuple[Direction, ...] = ()
    photo: Direction | Literal["anywhere"] | None = None
    photos: tuple[int, int] | None = None
    nodded: int | None = None
    waved: bool = False
    swings: int | None = None
    spoke: bool = False
    still: Annotated[float | None, Field(description="At rest, and turned less than so many degrees")] = None
    calls: tuple[str, ...] = ()


class CaseDraft(_Strict):
    """A tool as the author of a case writes it; of several, the next ones are repairs."""

    name: str
    code: str
    capabilities: tuple[str, ...] = ()
    cases: tuple[dict[str, Any], ...] = ()
    args: dict[str, Any] = {}
    explanation: str = "It does what you asked for."
    run_s: float = 5.0


class ShelvedVersion(_Strict):
    """A version that a person approved."""

    code: str
    description: str = "A trick."
    capabilities: tuple[str, ...] = ()


class ShelvedTool(_Strict):
    """A tool that is on the shelf before the case begins."""

    name: str
    versions: tuple[ShelvedVersion, ...]
    in_use: int


class Case(_Strict):
    say: tuple[str | Cut, ...]
    scene: Scene = Scene()
    world: TaskWorld = TaskWorld()
    words: tuple[tuple[str, ...], ...] = ()
    not_words: tuple[str, ...] = ()
    script: tuple[tuple[tuple[str, dict[str, Any]], ...], ...]
    shelf: tuple[ShelvedTool, ...] = ()
    drafts: tuple[CaseDraft, ...] = ()
    approve: bool = True
    meanwhile: LaterScene | None = None


class BenchTask(_Strict):
    """One of the tasks 1 to 10."""

    task: int
    name: str
    cases: tuple[Case, ...]


@cache
def tasks() -> tuple[BenchTask, ...]:
    read = (yaml.safe_load(file.read_text(encoding="utf-8")) for file in FILES)
    return tuple(sorted((BenchTask.model_validate(each) for one in read for each in one), key=lambda each: each.task))


@dataclass(frozen=True)
class Sample:
    """The robot's pose at a time."""

    at: float
    pose: Pose

    @property
    def yaw(self) -> float:
        return math.degrees(wrap_angle(self.pose.yaw))

    @property
    def pitch(self) -> float:
        return math.degrees(self.pose.pitch)


@dataclass
class Evidence:
    """What was recorded during one case."""

    trace: list[Sample] = field(default_factory=list)
    reply: str = ""
    calls: list[str] = field(default_factory=list)
    """Successful tool calls, in order."""
    photos: list[float] = field(default_factory=list)
    """Times of new, readable photo files."""
    off: Mapping[str, Sequence[float]] = field(default_factory=dict)
    """Degrees between the camera's axis and the final position of each object, for every sample."""
    loudest: float = 0.0
    """Peak of the loudspeaker, of 1."""
    tools: ToolEvidence = field(default_factory=ToolEvidence)


def verdict(case: Case, seen: Evidence) -> list[str]:
    """The failed checks, in words; empty when the case passed."""
    wrong = [failure for check in _CHECKS if (failure := check(case.world, seen))]
    wrong += tool_failures(case.world, seen.tools)
    reply = f" {re.sub(r'[^a-z0-9]+', ' ', seen.reply.casefold().replace(chr(8217), chr(39)).replace(chr(39), ''))} "
    wrong += [f"did not say {' or '.join(ways)}" for ways in case.words if not any(_in(way, reply) for way in ways)]
    return wrong + [f"said {word}" for word in case.not_words if _in(word, reply)]


def _in(words: str, reply: str) -> bool:
    """Whether the words occur, as whole words."""
    return f" {re.sub(r'[^a-z0-9]+', ' ', words.casefold().replace(chr(39), ''))} " in reply


def _looks_at(world: TaskWorld, seen: Evidence) -> str:
    if world.looked_at is not None and min(seen.off.get(world.looked_at, [180.0])) > AIMED:
        return f"never looked at the {world.looked_at}"
    if world.looks_at is None:
        return ""
    off = seen.off.get(world.looks_at, [180.0])[-1]
    return "" if off <= AIMED else f"looks {off:.0f} degrees past the {world.looks_at}"


def _faces(world: TaskWorld, seen: Evidence) -> str:
    if world.faces is None or (seen.trace and facing(seen.trace[-1], world.faces)):
        return ""
    return f"does not face {world.faces}"


def _faced(world: TaskWorld, seen: Evidence) -> str:
    """Checks the directions in order."""
    at = 0
    for direction in world.faced:
        found = next((i for i in range(at, len(seen.trace)) if facing(seen.trace[i], direction)), None)
        if found is None:
            return f"did not face {direction} in its turn"
        at = found
    return ""


def _photo(world: TaskWorld, seen: Evidence) -> str:
    if world.photo is None:
        return ""
    if not seen.photos:
        return "took no photo"
    if world.photo == "anywhere":
        return ""
    then = min(seen.trace, key=lambda sample: abs(sample.at - seen.photos[-1]))
    return "" if facing(then, world.photo) else f"did not face {world.photo} when it took the photo"


def _photos(world: TaskWorld, seen: Evidence) -> str:
    if world.photos is None or world.photos[0] <= len(seen.photos) <= world.photos[1]:
        return ""
    return f"took {len(seen.photos)} photos"


def _nodded(world: TaskWorld, seen: Evidence) -> str:
    if world.nodded is None:
        return ""
    swings = reversals([sample.pitch for sample in seen.trace], SWING)
    return "" if swings >= world.nodded else f"nodded {swings} times"


def _waved(world: TaskWorld, seen: Evidence) -> str:
    return "did not wave" if world.waved and antenna_swings(seen) < 1 else ""


def _swings(world: TaskWorld, seen: Evidence) -> str:
    if world.swings is None or (swings := antenna_swings(seen)) >= world.swings:
        return ""
    return f"moved the antennas {swings} times"


def antenna_swings(seen: Evidence) -> int:
    """Of the antenna that moved more often."""
    sides = ([s.pose.antenna_left for s in seen.trace], [s.pose.antenna_right for s in seen.trace])
    return max(reversals([math.degrees(angle) for angle in side], ANTENNA_SWING) for side in sides)


def _spoke(world: TaskWorld, seen: Evidence) -> str:
    return "nothing came out of the loudspeaker" if world.spoke and seen.loudest < 0.01 else ""


def _still(world: TaskWorld, seen: Evidence) -> str:
    """Checks that it is at rest in the last second, and was stopped before its end."""
    if world.still is None:
        return ""
    last = [sample for sample in seen.trace if sample.at >= seen.trace[-1].at - 1.0]
    if max(last[-1].pose.distance(sample.pose) for sample in last) > math.radians(STILL):
        return "is still moving"
    turned = abs(math.degrees(wrap_angle(seen.trace[-1].pose.body_yaw)))
    return "" if turned < world.still else f"turned {turned:.0f} degrees before it stopped"


def _called(world: TaskWorld, seen: Evidence) -> str:
    """Checks the order of calls; others may come between."""
    calls = iter(seen.calls)
    missing = [name for name in world.calls if name not in calls]
    return f"did not call {', '.join(missing)} in order" if missing else ""


_CHECKS: Sequence[Callable[[TaskWorld, Evidence], str]] = (
    *(_looks_at, _faces, _faced, _photo, _photos, _nodded, _waved, _swings, _spoke, _still, _called),
)


def facing(sample: Sample, direction: Direction) -> bool:
    """Pitch is positive downwards."""
    match direction:
        case "left":
            return sample.yaw >= TURNED
        case "right":
            return sample.yaw <= -TURNED
        case "up":
            return sample.pitch <= -RAISED
        case "down":
            return sample.pitch >= RAISED
        case "front":
            return abs(sample.yaw) <= STRAIGHT and abs(sample.pitch) <= STRAIGHT


def reversals(values: Sequence[float], least: float) -> int:
    """How many times the value went up and came back, by at least `least`."""
    count, extreme, down = 0, values[0] if values else 0.0, False
    for value in values:
        if down:
            extreme = max(extreme, value)
            if extreme - value >= least:
                count, down, extreme = count + 1, False, value
        else:
            extreme = min(extreme, value)
            if value - extreme >= least:
                down, extreme = True, value
    return count
