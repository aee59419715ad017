"""The page: its files, and the headers that keep everything but itself out.

Its scripts come from this server alone (the import map by its hash), nobody may show it in a frame or read our answers
from another site, and nothing of it is kept by a browser without asking whether it has changed.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import re
from pathlib import Path
from typing import Any

from fastapi import APIRouter
from fastapi.responses import FileResponse
from starlette.datastructures import MutableHeaders
from starlette.responses import Response
from starlette.staticfiles import StaticFiles

from reachy_mind.server import shell

WEB = Path(__file__).parent / "web"
UNCHANGING = "public, max-age=31536000, immutable"
ASK_FIRST = "no-cache"


class Files(StaticFiles):
    """A folder, its files to be kept by browsers as said."""

    def __init__(self, folder: Path, caching: str = ASK_FIRST) -> None:
        super().__init__(directory=folder, check_dir=False)
        self._caching = caching

    def file_response(self, *args: Any, **kwargs: Any) -> Response:
        response = super().file_response(*args, **kwargs)
        response.headers["Cache-Control"] = self._caching
        return response


def router() -> APIRouter:
    routes = APIRouter(include_in_schema=False)

    @routes.get("/")
    async def index() -> FileResponse:
        return FileResponse(WEB / "index.html", headers={"Cache-Control": ASK_FIRST})

    @routes.get("/docs")
    async def docs() -> FileResponse:
        return FileResponse(WEB / "docs.html", headers={"Cache-Control": ASK_FIRST})

    source = functools.cache(shell.worker)  # all of the page's files are read for it

    @routes.get("/service-worker.js")
    def worker() -> Response:
        """Not in /web: it is for the whole page, and browsers allow that only from the top."""
        return Response(source(WEB), media_type="text/javascript", headers={"Cache-Control": ASK_FIRST})

    return routes


def policy() -> str:
    """The content security policy: what the page may load and from where."""
    maps = re.findall(r'<script type="importmap">(.*?)</script>', (WEB / "index.html").read_text(), re.DOTALL)
    hashes = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in maps]
    scripts = " ".join(["'self'", *(f"'sha256-{each}'" for each in hashes)])
    return (
        f"default-src 'none'; script-src {scripts}; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; "
        "connect-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'"
    )


class SecureHeaders:
    """Puts them on every answer; what must not be kept (all but files) says so."""

    def __init__(self, app: Any) -> None:
        self._app = app
        self._headers = {
            "Content-Security-Policy": policy(),
            "Cross-Origin-Opener-Policy": "same-origin",
            "Cross-Origin-Resource-Policy": "same-origin",
            "Permissions-Policy": "camera=(), geolocation=(), microphone=(self)",
            "Referrer-Policy": "no-referrer",
            "X-Content-Type-Options": "nosniff",
            "X-Frame-Options": "DENY",
        }

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        async def answer(message: Any) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self._headers.items():
                    headers.setdefault(name, value)
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        await self._app(scope, receive, answer if scope["type"] == "http" else send)
