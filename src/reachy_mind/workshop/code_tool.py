"""`workshop.run_code`: the gated call behind `reachy-mind workshop run` and its route.

It is hidden: people and their programs call it, no brain. Everything that the code does is part of this call.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from reachy_mind.tools.definition import Tool, tool
from reachy_mind.tools.registry import Registry
from reachy_mind.workshop.run_report import DEFAULT_TIMEOUT_S, MAX_CODE_BYTES, MAX_TIMEOUT_S, RunRequest
from reachy_mind.workshop.workshop import Workshop

if TYPE_CHECKING:
    from reachy_mind.tools.context import Context

START_S = 90.0
"""Beyond the run's own time, for a confirmation or the start of a world."""

Code = Annotated[str, Field(max_length=MAX_CODE_BYTES, description="The file, as text")]
FileName = Annotated[str, Field(max_length=200)]
Timeout = Annotated[float, Field(gt=0, le=MAX_TIMEOUT_S, description="Seconds of real time")]


def run_code_tool(workshop: Workshop, registry: Registry) -> Tool:
    """The tool, for the registry of one mind."""

    @tool(group="workshop", tier="notify", hidden=True, timeout_s=MAX_TIMEOUT_S + START_S)
    async def run_code(
        ctx: Context,
        code: Code,
        filename: FileName = "tool.py",
        args: dict[str, Any] | None = None,
        allow: Annotated[str, Field(max_length=2000)] = "",
        timeout_s: Timeout = DEFAULT_TIMEOUT_S,
        isolation: Annotated[str, Field(max_length=40)] = "auto",
        virtual_time: bool = False,
        function: Annotated[str, Field(max_length=200)] = "",
    ) -> dict[str, Any]:
        """Run a file of code in the sandbox, with the capabilities that `allow` names."""
        request = RunRequest(code, filename, args or {}, allow, timeout_s, isolation, virtual_time, function)
        try:
            report = await workshop.run(request, ctx, registry)
        except asyncio.CancelledError:
            # Code can stop the robot, and with it itself: what it called before has to be in the audit all the same.
            if (cut := workshop.report_of_cancelled(ctx.call_id)) is None:
                raise
            report = cut
        # First what was called: the audit cuts a long value at its end, and the result's length is the code's choice.
        return {"calls_by_name": report.calls_by_name, **report.as_dict()}

    return run_code
