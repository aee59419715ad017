"""Administration tools: change a permission tier or a setting. Both always need confirmation."""

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
    reason: Annotated[str, Field(max_length=200, description="Why, for people who read the rules")] = "",
) -> dict[str, Any]:
    """Change how much a tool may do without asking."""
    permissions_file = ctx.need(ctx.parts.permissions_file, "file of permissions")
    result = await permissions_file.set(name, None if tier == "declared" else Tier[tier.upper()], reason)
    return result | {"message": f"{result['tool']} is {result['tier']} now."}


@tool(group="mind", tier="confirm", hidden=True)
async def change_setting(
    ctx: Context,
    key: Annotated[str, Field(min_length=3, max_length=100, description="Such as robot.idle")],
    value: Annotated[bool | int | float | str | None, Field(description="None: as it comes")],
) -> dict[str, Any]:
    """Change a setting for good."""
    preferences = ctx.need(ctx.parts.preferences, "file of settings")
    result = await preferences.change(key, value)
    when = "from now on" if result["live"] else "from the next start on"
    return result | {"message": f"{key} is {result['value']} {when}."}


TOOLS: tuple[Tool, ...] = (set_permission, change_setting)
