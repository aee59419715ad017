"""`ProgramSandbox`: runs programs on a working copy of a folder, isolated from everything else.

Every run has a supervisor of its own (`workshop.jail.supervisor`), in namespaces of its own, whose end is the end of
all that the program started. What it changes stays in the copy: whoever wants it writes it back. Where the machine does
not isolate, nothing runs.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from reachy_mind.config.developer_settings import DeveloperSettings
from reachy_mind.developer.program_output import Heard
from reachy_mind.developer.program_result import MB, ProgramLimits, ProgramResult
from reachy_mind.developer.program_run import ProgramRun
from reachy_mind.developer.program_view import WORKSPACE, ProgramView, etc, program_view
from reachy_mind.developer.workspace import Workspace
from reachy_mind.system.linux_only import require_linux
from reachy_mind.system.private_files import user_id
from reachy_mind.workshop.cgroup import ControlGroups
from reachy_mind.workshop.isolation import IsolationRefused
from reachy_mind.workshop.spare_user import SpareUser

AT_ONCE = 3
"""Runs at the same time; others wait."""


class ProgramSandbox:
    """Runs programs for one mind, a few at once."""

    def __init__(
        self, settings: DeveloperSettings, workspace: Workspace, data_folder: Path, limits: ProgramLimits | None = None
    ) -> None:
        self.limits = limits or ProgramLimits(settings.program_memory_mb, settings.program_files_mb)
        self._settings, self._workspace, self._data_folder = settings, workspace, data_folder
        self._slots = asyncio.Semaphore(AT_ONCE)
        self._groups: ControlGroups | None = None
        self._searched_groups = False

    async def run(
        self,
        folder: Path,
        argv: Sequence[str],
        *,
        timeout_s: float,
        contents: bool = False,
        heard: Heard | None = None,
    ) -> ProgramResult:
        """Run a program in a copy of a folder. `contents`: also read back what it changed.

        Raises NotReady, IsolationRefused, ProgramMissing, SandboxFailed, InvalidParameter.
        Cancelled, it leaves nothing behind.
        """
        require_linux("programs in a sandbox")
        async with self._slots:
            view = await asyncio.to_thread(program_view, self._settings, self._workspace, self._data_folder)
            user = await asyncio.to_thread(SpareUser.found)
            try:
                if user_id() == 0 and user.uid is None:
                    raise IsolationRefused("there is no free user id for a program", hint="end other programs")
                plan = self._plan(folder, argv, timeout_s, user.uid, view, contents=contents)
                run = ProgramRun(plan, view, self._settings.network_hosts, self.limits)
                return await run.result(await self._control_groups(), timeout_s, heard)
            finally:
                user.release()

    def _plan(
        self, folder: Path, argv: Sequence[str], timeout_s: float, uid: int | None, view: ProgramView, *, contents: bool
    ) -> dict[str, Any]:
        limits = self.limits
        inside = f"{WORKSPACE}/{folder.name}"
        return {
            "host_pid": os.getpid(),
            "uid": uid,
            "read_only": view.read_only,
            "links": view.links,
            "etc": etc(),
            "folder": str(folder),
            "inside": inside,
            "hidden": ".git",
            "cwd": inside,
            "argv": list(argv),
            "proxy": bool(self._settings.network_hosts),
            "memory_mb": limits.memory_mb,
            "files_mb": limits.files_mb,
            "files": limits.files,
            "tasks": limits.tasks,
            "cpu_s": timeout_s * (os.cpu_count() or 1),
            "most_differences": limits.differences,
            "content_bytes": limits.content_mb * MB if contents else -1,
            "content_file_bytes": limits.content_file_mb * MB,
        }

    async def _control_groups(self) -> ControlGroups | None:
        if not self._searched_groups:
            self._groups = await asyncio.to_thread(ControlGroups.found)
            self._searched_groups = True
        return self._groups
