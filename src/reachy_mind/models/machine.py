"""`Machine`: what this machine has for a language model: memory, cores, power and disk."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

import psutil

CGROUP_LIMIT = Path("/sys/fs/cgroup/memory.max")


@dataclass(frozen=True)
class Machine:
    """Sizes in bytes. `memory` is all of it, `free_memory` what programs could take now."""

    memory: int
    free_memory: int
    cores: int
    on_battery: bool
    free_disk: int

    @classmethod
    def here(cls, folder: Path) -> Machine:
        """This machine; the disk is the one of `folder`, which need not exist yet."""
        memory = psutil.virtual_memory()
        limit = _container_limit()
        return cls(
            memory=min(memory.total, limit),
            free_memory=min(memory.available, limit),
            cores=usable_cores(),
            on_battery=_on_battery(),
            free_disk=shutil.disk_usage(next(place for place in (folder, *folder.parents) if place.exists())).free,
        )


def _container_limit() -> int:
    """The memory that a container may use; without a limit, more than any machine has."""
    try:
        return int(CGROUP_LIMIT.read_text())
    except (OSError, ValueError):
        return 1 << 62


def usable_cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _on_battery() -> bool:
    try:
        battery = psutil.sensors_battery()
    except (AttributeError, OSError, ValueError):  # not on every platform; odd reports of some drivers
        return False
    return battery is not None and battery.power_plugged is False
