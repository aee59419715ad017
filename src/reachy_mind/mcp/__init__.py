"""MCP: the toolbox as servers for other assistants, and other servers' tools for the mind. See docs/mcp.md."""

from __future__ import annotations

import importlib.util

from reachy_mind.errors import MissingExtra


def require() -> None:
    """Raises MissingExtra when the library is not installed."""
    if importlib.util.find_spec("mcp") is None:
        raise MissingExtra("MCP", "mcp")
