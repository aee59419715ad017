"""Health routes: `/healthz` (liveness: the server answers) and `/readyz` (readiness: the mind can serve)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fastapi import APIRouter

from reachy_mind import __version__
from reachy_mind.access.graceful_shutdown import REASON
from reachy_mind.errors import NotReady
from reachy_mind.mind import Mind
from reachy_mind.models import worker


def router(mind: Mind, draining: Callable[[], bool]) -> APIRouter:
    routes = APIRouter()

    @routes.get("/healthz")
    async def healthz() -> dict[str, str]:
        """The server answers."""
        return {"status": "ok", "version": __version__}

    @routes.get("/readyz")
    async def readyz() -> dict[str, Any]:
        """The mind is ready; `trouble` names the parts that do not work, and why. An error while it starts or shuts
        down, or when the robot is lost."""
        if draining():
            raise NotReady(REASON, hint="draining: running requests may finish, new ones are rejected")
        if mind.state not in ("ready", "processing"):
            raise NotReady(f"the mind is in state {mind.state}", hint="try again in a moment")
        if mind.motion is not None:
            mind.robot()
        return {"status": "ready", **mind.described(), "trouble": _trouble(mind)}

    return routes


def _trouble(mind: Mind) -> dict[str, str]:
    """The parts that do not work, and why: camera, microphone, and processes of models."""
    camera, voice = mind.sight.described(), mind.speech.described()
    found = {"camera": camera["trouble"], "microphone": voice["trouble"] if voice["microphone"] == "lost" else ""}
    return {part: reason for part, reason in (found | worker.troubles()).items() if reason}
