"""Routes for those who watch the node: `/healthz` (it answers), `/readyz` (it can serve devices), `/metrics`."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any, Final

from fastapi import APIRouter, Depends, Request, Response
from prometheus_client.exposition import CONTENT_TYPE_LATEST

from reachy_mind import __version__
from reachy_mind.errors import NotReady
from reachy_mind.fleet.control.authorization import metrics_reader
from reachy_mind.fleet.control.metrics import FleetMetrics
from reachy_mind.fleet.control.plane import ControlPlane
from reachy_mind.storage.database import DatabaseError

WRITE_TIMEOUT_S: Final = 6.0


def router(plane: ControlPlane) -> APIRouter:
    routes = APIRouter(tags=["health"])
    metrics_text: dict[int | str, dict[str, Any]] = {
        200: {"content": {"text/plain": {"schema": {"type": "string"}}}, "description": "Metrics for Prometheus"}
    }

    @routes.get("/healthz")
    async def healthz() -> dict[str, str]:
        """The server answers."""
        return {"status": "ok", "version": __version__}

    @routes.get("/readyz")
    async def readyz() -> dict[str, str]:
        """The store can be written and the bus is connected: devices may be sent here."""
        try:
            async with asyncio.timeout(WRITE_TIMEOUT_S):
                await plane.store.check_writable()
        except DatabaseError as error:
            raise NotReady("the store can't be written", hint="the node's log says why") from error
        except TimeoutError:
            raise NotReady("the store is too slow", hint="the node's log may say why") from None
        if not plane.bus.connected:
            raise NotReady("the bus is not connected", hint="devices are served all the same, a little later")
        return {"status": "ready", "node": plane.hub.node}

    @routes.get("/metrics", response_class=Response, responses=metrics_text)
    async def metrics(request: Request, _: Annotated[None, Depends(metrics_reader)]) -> Response:
        """Metrics of this node for Prometheus; those of the store are of all nodes."""
        collected: FleetMetrics = request.app.state.metrics
        return Response(await collected.text(), media_type=CONTENT_TYPE_LATEST)

    return routes
