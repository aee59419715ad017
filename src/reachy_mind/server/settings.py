"""Settings routes: health checks (`/doctor`), the settings, and the permission tier of a tool.

Changes are tool calls through the gate and need a person's confirmation, whoever sends the request.
"""

from __future__ import annotations

import asyncio
import time
from typing import Any

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from reachy_mind.config import checks, database_check, logs
from reachy_mind.config.checks import Finding
from reachy_mind.errors import MindError
from reachy_mind.mind import Mind
from reachy_mind.models import robot_description
from reachy_mind.tools import audit_verification
from reachy_mind.tools.builtin.administration import Declared
from reachy_mind.tools.context import Caller
from reachy_mind.tools.definition import TierName

CHECKS = (
    checks.python,
    checks.data_folder,
    database_check.database,
    logs.log_files,
    audit_verification.check,
    robot_description.check,
    checks.port,
    checks.priority,
    checks.audio,
)
"""Ordered so that the first failure is the one to fix first."""
CACHE_S = 10.0
"""Checks that read files are not repeated within this time."""


class TierRequest(BaseModel):
    """A tool and its new tier."""

    model_config = ConfigDict(extra="forbid")

    tool: str = Field(min_length=1, max_length=200)
    tier: TierName | Declared
    reason: str = Field("", max_length=200)


class SettingRequest(BaseModel):
    """A setting and its new value; without a value, its default."""

    model_config = ConfigDict(extra="forbid")

    key: str = Field(min_length=3, max_length=100)
    value: bool | int | float | str | None = None


def router(mind: Mind) -> APIRouter:
    routes = APIRouter(prefix="/api/v1")
    caller = Caller("person", "rest")
    doctor = Doctor(mind)

    @routes.get("/doctor")
    async def examined() -> dict[str, Any]:
        """Each part of the machine and of this mind: whether it is fine, what was found, and what to do."""
        return await doctor.examine()

    @routes.get("/settings")
    async def settings() -> dict[str, Any]:
        """Every setting, where its value comes from, and whether a change applies at once. Secrets are masked."""
        found = await mind.preferences.listed()
        return {"settings": found, "total": len(found), "folder": str(mind.configuration.home.folder)}

    @routes.put("/settings")
    async def change(given: SettingRequest) -> dict[str, Any]:
        """Change a setting; needs a person's confirmation."""
        return await mind.act("mind.change_setting", {"key": given.key, "value": given.value}, caller)

    @routes.put("/permissions")
    async def permit(given: TierRequest) -> dict[str, Any]:
        """Set the tier of one tool, in `permissions.yaml`; needs a person's confirmation. Stop can't be changed."""
        args = {"name": given.tool, "tier": given.tier, "reason": given.reason}
        return await mind.act("mind.set_permission", args, caller)

    return routes


class Doctor:
    """Checks the machine and the parts of a running mind, without disturbing them."""

    def __init__(self, mind: Mind) -> None:
        self._mind = mind
        self._lock = asyncio.Lock()
        self._found: list[Finding] = []
        self._at = -CACHE_S

    async def examine(self) -> dict[str, Any]:
        async with self._lock:
            if time.monotonic() - self._at > CACHE_S:
                self._found = [await check(self._mind.configuration) for check in CHECKS]
                self._at = time.monotonic()
            found = [*self._found, *self._parts(), *await self._memory(), *await self._files()]
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
        sight = self._mind.sight.described()
        detail = sight["trouble"] or f"{sight['camera']}; from: {self._mind.media.provider} ({self._mind.media.reason})"
        fix = "check whether something covers it, or plug it in again"
        return Finding("camera", not sight["trouble"], detail, fix=fix, optional=True)

    def _talk(self) -> Finding:
        speech = self._mind.speech.described()
        if not speech["available"]:
            return Finding("voice", ok=False, detail=speech["reason"], fix=speech["hint"], optional=True)
        detail = f"hears with {speech['ears']}, speaks with {speech['voice']}, microphone {speech['microphone']}"
        return Finding(
            "voice", not speech["trouble"], speech["trouble"] or detail, fix="see the microphone", optional=True
        )

    def _thinking(self) -> Finding:
        ok = self._mind.state in ("ready", "processing")
        detail = f"{self._mind.thinking.line}, as {self._mind.profile.title}; {self._mind.state}"
        return Finding("mind", ok, detail, fix="see the robot; else restart the mind")

    def _tools(self) -> list[Finding]:
        """Tools that could not be loaded."""
        refused = self._mind.toolbox.registry.refused
        return [
            Finding(f"tool {name}", ok=False, detail=why, fix="fix its file, then restart", optional=True)
            for name, why in refused.items()
        ]

    def _servers(self) -> list[Finding]:
        remotes = self._mind.remotes
        troubles = [remotes.trouble, *remotes.refused.values()] if remotes is not None else []
        fix = "see mcp.yaml in the data folder"
        return [
            Finding("tools of other servers", ok=False, detail=trouble, fix=fix, optional=True)
            for trouble in troubles
            if trouble
        ]

    async def _files(self) -> list[Finding]:
        """The files of settings and permissions, when they can't be read any more."""
        fix = "see docs/permissions.md: what was read before stays in force until the next start"
        troubles = {
            "permissions": await asyncio.to_thread(self._mind.toolbox.permissions.trouble),
            "settings": await asyncio.to_thread(self._mind.preferences.trouble),
        }
        return [Finding(name, ok=False, detail=why, fix=fix) for name, why in troubles.items() if why]

    async def _memory(self) -> list[Finding]:
        if self._mind.memory is None:
            fix = "start without --no-memory"
            return [Finding("memory", ok=False, detail="it is switched off", fix=fix, optional=True)]
        try:
            status = await self._mind.memory.status()
        except MindError as error:
            return [Finding("memory", ok=False, detail=error.message, fix=error.hint)]
        return [Finding("memory", ok=True, detail=", ".join(f"{name}: {value}" for name, value in status.items()))]
