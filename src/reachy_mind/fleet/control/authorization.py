"""Who may call a route: `viewer`, `operator`, `admin`, `platform` and `calling_device` are FastAPI dependencies.

A program sends a key (`Authorization: Bearer op_...`), a browser the cookie of its login; a cookie changes something
only when our own page sent the request (`origins.py` refuses other pages). A route without one of these dependencies,
and not in `PUBLIC`, is an error when the app is made: `check_routes`.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterable, Iterator
from typing import Any, Final

from fastapi import Request
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from starlette.requests import cookie_parser
from starlette.routing import BaseRoute

from reachy_mind import log
from reachy_mind.access.access_log import note_caller
from reachy_mind.access.authorization import NotAllowed, Unauthenticated
from reachy_mind.access.rate_limits import RateLimits
from reachy_mind.errors import MindError, TooMany
from reachy_mind.fleet.control import devices, logins, operators
from reachy_mind.fleet.control.denials import Denials
from reachy_mind.fleet.control.devices import Device, DeviceRefused
from reachy_mind.fleet.control.operators import Operator, OperatorKey, Role
from reachy_mind.fleet.control.store.store import FleetStore
from reachy_mind.storage.database import DatabaseError

PUBLIC: Final = frozenset(("GET /healthz", "GET /readyz", "POST /fleet/v1/enrol", "POST /fleet/v1/login"))
"""Routes that need no key."""
CHECKS_ITSELF: Final = frozenset(("POST /fleet/v1/device/exchange",))
"""Routes that check the token of a device themselves, as its WebSocket does."""
SAFE_METHODS: Final = frozenset(("GET", "HEAD", "OPTIONS"))
REQUESTS_PER_S, REQUEST_BURST = 50.0, 200.0
"""Of one operator or device."""

_log = log.get(__name__)


class ControlAuthentication:
    """Finds out who calls. The app keeps one as `app.state.authentication`."""

    def __init__(self, store: FleetStore, metrics_token: str = "") -> None:
        """`metrics_token`: the program that collects the metrics sends it."""
        self.denials = Denials(store)
        self._store, self._metrics_token = store, metrics_token
        self._limits = RateLimits(REQUESTS_PER_S, REQUEST_BURST)

    async def operator(self, request: Request, role: Role) -> Operator:
        """Raises Unauthenticated, NotAllowed, TooMany."""
        known: Operator | None = None
        try:
            key = await self._key(request)
            known = key.operator
            if not known.may(role):
                raise NotAllowed(f"this needs the role {role}; {known.name} is {known.role}", hint="ask an admin")
        except (Unauthenticated, NotAllowed) as error:
            await self.refused(request, known, error)
            raise
        note_caller(request.scope, known.name, known.id)
        self._check_rate(known.id)
        if key.use_is_stale:
            await self._note_used(key)
        return known

    async def device(self, request: Request) -> Device:
        """The device whose token a request has. Raises DeviceRefused, TooMany."""
        token = _bearer(request)
        try:
            device = await self._store.read(lambda sql: devices.authenticate(sql, token))
        except DeviceRefused as error:
            await self.refused(request, None, error)
            raise
        note_caller(request.scope, "device", device.id)
        self._check_rate(device.id)
        return device

    async def metrics_reader(self, request: Request) -> None:
        """Raises as `operator`. The metrics count all tenants."""
        given = _bearer(request).encode()
        if not self._metrics_token or not hmac.compare_digest(given, self._metrics_token.encode()):
            await self.operator(request, "platform")

    async def refused(self, request: Request, actor: Operator | None, error: MindError) -> None:
        """Note a refusal in the audit."""
        route = request.scope.get("route")
        action = f"{request.method} {getattr(route, 'path', '')}"
        await self.denials.note(actor, action, request.url.path, error, address=address_of(request))

    async def _key(self, request: Request) -> OperatorKey:
        text = _bearer(request)
        if text:
            return await self._store.read(lambda sql: operators.authenticate(sql, text))
        login = login_of(request)
        if not login:
            hint = "Authorization: Bearer op_...; browsers log in on the page"
            raise Unauthenticated("a key is needed here", hint=hint)
        found = await self._store.read(lambda sql: logins.find(sql, login))
        if request.method not in SAFE_METHODS and not _from_our_page(request):
            raise NotAllowed("a login changes something only on our own page", hint="programs send a key")
        return found

    def _check_rate(self, caller: str) -> None:
        if not self._limits.of(caller).allows():
            raise TooMany("too many requests", hint=f"at most {REQUESTS_PER_S:g} a second")

    async def _note_used(self, key: OperatorKey) -> None:
        """A store that can't be written still lets people look."""
        try:
            await self._store.write(lambda sql: operators.note_used(sql, key.id))
        except DatabaseError as error:
            _log.warning("the use of a key can't be recorded", operator=key.name, reason=error.message)


