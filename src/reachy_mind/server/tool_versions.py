"""Routes of generated tools: their versions and trials, and to approve, reject, roll back, export and import them.

Changes are tool calls through the gate. To approve or to roll back needs a person's confirmation, whoever sends the
request.
"""

from __future__ import annotations

import asyncio
import json
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, ConfigDict, Field

from reachy_mind.access.authorization import principal_of
from reachy_mind.mind import Mind
from reachy_mind.server.not_found import NotFound
from reachy_mind.tools.builtin.workshop import MAX_BUNDLE_BYTES, MAX_REASON
from reachy_mind.tools.context import Caller
from reachy_mind.tools.definition import ToolError
from reachy_mind.workshop import capability_words
from reachy_mind.workshop.shelf.bundles import export_bundle
from reachy_mind.workshop.shelf.shelf import Shelf

CallId = Annotated[str | None, Field(min_length=1, max_length=64)]
Number = Annotated[int, Field(ge=1, le=1_000_000)]


class GenerationRequest(BaseModel):
    """What a new tool shall do, in words, and examples."""

    model_config = ConfigDict(extra="forbid")

    description: str = Field(min_length=1, max_length=5000)
    name: str = Field("", max_length=64)
    test_cases: list[str | dict[str, Any]] = Field(default_factory=list, max_length=20)
    ask: bool = Field(default=True, description="Ask a person at once; else it waits on the shelf for `approve`")
    call_id: CallId = None


class ApprovalRequest(BaseModel):
    """The very version that a person approves."""

    model_config = ConfigDict(extra="forbid")

    version: Number
    sha256: str = Field(pattern="^[0-9a-f]{64}$")
    capabilities: list[str] = Field(max_length=50)
    call_id: CallId = None


class RejectionRequest(BaseModel):
    """A version that shall not be used."""

    model_config = ConfigDict(extra="forbid")

    version: Number
    reason: str = Field("", max_length=MAX_REASON)
    call_id: CallId = None


class RollbackRequest(BaseModel):
    """The version to go back to; without one, the version before."""

    model_config = ConfigDict(extra="forbid")

    version: Number | None = None
    call_id: CallId = None


class RetryRequest(BaseModel):
    """A version to try out."""

    model_config = ConfigDict(extra="forbid")

    version: Number
    call_id: CallId = None


class DeactivationRequest(BaseModel):
    """Nothing but the id of the call."""

    model_config = ConfigDict(extra="forbid")

    call_id: CallId = None


class ImportRequest(BaseModel):
    """The text of a signed bundle."""

    model_config = ConfigDict(extra="forbid")

    bundle: str = Field(max_length=MAX_BUNDLE_BYTES)
    call_id: CallId = None


