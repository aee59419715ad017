"""Personality tools: switch the profile, list profiles, save and remove the user's own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from reachy_mind.tools.definition import Tool, tool

if TYPE_CHECKING:
    from reachy_mind.tools.context import Context

Name = Annotated[str, Field(min_length=1, max_length=64, description="The personality, such as poet or teacher")]


@tool(group="mind", tier="notify")
async def set_personality(
    ctx: Context,
    name: Name,
    keep: Annotated[bool, Field(description="Also after the next start; only when a person wished that")] = False,
) -> dict[str, Any]:
    """Be somebody else from now on: another way to speak, another voice, other tools."""
    result = await ctx.personalities.become(name, keep=keep, aloud=ctx.caller.kind != "brain")
    return {"message": result["greeting"], "personality": result["name"], "kept": keep, "problems": result["problems"]}


@tool(group="mind", tier="autonomous", read_only=True)
async def list_personalities(ctx: Context) -> dict[str, Any]:
    """Tell which personalities there are, and which one is in use."""
    result = await ctx.personalities.listed()
    found = [each for each in result["profiles"] if not each["hidden"] and not each["broken"]]
    names = [each["name"].replace("_", " ") for each in found]
    return {
        "message": f"I can be: {', '.join(names)}. Now I am: {result['active'].replace('_', ' ')}.",
        "personalities": [{"name": each["name"], "about": each["about"]} for each in found],
        "active": result["active"],
    }


@tool(group="mind", tier="notify", hidden=True)
async def save_personality(
    ctx: Context,
    name: Name,
    content: Annotated[dict[str, Any], Field(description="instructions, tools, voice, greeting, about, moves, manner")],
    new: Annotated[bool, Field(description="Make one; else change one of the user's own")] = True,
    like: Annotated[str, Field(max_length=64, description="Another one whose texts a new one begins with")] = "",
) -> dict[str, Any]:
    """Write a personality of the user's own: its texts, never code."""
    made = await ctx.personalities.save(name, content, new=new, like=like)
    return {"message": f"{made['name']} is written down.", "profile": made}


@tool(group="mind", tier="notify", hidden=True)
async def remove_personality(ctx: Context, name: Name) -> dict[str, Any]:
    """Put a personality of the user's own aside; it can be taken back from there."""
    aside = await ctx.personalities.remove(name)
    return {"message": f"{name} was put aside: {aside}", "folder": aside}


TOOLS: tuple[Tool, ...] = (set_personality, list_personalities, save_personality, remove_personality)
