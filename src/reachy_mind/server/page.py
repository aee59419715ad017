"""The web page: its static files, cache headers, and security headers with a content security policy (CSP).

Scripts come from this server alone (the import map by its hash). Other sites can't frame the page or read our
responses. Browsers revalidate every file of the page before they use it from the cache.
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

from reachy_mind.server import service_worker

WEB = Path(__file__).parent / "web"
IMMUTABLE = "public, max-age=31536000, immutable"
REVALIDATE = "no-cache"


class CachedFiles(StaticFiles):
    """The files of a folder, with this Cache-Control header."""

    def __init__(self, folder: Path, cache_control: str = REVALIDATE) -> None:
        super().__init__(directory=folder, check_dir=False)
        self._cache_control = cache_control

    def file_response(self, *args: Any, **kwargs: Any) -> Response:
        response = super().file_response(*args, **kwargs)
        response.headers["Cache-Control"] = self._cache_control
        return response


def router() -> APIRouter:
    routes = APIRouter(include_in_schema=False)

    @routes.get("/")
    async def index() -> FileResponse:
        return FileResponse(WEB / "index.html", headers={"Cache-Control": REVALIDATE})

    @routes.get("/docs")
    async def docs() -> FileResponse:
        return FileResponse(WEB / "docs.html", headers={"Cache-Control": REVALIDATE})

    source = functools.cache(service_worker.worker_source)  # reads all files of the page

    @routes.get("/service-worker.js")
    def worker() -> Response:
        """Not under /web: a service worker controls only pages below its own path."""
        return Response(source(WEB), media_type="text/javascript", headers={"Cache-Control": REVALIDATE})

    return routes


def content_security_policy() -> str:
    """What the page may load, and from where."""
    maps = re.findall(r'<script type="importmap">(.*?)</script>', (WEB / "index.html").read_text(), re.DOTALL)
    hashes = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in maps]
    scripts = " ".join(["'self'", *(f"'sha256-{each}'" for each in hashes)])
    return (
        f"default-src 'none'; script-src {scripts}; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; "
        "connect-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'"
    )


class SecureHeaders:
    """ASGI middleware: adds the security headers to every response, and `no-store` where no caching is set."""

    def __init__(self, app: Any) -> None:
        self._app = app
        self._headers = {
            "Content-Security-Policy": content_security_policy(),
            "Cross-Origin-Opener-Policy": "same-origin",
            "Cross-Origin-Resource-Policy": "same-origin",
            "Permissions-Policy": "camera=(), geolocation=(), microphone=(self)",
            "Referrer-Policy": "no-referrer",
            "X-Content-Type-Options": "nosniff",
            "X-Frame-Options": "DENY",
        }

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        async def add_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self._headers.items():
                    headers.setdefault(name, value)
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        await self._app(scope, receive, add_headers if scope["type"] == "http" else send)
