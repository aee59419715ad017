"""Routes about the MCP servers that the mind uses: how they are, and reading their list again."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from reachy_mind.errors import NotReady
from reachy_mind.mind import Mind


def router(mind: Mind) -> APIRouter:
    routes = APIRouter(prefix="/api/v1/mcp")

    @routes.get("/servers")
    async def servers() -> dict[str, Any]:
        if mind.remotes is None:
            return {"servers": [], "total": 0, "trouble": ""}
        found = mind.remotes.described()
        return {"servers": found, "total": len(found), "trouble": mind.remotes.trouble}

    @routes.post("/reload")
    async def reload() -> dict[str, Any]:
        """After `mcp.yaml` was changed: which servers may be used is decided there, by people."""
        if mind.remotes is None:
            raise NotReady("this mind uses no other servers", hint="reachy-mind run")
        await mind.remotes.reload()
        return {"servers": len(mind.remotes.described())}

    return routes
