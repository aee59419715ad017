"""`Figure`: the robot's shape for the page, made from the robot description; a simple one of ours until it is there."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from pathlib import Path
from typing import Any, Literal

from fastapi import APIRouter
from fastapi.responses import FileResponse
from starlette.exceptions import HTTPException

from reachy_mind import log
from reachy_mind.body import figure
from reachy_mind.config import Configuration
from reachy_mind.embodiment import DESCRIPTION, compiled_folder
from reachy_mind.errors import MindError
from reachy_mind.models.store import Store
from reachy_mind.server.page import UNCHANGING

BUILT_IN = "/web/figure/figure.urdf"

_log = log.get(__name__)


class Figure:
    """Use as `async with`: where it is missing it is made, in a process of its own, while the page shows ours."""

    def __init__(self, configuration: Configuration) -> None:
        self._store = Store(configuration.models_folder)
        self._cache = compiled_folder(configuration)
        self.state: Literal["ready", "building", "missing"] = "missing"
        self.reason = ""
        self._folder: Path | None = None
        self._names: frozenset[str] = frozenset()
        self._building: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Figure:
        try:
            description = self._store.path(DESCRIPTION)
            folder = await asyncio.to_thread(figure.folder, description, self._cache)
        except MindError as error:
            self.reason = error.message
            return self
        if not await asyncio.to_thread(self._take, folder):
            self.state = "building"
            self._building = asyncio.create_task(self._build(description, folder), name="figure")
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._building is not None:
            self._building.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._building

    def _take(self, folder: Path) -> bool:
        """Show the figure in this folder, if there is one and it is whole."""
        if figure.found(folder) is None:
            return False
        self._names = frozenset(path.name for path in folder.iterdir())
        self.state, self._folder = "ready", folder
        return True

    async def _build(self, description: Path, folder: Path) -> None:
        argv = [sys.executable, "-m", "reachy_mind.body.figure", str(description), str(self._cache)]
        pipe = asyncio.subprocess.PIPE
        try:
            process = await asyncio.create_subprocess_exec(*argv, stdout=pipe, stderr=pipe)
        except OSError as error:
            self._miss(f"no process could be started: {error}")
            return
        try:
            _, said = await process.communicate()
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        if process.returncode or not await asyncio.to_thread(self._take, folder):
            self._miss(said.decode(errors="replace").strip()[-300:])

    def _miss(self, reason: str) -> None:
        self.state, self.reason = "missing", reason
        _log.warning("the page shows a simple figure", reason=reason)

    def described(self) -> dict[str, Any]:
        ready = self._folder is not None
        urdf = f"/figure/{self._folder.name}/figure.urdf" if self._folder is not None else BUILT_IN
        source = "robot description" if ready else "built-in"
        return {"source": source, "urdf": urdf, "state": self.state, "reason": self.reason}

    def file(self, edition: str, name: str) -> Path:
        """Raises 404."""
        if self._folder is None or edition != self._folder.name or name not in self._names:
            raise HTTPException(404)
        return self._folder / name


def router(shown: Figure) -> APIRouter:
    routes = APIRouter()

    @routes.get("/api/v1/robot/figure")
    async def described() -> dict[str, Any]:
        """Where the robot's shape is (URDF with GLB meshes), and whether it is the real one."""
        return shown.described()

    @routes.get("/figure/{edition}/{name}", include_in_schema=False)
    async def file(edition: str, name: str) -> FileResponse:
        return FileResponse(shown.file(edition, name), headers={"Cache-Control": UNCHANGING})

    return routes
