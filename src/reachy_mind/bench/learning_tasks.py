"""`LearningRun`: tasks 11 to 15, ours and their references in one run.

    11  people correct the robot; the reference was never corrected          lesson_cases
    12  people show it how to look at things; a network that was not trained  skill_cases
    13  lessons and the skill, for other things and places; without lessons, and what was shown made again
    14  robots and places unlike those of the training; the policy alone, and what was shown made again
                                                                              shift_cases, skill_cases
    15  trainings from nothing, and in front of a person who says stop; without the filter, without the stop
                                                                              exploration_cases, live_training
What needs PyTorch is left out where it is missing, and a note says so.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

from reachy_mind.bench.exploration_cases import exploration_failures, explored
from reachy_mind.bench.learning_cases import LearningTask, learning_tasks
from reachy_mind.bench.lesson_cases import lessons_learned
from reachy_mind.bench.live_training import live_failures, served, watched_training
from reachy_mind.bench.scene_setup import quiet
from reachy_mind.bench.shift_cases import shift_failures, shift_outcome
from reachy_mind.bench.skill_cases import Pupil
from reachy_mind.bench.task_tally import TaskTally
from reachy_mind.brains.brain import Brain
from reachy_mind.config.configuration import Configuration
from reachy_mind.errors import MindError, MissingExtra
from reachy_mind.learning.policies.policy import Policy
from reachy_mind.learning.training.process import require_torch
from reachy_mind.learning.training.world import PracticeWorld
from reachy_mind.models.robot_description import compiled_folder, description

C = TypeVar("C")


class LearningRun:
    """One run with one brain. `seconds`: no part is begun after that."""

    def __init__(self, configuration: Configuration, brain: Brain, seconds: float) -> None:
        self._configuration, self._brain = configuration, brain
        self._end = time.monotonic() + seconds
        self.ours, self.reference = TaskTally(), TaskTally()
        self.notes: dict[str, str] = {}

    async def run(self) -> None:
        """Run every case that can be run here."""
        await self._lessons()
        try:
            require_torch()
        except MissingExtra as error:
            self.notes |= left_out(error)
            return
        parts: Mapping[str, Callable[[], Awaitable[None]]] = {
            "skills": self._skills,
            "shifts": self._shifts,
            "explorations": self._explorations,
            "live trainings": self._live,
        }
        for name, part in parts.items():
            if time.monotonic() > self._end:
                self.notes[name] = "not run: the time was over"
            else:
                await part()

    async def _lessons(self) -> None:
        lessons = [(task.task, lesson) for task in learning_tasks() for lesson in task.lessons]
        with TemporaryDirectory() as folder:
            await lessons_learned(self._configuration, self._brain, lessons, Path(folder), self.ours, self.reference)

    async def _skills(self) -> None:
        """What one robot is shown in task 12 is asked for in tasks 12 to 14."""
        asking = [task for task in learning_tasks() if task.requests]
        async with quiet(self._configuration) as (mind, setup):
            setup.slot.take(self._brain)
            pupil = Pupil(mind, setup)
            try:
                await pupil.learned([shown for task in learning_tasks() for shown in task.shown])
            except (MindError, TimeoutError) as error:
                for task, tally in ((task, tally) for task in asking for tally in (self.ours, self.reference)):
                    for request in task.requests:
                        tally.judged(task.task, request.say, [f"nothing was learned: {error or 'took too long'}"])
                return
            for task in asking:
                await pupil.tried(task, self.ours)
            for task in asking:
                await pupil.tried(task, self.reference, reference=True)

    async def _shifts(self) -> None:
        world, policies = self._world(), dict[tuple[str, str], Policy]()
        for task, shift in _each(lambda task: task.shifts):
            outcome = await asyncio.to_thread(shift_outcome, world, shift, policies)
            for tally, figures in ((self.ours, outcome.ours), (self.reference, outcome.reference)):
                tally.judged(task.task, shift.name, shift_failures(figures))

    async def _explorations(self) -> None:
        world = self._world()
        for task, case in _each(lambda task: task.explorations):
            name = f"{case.task}, {'wild' if case.wild else case.algorithm}, {case.body}"
            for tally, filtered in ((self.ours, True), (self.reference, False)):
                outcome = await asyncio.to_thread(explored, world, case, filtered=filtered)
                tally.judged(task.task, name, exploration_failures(case, outcome))

    async def _live(self) -> None:
        async with quiet(self._configuration) as (mind, setup), served(mind):
            setup.slot.take(self._brain)
            for task, case in _each(lambda task: task.live):
                name = f"{case.task}, {case.algorithm}, {case.stop or 'the button'}"
                for tally, stop in ((self.ours, True), (self.reference, False)):
                    try:
                        seen = await watched_training(mind, setup, case, tally, stop=stop)
                    except (MindError, TimeoutError) as error:
                        tally.judged(task.task, name, [str(error) or "it did not begin in time"])
                    else:
                        tally.judged(task.task, name, live_failures(seen))

    def _world(self) -> PracticeWorld:
        import torch

        torch.set_num_threads(1)  # small networks: more threads only wait for one another
        return PracticeWorld(description(self._configuration), compiled_folder(self._configuration))


def left_out(error: MissingExtra) -> dict[str, str]:
    """What is not run without an extra, by task."""
    return {
        f"task {task.task}": f"{task.cases - len(task.lessons)} of {task.cases} cases were left out: "
        f"{error.message}; {error.hint}"
        for task in learning_tasks()
        if task.cases > len(task.lessons)
    }


def _each(cases: Callable[[LearningTask], tuple[C, ...]]) -> Iterator[tuple[LearningTask, C]]:
    return ((task, case) for task in learning_tasks() for case in cases(task))
