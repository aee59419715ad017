"""Workshop routes: the tools that were made, run, check and try files of code, and which isolation holds."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any
from uuid import uuid4

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field

from reachy_mind.access.authorization import principal_of
from reachy_mind.mind import Mind
from reachy_mind.server.tools import Limit, Offset
from reachy_mind.tools.context import Caller
from reachy_mind.tools.definition import ToolError
from reachy_mind.workshop.listing import listed_tools
from reachy_mind.workshop.run_report import (
    DEFAULT_TIMEOUT_S,
    MAX_CODE_BYTES,
    MAX_TIMEOUT_S,
    RunReport,
    RunRequest,
)
from reachy_mind.workshop.trial.cases import parse as parse_cases


class RunCodeRequest(BaseModel):
    """A file of code to run in the sandbox."""

    model_config = ConfigDict(extra="forbid")

    code: str = Field(max_length=MAX_CODE_BYTES)
    filename: str = Field("tool.py", max_length=200)
    args: dict[str, Any] = Field(default_factory=dict)
    allow: str = Field("", max_length=2000, description="Capabilities, separated by commas")
    timeout_s: float = Field(DEFAULT_TIMEOUT_S, gt=0, le=MAX_TIMEOUT_S)
    isolation: str = Field("auto", max_length=40)
    virtual_time: bool = False
    function: str = Field("", max_length=200)
    call_id: str | None = Field(None, min_length=1, max_length=64)


class CheckCodeRequest(BaseModel):
    """A file of code to check without running it."""

    model_config = ConfigDict(extra="forbid")

    code: str = Field(max_length=MAX_CODE_BYTES)
    filename: str = Field("tool.py", max_length=200)


class TrialRequest(CheckCodeRequest):
    """A tool to try out in simulation."""

    args: dict[str, Any] = Field(default_factory=dict, description="Usual arguments")
    allow: str = Field("", max_length=2000, description="Capabilities; those that it seems to need, if empty")
    test_cases: list[str | dict[str, Any]] = Field(default_factory=list, max_length=20)


def router(mind: Mind) -> APIRouter:
    routes = APIRouter(prefix="/api/v1/workshop")

    @routes.get("/status")
    async def status() -> dict[str, Any]:
        return await mind.workshop.status()

    @routes.get("/tools")
    async def tools(offset: Offset = 0, limit: Limit = 100) -> dict[str, Any]:
        """The tools that were made here or imported, each with the states of its versions."""
        listed = await asyncio.to_thread(listed_tools, mind.generated.shelf)
        return {"tools": listed[offset : offset + limit], "total": len(listed)}

    @routes.post("/run")
    async def run(given: RunCodeRequest, request: Request) -> dict[str, Any]:
        caller = Caller("person", "rest", scopes=principal_of(request.scope).scopes)
        call_id = given.call_id or uuid4().hex
        arguments = given.model_dump(exclude={"call_id"})
        outcome = await mind.toolbox.call("workshop.run_code", arguments, caller=caller, call_id=call_id)
        mind.toolbox.forget(call_id)
        if (report := mind.workshop.report(call_id)) is not None:
            return report.as_dict()
        error = outcome.error or {"code": "CANCELLED", "message": "the run was cancelled", "hint": "run it again"}
        refusal = ToolError(error["code"], error["message"], hint=error["hint"])
        # Cut short, it may have run for a while.
        return replace(
            RunReport.refused(refusal), status="killed" if outcome.status == "cancelled" else "refused"
        ).as_dict()

    @routes.post("/check")
    async def check(given: CheckCodeRequest) -> dict[str, Any]:
        return await mind.workshop.check(given.code, given.filename, mind.toolbox.registry)

    @routes.post("/trial")
    async def trial(given: TrialRequest) -> dict[str, Any]:
        checked = await mind.workshop.check(given.code, given.filename, mind.toolbox.registry)
        cases = parse_cases(given.test_cases, checked["parameters"])
        allow = given.allow or ",".join(checked["capabilities"])
        request = RunRequest(given.code, given.filename, given.args, allow)
        return (await mind.workshop.try_out(request, checked["parameters"], cases)).as_dict()

    return routes
