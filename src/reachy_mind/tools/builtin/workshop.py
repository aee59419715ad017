"""Tools of the workshop, in which the robot writes tools for itself. Not built yet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from reachy_mind.tools.builtin.unavailable import WORKSHOP, unavailable_tool
from reachy_mind.tools.definition import Tool

if TYPE_CHECKING:
    from reachy_mind.tools.context import Context


@unavailable_tool(WORKSHOP, group="workshop", tier="confirm", timeout_s=600)
async def create_tool(
    ctx: Context,
    description: Annotated[str, Field(min_length=1, max_length=5000, description="What the new tool shall do")],
    name: Annotated[str, Field(max_length=64, description="What to call it; chosen for you, if empty")] = "",
    test_cases: Annotated[
        list[str] | None, Field(max_length=20, description="Examples of what it shall do, each as a sentence")
    ] = None,
) -> None:
    """Write a new tool, check it and try it out; a person decides whether it is used."""


@unavailable_tool(WORKSHOP, group="workshop", tier="autonomous", read_only=True)
async def list_tools(ctx: Context) -> None:
    """List the tools that were made in the workshop, with their versions."""


@unavailable_tool(WORKSHOP, group="workshop", tier="confirm")
async def rollback_tool(
    ctx: Context,
    name: Annotated[str, Field(min_length=1, max_length=64, description="Which tool")],
    version: Annotated[int | None, Field(ge=1, description="To which version; the one before, if not given")] = None,
) -> None:
    """Go back to an earlier version of a tool that was made in the workshop."""


TOOLS: tuple[Tool, ...] = (create_tool, list_tools, rollback_tool)
