"""A control group for each worker, where this process may make one: memory that no resource limit counts is bounded.

Never required: many machines have none that a program may write. Both versions of the interface are known.
"""

from __future__ import annotations

import contextlib
import os
import secrets
from dataclasses import dataclass
from pathlib import Path

MOUNTS = Path("/sys/fs/cgroup")
OWN = Path("/proc/self/cgroup")
PREFIX = "reachy-mind-"
MB = 1024 * 1024
MAX_TASKS = 128
OVERHEAD_MB = 64
"""Memory of the kernel for the worker, and what it shares with the zygote and changes."""


@dataclass(frozen=True)
class _Controller:
    """A folder in which groups are made, and the names of its files."""

    folder: Path
    limits: tuple[tuple[str, str], ...]
    """Files and what they bound: "memory" or "tasks"."""


class WorkerGroup:
    """The control group of one worker, in each hierarchy."""

    def __init__(self, folders: list[Path]) -> None:
        self._folders = folders

    def out_of_memory(self) -> bool:
        """Whether the kernel killed the process because the group had no memory left."""
        for folder in self._folders:
            for name in ("memory.events", "memory.oom_control"):
                with contextlib.suppress(OSError):
                    counts = dict(line.split() for line in (folder / name).read_text().splitlines())
                    if int(counts.get("oom_kill", 0)):
                        return True
        return False

    def remove(self) -> None:
        """Remove the group. Its process has to be gone."""
        for folder in self._folders:
            with contextlib.suppress(OSError):  # the next start removes it
                folder.rmdir()


class ControlGroups:
    """Makes the groups of workers."""

    def __init__(self, controllers: list[_Controller]) -> None:
        self._controllers = controllers
        self._remove_stale()

    @classmethod
    def found(cls) -> ControlGroups | None:
        """Return what this process may write, found by making a group; None where that is not allowed."""
        groups = cls([controller for controller in (_second_version(), *_first_version()) if controller is not None])
        if not any("memory" in dict(controller.limits).values() for controller in groups._controllers):
            return None
        try:
            groups.new(os.getpid(), 64, join=False).remove()
        except OSError:
            return None
        return groups

    def new(self, pid: int, memory_mb: int, *, tasks: int = MAX_TASKS, join: bool = True) -> WorkerGroup:
        """Put a process into a group of its own. Raises `OSError`."""
        values = {"memory": str((memory_mb + OVERHEAD_MB) * MB), "tasks": str(tasks)}
        made: list[Path] = []
        try:
            for controller in self._controllers:
                folder = controller.folder / f"{PREFIX}{os.getpid()}-{secrets.token_hex(4)}"
                folder.mkdir()
                made.append(folder)
                for file, bound in controller.limits:
                    (folder / file).write_text(values[bound])
                if join:
                    (folder / "cgroup.procs").write_text(str(pid))
        except OSError:
            WorkerGroup(made).remove()
            raise
        return WorkerGroup(made)

    def _remove_stale(self) -> None:
        """Remove groups of programs that have ended."""
        for controller in self._controllers:
            for folder in controller.folder.glob(f"{PREFIX}*"):
                owner = folder.name.removeprefix(PREFIX).partition("-")[0]
                if owner.isdigit() and not Path(f"/proc/{owner}").exists():
                    with contextlib.suppress(OSError):
                        folder.rmdir()


def _own_paths() -> dict[str, str]:
    """Return the group of this process in each hierarchy, by controller; "" is the second version."""
    paths: dict[str, str] = {}
    with contextlib.suppress(OSError):
        for line in OWN.read_text().splitlines():
            _, names, path = line.split(":", 2)
            paths |= dict.fromkeys(names.split(","), path)
    return paths


def _second_version() -> _Controller | None:
    path = _own_paths().get("")
    if path is None:
        return None
    folder = MOUNTS / path.lstrip("/")
    with contextlib.suppress(OSError):
        if {"memory", "pids"} <= set((folder / "cgroup.subtree_control").read_text().split()):
            return _Controller(folder, (("memory.max", "memory"), ("pids.max", "tasks")))
    return None


def _first_version() -> list[_Controller | None]:
    found: list[_Controller | None] = []
    for name, file, bound in (("memory", "memory.limit_in_bytes", "memory"), ("pids", "pids.max", "tasks")):
        path = _own_paths().get(name)
        folder = MOUNTS / name / (path or "").lstrip("/")
        if path is not None and (folder / "cgroup.procs").exists() and os.access(folder, os.W_OK):
            found.append(_Controller(folder, ((file, bound),)))
    return found
