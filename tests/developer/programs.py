"""Programs for tests of the sandbox, and a look at the processes of this machine from outside."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

import pytest

from reachy_mind.config.configuration import load
from reachy_mind.developer.program_result import ProgramLimits, ProgramResult
from reachy_mind.developer.program_sandbox import ProgramSandbox
from reachy_mind.developer.workspace import Workspace
from reachy_mind.workshop import isolation


def require_isolation() -> None:
    """Skip a test on a machine that has no namespaces for programs."""
    profiles = {profile.name: profile for profile in isolation.detect()}
    if not profiles["namespaces"].available:
        pytest.skip(profiles["namespaces"].reason)


def sandbox_in(folder: Path, limits: ProgramLimits | None = None, **settings: Any) -> ProgramSandbox:
    """A sandbox whose repositories lie in `folder`."""
    flags = {"developer.repository_folder": str(folder / "repos"), "developer.code_folder": str(folder / "code")}
    flags |= {f"developer.{name}": value for name, value in settings.items()}
    developer = load(flags=flags).settings.developer
    return ProgramSandbox(developer, Workspace(developer), folder / "home", limits)


async def shell(sandbox: ProgramSandbox, folder: Path, script: str, **options: Any) -> ProgramResult:
    """Run a shell script, as a hostile repository would bring one along."""
    return await sandbox.run(folder, ("sh", "-c", script), **{"timeout_s": 20, **options})


def processes_with(mark: str) -> list[int]:
    """Every process of the machine that has these words in its command."""
    found = []
    for entry in os.scandir("/proc"):
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                command = Path(entry.path, "cmdline").read_bytes()
            except OSError:
                continue
            if mark.encode() in command:
                found.append(int(entry.name))
    return found


def tree_of(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Everything below a folder: modes and contents."""
    found = {}
    for path in sorted(folder.rglob("*")):
        about = path.lstat()
        content = path.read_bytes() if stat.S_ISREG(about.st_mode) else b""
        found[str(path.relative_to(folder))] = (about.st_mode, content)
    return found
