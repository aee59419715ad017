"""`Machine`: what this machine has for a language model: memory, cores, power and disk."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil

CGROUPS, OWN_CGROUPS = Path("/sys/fs/cgroup"), Path("/proc/self/cgroup")
SMALL_MEMORY = 3 << 29
"""With less, the small models are used where nobody chose: a Raspberry Pi with 1 GB."""


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


def has_little_memory() -> bool:
    """Whether there is too little for the better ears and voice besides all the rest."""
    return min(psutil.virtual_memory().total, _container_limit()) < SMALL_MEMORY


def _container_limit() -> int:
    """The memory that a container or a service may use; without a limit, more than any machine has."""
    limits = [1 << 62]
    for file in _limit_files():
        with contextlib.suppress(OSError, ValueError):  # "max" is no limit
            limits.append(int(file.read_text()))
    return min(limits)


def _limit_files() -> Iterator[Path]:
    """Where control groups, of version 2 and of version 1, tell the limit: of this process's group, and of the
    container's, which is its own root."""
    yield CGROUPS / "memory.max"
    yield CGROUPS / "memory" / "memory.limit_in_bytes"
    try:
        groups = OWN_CGROUPS.read_text().splitlines()
    except OSError:
        return
    for line in groups:
        _, controllers, group = line.split(":", 2)
        if not controllers:
            yield CGROUPS / group.lstrip("/") / "memory.max"
        elif "memory" in controllers.split(","):
            yield CGROUPS / "memory" / group.lstrip("/") / "memory.limit_in_bytes"


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
