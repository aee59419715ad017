"""Routes of the MCP servers whose tools the mind uses: their status, and a reload of `mcp.yaml`."""

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
        found = mind.remotes.status()
        return {"servers": found, "total": len(found), "trouble": mind.remotes.trouble}

    @routes.post("/reload")
    async def reload() -> dict[str, Any]:
        """Read `mcp.yaml` again, where people decide which servers may be used."""
        if mind.remotes is None:
            raise NotReady("this mind uses no other servers", hint="reachy-mind run")
        await mind.remotes.reload()
        return {"servers": len(mind.remotes.status())}

    return routes