class OperatorRequired:
    """A dependency: the operator who calls, of this role or a higher one."""

    def __init__(self, role: Role) -> None:
        self.role: Role = role

    async def __call__(self, request: Request) -> Operator:
        authentication: ControlAuthentication = request.app.state.authentication
        return await authentication.operator(request, self.role)


class DeviceRequired:
    """A dependency: the device that calls."""

    async def __call__(self, request: Request) -> Device:
        authentication: ControlAuthentication = request.app.state.authentication
        return await authentication.device(request)


class MetricsReaderRequired:
    """A dependency: the program that collects the metrics, or an operator of the role `platform`."""

    async def __call__(self, request: Request) -> None:
        authentication: ControlAuthentication = request.app.state.authentication
        await authentication.metrics_reader(request)


Requirement = OperatorRequired | DeviceRequired | MetricsReaderRequired
viewer, operator = OperatorRequired("viewer"), OperatorRequired("operator")
admin, platform = OperatorRequired("admin"), OperatorRequired("platform")
calling_device, metrics_reader = DeviceRequired(), MetricsReaderRequired()


def requirement_of(route: APIRoute) -> Requirement | None:
    """Who may call a route; None for a public one."""
    return next((call for call in _calls(route.dependant) if isinstance(call, Requirement)), None)


def check_routes(routes: Iterable[BaseRoute]) -> None:
    """Raises RuntimeError when a route says nothing of who may call it."""
    unchecked = PUBLIC | CHECKS_ITSELF
    for route in routes:
        if not isinstance(route, APIRoute):
            raise RuntimeError(f"{route} is no route of FastAPI: nobody checks who calls it")  # noqa: TRY004 -- not a wrong argument
        open_to_all = all(f"{method} {route.path}" in unchecked for method in route.methods or ())
        if open_to_all == (requirement_of(route) is not None):
            raise RuntimeError(f"{route.path} needs one of: a dependency of authorization.py, a line in PUBLIC")


def address_of(request: Request) -> str:
    """Where a request comes from."""
    return request.client.host if request.client else ""


def cookie_name(scope: Any) -> str:
    """Cookies are per host, not per port, so the name has the port; over TLS `__Host-` binds it to the exact host."""
    port = (scope.get("server") or ("", 0))[1]
    return f"__Host-reachy_fleet_{port}" if scope["scheme"] == "https" else f"reachy_fleet_{port}"


def login_of(request: Request) -> str:
    """The text of the login in the cookie; empty without one."""
    # Not http.cookies: it drops all cookies when another program on this host has set one it can't parse.
    return cookie_parser(request.headers.get("cookie", "")).get(cookie_name(request.scope), "")


def _from_our_page(request: Request) -> bool:
    """An origin here is our own: other ones were refused before."""
    return "origin" in request.headers or request.headers.get("sec-fetch-site") == "same-origin"


def _bearer(request: Request) -> str:
    kind, _, text = request.headers.get("authorization", "").partition(" ")
    return text.strip() if kind.lower() == "bearer" else ""


def _calls(dependant: Dependant) -> Iterator[Any]:
    for each in dependant.dependencies:
        yield each.call
        yield from _calls(each)
