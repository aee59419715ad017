"""What the robot remembers, as tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from reachy_mind.tools.builtin.missing import MEMORY, waiting
from reachy_mind.tools.definition import Tool

if TYPE_CHECKING:
    from reachy_mind.tools.context import Context

MemoryType = Literal["fact", "preference", "event", "observation", "conversation", "task"]


@waiting(MEMORY, group="memory", tier="autonomous")
async def store_memory(
    ctx: Context,
    content: Annotated[str, Field(min_length=1, max_length=2000, description="One thing to remember, as a sentence")],
    memory_type: Annotated[MemoryType, Field(description="What kind of thing it is")] = "fact",
) -> None:
    """Remember something about the person who is talking, or about the world."""


@waiting(MEMORY, group="memory", tier="autonomous", read_only=True)
async def search_memories(
    ctx: Context,
    query: Annotated[str, Field(min_length=1, max_length=500, description="What to look for")],
    n_results: Annotated[int, Field(ge=1, le=50, description="At most so many")] = 5,
    memory_type: Annotated[MemoryType | None, Field(description="Only this kind")] = None,
) -> None:
    """Look for something that was remembered."""


@waiting(MEMORY, group="memory", tier="confirm")
async def forget_memory(
    ctx: Context,
    query: Annotated[str, Field(max_length=500, description="Forget what this is about")] = "",
    memory_id: Annotated[
        str, Field(max_length=100, description="Or forget this one, as search_memories calls it")
    ] = "",
) -> None:
    """Forget something for good."""


@waiting(MEMORY, group="memory", tier="autonomous", read_only=True)
async def get_user_profile(ctx: Context) -> None:
    """Tell what is known about the person who is talking: name, language, likes."""


@waiting(MEMORY, group="memory", tier="autonomous")
async def update_user_profile(
    ctx: Context,
    key: Annotated[str, Field(min_length=1, max_length=100, description="What it is, such as name or language")],
    value: Annotated[str, Field(max_length=1000, description="What to write down for it; empty removes it")],
) -> None:
    """Write down something about the person who is talking, in place of what stood there."""


TOOLS: tuple[Tool, ...] = (store_memory, search_memories, forget_memory, get_user_profile, update_user_profile)
