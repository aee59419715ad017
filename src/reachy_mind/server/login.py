"""Login and token routes: one-time login codes for browsers, login, logout, the caller's identity, revocation.

The code is the fragment of a link, after the `#`: browsers don't send it, so it is in no log and no link preview. Our
page reads it and posts it once; the response sets a cookie that scripts can't read and other sites can't use.
"""

from __future__ import annotations

import asyncio
import hashlib
import secrets
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import FileResponse
from pydantic import BaseModel, ConfigDict, Field

from reachy_mind import log
from reachy_mind.access import lan
from reachy_mind.access.authentication import cookie_name
from reachy_mind.access.authorization import NotAllowed, Unauthenticated, principal_of
from reachy_mind.access.loopback import is_loopback
from reachy_mind.access.origins import is_from_network
from reachy_mind.access.rate_limits import RateLimits
from reachy_mind.access.tokens import BROWSER_SCOPES, Token, Tokens
from reachy_mind.config.configuration import Configuration
from reachy_mind.errors import InvalidParameter, TooMany
from reachy_mind.mcp.config_file import revoke_token
from reachy_mind.server.not_found import NotFound, as_not_found
from reachy_mind.server.page import REVALIDATE, WEB

CODE_VALID_S = 600.0
MAX_CODES = 16
LOGINS_PER_S, LOGIN_BURST = 0.1, 5.0
"""Attempts per address: a code can't be guessed."""
LOGIN_DAYS = 30.0
DEVICES = ("iPhone", "iPad", "Android", "Macintosh", "Windows", "Linux")

_log = log.get(__name__)


@dataclass(frozen=True)
class LoginCode:
    """A one-time code for one browser, valid until a Unix time, and the links that carry it."""

    code: str
    expires_at: float
    urls: tuple[str, ...]


class Logins:
    """The one-time codes that were issued and not used yet."""

    def __init__(self, configuration: Configuration, tokens: Tokens) -> None:
        self._settings, self._tokens = configuration.settings.server, tokens
        self._codes: dict[str, tuple[float, tuple[str, ...], float]] = {}
        self._attempts = RateLimits(LOGINS_PER_S, LOGIN_BURST)

    def issue(self, port: int, scopes: tuple[str, ...] = BROWSER_SCOPES, days: float = LOGIN_DAYS) -> LoginCode:
        """A new code; `days` is how long the login lasts. Raises InvalidParameter for a scope no browser may have."""
        if not scopes or not set(scopes) <= set(BROWSER_SCOPES):
            hint = f"a browser may have {', '.join(BROWSER_SCOPES)}"
            raise InvalidParameter(f"no scopes for a login: {', '.join(scopes)[:60]}", hint=hint)
        now = time.time()
        self._codes = {code: about for code, about in self._codes.items() if about[0] > now}
        while len(self._codes) >= MAX_CODES:
            del self._codes[next(iter(self._codes))]
        code, expires_at = secrets.token_urlsafe(18), now + CODE_VALID_S
        self._codes[_hash(code)] = (expires_at, scopes, days)
        return LoginCode(code, expires_at, tuple(f"{url}/login#{code}" for url in self.urls(port)))

    def urls(self, port: int) -> list[str]:
        """The addresses of this server, those on the network first."""
        host = self._settings.host
        others = lan.addresses() if host == "0.0.0.0" else [] if is_loopback(host) else [host]  # noqa: S104
        return [*(f"https://{address}:{port}" for address in others), f"http://127.0.0.1:{port}"]

    async def redeem(self, code: str, address: str, device: str) -> tuple[Token, str]:
        """Exchange a code for a token; the code is used up. Raises Unauthenticated, TooMany."""
        # No await before the code is removed: of two browsers with the same code, one gets in.
        if not self._attempts.of(address).allows():
            raise TooMany("too many login attempts", hint="wait a minute")
        expires_at, scopes, days = self._codes.pop(_hash(code), (0.0, (), 0.0))
        if expires_at < time.time():
            _log.warning("a login was refused", address=address)
            raise Unauthenticated(
                "this login code is wrong, used or expired", hint="a new one: reachy-mind token login"
            )
        token, text = await asyncio.to_thread(self._tokens.new, f"{device} {{id}}", scopes, days=days, kind="browser")
        _log.warning("a browser logged in", address=address, session=token.name, scopes=scopes)
        return token, text


