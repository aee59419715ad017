"""`RobotModelFiles`: the robot's 3D model (URDF, GLB meshes) for the page, built from the vendor's robot description.

Until it is built, and where the description is missing, the page shows a simple built-in model.
"""

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
from reachy_mind.body import page_model
from reachy_mind.config.configuration import Configuration
from reachy_mind.errors import MindError
from reachy_mind.models.robot_description import DESCRIPTION, compiled_folder
from reachy_mind.models.store import Store
from reachy_mind.server.page import IMMUTABLE

BUILT_IN = "/web/figure/figure.urdf"

_log = log.get(__name__)


class RobotModelFiles:
    """Use as an async context manager; a missing model is built in a worker process meanwhile."""

    def __init__(self, configuration: Configuration) -> None:
        self._store = Store(configuration.models_folder)
        self._cache = compiled_folder(configuration)
        self.state: Literal["ready", "building", "missing"] = "missing"
        self.reason = ""
        self._folder: Path | None = None
        self._names: frozenset[str] = frozenset()
        self._building: asyncio.Task[None] | None = None

    async def __aenter__(self) -> RobotModelFiles:
        try:
            description = self._store.path(DESCRIPTION)
            folder = await asyncio.to_thread(page_model.folder, description, self._cache)
        except MindError as error:
            self.reason = error.message
            return self
        if not await asyncio.to_thread(self._use, folder):
            self.state = "building"
            self._building = asyncio.create_task(self._build(description, folder), name="figure")
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._building is not None:
            self._building.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._building

    def _use(self, folder: Path) -> bool:
        """Use the model in this folder, if there is a complete one; whether there is."""
        if page_model.load(folder) is None:
            return False
        self._names = frozenset(path.name for path in folder.iterdir())
        self.state, self._folder = "ready", folder
        return True

    async def _build(self, description: Path, folder: Path) -> None:
        argv = [sys.executable, "-m", "reachy_mind.body.page_model", str(description), str(self._cache)]
        pipe = asyncio.subprocess.PIPE
        try:
            process = await asyncio.create_subprocess_exec(*argv, stdout=pipe, stderr=pipe)
        except OSError as error:
            self._fail(f"no process could be started: {error}")
            return
        try:
            _, stderr = await process.communicate()
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        if process.returncode or not await asyncio.to_thread(self._use, folder):
            self._fail(stderr.decode(errors="replace").strip()[-300:])

    def _fail(self, reason: str) -> None:
        self.state, self.reason = "missing", reason
        _log.warning("the page shows the built-in robot model", reason=reason)

    def status(self) -> dict[str, Any]:
        ready = self._folder is not None
        urdf = f"/figure/{self._folder.name}/figure.urdf" if self._folder is not None else BUILT_IN
        source = "robot description" if ready else "built-in"
        return {"source": source, "urdf": urdf, "state": self.state, "reason": self.reason}

    def file(self, edition: str, name: str) -> Path:
        """The path of a file of the model. Raises HTTPException 404."""
        if self._folder is None or edition != self._folder.name or name not in self._names:
            raise HTTPException(404)
        return self._folder / name


def router(model_files: RobotModelFiles) -> APIRouter:
    routes = APIRouter()

    @routes.get("/api/v1/robot/figure")
    async def described() -> dict[str, Any]:
        """Where the robot's 3D model is (URDF with GLB meshes), and whether it is the real one."""
        return model_files.status()

    @routes.get("/figure/{edition}/{name}", include_in_schema=False)
    async def file(edition: str, name: str) -> FileResponse:
        return FileResponse(model_files.file(edition, name), headers={"Cache-Control": IMMUTABLE})

    return routes
