"""The page: its static files in `web/`, and those of the mind's page that it shares: letters, colours, the mark."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from fastapi import FastAPI
from fastapi.responses import FileResponse

from reachy_mind.server.page import REVALIDATE, CachedFiles
from reachy_mind.server.page import WEB as MIND_WEB

WEB: Final = Path(__file__).parent / "web"
SHARED: Final = ("mark.svg", "theme.js", "style/look.css")
PAGES: Final = {"/": "index.html", "/enrol": "enrol.html"}


def add_page(app: FastAPI) -> None:
    """The routes of the page, which need no key: it asks for one."""
    for path, name in PAGES.items():
        _add_file(app, path, WEB / name)
    for name in SHARED:
        _add_file(app, f"/web/{name}", MIND_WEB / name)
    app.mount("/web/vendor/fonts", CachedFiles(MIND_WEB / "vendor" / "fonts"))
    app.mount("/web", CachedFiles(WEB))


def _add_file(app: FastAPI, path: str, file: Path) -> None:
    @app.get(path, include_in_schema=False)
    async def serve() -> FileResponse:
        return FileResponse(file, headers={"Cache-Control": REVALIDATE})