def router(mind: Mind) -> APIRouter:
    routes = APIRouter(prefix="/api/v1/tools")
    shelf = mind.generated.shelf

    @routes.get("/{name}/versions")
    async def versions(name: str) -> dict[str, Any]:
        """Every version, the oldest first."""
        found = await asyncio.to_thread(shelf.versions, name)
        active = next((each.number for each in found if each.state == "active"), None)
        return {"name": name, "active": active, "versions": [each.as_dict() for each in found], "total": len(found)}

    @routes.get("/{name}/versions/{number}")
    async def version(name: str, number: int, against: Annotated[int | None, Query(ge=1)] = None) -> dict[str, Any]:
        """One version, with what changes `against` another: without one, against the version in use."""
        found = await asyncio.to_thread(shelf.get, name, number)
        changes = await asyncio.to_thread(shelf.diff, name, against, number)
        allows = {each: capability_words.allows(each) for each in found.capabilities}
        return found.as_dict(whole=True) | {"allows": allows, "changes": changes.as_dict()}

    @routes.get("/{name}/versions/{number}/replay")
    async def replay(name: str, number: int) -> dict[str, Any]:
        """The cases of its last trial with their verdicts; `moves`: how many poses there are to play."""
        found = await asyncio.to_thread(shelf.get, name, number)
        played = await _replay(shelf, name, number)
        results = (found.results or {}).get("results", [])
        cases = [_case(result, played[place] if place < len(played) else {}) for place, result in enumerate(results)]
        return {"name": name, "version": number, "passed": found.passed, "cases": cases, "total": len(cases)}

    @routes.get("/{name}/versions/{number}/replay/{case}")
    async def replay_of_case(name: str, number: int, case: int) -> dict[str, Any]:
        """What the robot did in one case: poses with their joints over time, and what was said, called and seen."""
        played = await _replay(shelf, name, number)
        if not 0 <= case < len(played):
            raise NotFound(f"there is no replay of case {case}", hint="try the version again to have one")
        return {"name": name, "version": number, "case": case} | played[case]

    @routes.get("/{name}/versions/{number}/bundle")
    async def bundle(name: str, number: int) -> dict[str, Any]:
        """The version as a bundle, signed with the key of this robot."""
        return {"bundle": await asyncio.to_thread(export_bundle, shelf, name, number)}

    @routes.post("/generate")
    async def generate(given: GenerationRequest, request: Request) -> dict[str, Any]:
        """Have a tool made: written, checked, tried out. A person is asked whether it may be used."""
        return await _call(mind, "create_tool", given, request, use=False)

    @routes.post("/{name}/approve")
    async def approve(name: str, given: ApprovalRequest, request: Request) -> dict[str, Any]:
        return await _call(mind, "approve_tool", given, request, name=name)

    @routes.post("/{name}/reject")
    async def reject(name: str, given: RejectionRequest, request: Request) -> dict[str, Any]:
        return await _call(mind, "reject_tool", given, request, name=name)

    @routes.post("/{name}/rollback")
    async def rollback(name: str, given: RollbackRequest, request: Request) -> dict[str, Any]:
        return await _call(mind, "rollback_tool", given, request, name=name)

    @routes.post("/{name}/trial")
    async def retry(name: str, given: RetryRequest, request: Request) -> dict[str, Any]:
        """Try a version out in simulation, again or for the first time: an imported one has to be."""
        return await _call(mind, "retry_tool", given, request, name=name)

    @routes.post("/{name}/deactivate")
    async def deactivate(name: str, given: DeactivationRequest, request: Request) -> dict[str, Any]:
        return await _call(mind, "deactivate_tool", given, request, name=name)

    @routes.post("/import")
    async def import_tool(given: ImportRequest, request: Request) -> dict[str, Any]:
        return await _call(mind, "import_tool", given, request)

    return routes


async def _replay(shelf: Shelf, name: str, number: int) -> list[dict[str, Any]]:
    """The replay of each case; empty without one."""
    data = await asyncio.to_thread(shelf.replay, name, number)
    cases: list[dict[str, Any]] = json.loads(data)["cases"] if data else []
    return cases


def _case(result: dict[str, Any], played: dict[str, Any]) -> dict[str, Any]:
    shown = {key: result.get(key) for key in ("test", "case", "origin", "fault", "status", "reason", "robot")}
    return shown | {"duration_s": played.get("duration_s"), "moves": len(played.get("times", ()))}


async def _call(mind: Mind, tool: str, given: BaseModel, request: Request, **more: Any) -> dict[str, Any]:
    """Call a tool of the workshop. Raises ToolError with the error of the gate or the tool."""
    arguments = given.model_dump(exclude={"call_id"}) | more
    caller = Caller("person", "rest", scopes=principal_of(request.scope).scopes)
    call_id = getattr(given, "call_id", None)
    outcome = await mind.toolbox.call(f"workshop.{tool}", arguments, caller=caller, call_id=call_id)
    if outcome.error is not None:
        raise ToolError(outcome.error["code"], outcome.error["message"], hint=outcome.error["hint"])
    return dict(outcome.data)
