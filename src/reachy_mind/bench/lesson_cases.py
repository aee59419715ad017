"""Lessons of tasks 11 and 13: people correct the robot one evening, and ask again the next morning.

In the evening each person asks, corrects in words, and the robot does it again. Then the mind ends. Ours in the morning
is a mind with the same data folder; the reference is one that was never corrected. Both are asked in a new conversation
and in other words, and how the robot moved is compared with the evening before.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from reachy_mind.bench.learning_cases import TaughtLesson, lesson_failures, measured
from reachy_mind.bench.scene_setup import SceneSetup, quiet
from reachy_mind.bench.task_cases import Case, Evidence
from reachy_mind.bench.task_tally import TaskTally, asked
from reachy_mind.brains.brain import Brain
from reachy_mind.config.configuration import Configuration
from reachy_mind.mind import Mind
from reachy_mind.tools.builtin.aiming import wait_still

TURN_TIMEOUT_S = 120.0

NumberedLesson = tuple[int, TaughtLesson]


@dataclass(frozen=True)
class Evening:
    """What was measured while a person taught."""

    before: float
    failures: tuple[str, ...] = ()
    """What kept the correction from being carried out."""


async def lessons_learned(
    configuration: Configuration,
    brain: Brain,
    lessons: Sequence[NumberedLesson],
    folder: Path,
    ours: TaskTally,
    reference: TaskTally,
) -> None:
    """Run the cases. `folder`: for the data of both minds."""
    async with quiet(configuration, home=folder / "taught") as (mind, setup):
        evenings = [await Visit(mind, setup, brain, ours, lesson).taught() for _, lesson in lessons]
    for name, tally in (("taught", ours), ("untaught", reference)):
        async with quiet(configuration, home=folder / name) as (mind, setup):
            for (task, lesson), evening in zip(lessons, evenings, strict=True):
                wrong = await Visit(mind, setup, brain, tally, lesson).morning(evening)
                tally.judged(task, f"{lesson.ask} / {' / '.join(lesson.correct)} / {lesson.later}", wrong)


class Visit:
    """One person with a robot. Everything that is said is in one conversation."""

    def __init__(self, mind: Mind, setup: SceneSetup, brain: Brain, tally: TaskTally, lesson: TaughtLesson) -> None:
        self._mind, self._setup, self._tally, self._lesson = mind, setup, tally, lesson
        self._conversation = uuid4().hex
        setup.slot.take(brain)

    async def taught(self) -> Evening:
        """Ask, and correct what is done."""
        lesson, before = self._lesson, None
        try:
            for said in self._requests():
                seen = await self._said_at_rest(said)
                before = measured(lesson.measure, seen) if before is None else before
            assert before is not None
            for said in lesson.correct:
                seen = await self._said(said)
        except (TimeoutError, RuntimeError) as error:
            return Evening(0.0, (f"in the evening: {error}",))
        if lesson.before:  # another thing than what is asked for later
            return Evening(before)
        return Evening(before, tuple(f"at once: {each}" for each in self._failures(before, seen)))

    async def morning(self, evening: Evening) -> list[str]:
        """Ask again; returns what is not as the person wanted it."""
        try:
            seen = await self._said_at_rest(self._lesson.later)
        except (TimeoutError, RuntimeError) as error:
            return [f"the next morning: {error}"]
        return [*evening.failures, *self._failures(evening.before, seen)]

    def _requests(self) -> Iterator[str]:
        if self._lesson.before:
            yield self._lesson.before
        yield self._lesson.ask

    def _failures(self, before: float, seen: Evidence) -> list[str]:
        return lesson_failures(self._lesson, before, measured(self._lesson.measure, seen))

    async def _said_at_rest(self, text: str) -> Evidence:
        await self._setup.set(self._lesson.scene)
        return await self._said(text)

    async def _said(self, text: str) -> Evidence:
        """One turn. Raises TimeoutError, RuntimeError with the error of the turn."""
        case = Case(say=(text,), script=((),))
        async with self._setup.watching() as seen:
            async with asyncio.timeout(TURN_TIMEOUT_S):
                response, done = await asked(self._mind, text, self._conversation, self._lesson.person)
            self._tally.turn(response, done)
            await wait_still(self._mind.body())
            await self._setup.look_again(seen, case)
        if response.error is not None:
            raise RuntimeError(f"{text!r}: {response.error}")
        return seen
