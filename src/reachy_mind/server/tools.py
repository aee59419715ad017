"""Tool routes: list and call tools, confirmations, background tasks, permissions, and the audit."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, ConfigDict, Field

from reachy_mind.access.authorization import NotAllowed, attributed, principal_of, require_scope
from reachy_mind.mind import Mind
from reachy_mind.server.not_found import NotFound, as_not_found
from reachy_mind.tools import permissions
from reachy_mind.tools.act_table import ADMIN_TOOLS
from reachy_mind.tools.context import Caller
from reachy_mind.tools.definition import GENERATED, Outcome, Tool
from reachy_mind.tools.registry import UnknownTool
from reachy_mind.tools.schemas import parameters

Offset = Annotated[int, Query(ge=0, le=1 << 40)]
Limit = Annotated[int, Query(ge=1, le=500)]


class ToolCallRequest(BaseModel):
    """A tool call."""

    model_config = ConfigDict(extra="forbid")

    tool_name: str = Field(min_length=1, max_length=200)
    parameters: dict[str, Any] = Field(default_factory=dict)
    session_id: str = Field("", max_length=64)
    call_id: str | None = Field(None, min_length=1, max_length=64)
    person: str = Field("", max_length=64)


class ConfirmationAnswer(BaseModel):
    """A person's answer to a confirmation."""

    model_config = ConfigDict(extra="forbid")

    approve: bool
    by: str = Field("a person", max_length=64)


def router(mind: Mind) -> APIRouter:
    routes = APIRouter(prefix="/api/v1")

    @routes.get("/tools")
    async def tools(offset: Offset = 0, limit: Limit = 500) -> dict[str, Any]:
        listed = [tool for tool in mind.toolbox.registry if not tool.hidden]
        found = [tool_dict(mind, tool) for tool in listed[offset : offset + limit]]
        return {"tools": found, "total": len(listed), "refused": mind.toolbox.registry.refused}

    @routes.post("/tools/execute")
    async def execute(given: ToolCallRequest, request: Request) -> dict[str, Any]:
        caller = Caller("person", "rest", given.person, given.session_id, scopes=principal_of(request.scope).scopes)
        await _require_scope_of_tool(mind, given, request, caller)
        outcome = await mind.toolbox.call_once(given.tool_name, given.parameters, caller=caller, call_id=given.call_id)
        return outcome_dict(outcome)

    @routes.delete("/tools/calls/{call_id}")
    async def cancel_call(call_id: str) -> dict[str, Any]:
        return {"call_id": call_id, "cancelled": mind.toolbox.cancel(call_id)}

    @routes.get("/confirmations")
    async def confirmations() -> dict[str, Any]:
        pending = [asdict(each) for each in mind.confirmations.pending]
        return {"confirmations": pending, "total": len(pending), "channels": mind.confirmations.channels}

    @routes.get("/confirmations/{confirmation_id}")
    async def confirmation(confirmation_id: str) -> dict[str, Any]:
        for pending in mind.confirmations.pending:
            if pending.id == confirmation_id:
                return asdict(pending)
        raise NotFound("no open confirmation has this id", hint="it was answered, or it expired")

    @routes.post("/confirmations/{confirmation_id}")
    async def answer(confirmation_id: str, given: ConfirmationAnswer) -> dict[str, Any]:
        with as_not_found():
            mind.confirmations.answer(confirmation_id, approved=given.approve, by=attributed(given.by))
        return {"id": confirmation_id, "approved": given.approve}

    @routes.get("/tasks")
    async def tasks(offset: Offset = 0, limit: Limit = 50) -> dict[str, Any]:
        found = mind.tasks.all()
        return {"tasks": [task.as_dict() for task in found[offset : offset + limit]], "total": len(found)}

    @routes.get("/tasks/{task_id}")
    async def task(task_id: str) -> dict[str, Any]:
        with as_not_found("they are listed at /api/v1/tasks"):
            return mind.tasks.get(task_id).as_dict()

    @routes.delete("/tasks/{task_id}")
    async def cancel(task_id: str) -> dict[str, Any]:
        caller = Caller("person", "rest")
        return outcome_dict(await mind.toolbox.call("tasks.task_cancel", {"task_id": task_id}, caller=caller))

    @routes.get("/permissions")
    async def rules() -> dict[str, Any]:
        box = mind.toolbox
        return {
            "file": str(box.permissions.file),
            "rules": [asdict(rule) | {"tier": rule.tier.label} for rule in box.permissions.rules],
            "tools": {tool.qualified: box.decisions.tool(tool).tier.label for tool in box.registry},
            "acts": [
                {"tool": tool.qualified} | act.as_dict()
                for tool in box.registry
                for act in box.decisions.possible(tool)
            ],
            "trouble": await asyncio.to_thread(box.permissions.trouble),
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
            tool=_qualified_name(mind, tool), status=status, since=since, limit=limit, offset=offset
        )
        return {"entries": rows, "total": total}

    return routes


async def _require_scope_of_tool(mind: Mind, given: ToolCallRequest, request: Request, caller: Caller) -> None:
    """Raises NotAllowed, and records the refused call, for a tool that is reserved for `admin`."""
    qualified = _qualified_name(mind, given.tool_name)
    if qualified not in ADMIN_TOOLS:
        return
    try:
        require_scope(request.scope, "admin")
    except NotAllowed as error:
        await mind.toolbox.refuse(qualified, given.parameters, error, caller=caller)
        raise


def _qualified_name(mind: Mind, name: str) -> str:
    """The qualified name for any name of a tool; also for a tool that no longer exists."""
    try:
        return mind.toolbox.registry.find(name)[0].qualified if name else ""
    except UnknownTool:
        return permissions.qualified(name)


def tool_dict(mind: Mind, tool: Tool) -> dict[str, Any]:
    """A tool as the API shows it."""
    decisions = mind.toolbox.decisions
    decision = decisions.tool(tool)
    return {
        "name": tool.name,
        "group": tool.group,
        "description": tool.description,
        "parameters": parameters(tool),
        "source": "generated" if tool.source == GENERATED else "predefined",
        "origin": tool.source,
        "generated": mind.generated.about(tool),
        "tier": int(decision.tier),
        "tier_name": decision.tier.label,
        "reason": decision.reason,
        "acts": [act.as_dict() for act in decisions.possible(tool)],
        "ready": not tool.not_ready_reason,
        "hint": tool.not_ready_reason,
    }


def outcome_dict(outcome: Outcome) -> dict[str, Any]:
    """An outcome in the API's field names, with ours beside them."""
    return {
        "status": "success" if outcome.status in ("ok", "started") else "error",
        "result": outcome.data,
        "execution_time": round(outcome.duration_ms / 1000, 4),
        "call_id": outcome.call_id,
        "tier": outcome.tier,
        "outcome": outcome.status,
        "error": outcome.error,
    }
