"""`Teaching`: records demonstrations from a running robot and keeps them through the gate.

It gives the built-in tools of demonstrations the store (`DemonstrationAccess`).
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from reachy_mind.errors import InvalidParameter
from reachy_mind.learning.demonstrations.demonstration import FPS, Demonstration, Source
from reachy_mind.learning.demonstrations.recorder import DemonstrationRecorder
from reachy_mind.learning.demonstrations.store import DEFAULT_DATASET, DemonstrationStore, checked_name
from reachy_mind.learning.demonstrations.target_finder import NamedTarget, TargetFinder, named_target
from reachy_mind.mind import Mind
from reachy_mind.motion.move_format import printable
from reachy_mind.motion.moves import Frames
from reachy_mind.tools.builtin.demonstrations import KEY, provide
from reachy_mind.tools.context import Caller
from reachy_mind.tools.definition import ToolError

FILMED_DATASET = "filmed-demonstrations"
"""Where those with camera frames go by default: a dataset has them in all demonstrations or in none."""


@dataclass(frozen=True)
class ShownCall:
    """A tool call that is part of a demonstration."""

    name: str
    args: Mapping[str, Any]


@dataclass(frozen=True)
class ShownTask:
    """What is to be shown. `dataset`: empty for the usual one; `camera`: keep the camera's frames, and where they show
    the thing that the task names."""

    task: str
    dataset: str = ""
    source: Source = "tools"
    camera: bool = False

    @property
    def target(self) -> NamedTarget | None:
        """What the camera looks for."""
        return named_target(self.task) if self.camera else None

    @property
    def place(self) -> str:
        """The dataset's name. Raises InvalidParameter."""
        return checked_name(self.dataset or (FILMED_DATASET if self.camera else DEFAULT_DATASET))


@dataclass
class _Draft:
    """A demonstration that is not stored yet, which tools find by its id."""

    shown: ShownTask
    id: str = field(default_factory=lambda: uuid4().hex)
    recorder: DemonstrationRecorder | None = None
    demonstration: Demonstration | None = None


class Teaching:
    """The demonstrations of one mind."""

    def __init__(self, mind: Mind) -> None:
        self._mind = mind
        self.store = DemonstrationStore(mind.configuration.home.datasets_folder)
        self._drafts: dict[str, _Draft] = {}
        provide(mind.toolbox.parts, self)

    @classmethod
    def of(cls, mind: Mind) -> Teaching:
        """The one of this mind; recordings that are not stored yet are there."""
        found = mind.toolbox.parts.extra.get(KEY)
        return found if isinstance(found, Teaching) else cls(mind)

    @contextlib.asynccontextmanager
    async def recording(self, shown: ShownTask, caller: Caller) -> AsyncIterator[DemonstrationRecorder]:
        """Records what the robot does, for the duration of an `async with`. Raises ToolError when it may not, without
        a robot or camera, or when the dataset can't take it."""
        with self._draft(_Draft(shown)) as draft:
            await self._mind.act("robot.begin_demonstration", {"draft": draft.id, "camera": shown.camera}, caller)
            assert draft.recorder is not None
            with self._mind.idle.resting():  # looking around is no part of what is shown
                async with draft.recorder as recorder:
                    yield recorder

    async def show(
        self, shown: ShownTask, calls: Sequence[ShownCall], caller: Caller, *, seconds: float = 0.0
    ) -> dict[str, Any]:
        """Make these calls, one after the other, wait so many seconds, and keep what the robot did.

        Raises ToolError with the error of a call that failed; then nothing is kept.
        """
        async with self.recording(shown, caller) as recorder:
            results = [await self.call(recorder, call, caller) for call in calls]
            await asyncio.sleep(seconds)
        kept = await self.keep(recorder.demonstration(shown.task, shown.source, caller.person), shown.place, caller)
        return kept | {"results": [result["result"] for result in results]}

    async def call(self, recorder: DemonstrationRecorder, call: ShownCall, caller: Caller) -> dict[str, Any]:
        """One call through the gate, noted in the recording. Raises ToolError."""
        at = time.monotonic()
        outcome = await self._mind.toolbox.call(call.name, dict(call.args), caller=caller)
        recorder.called(call.name, call.args, outcome.status, at)
        if outcome.error is not None:
            error = outcome.error
            raise ToolError(error["code"], f"{call.name}: {error['message']}", hint=error["hint"])
        return {"name": call.name, "status": outcome.status, "result": dict(outcome.data)}

    async def keep(self, demonstration: Demonstration, dataset: str, caller: Caller) -> dict[str, Any]:
        """Store a demonstration through the gate. Raises ToolError."""
        shown = ShownTask(demonstration.task, dataset, camera=demonstration.filmed)
        with self._draft(_Draft(shown, demonstration=demonstration)) as draft:
            kept = await self._mind.act("robot.keep_demonstration", {"draft": draft.id, "dataset": shown.place}, caller)
        return {"status": "stored"} | kept

    @contextlib.contextmanager
    def _draft(self, draft: _Draft) -> Iterator[_Draft]:
        self._drafts[draft.id] = draft
        try:
            yield draft
        finally:
            del self._drafts[draft.id]

    def _open(self, draft: str) -> _Draft:
        found = self._drafts.get(draft)
        if found is None:
            raise InvalidParameter("no recording of this id is open", hint="the WebSocket /ws/teach makes one")
        return found

    # DemonstrationAccess

    async def begin(self, draft: str, *, camera: bool) -> dict[str, Any]:
        found = self._open(draft)
        if not printable(found.shown.task).strip():  # before anybody shows it in vain
            raise InvalidParameter("a demonstration needs a task", hint="what it shows, in words")
        await asyncio.to_thread(self.store.require_fitting, found.shown.place, FPS, filmed=camera)
        motion, sight, target = self._mind.body(), self._mind.sight, found.shown.target
        if camera:
            sight.require_camera()
        find = TargetFinder(sight, target).find if camera and target is not None else None
        found.recorder = DemonstrationRecorder(motion, sight.frame if camera else None, find)
        return {"task_description": found.shown.task}

    async def store_draft(self, draft: str, dataset: str) -> dict[str, Any]:
        found = self._open(draft)
        demonstration, target = found.demonstration, found.shown.target
        if demonstration is None:
            raise InvalidParameter("this recording has not ended", hint="stop it first")
        (kept,) = await asyncio.to_thread(self.store.add, [demonstration], dataset)
        if target is None:
            return kept.as_dict()
        seen = float(demonstration.targets[:, 2].mean())
        return kept.as_dict() | {"target": target.name, "target_seen": round(seen, 2)}

    async def as_move(self, demo_id: str) -> Frames:
        return (await asyncio.to_thread(self.store.get, demo_id)).as_move()

    async def trim(self, demo_id: str, start: float, end: float | None) -> dict[str, Any]:
        return (await asyncio.to_thread(self.store.trim, demo_id, start, end)).as_dict()

    async def remove(self, demo_id: str) -> dict[str, Any]:
        return (await asyncio.to_thread(self.store.remove, demo_id)).as_dict()
