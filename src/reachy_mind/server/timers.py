"""Routes of timers and reminders: those that wait, and what was announced, with what nobody was told yet."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Query

from reachy_mind.mind import Mind

Offset = Annotated[int, Query(ge=0, le=1 << 40)]
Limit = Annotated[int, Query(ge=1, le=500)]


def router(mind: Mind) -> APIRouter:
    routes = APIRouter(prefix="/api/v1")

    @routes.get("/timers")
    async def timers(offset: Offset = 0, limit: Limit = 50) -> dict[str, Any]:
        """Waiting timers and reminders, the next one first."""
        waiting = await mind.timers.waiting()
        return {"timers": [asdict(timer) for timer in waiting[offset : offset + limit]], "total": len(waiting)}

    @routes.get("/announcements")
    async def announcements(missed: bool = False, offset: Offset = 0, limit: Limit = 50) -> dict[str, Any]:
        """What was announced: reminders, timers, background tasks, newest first. Reading does not count as being told.

        `missed`: only those that nobody was told yet.
        """
        rows, total = await mind.timers.announcements.listed(missed=missed, limit=limit, offset=offset)
        return {"announcements": [row.as_dict() for row in rows], "total": total}

    return routes
