"""Runs the cases of a trial one after the other, each in a world of its own. Part of the process of a trial."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from reachy_mind.config.configuration import Configuration
from reachy_mind.errors import InvalidParameter
from reachy_mind.sim.appearance import TABLE_OBJECTS, ThingLook
from reachy_mind.sim.scene import SceneName
from reachy_mind.sim.things import NoRoom
from reachy_mind.workshop.run_report import RunReport, RunRequest
from reachy_mind.workshop.trial.cases import SceneChange, TrialCase
from reachy_mind.workshop.trial.world import TrialWorld

Execute = Callable[[RunRequest, TrialWorld], Any]
PLACES = ((0.28, -0.12), (0.28, 0.12), (0.34, 0.0), (0.24, 0.0), (0.34, -0.2), (0.34, 0.2))
"""Free places on the table in view of the camera, in metres from the robot."""
PERSON_AT = (1.2, 0.1)


async def run_cases(
    configuration: Configuration,
    request: RunRequest,
    cases: Sequence[TrialCase],
    scene: SceneName,
    seed: int,
    execute: Execute,
) -> AsyncIterator[dict[str, Any]]:
    """The report and the record of each case."""
    for case in cases:
        start: SceneName = "empty" if case.fault == "nobody_there" else scene
        async with TrialWorld(configuration, scene=start, seed=seed) as world:
            _prepare(world, case)
            report: RunReport = await execute(replace(request, args=case.input), world)
        yield {
            "report": report.as_dict() | {"calls_by_name": report.calls_by_name},
            "record": world.record.as_dict(),
        }


def _prepare(world: TrialWorld, case: TrialCase) -> None:
    if case.fault == "no_frame":
        world.camera.lost = "no frame came"
    elif case.fault == "link_lost":
        world.at(0.5, lambda there: setattr(there.body.link, "lost", "the connection was lost"))
    for change in case.scene:
        world.at(change.at, _change(change))


def _change(change: SceneChange) -> Callable[[TrialWorld], None]:
    def happen(world: TrialWorld) -> None:
        if change.add:
            _add(world, change.add)
        if change.remove:
            world.body.scene.world.things.remove(change.remove)
        if change.person:
            world.body.scene.add_person(None, PERSON_AT, height=1.7, looking="robot")
        if change.say:
            world.voice.hear(change.say)

    return happen


def _add(world: TrialWorld, name: str) -> None:
    """Put a thing on the table, where there is room."""
    shape = name if name in TABLE_OBJECTS else "box"
    look = ThingLook(shape=shape) if shape != "box" else ThingLook(shape="box", half_sizes=(0.02, 0.02, 0.03))
    taken = {thing.name for thing in world.body.scene.world.things}
    for place in PLACES:
        try:
            world.body.scene.add_thing(look, place, name=None if name in taken else name, label=name)
        except NoRoom:
            continue
        return
    raise InvalidParameter(f"there is no room for {name} on the table")


def cases_of(job: Mapping[str, Any]) -> list[TrialCase]:
    """The cases of a job."""
    return [
        TrialCase(
            dict(each["input"]),
            each["expected"],
            dict(each["robot"]),
            tuple(SceneChange.parse(change) for change in each["scene"]),
            each["fault"],
            each["origin"],
        )
        for each in job["cases"]
    ]
