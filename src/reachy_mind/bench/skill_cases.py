"""Skills of tasks 12 to 14: a person shows how to look at things, and asks for what was learned.

Demonstrations, training, publication and approval go through the gate, as from the page. Where the head points in the
end is measured in the simulator, and the gate's record must show that it was the skill that moved it. The references
use the same robot and the same requests: a network that was not trained (`untrained`; there, both are without the
fallback to geometry, which would do the work), and the demonstration of that thing made again (`replayed`).
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import replace
from typing import Any
from uuid import uuid4

import numpy as np

from reachy_mind.bench.learning_cases import LearningTask, Shown, SkillRequest
from reachy_mind.bench.scene_setup import SceneSetup
from reachy_mind.bench.task_cases import Case, Evidence, Scene
from reachy_mind.bench.task_tally import TaskTally, asked
from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.errors import MindError
from reachy_mind.events import ConfirmationAsked
from reachy_mind.learning.demonstrations.teaching import ShownCall, ShownTask, Teaching
from reachy_mind.learning.policies.experience import Experience
from reachy_mind.learning.policies.policy import Policy
from reachy_mind.learning.policies.publication import AUTHOR, draft_of
from reachy_mind.learning.policies.skill_templates import SKILLS
from reachy_mind.learning.training.service import TrainingService
from reachy_mind.mind import Mind
from reachy_mind.tools.builtin.aiming import wait_still
from reachy_mind.tools.context import Caller
from reachy_mind.tools.definition import ToolError
from reachy_mind.workshop.shelf.versions import NewVersion, ToolVersion

PERSON = Caller("person", "rest")
DATASET, RUN = "shown", "look-shown"
POINTED = 6.0
"""Degrees between the camera's axis and the thing."""
TURN_TIMEOUT_S, TRAINING_TIMEOUT_S = 120.0, 180.0
TURN_S, HOLD_S = 0.8, 0.4
UNLIMITED = 1e6
TOO_SLOW, TRIALS = "ran longer than", 3
PASSED = {"passed": True, "results": [], "errors": [], "warnings": []}


