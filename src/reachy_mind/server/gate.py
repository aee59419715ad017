"""Routes of the gate: tools and their calls, questions to people, tasks, permissions, audit, and every event."""

from __future__ import annotations

import asyncio
import contextlib
import json
from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, WebSocket, WebSocketDisconnect
from pydantic import BaseModel, ConfigDict, Field

from reachy_mind.mind import Mind
from reachy_mind.server.frames import NotFound, looked_up, until_gone
from reachy_mind.server.visitors import ADMIN_TOOLS, demand
from reachy_mind.tools import permissions
from reachy_mind.tools.context import Caller
from reachy_mind.tools.definition import Outcome, Tool
from reachy_mind.tools.registry import UnknownTool
from reachy_mind.tools.schemas import parameters

Offset = Annotated[int, Query(ge=0, le=1 << 40)]
Limit = Annotated[int, Query(ge=1, le=500)]


class Execution(BaseModel):
    """A tool to call."""

    model_config = ConfigDict(extra="forbid")

    tool_name: str = Field(min_length=1, max_length=200)
    parameters: dict[str, Any] = Field(default_factory=dict)
    session_id: str = Field("", max_length=64)
    call_id: str | None = Field(None, min_length=1, max_length=64)
    person: str = Field("", max_length=64)


class Answer(BaseModel):
    """A person's answer to a question."""

    model_config = ConfigDict(extra="forbid")

    approve: bool
    by: str = Field("a person", max_length=64)


def router(mind: Mind) -> APIRouter:
    routes = APIRouter(prefix="/api/v1")

    @routes.get("/tools")
    async def tools(offset: Offset = 0, limit: Limit = 500) -> dict[str, Any]:
        found = [listed(mind, tool) for tool in mind.toolbox.registry if not tool.hidden]
        return {"tools": found[offset : offset + limit], "total": len(found), "refused": mind.toolbox.registry.refused}

    @routes.post("/tools/execute")
    async def execute(wish: Execution, request: Request) -> dict[str, Any]:
        if _called(mind, wish.tool_name) in ADMIN_TOOLS:
            demand(request.scope, "admin")
        caller = Caller("person", "rest", wish.person, wish.session_id)
        outcome = await mind.toolbox.call(wish.tool_name, wish.parameters, caller=caller, call_id=wish.call_id)
        return executed(outcome)

    @routes.delete("/tools/calls/{call_id}")
    async def cut_short(call_id: str) -> dict[str, Any]:
        return {"call_id": call_id, "cancelled": mind.toolbox.cancel(call_id)}

    @routes.get("/confirmations")
    async def confirmations() -> dict[str, Any]:
        waiting = [asdict(asked) for asked in mind.confirmations.pending]
        return {"confirmations": waiting, "total": len(waiting), "channels": mind.confirmations.channels}

    @routes.get("/confirmations/{confirmation_id}")
    async def confirmation(confirmation_id: str) -> dict[str, Any]:
        for asked in mind.confirmations.pending:
            if asked.id == confirmation_id:
                return asdict(asked)
        raise NotFound("this question is not open", hint="it was answered, or its time was over")

    @routes.post("/confirmations/{confirmation_id}")
    async def answer(confirmation_id: str, given: Answer) -> dict[str, Any]:
        with looked_up():
            mind.confirmations.answer(confirmation_id, approved=given.approve, by=given.by)
        return {"id": confirmation_id, "approved": given.approve}

    @routes.get("/tasks")
    async def tasks(offset: Offset = 0, limit: Limit = 50) -> dict[str, Any]:
        found = mind.tasks.all()
        return {"tasks": [task.as_dict() for task in found[offset : offset + limit]], "total": len(found)}

    @routes.get("/tasks/{task_id}")
    async def task(task_id: str) -> dict[str, Any]:
        with looked_up("they are listed at /api/v1/tasks"):
            return mind.tasks.get(task_id).as_dict()

    @routes.delete("/tasks/{task_id}")
    async def cancel(task_id: str) -> dict[str, Any]:
        caller = Caller("person", "rest")
        return executed(await mind.toolbox.call("tasks.task_cancel", {"task_id": task_id}, caller=caller))

    @routes.get("/permissions")
    async def rules() -> dict[str, Any]:
        box = mind.toolbox
        return {
            "file": str(box.permissions.file),
            "rules": [asdict(rule) | {"tier": rule.tier.label} for rule in box.permissions.rules],
            "tools": {
                tool.qualified: box.permissions.verdict(tool, box.registry.other_names(tool)).tier.label
                for tool in box.registry
            },
        }

    @routes.post("/permissions/reload")
    async def reload() -> dict[str, Any]:
        await asyncio.to_thread(mind.toolbox.permissions.reload)
        return {"rules": len(mind.toolbox.permissions.rules)}

    @routes.get("/audit")
    async def audit(
        tool: str = "", status: str = "", since: float = 0.0, offset: Offset = 0, limit: Limit = 50
    ) -> dict[str, Any]:
        rows, total = await mind.toolbox.audit.query(
            tool=_called(mind, tool), status=status, since=since, limit=limit, offset=offset
        )
        return {"entries": rows, "total": total}

    @routes.websocket("/ws/events")
    async def events(websocket: WebSocket) -> None:
        """Everything that happens, from now on; a slow reader is told how much it missed."""
        await websocket.accept()
        with mind.bus.subscribe() as subscription:
            gone = asyncio.create_task(until_gone(websocket))
            try:
                while not gone.done():
                    waiting = asyncio.create_task(subscription.get())
                    await asyncio.wait([gone, waiting], return_when=asyncio.FIRST_COMPLETED)
                    if not waiting.done():
                        waiting.cancel()
                        break
                    event = waiting.result()
                    told = {"type": type(event).__name__, **asdict(event)}
                    await websocket.send_text(json.dumps(told, default=str))
            except (WebSocketDisconnect, RuntimeError):
                return
            finally:
                gone.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await gone

    return routes


def _called(mind: Mind, name: str) -> str:
    """The one name of a tool that is named in any way; of one that is gone, that way."""
    try:
        return mind.toolbox.registry.find(name)[0].qualified if name else ""
    except UnknownTool:
        return permissions.qualified(name)


def listed(mind: Mind, tool: Tool) -> dict[str, Any]:
    """A tool as the API tells of it."""
    box = mind.toolbox
    verdict = box.permissions.verdict(tool, box.registry.other_names(tool))
    return {
        "name": tool.name,
        "group": tool.group,
        "description": tool.description,
        "parameters": parameters(tool),
        "source": tool.source,
        "tier": int(verdict.tier),
        "tier_name": verdict.tier.label,
        "reason": verdict.reason,
        "ready": not tool.wait,
        "hint": tool.wait,
    }


def executed(outcome: Outcome) -> dict[str, Any]:
    """An outcome in the words of the API, with ours beside them."""
    return {
        "status": "success" if outcome.status in ("ok", "started") else "error",
        "result": outcome.data,
        "execution_time": round(outcome.duration_ms / 1000, 4),
        "call_id": outcome.call_id,
        "tier": outcome.tier,
        "outcome": outcome.status,
        "error": outcome.error,
    }
