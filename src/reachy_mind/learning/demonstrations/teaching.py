"""`Teaching`: records demonstrations from a running robot and keeps them through the gate.

It gives the built-in tools of demonstrations the store (`DemonstrationAccess`).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from reachy_mind.errors import InvalidParameter
from reachy_mind.learning.demonstrations.demonstration import Demonstration
from reachy_mind.learning.demonstrations.recorder import DemonstrationRecorder
from reachy_mind.learning.demonstrations.store import DemonstrationStore, checked_name
from reachy_mind.mind import Mind
from reachy_mind.motion.moves import Frames
from reachy_mind.tools.builtin.demonstrations import KEY, provide
from reachy_mind.tools.context import Caller
from reachy_mind.tools.definition import ToolError


@dataclass(frozen=True)
class ShownCall:
    """A tool call that is part of a demonstration."""

    name: str
    args: Mapping[str, Any]


class Teaching:
    """The demonstrations of one mind."""

    def __init__(self, mind: Mind) -> None:
        self._mind = mind
        self.store = DemonstrationStore(mind.configuration.home.datasets_folder)
        self._drafts: dict[str, Demonstration] = {}
        provide(mind.toolbox.parts, self)

    @classmethod
    def of(cls, mind: Mind) -> Teaching:
        """The one of this mind; recordings that are not stored yet are there."""
        found = mind.toolbox.parts.extra.get(KEY)
        return found if isinstance(found, Teaching) else cls(mind)

    def recorder(self, *, camera: bool = False) -> DemonstrationRecorder:
        """Records what the robot does from now on. Raises NotReady without a robot, or without the camera."""
        motion = self._mind.body()
        if not camera:
            return DemonstrationRecorder(motion)
        sight = self._mind.sight
        sight.require_camera()

        async def look() -> bytes:
            return (await sight.frame()).jpeg

        return DemonstrationRecorder(motion, look)

    async def show(
        self, task: str, calls: Sequence[ShownCall], dataset: str, caller: Caller, *, camera: bool = False
    ) -> dict[str, Any]:
        """Make these calls, one after the other, and keep what the robot did.

        Raises ToolError with the error of a call that failed; then nothing is kept.
        """
        checked_name(dataset)
        async with self.recorder(camera=camera) as recorder:
            for call in calls:
                await self.call(recorder, call, caller)
        return await self.keep(recorder.demonstration(task, "tools", caller.person), dataset, caller)

    async def call(self, recorder: DemonstrationRecorder, call: ShownCall, caller: Caller) -> dict[str, Any]:
        """One call through the gate, noted in the recording. Raises ToolError."""
        at = time.monotonic()
        outcome = await self._mind.toolbox.call(call.name, dict(call.args), caller=caller)
        recorder.called(call.name, call.args, outcome.status, at)
        if outcome.error is not None:
            error = outcome.error
            raise ToolError(error["code"], f"{call.name}: {error['message']}", hint=error["hint"])
        return {"name": call.name, "status": outcome.status}

    async def keep(self, demonstration: Demonstration, dataset: str, caller: Caller) -> dict[str, Any]:
        """Store a demonstration through the gate. Raises ToolError."""
        draft = uuid4().hex
        self._drafts[draft] = demonstration
        try:
            kept = await self._mind.act("robot.keep_demonstration", {"draft": draft, "dataset": dataset}, caller)
        finally:
            self._drafts.pop(draft, None)
        return {"status": "stored"} | kept

    # DemonstrationAccess

    async def store_draft(self, draft: str, dataset: str) -> dict[str, Any]:
        demonstration = self._drafts.get(draft)
        if demonstration is None:
            raise InvalidParameter("no recording of this id is open", hint="the WebSocket /ws/teach makes one")
        (kept,) = await asyncio.to_thread(self.store.add, [demonstration], dataset)
        return kept.as_dict()

    async def as_move(self, demo_id: str) -> Frames:
        return (await asyncio.to_thread(self.store.get, demo_id)).as_move()

    async def trim(self, demo_id: str, start: float, end: float | None) -> dict[str, Any]:
        return (await asyncio.to_thread(self.store.trim, demo_id, start, end)).as_dict()

    async def remove(self, demo_id: str) -> dict[str, Any]:
        return (await asyncio.to_thread(self.store.remove, demo_id)).as_dict()