class Pupil:
    """One robot that is shown things. Use `learned`, then ask."""

    def __init__(self, mind: Mind, setup: SceneSetup) -> None:
        self._mind, self._setup = mind, setup
        self._demonstrations: dict[str, str] = {}
        self._version: ToolVersion | None = None

    async def learned(self, shown: Sequence[Shown]) -> None:
        """Watch the demonstrations, train, publish; a person approves. Raises MindError, TimeoutError."""
        teaching = Teaching.of(self._mind)
        for each in shown:
            await self._setup.set(Scene(move={each.thing: each.at}))
            calls = [ShownCall("robot.goto", {**turn, "duration": TURN_S}) for turn in each.turns]
            calls = calls or [ShownCall("robot.look_at_object", {"name": each.thing})]
            task = ShownTask(f"look at the {each.thing}", DATASET, camera=True)
            kept = await teaching.show(task, calls, PERSON, seconds=HOLD_S)
            self._demonstrations[each.thing] = str(kept["demo_id"])
        training = TrainingService.of(self._mind)
        plan = {"name": RUN, "task": "look_at", "algorithm": "clone", "demonstrations": DATASET, "episodes": len(shown)}
        await self._mind.act("learning.start_training", plan, PERSON)
        async with asyncio.timeout(TRAINING_TIMEOUT_S):
            await _ended(training)
        async with self._person_who_agrees():
            made = await self._published()
            agreed = {key: made[key] for key in ("name", "version", "sha256", "capabilities")}
            await self._mind.act("workshop.approve_tool", agreed, PERSON)
        self._version = await asyncio.to_thread(self._mind.generated.shelf.get, made["name"], made["version"])

    async def _published(self) -> dict[str, Any]:
        """The version that came of the run. A trial that was too slow on a busy machine is tried again, as a person
        would do. Raises ToolError."""
        try:
            return await self._mind.act("learning.publish_training", {"name": RUN}, PERSON)
        except ToolError as error:
            if TOO_SLOW not in error.message:
                raise
        shelf, name = self._mind.generated.shelf, SKILLS["look_at"].tool_name
        version = (await asyncio.to_thread(shelf.versions, name))[-1]
        for _ in range(TRIALS):
            again = {"name": name, "version": version.number}
            tried = await self._mind.act("workshop.retry_tool", again, PERSON)
            if tried["passed"]:
                break
        return tried

    async def tried(self, task: LearningTask, tally: TaskTally, *, reference: bool = False) -> None:
        """Make the requests of a task. Ends with the skill as it was learned."""
        alone = task.reference == "untrained"
        if alone:
            await self._use(await asyncio.to_thread(self._without_fallback, trained=not reference))
        for request in task.requests:
            replayed = reference and task.reference == "replayed"
            tally.judged(task.task, request.say, await self._tried(request, tally, replayed=replayed))
        if alone and self._version is not None:
            await self._use(self._version)

    async def _tried(self, request: SkillRequest, tally: TaskTally, *, replayed: bool) -> list[str]:
        case = Case(say=(request.say,), script=((),))
        await self._setup.set(request.scene)
        async with self._setup.watching() as seen:
            try:
                async with asyncio.timeout(TURN_TIMEOUT_S):
                    if replayed:
                        await self._replayed(request.thing)
                    else:
                        seen.calls = await self._asked(request, tally)
            except (TimeoutError, MindError) as error:
                return [str(error) or "took too long"]
            await wait_still(self._mind.body())
            await self._setup.look_again(seen, case)
        wrong = pointing_failures(request.thing, seen)
        if not replayed and self._skill not in seen.calls:
            wrong.append(f"used {', '.join(seen.calls) or 'nothing'}, not what was learned")
        return wrong

    @property
    def _skill(self) -> str:
        return self._version.name if self._version is not None else ""

    async def _asked(self, request: SkillRequest, tally: TaskTally) -> list[str]:
        """Make a request in words; returns the calls that went well."""
        asking = asyncio.create_task(asked(self._mind, request.say, uuid4().hex))
        try:
            if request.moved is not None:
                await self._setup.until_moving(asking)
                await self._setup.change(Scene(move={request.thing: request.moved}))
            response, done = await asking
            tally.turn(response, done)
            return [call.name for call in response.tool_calls if call.outcome.status == "ok"]
        finally:
            if not asking.done():
                await self._mind.turns.interrupt()
                await cancel_and_wait(asking)

    async def _replayed(self, thing: str) -> None:
        """The demonstration of the thing, of any thing if there is none."""
        last = [*self._demonstrations.values()][-1]
        demonstration = self._demonstrations.get(thing, last)
        await self._mind.act("robot.replay_demonstration", {"demo_id": demonstration}, PERSON)

    def _without_fallback(self, *, trained: bool) -> ToolVersion:
        """A version in which the network decides everything, as it was trained or as it was before. That might not pass
        its trial, which is left out for it."""
        known = self._version
        assert known is not None
        folder = self._mind.configuration.home.training_folder
        policy = Policy.load(folder / RUN / "policy.npz")
        name = f"{RUN}-{'trained' if trained else 'untrained'}"
        (folder / name).mkdir(exist_ok=True)
        plan = json.loads((folder / RUN / "plan.json").read_text(encoding="utf-8"))
        (folder / name / "plan.json").write_text(json.dumps(plan), encoding="utf-8")
        changed = unguarded(policy if trained else untrained(policy))
        (folder / name / "policy.npz").write_bytes(changed.to_bytes())
        draft = draft_of(folder / name, known.name)
        return self._mind.generated.shelf.add(
            NewVersion(
                name=known.name,
                code=draft.code,
                description=known.description,
                parameters=known.parameters,
                capabilities=known.capabilities,
                timeout_s=known.timeout_s,
                results=PASSED,
                author=AUTHOR,
                sentences=known.sentences,
            )
        )

    async def _use(self, version: ToolVersion) -> None:
        shelf = self._mind.generated.shelf
        await asyncio.to_thread(shelf.approve, version.name, version.sha256, "bench", activate=True)
        await self._mind.generated.refresh()

    @contextlib.asynccontextmanager
    async def _person_who_agrees(self) -> AsyncIterator[None]:
        """Answers every question with yes, for the duration of the block."""
        confirmations = self._mind.confirmations
        with confirmations.channel("bench"), self._mind.bus.subscribe(ConfirmationAsked) as published:

            async def answer() -> None:
                async for event in published:
                    if isinstance(event, ConfirmationAsked):
                        confirmations.answer(event.confirmation_id, approved=True, by="bench")

            answering = asyncio.create_task(answer(), name="person who agrees")
            try:
                yield
            finally:
                await cancel_and_wait(answering)


async def _ended(training: TrainingService) -> None:
    """Wait until nothing is trained any more."""
    while True:
        if await asyncio.to_thread(training.under_way) is None:
            return
        await asyncio.sleep(0.2)


def untrained(policy: Policy) -> Policy:
    """The same network before its training, with the same experience."""
    rng = np.random.default_rng(0)

    def layers() -> Iterator[tuple[np.ndarray, np.ndarray]]:
        for weights, bias in policy.layers:
            most = len(weights) ** -0.5
            drawn = (rng.uniform(-most, most, part.shape).astype(np.float32) for part in (weights, bias))
            yield next(drawn), next(drawn)

    return replace(policy, layers=list(layers()))


def unguarded(policy: Policy) -> Policy:
    """The same policy, which trusts itself everywhere."""
    size = policy.observation_size
    wide = np.full(size, UNLIMITED)
    return replace(policy, experience=Experience(-wide, wide, np.zeros(size), np.eye(size), UNLIMITED))


def pointing_failures(thing: str, seen: Evidence) -> list[str]:
    """Why the camera does not point at the thing in the end."""
    off = seen.off.get(thing, [180.0])[-1]
    return [] if off <= POINTED else [f"looks {off:.0f} degrees past the {thing}"]
