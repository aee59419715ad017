"""`ControlApp`: the ASGI app of a node: devices' WebSockets, the REST API for operators and devices, the page.

A WebSocket of a device goes straight to `DeviceSocket`. A request passes, from the outside in: the access log, security
headers, the check of browsers' origins, a rate limit by address, body limits, strict JSON; its route then checks who
calls.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, Self

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse
from starlette.exceptions import HTTPException
from starlette.routing import BaseRoute

from reachy_mind import __version__, log
from reachy_mind.access.access_log import AccessLog, note_scope
from reachy_mind.access.body_limits import BodyLimitMiddleware
from reachy_mind.access.rate_limits import RateLimits, reject_websocket
from reachy_mind.errors import InvalidParameter, MindError, TooMany
from reachy_mind.fleet.control import device_socket, source_socket
from reachy_mind.fleet.control.authorization import ControlAuthentication, check_routes
from reachy_mind.fleet.control.device_exchange import DeviceExchange
from reachy_mind.fleet.control.device_socket import DeviceSocket
from reachy_mind.fleet.control.devices import NotInTenant
from reachy_mind.fleet.control.json_bodies import StrictRequests
from reachy_mind.fleet.control.metrics import FleetMetrics
from reachy_mind.fleet.control.openapi import complete_openapi
from reachy_mind.fleet.control.origins import BrowserOrigins
from reachy_mind.fleet.control.page import add_page
from reachy_mind.fleet.control.plane import ControlPlane
from reachy_mind.fleet.control.routes import (
    account,
    activities,
    audio,
    audit,
    bulk,
    commands,
    devices,
    emergencies,
    enrolment,
    escalation,
    events,
    health,
    live,
    login,
    persona_policy,
    personas,
    qr_codes,
    rollouts,
    twins,
)
from reachy_mind.fleet.control.secure_headers import FleetSecureHeaders
from reachy_mind.fleet.control.source_socket import SourceSocket

STATUS_CODES: Final = {
    "INVALID_PARAMETER": 422,
    "UNAUTHORIZED": 401,
    "PERMISSION_DENIED": 403,
    "NOT_FOUND": 404,
    "CONFLICT": 409,
    "UNKNOWN_CONNECTION": 410,
    "BUSY": 429,
    "DATABASE_ERROR": 503,
    "NOT_READY": 503,
    "TIMEOUT": 504,
}
RESOURCES: Final = (
    *(login, account, bulk, devices, commands, twins, enrolment, qr_codes, events, live, audit),
    *(personas, persona_policy, rollouts, activities, emergencies, escalation, audio),
)
ADDRESS_PER_S, ADDRESS_BURST = 100.0, 400.0
"""Requests of an address. A house, or a proxy's clients whose addresses it passes on."""
UNLIMITED: Final = "/fleet/v1/device/"
"""Devices of a house share its address; an emergency may come this way. Their routes limit each device."""

_log = log.get(__name__)


