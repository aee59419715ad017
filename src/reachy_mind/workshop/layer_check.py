"""Whether a worker is as isolated as its profile promises: by its own report, and by what the kernel says of it.

Both have to hold before any code is sent.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from reachy_mind.workshop.isolation import IsolationProfile, IsolationRefused

OF_THE_HOST = ("cgroup",)
"""Layers that the host makes itself; it raises where it can't."""
NAMESPACES = ("mnt", "net", "pid", "ipc", "uts", "user")
NO_CAPABILITIES = ("CapInh", "CapPrm", "CapEff", "CapAmb")


def require(profile: IsolationProfile, reported: Mapping[str, object], pid: int, uid: int | None) -> None:
    """Raise `IsolationRefused` unless every layer of the profile holds for this process."""
    absent = [layer for layer in profile.layers if layer not in reported and layer not in OF_THE_HOST]
    absent += _differences(profile, pid, uid)
    if absent:
        raise IsolationRefused(
            f"the isolation {profile.name!r} does not hold for a new worker: {', '.join(absent)}",
            hint="reachy-mind workshop status",
        )


def _differences(profile: IsolationProfile, pid: int, uid: int | None) -> list[str]:
    """Return what the kernel says that contradicts the profile."""
    try:
        status = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    except OSError as error:
        return [f"its process can't be looked at ({error})"]
    user = {str(os.getuid() if uid is None else uid)}
    group = {str(os.getgid() if uid is None else uid)}
    found = {
        "no new privileges": status["NoNewPrivs"].strip() == "1",
        "seccomp": status["Seccomp"].strip() == "2",
        "capabilities": all(int(status[name], 16) == 0 for name in NO_CAPABILITIES),
        "user": set(status["Uid"].split()) == user and set(status["Gid"].split()) == group,
    }
    if profile.namespaces:
        found["namespaces"] = all(
            Path(f"/proc/{pid}/ns/{name}").readlink() != Path(f"/proc/self/ns/{name}").readlink() for name in NAMESPACES
        )
    return [f"{layer} (by the kernel)" for layer, holds in found.items() if not holds]
