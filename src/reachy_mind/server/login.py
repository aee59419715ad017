"""Routes of logins and tokens: who one is, a one-time code for a browser, coming in with it, leaving, taking back.

The code is the part of a link after the `#`: browsers don't send that, so that no log and no preview of the link has
it. Our page reads it and sends it back once; it gets a cookie that scripts can't read and other sites can't use.
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

from reachy_mind import lan, log
from reachy_mind.config import Configuration
from reachy_mind.errors import InvalidParameter
from reachy_mind.loopback import is_loopback
from reachy_mind.mcp.book import revoked
from reachy_mind.server.frames import NotFound, looked_up
from reachy_mind.server.limits import Paces
from reachy_mind.server.origins import is_far
from reachy_mind.server.page import ASK_FIRST, WEB
from reachy_mind.server.reception import cookie_name
from reachy_mind.server.visitors import NotAllowed, Unknown, visitor_of
from reachy_mind.tokens import PERSON, Token, Tokens
from reachy_mind.tools.tasks import TooMany

CODE_S = 600.0
MOST_CODES = 16
TRIES_PER_S, TRIES_AT_ONCE = 0.1, 5.0
DAYS = 30.0
DEVICES = ("iPhone", "iPad", "Android", "Macintosh", "Windows", "Linux")

_log = log.get(__name__)


@dataclass(frozen=True)
class Invitation:
    """A code that lets one browser in, once, until a Unix time."""

    code: str
    expires_at: float
    urls: tuple[str, ...]


class Logins:
    """The codes that wait for their browser."""

    def __init__(self, configuration: Configuration, tokens: Tokens) -> None:
        self._settings, self._tokens = configuration.settings.server, tokens
        self._waiting: dict[str, tuple[float, tuple[str, ...], float]] = {}
        self._tries = Paces(TRIES_PER_S, TRIES_AT_ONCE)

    def invite(self, port: int, scopes: tuple[str, ...] = PERSON, days: float = DAYS) -> Invitation:
        """Raises InvalidParameter for scopes that no browser has."""
        if not scopes or not set(scopes) <= set(PERSON):
            raise InvalidParameter(f"no login is for {', '.join(scopes)[:60]}", hint=f"there are {', '.join(PERSON)}")
        now = time.time()
        self._waiting = {code: about for code, about in self._waiting.items() if about[0] > now}
        while len(self._waiting) >= MOST_CODES:
            del self._waiting[next(iter(self._waiting))]
        code, until = secrets.token_urlsafe(18), now + CODE_S
        self._waiting[_hash(code)] = (until, scopes, days)
        return Invitation(code, until, tuple(f"{place}/login#{code}" for place in self.places(port)))

    def places(self, port: int) -> list[str]:
        """Where this server is, for others first."""
        host = self._settings.host
        others = lan.addresses() if host == "0.0.0.0" else [] if is_loopback(host) else [host]  # noqa: S104
        return [*(f"https://{address}:{port}" for address in others), f"http://127.0.0.1:{port}"]

    async def redeem(self, code: str, address: str, device: str) -> tuple[Token, str]:
        """A token for the browser that shows a code, which is good no more. Raises Unknown, TooMany."""
        # All but the writing on this one thread: of two that show the same code at once, one gets it.
        if not self._tries.of(address).allows():
            raise TooMany("too many tries", hint="wait a minute")
        until, scopes, days = self._waiting.pop(_hash(code), (0.0, (), 0.0))
        if until < time.time():
            _log.warning("a login was refused", address=address)
            raise Unknown("this code is not good, or not any more", hint="a new one: reachy-mind token login")
        token, text = await asyncio.to_thread(self._tokens.new, f"{device} {{id}}", scopes, days=days, kind="browser")
        _log.warning("a browser logged in", address=address, session=token.name, scopes=scopes)
        return token, text


class Code(BaseModel):
    """What a link brought."""

    model_config = ConfigDict(extra="forbid")

    code: str = Field(min_length=1, max_length=100)


class Wish(BaseModel):
    """What the browser that comes may do, and for how long."""

    model_config = ConfigDict(extra="forbid")

    scopes: Annotated[tuple[str, ...], Field(max_length=10)] = PERSON
    days: Annotated[float, Field(gt=0, le=365)] = DAYS


def router(configuration: Configuration, tokens: Tokens, logins: Logins, authority: Path) -> APIRouter:
    routes = APIRouter()

    @routes.get("/login", include_in_schema=False)
    async def page() -> FileResponse:
        return FileResponse(WEB / "login.html", headers={"Cache-Control": ASK_FIRST})

    @routes.get("/ca.pem", include_in_schema=False)
    async def trusted() -> FileResponse:
        """The authority behind the server's certificate, for a phone to trust: no secret."""
        if not await asyncio.to_thread(authority.is_file):
            raise NotFound("there is no certificate", hint="reachy-mind run --lan makes one")
        return FileResponse(authority, media_type="application/x-x509-ca-cert")

    @routes.post("/api/v1/login")
    async def login(given: Code, request: Request, response: Response) -> dict[str, Any]:
        """Come in with a one-time code: the answer sets a cookie."""
        address = request.client.host if request.client else ""
        device = _device(request.headers.get("user-agent", ""))
        token, text = await logins.redeem(given.code, address, device)
        assert token.expires is not None
        response.set_cookie(
            cookie_name(request.scope),
            text,
            max_age=int(token.expires - time.time()),
            secure=is_far(request.scope),
            httponly=True,
            samesite="strict",
        )
        return token.described()

    @routes.post("/api/v1/logout")
    async def logout(request: Request, response: Response) -> dict[str, Any]:
        """Leave: the cookie of this browser is good no more."""
        visitor = visitor_of(request.scope)
        if visitor.kind != "browser":
            raise NotAllowed("only a browser that logged in can leave", hint="reachy-mind token revoke NAME")
        await asyncio.to_thread(revoked, configuration.home, visitor.id)
        response.delete_cookie(
            cookie_name(request.scope), secure=is_far(request.scope), httponly=True, samesite="strict"
        )
        return {"left": visitor.name}

    @routes.get("/api/v1/me")
    async def me(request: Request) -> dict[str, Any]:
        """Who this is to us, and what they may do."""
        visitor = visitor_of(request.scope)
        scopes = [scope for scope in (*PERSON, "mcp") if visitor.may(scope)]
        return {"kind": visitor.kind, "id": visitor.id, "name": visitor.name, "scopes": scopes}

    @routes.post("/api/v1/logins", status_code=201)
    async def invite(request: Request, wish: Wish | None = None) -> dict[str, Any]:
        """A one-time code for a browser: links for it, the first of them for a phone, good for ten minutes."""
        wanted = wish or Wish()
        port = (request.scope.get("server") or ("", 0))[1]
        made = logins.invite(port, wanted.scopes, wanted.days)
        return {"code": made.code, "expires_at": made.expires_at, "urls": list(made.urls)}

    @routes.get("/api/v1/tokens")
    async def listed(
        offset: Annotated[int, Query(ge=0, le=1 << 40)] = 0, limit: Annotated[int, Query(ge=1, le=500)] = 50
    ) -> dict[str, Any]:
        """Tokens of programs and logins of browsers, without themselves."""
        found = tokens.all()
        return {"tokens": [token.described() for token in found[offset : offset + limit]], "total": len(found)}

    @routes.delete("/api/v1/tokens/{which}")
    async def take_back(which: str) -> dict[str, Any]:
        """By id or name; refused from now on, and its sockets and streams end within seconds."""
        with looked_up("they are listed at /api/v1/tokens"):
            token = await asyncio.to_thread(revoked, configuration.home, which)
        return token.described() | {"revoked": True}

    return routes


def _device(agent: str) -> str:
    return next((device for device in DEVICES if device in agent), "browser")


def _hash(code: str) -> str:
    return hashlib.sha256(code.encode("utf-8", "replace")).hexdigest()
