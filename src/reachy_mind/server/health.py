"""Health routes: `/healthz` (liveness: the server answers) and `/readyz` (readiness: the mind can serve)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from fastapi import APIRouter

from reachy_mind import __version__
from reachy_mind.access.graceful_shutdown import REASON
from reachy_mind.errors import NotReady
from reachy_mind.mind import Mind
from reachy_mind.models import worker
from reachy_mind.storage.database import DatabaseError

WRITE_TIMEOUT_S = 6.0
"""Longer than the database waits for a lock of another program."""


def router(mind: Mind, draining: Callable[[], bool]) -> APIRouter:
    routes = APIRouter()

    @routes.get("/healthz")
    async def healthz() -> dict[str, str]:
        """The server answers."""
        return {"status": "ok", "version": __version__}

    @routes.get("/readyz")
    async def readyz() -> dict[str, Any]:
        """The mind is ready; `trouble` names the parts that do not work, and why.

        An error while it starts or ends, when nothing can be saved, or when the robot is lost."""
        if draining():
            raise NotReady(REASON, hint="draining: running requests may finish, new ones are rejected")
        if mind.state not in ("ready", "processing"):
            raise NotReady(f"the mind is in state {mind.state}", hint="try again in a moment")
        await _require_writable(mind)
        if mind.motion is not None:
            mind.robot()
        return {"status": "ready", **_described(mind), "trouble": _trouble(mind)}

    return routes


def _described(mind: Mind) -> dict[str, Any]:
    return {
        "state": mind.state,
        "brain": mind.thinking.brain().name,
        "thinking": mind.thinking.line,
        "profile": mind.profile.name,
        "robot": mind.motion.status if mind.motion else "none",
        "tools": len(mind.toolbox.registry),
        "tasks": [asdict(task) for task in mind.tasks.all() if task.state == "running"],
        "waiting_confirmations": len(mind.confirmations.pending),
        "interrupted": mind.interrupted,
    }


async def _require_writable(mind: Mind) -> None:
    """Raises NotReady with the reason when nothing can be written to the database."""
    database = mind.toolbox.parts.database
    assert database is not None  # a mind has one
    try:
        async with asyncio.timeout(WRITE_TIMEOUT_S):
            await database.check_writable()
    except DatabaseError as error:
        raise NotReady(f"nothing can be saved: {error.message}", hint=error.hint) from error
    except TimeoutError:
        hint = "another program may have mind.db open: reachy-mind doctor"
        raise NotReady(f"nothing was saved within {WRITE_TIMEOUT_S:g} s: the database is busy", hint=hint) from None


def _trouble(mind: Mind) -> dict[str, str]:
    """The parts that do not work, and why: camera, microphone, and processes of models."""
    camera, voice = mind.sight.described(), mind.speech.described()
    found = {"camera": camera["trouble"], "microphone": voice["trouble"] if voice["microphone"] == "lost" else ""}
    return {part: reason for part, reason in (found | worker.troubles()).items() if reason}
