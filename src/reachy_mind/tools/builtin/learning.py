"""Tools about what people taught the robot: tell it, and take it back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from reachy_mind.tools.definition import Tool, tool

if TYPE_CHECKING:
    from reachy_mind.tools.context import Context

Language = Annotated[Literal["en", "fr", "es", "de"], Field(description="The language to tell it in")]


@tool(group="learning", tier="autonomous", read_only=True)
async def list_lessons(ctx: Context, language: Language = "en") -> dict[str, Any]:
    """Tell what the robot learned from the corrections of the person who asks."""
    return await ctx.lessons.tell(await ctx.speaker(), language)


@tool(group="learning", tier="notify")
async def undo_lesson(
    ctx: Context,
    lesson: Annotated[int | None, Field(ge=1, description="Which one; the last one, if not given")] = None,
    all: Annotated[bool, Field(description="All lessons of the person who asks")] = False,  # noqa: A002
    about: Annotated[list[str] | None, Field(max_length=20, description="Only lessons about these tools")] = None,
    language: Language = "en",
) -> dict[str, Any]:
    """Take back something that the robot learned from a correction. It can be restored on the page."""
    tools = frozenset(about) if about is not None else None
    return await ctx.lessons.take_back(await ctx.speaker(), lesson, everything=all, tools=tools, language=language)


TOOLS: tuple[Tool, ...] = (list_lessons, undo_lesson)
