"""Routes for the owner: how everything is (the page's doctor), the settings, and what may be done without asking.

Changes are calls through the gate that ask a person, whoever makes the request.
"""

from __future__ import annotations

import asyncio
import time
from typing import Any

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from reachy_mind import checkup
from reachy_mind.checkup import Finding
from reachy_mind.errors import MindError
from reachy_mind.mind import Mind
from reachy_mind.tools.builtin.owning import Declared
from reachy_mind.tools.context import Caller
from reachy_mind.tools.definition import TierName

FRESH_S = 10.0
"""Who asks again sooner is told the same: some files are read for it."""


class NewTier(BaseModel):
    """What a tool may do from now on."""

    model_config = ConfigDict(extra="forbid")

    tool: str = Field(min_length=1, max_length=200)
    tier: TierName | Declared
    reason: str = Field("", max_length=200)


class NewValue(BaseModel):
    """A setting; without a value, as it comes."""

    model_config = ConfigDict(extra="forbid")

    key: str = Field(min_length=3, max_length=100)
    value: bool | int | float | str | None = None


def router(mind: Mind) -> APIRouter:
    routes = APIRouter(prefix="/api/v1")
    caller = Caller("person", "rest")
    doctor = Doctor(mind)

    @routes.get("/doctor")
    async def examined() -> dict[str, Any]:
        """Each part of the machine and of this mind: whether it is fine, what was seen, and what to do."""
        return await doctor.examined()

    @routes.get("/settings")
    async def settings() -> dict[str, Any]:
        """Every setting, where its value comes from, and whether a change shows at once. Secrets are masked."""
        found = await mind.preferences.listed()
        return {"settings": found, "total": len(found), "folder": str(mind.configuration.home.folder)}

    @routes.put("/settings")
    async def change(wish: NewValue) -> dict[str, Any]:
        """Asks a person."""
        return await mind.act("mind.change_setting", {"key": wish.key, "value": wish.value}, caller)

    @routes.put("/permissions")
    async def permit(wish: NewTier) -> dict[str, Any]:
        """Give one tool a tier, in `permissions.yaml`; asks a person. A stop stays as it is."""
        args = {"name": wish.tool, "tier": wish.tier, "reason": wish.reason}
        return await mind.act("mind.set_permission", args, caller)

    return routes


class Doctor:
    """Looks at the machine, and at how the parts of a running mind are. Disturbs none of them."""

    def __init__(self, mind: Mind) -> None:
        self._mind = mind
        self._turn = asyncio.Lock()
        self._found: list[Finding] = []
        self._at = -FRESH_S

    async def examined(self) -> dict[str, Any]:
        async with self._turn:
            if time.monotonic() - self._at > FRESH_S:
                self._found = await checkup.machine(self._mind.configuration)
                self._at = time.monotonic()
            found = [*self._found, *self._parts(), *await self._memory()]
        healthy = all(each.ok or each.optional for each in found)
        return {"healthy": healthy, "checks": [each.as_dict() for each in found], "total": len(found)}

    def _parts(self) -> list[Finding]:
        return [self._robot(), self._camera(), self._talk(), self._thinking(), *self._tools(), *self._servers()]

    def _robot(self) -> Finding:
        motion = self._mind.motion
        if motion is None:
            fix = "start with --robot sim, or with the address of a robot"
            return Finding("robot", ok=False, detail="there is none", fix=fix, optional=True)
        try:
            state = motion.state
        except MindError as error:
            return Finding("robot", ok=False, detail=error.message, fix=error.hint)
        kind = "simulated" if state.simulated else "physical"
        detail = f"{state.robot.replace('_', ' ')}, {kind}, motors {state.mode}"
        if state.error:
            return Finding("robot", ok=False, detail=f"{detail}; it reports: {state.error}", fix="restart its daemon")
        return Finding("robot", motion.status == "connected", detail, fix="is it switched on, and in this network?")

    def _camera(self) -> Finding:
        try:
            self._mind.eye()
        except MindError as error:
            return Finding("camera", ok=False, detail=error.message, fix=error.hint, optional=True)
        told = self._mind.sight.described()
        detail = told["trouble"] or f"{told['camera']}; from: {self._mind.media.provider} ({self._mind.media.reason})"
        fix = "look whether something covers it, or plug it in again"
        return Finding("camera", not told["trouble"], detail, fix=fix, optional=True)

    def _talk(self) -> Finding:
        told = self._mind.speech.described()
        if not told["available"]:
            return Finding("voice", ok=False, detail=told["reason"], fix=told["hint"], optional=True)
        detail = f"hears with {told['ears']}, speaks with {told['voice']}, microphone {told['microphone']}"
        return Finding("voice", not told["trouble"], told["trouble"] or detail, fix="see the microphone", optional=True)

    def _thinking(self) -> Finding:
        ok = self._mind.state in ("ready", "processing")
        detail = f"{self._mind.thinking.line}, as {self._mind.profile.title}; {self._mind.state}"
        return Finding("mind", ok, detail, fix="see the robot; else start it again")

    def _tools(self) -> list[Finding]:
        """Those that were left out; none when all are there."""
        refused = self._mind.toolbox.registry.refused
        return [
            Finding(f"tool {name}", ok=False, detail=why, fix="mend its file, then start again", optional=True)
            for name, why in refused.items()
        ]

    def _servers(self) -> list[Finding]:
        trouble = self._mind.remotes.trouble if self._mind.remotes is not None else ""
        fix = "see mcp.yaml in the data folder"
        return [Finding("tools of other servers", ok=False, detail=trouble, fix=fix, optional=True)] if trouble else []

    async def _memory(self) -> list[Finding]:
        if self._mind.memory is None:
            fix = "start without --no-memory"
            return [Finding("memory", ok=False, detail="it is switched off", fix=fix, optional=True)]
        try:
            told = await self._mind.memory.status()
        except MindError as error:
            return [Finding("memory", ok=False, detail=error.message, fix=error.hint)]
        return [Finding("memory", ok=True, detail=", ".join(f"{name}: {value}" for name, value in told.items()))]
