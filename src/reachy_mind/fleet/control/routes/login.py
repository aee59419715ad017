"""Routes of the page: log in with a key, log out, who am I."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response
from pydantic import Field

from reachy_mind.access.authorization import Unauthenticated
from reachy_mind.access.rate_limits import RateLimits
from reachy_mind.errors import TooMany
from reachy_mind.fleet.control import audit, logins, operators
from reachy_mind.fleet.control.authorization import (
    ControlAuthentication,
    address_of,
    cookie_name,
    login_of,
    viewer,
)
from reachy_mind.fleet.control.operators import Operator, Role
from reachy_mind.fleet.control.plane import ControlPlane
from reachy_mind.fleet.control.routes.schemas import RequestBody, ResponseModel
from reachy_mind.fleet.control.store.store import Sql

LOGINS_PER_S, LOGIN_BURST = 0.1, 5.0
"""Attempts of an address."""


class LoginKey(RequestBody):
    key: Annotated[str, Field(max_length=100, examples=["op_0123456789ab_..."])]


class Identity(ResponseModel):
    """Who calls."""

    id: str
    tenant: str
    name: str
    role: Role


def router(plane: ControlPlane) -> APIRouter:
    routes = APIRouter(prefix="/fleet/v1", tags=["account"])
    attempts = RateLimits(LOGINS_PER_S, LOGIN_BURST)

    @routes.post("/login", response_model=Identity)
    async def login(given: LoginKey, request: Request, response: Response) -> Operator:
        """Log a browser in with a key; the answer sets a cookie for twelve hours."""
        authentication: ControlAuthentication = request.app.state.authentication
        if not attempts.of(address_of(request)).allows():
            raise TooMany("too many login attempts", hint="wait a minute")

        def begin(sql: Sql) -> tuple[Operator, str]:
            found = operators.authenticate(sql, given.key.strip()).operator
            audit.record(sql, found, "login", found.name, address=address_of(request))
            return found, logins.begin(sql, found.id)

        try:
            found, text = await plane.store.write(begin)
        except Unauthenticated as error:
            await authentication.refused(request, None, error)
            raise
        response.set_cookie(
            cookie_name(request.scope),
            text,
            max_age=logins.LOGIN_MS // 1000,
            secure=request.url.scheme == "https",
            httponly=True,
            samesite="strict",
        )
        return found

    @routes.post("/logout", response_model=Identity)
    async def logout(request: Request, response: Response, operator: Annotated[Operator, Depends(viewer)]) -> Operator:
        """End the login of this browser."""
        text = login_of(request)

        def end(sql: Sql) -> None:
            logins.end(sql, text)
            audit.record(sql, operator, "logout", operator.name, address=address_of(request))

        await plane.store.write(end)
        response.delete_cookie(
            cookie_name(request.scope), secure=request.url.scheme == "https", httponly=True, samesite="strict"
        )
        return operator

    @routes.get("/me", response_model=Identity)
    async def me(operator: Annotated[Operator, Depends(viewer)]) -> Operator:
        """Who the caller is."""
        return operator

    return routes
