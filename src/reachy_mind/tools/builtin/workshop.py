"""Tools of the workshop, in which the robot makes tools for itself: create, approve, roll back and others.

A person approves: the question shows the version, its hash and its capabilities, and the approval holds for these
alone. No brain is offered the hidden ones, and sandboxed code can't call any of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from reachy_mind.tools.definition import Tool, tool

if TYPE_CHECKING:
    from reachy_mind.tools.context import Context

CREATION_TIMEOUT_S = TRIAL_TIMEOUT_S = 600.0
MAX_BUNDLE_BYTES = 1 << 20
MAX_REASON = 500
Name = Annotated[str, Field(min_length=1, max_length=64, description="Which tool")]
Number = Annotated[int, Field(ge=1, description="Which version")]


@tool(group="workshop", tier="notify", timeout_s=CREATION_TIMEOUT_S)
async def create_tool(
    ctx: Context,
    description: Annotated[str, Field(min_length=1, max_length=5000, description="What the new tool shall do")],
    name: Annotated[str, Field(max_length=64, description="What to call it; chosen for you, if empty")] = "",
    test_cases: Annotated[
        list[str | dict[str, Any]] | None,
        Field(max_length=20, description="Examples, each as a sentence or as {input, expected}"),
    ] = None,
    use: Annotated[bool, Field(description="Use it for this request once a person has approved it")] = True,
    ask: Annotated[bool, Field(description="Ask a person about it at once; else it waits on the shelf")] = True,
) -> dict[str, Any]:
    """Write a new tool, check it and try it out in simulation; a person decides whether it is used."""
    return await ctx.workshop.create(ctx, description, name, test_cases or [], use=use, ask=ask)


@tool(group="workshop", tier="confirm", hidden=True)
async def approve_tool(
    ctx: Context,
    name: Name,
    version: Number,
    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$", description="The hash of that version")],
    capabilities: Annotated[list[str], Field(max_length=50, description="What that version may use")],
) -> dict[str, Any]:
    """Let the robot use this version of a tool, with these capabilities, without asking again."""
    # Whose yes it was is in the audit of that call, where a person's name can be erased.
    by = f"{ctx.caller.principal or ctx.caller.channel}, call {ctx.call_id}"
    return await ctx.workshop.approve(name, version, sha256, capabilities, by)


@tool(group="workshop", tier="notify", hidden=True)
async def reject_tool(
    ctx: Context,
    name: Name,
    version: Number,
    reason: Annotated[str, Field(max_length=MAX_REASON, description="Why")] = "",
) -> dict[str, Any]:
    """Reject a version of a tool; if it is in use, it is no longer."""
    return await ctx.workshop.reject(name, version, reason)


@tool(group="workshop", tier="confirm")
async def rollback_tool(
    ctx: Context,
    name: Name,
    version: Annotated[int | None, Field(ge=1, description="To which version; the one before, if not given")] = None,
) -> dict[str, Any]:
    """Go back to an earlier version of a tool that was made in the workshop."""
    return await ctx.workshop.rollback(name, version)


@tool(group="workshop", tier="notify")
async def deactivate_tool(ctx: Context, name: Name) -> dict[str, Any]:
    """Stop using a tool that was made in the workshop; its versions are kept."""
    return await ctx.workshop.deactivate(name)


@tool(group="workshop", tier="notify", hidden=True)
async def import_tool(
    ctx: Context,
    bundle: Annotated[str, Field(max_length=MAX_BUNDLE_BYTES, description="The text of a signed bundle")],
) -> dict[str, Any]:
    """Put a tool of another robot on the shelf, as a draft that has to be tried and approved."""
    return await ctx.workshop.import_bundle(bundle)


@tool(group="workshop", tier="notify", hidden=True, timeout_s=TRIAL_TIMEOUT_S)
async def retry_tool(ctx: Context, name: Name, version: Number) -> dict[str, Any]:
    """Try a version of a tool out in simulation, again or for the first time; the robot does not move."""
    return await ctx.workshop.retry(name, version)


@tool(group="workshop", tier="autonomous", read_only=True)
async def list_tools(ctx: Context) -> dict[str, Any]:
    """List the tools that were made in the workshop, with their versions."""
    return await ctx.workshop.list_tools()


TOOLS: tuple[Tool, ...] = (
    *(create_tool, approve_tool, reject_tool, rollback_tool),
    *(deactivate_tool, import_tool, retry_tool, list_tools),
)
