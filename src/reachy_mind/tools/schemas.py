"""Tool definitions in the schema dialect of each model API and of MCP."""

from __future__ import annotations

from collections.abc import Iterable
from copy import deepcopy
from typing import Any, Literal

from reachy_mind.tools.definition import Tier, Tool

Dialect = Literal["chat", "responses", "realtime", "anthropic", "mcp"]


def parameters(tool: Tool) -> dict[str, Any]:
    """JSON schema of the arguments, with a `background` flag for tools that support it."""
    schema = deepcopy(tool.schema)
    if tool.supports_background:
        flag = {"type": "boolean", "default": False, "description": "Run beside the conversation; you are told the end"}
        schema.setdefault("properties", {}).setdefault("background", flag)
    return schema


def export(tools: Iterable[Tool], dialect: Dialect) -> list[dict[str, Any]]:
    """The definitions of `tools` in one dialect."""
    return [_one(tool, dialect) for tool in tools]


def _one(tool: Tool, dialect: Dialect) -> dict[str, Any]:
    schema = parameters(tool)
    match dialect:
        case "chat":
            function = {"name": tool.name, "description": tool.description, "parameters": schema}
            return {"type": "function", "function": function}
        case "responses":
            flat = {"name": tool.name, "description": tool.description, "parameters": schema, "strict": False}
            return {"type": "function", **flat}
        case "realtime":
            return {"type": "function", "name": tool.name, "description": tool.description, "parameters": schema}
        case "anthropic":
            return {"name": tool.name, "description": tool.description, "input_schema": schema}
        case "mcp":
            hints = {
                "readOnlyHint": tool.read_only,
                # Our own tools that need confirmation can't be undone; others are unknown.
                "destructiveHint": not tool.read_only and tool.tier in (None, Tier.CONFIRM, Tier.FORBIDDEN),
                "idempotentHint": tool.read_only,
                "openWorldHint": tool.group == "web" or tool.source != "built-in",
            }
            return {"name": tool.name, "description": tool.description, "inputSchema": schema, "annotations": hints}