class ControlApp:
    """Use as an async context manager while the node serves.

    `names`: other host names that browsers may call it by; `authority`: the certificate authority for devices to trust.
    """

    def __init__(
        self,
        plane: ControlPlane,
        *,
        names: Sequence[str] = (),
        metrics_token: str = "",
        source_devices: bool = False,
        authority: Path | None = None,
    ) -> None:
        self.plane = plane
        self.viewers = live.LiveViewers()
        self.exchange = DeviceExchange(plane.hub)
        self._sockets: dict[str, Any] = {device_socket.PATH: DeviceSocket(plane.hub)}
        if source_devices:
            self._sockets[source_socket.PATH] = SourceSocket(plane.hub)
        app = FastAPI(title="Reachy Mind fleet", version=__version__, docs_url=None, redoc_url=None)
        _add_error_handlers(app)
        app.state.authentication = ControlAuthentication(plane.store, metrics_token)
        app.state.viewers = self.viewers
        app.state.metrics = FleetMetrics(plane.hub, plane.store)
        routers = [health.router(plane), *(part.router(plane) for part in RESOURCES), self.exchange.router()]
        self.routes: list[BaseRoute] = [route for router in routers for route in router.routes]
        check_routes(self.routes)
        for router in routers:
            app.include_router(router)
        complete_openapi(app, self.routes)
        _add_files(app, authority)
        self.app = app
        inner = _AddressLimit(BodyLimitMiddleware(StrictRequests(note_scope(app))))
        self._http = AccessLog(FleetSecureHeaders(BrowserOrigins(inner, plane.public_url, names)))

    async def __aenter__(self) -> Self:
        await self.exchange.__aenter__()
        return self

    async def __aexit__(self, *about: object) -> None:
        self.viewers.end_all()
        await self.exchange.__aexit__(*about)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            await self._http(scope, receive, send)
        elif scope["type"] == "websocket":
            socket = self._sockets.get(scope["path"])
            if socket is None:
                await reject_websocket("there is no such WebSocket", receive, send)
            else:
                await socket(scope, receive, send)

    async def drain(self) -> None:
        """Close the connections of devices, with 1001, and streams; call it before the server ends."""
        self.viewers.end_all()
        await self.plane.hub.close_all()


class _AddressLimit:
    """ASGI middleware: a rate limit for each address."""

    def __init__(self, app: Any) -> None:
        self._app = app
        self._limits = RateLimits(ADDRESS_PER_S, ADDRESS_BURST)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        address = str(scope["client"][0]) if scope.get("client") else ""
        if scope["path"].startswith(UNLIMITED) or self._limits.of(address).allows():
            await self._app(scope, receive, send)
            return
        error = TooMany("too many requests", hint=f"at most {ADDRESS_PER_S:g} a second")
        headers = {"Retry-After": "1", "Connection": "close"}
        await JSONResponse({"error": error.as_dict()}, 429, headers)(scope, receive, send)


def _add_error_handlers(app: FastAPI) -> None:
    @app.exception_handler(MindError)
    async def mind_error(_: Request, error: MindError) -> JSONResponse:
        status = STATUS_CODES.get(error.code, 500)
        headers = {401: {"WWW-Authenticate": "Bearer"}, 429: {"Retry-After": "10"}, 503: {"Retry-After": "5"}}
        return JSONResponse({"error": error.as_dict()}, status, headers.get(status))

    @app.exception_handler(RequestValidationError)
    async def bad_request(_: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"][1:])
        message = f"{place}: {first['msg']}" if place else first["msg"]
        invalid = InvalidParameter(message, hint="see /openapi.json for what this route takes")
        return JSONResponse({"error": invalid.as_dict()}, 422)

    @app.exception_handler(HTTPException)
    async def http_error(_: Request, error: HTTPException) -> JSONResponse:
        code = "INVALID_PARAMETER" if error.status_code == 400 else error.detail.upper().replace(" ", "_")
        about = {"code": code, "message": error.detail, "hint": "see /openapi.json"}
        return JSONResponse({"error": about}, error.status_code, error.headers)

    @app.exception_handler(Exception)
    async def unexpected_error(_: Request, error: Exception) -> JSONResponse:
        _log.error("a request failed", error=type(error).__name__)  # uvicorn logs the traceback
        about = {"code": "ERROR", "message": f"internal error: {type(error).__name__}", "hint": "see the node's log"}
        return JSONResponse({"error": about}, 500)


def _add_files(app: FastAPI, authority: Path | None) -> None:
    """The page, and the authority's certificate: files for everybody."""

    add_page(app)

    @app.get("/ca.pem", include_in_schema=False)
    async def certificate_authority() -> FileResponse:
        if authority is None:
            raise NotInTenant(
                "this node has no authority of its own", hint="its certificate is known, or a proxy has it"
            )
        return FileResponse(authority, media_type="application/x-x509-ca-cert")
