"""MCP (Model Context Protocol): our toolbox as a server, and a client for the tools of other servers: docs/mcp.md."""

from __future__ import annotations

import importlib.util

from reachy_mind.errors import MissingExtra


def require() -> None:
    """Raises MissingExtra when the MCP library is not installed."""
    if importlib.util.find_spec("mcp") is None:
        raise MissingExtra("MCP", "mcp")
