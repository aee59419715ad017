"""What only the owner decides, as tools that always ask: how much a tool may do by itself, and settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from reachy_mind.tools.definition import Tier, TierName, Tool, tool

if TYPE_CHECKING:
    from reachy_mind.tools.context import Context

Declared = Literal["declared"]


@tool(group="mind", tier="confirm", hidden=True)
async def set_permission(
    ctx: Context,
    name: Annotated[str, Field(min_length=1, max_length=200, description="A tool, such as robot.nod")],
    tier: Annotated[TierName | Declared, Field(description="declared: as it comes, without a rule about it alone")],
    reason: Annotated[str, Field(max_length=200, description="Why, for whoever reads the rules")] = "",
) -> dict[str, Any]:
    """Change how much a tool may do without asking."""
    rulebook = ctx.need(ctx.parts.rulebook, "file of permissions")
    told = await rulebook.set(name, None if tier == "declared" else Tier[tier.upper()], reason)
    return told | {"message": f"{told['tool']} is {told['tier']} now."}


@tool(group="mind", tier="confirm", hidden=True)
async def change_setting(
    ctx: Context,
    key: Annotated[str, Field(min_length=3, max_length=100, description="Such as robot.idle")],
    value: Annotated[bool | int | float | str | None, Field(description="None: as it comes")],
) -> dict[str, Any]:
    """Change a setting for good."""
    preferences = ctx.need(ctx.parts.preferences, "file of settings")
    told = await preferences.change(key, value)
    when = "from now on" if told["live"] else "from the next start on"
    return told | {"message": f"{key} is {told['value']} {when}."}


TOOLS: tuple[Tool, ...] = (set_permission, change_setting)