class LoginRequest(BaseModel):
    """The one-time code from a link."""

    model_config = ConfigDict(extra="forbid")

    code: str = Field(min_length=1, max_length=100)


class LoginCodeRequest(BaseModel):
    """The scopes of a login, and how many days it lasts."""

    model_config = ConfigDict(extra="forbid")

    scopes: Annotated[tuple[str, ...], Field(max_length=10)] = BROWSER_SCOPES
    days: Annotated[float, Field(gt=0, le=365)] = LOGIN_DAYS


def router(configuration: Configuration, tokens: Tokens, logins: Logins, authority_file: Path) -> APIRouter:
    routes = APIRouter()

    @routes.get("/login", include_in_schema=False)
    async def page() -> FileResponse:
        return FileResponse(WEB / "login.html", headers={"Cache-Control": REVALIDATE})

    @routes.get("/ca.pem", include_in_schema=False)
    async def authority() -> FileResponse:
        """The certificate authority of the server, for a phone to trust; not secret."""
        if not await asyncio.to_thread(authority_file.is_file):
            raise NotFound("there is no certificate", hint="reachy-mind run --lan creates one")
        return FileResponse(authority_file, media_type="application/x-x509-ca-cert")

    @routes.post("/api/v1/login")
    async def login(given: LoginRequest, request: Request, response: Response) -> dict[str, Any]:
        """Log in with a one-time code; the response sets a cookie."""
        address = request.client.host if request.client else ""
        device = _device(request.headers.get("user-agent", ""))
        token, text = await logins.redeem(given.code, address, device)
        assert token.expires is not None
        response.set_cookie(
            cookie_name(request.scope),
            text,
            max_age=int(token.expires - time.time()),
            secure=is_from_network(request.scope),
            httponly=True,
            samesite="strict",
        )
        return token.public_dict()

    @routes.post("/api/v1/logout")
    async def logout(request: Request, response: Response) -> dict[str, Any]:
        """Log out: the cookie of this browser is revoked."""
        principal = principal_of(request.scope)
        if principal.kind != "browser":
            raise NotAllowed("only a logged-in browser can log out", hint="reachy-mind token revoke NAME")
        await asyncio.to_thread(revoke_token, configuration.home, principal.id)
        response.delete_cookie(
            cookie_name(request.scope), secure=is_from_network(request.scope), httponly=True, samesite="strict"
        )
        return {"left": principal.name}

    @routes.get("/api/v1/me")
    async def me(request: Request) -> dict[str, Any]:
        """Who the caller is, and their scopes."""
        principal = principal_of(request.scope)
        scopes = [scope for scope in (*BROWSER_SCOPES, "mcp") if principal.may(scope)]
        return {"kind": principal.kind, "id": principal.id, "name": principal.name, "scopes": scopes}

    @routes.post("/api/v1/logins", status_code=201)
    async def invite(request: Request, given: LoginCodeRequest | None = None) -> dict[str, Any]:
        """A one-time code for a browser, valid for ten minutes, and links with it, the first one for a phone."""
        wanted = given or LoginCodeRequest()
        port = (request.scope.get("server") or ("", 0))[1]
        issued = logins.issue(port, wanted.scopes, wanted.days)
        return {"code": issued.code, "expires_at": issued.expires_at, "urls": list(issued.urls)}

    @routes.get("/api/v1/tokens")
    async def listed(
        offset: Annotated[int, Query(ge=0, le=1 << 40)] = 0, limit: Annotated[int, Query(ge=1, le=500)] = 50
    ) -> dict[str, Any]:
        """Tokens of programs and logins of browsers, without their secrets."""
        found = tokens.all()
        return {"tokens": [token.public_dict() for token in found[offset : offset + limit]], "total": len(found)}

    @routes.delete("/api/v1/tokens/{which}")
    async def revoke(which: str) -> dict[str, Any]:
        """Revoke a token by id or name: it is rejected at once, and its WebSockets and streams end within seconds."""
        with as_not_found("they are listed at /api/v1/tokens"):
            token = await asyncio.to_thread(revoke_token, configuration.home, which)
        return token.public_dict() | {"revoked": True}

    return routes


def _device(agent: str) -> str:
    return next((device for device in DEVICES if device in agent), "browser")


def _hash(code: str) -> str:
    return hashlib.sha256(code.encode("utf-8", "replace")).hexdigest()
