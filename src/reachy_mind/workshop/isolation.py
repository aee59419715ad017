"""Which isolation this machine offers for code that others wrote, found by trying, and which one is used.

    full         namespaces and Landlock
    namespaces   without Landlock, as on Raspberry Pi OS
    landlock     without namespaces, as in most containers

All of them have a system call filter, resource limits, no privileges, no environment and one descriptor, and as root
a spare user. Less than that is refused.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from reachy_mind.errors import MindError
from reachy_mind.system.linux_only import other_system
from reachy_mind.system.private_files import user_id
from reachy_mind.workshop.cgroup import ControlGroups
from reachy_mind.workshop.jail_layout import program
from reachy_mind.workshop.spare_user import SpareUser

NAMES = ("full", "namespaces", "landlock")
"""From the strongest to the weakest."""
PROBE_S = 30.0
ALWAYS = {
    "seccomp": "an allow-list of system calls: no sockets, no processes, no executable memory",
    "rlimits": "memory, CPU time, file size, threads and descriptors are bounded",
    "no new privileges": "no program gives it rights",
    "capabilities": "none",
    "descriptors": "one channel to the host",
    "environment": "empty",
}
WITH_NAMESPACES = {
    "mount namespace": "sees a read-only library and its own temp folder",
    "network namespace": "has no network interface",
    "process namespace": "sees no process of the machine",
    "user namespace": "has no rights outside",
}


class IsolationRefused(MindError):
    """The machine offers too little to run code that others wrote."""

    code = "ISOLATION_REFUSED"


@dataclass(frozen=True)
class IsolationProfile:
    """One way to isolate code: the layers that hold, those that are missing, and why."""

    name: str
    layers: dict[str, str] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)
    available: bool = True
    reason: str = ""
    """Why it is not available."""

    @property
    def namespaces(self) -> bool:
        return self.name in {"full", "namespaces"}

    @property
    def landlock(self) -> bool:
        return self.name in {"full", "landlock"}

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def detect() -> tuple[IsolationProfile, ...]:
    """Try every layer in a child process and return the profiles. Takes a fraction of a second, and blocks."""
    if name := other_system():
        return unavailable(name)
    with SpareUser.found() as spare:
        found = _probed(spare.uid)
    found["cgroup"] = "" if ControlGroups.found() else "this process may make no control group with a memory limit"
    return tuple(_profile(name, found) for name in NAMES)


def unavailable(system: str) -> tuple[IsolationProfile, ...]:
    """The profiles on a system whose own ways of isolation are not used here: none holds."""
    reason = f"{system} has none of these layers"
    return tuple(IsolationProfile(name, available=False, reason=reason) for name in NAMES)


def choose(name: str, profiles: Sequence[IsolationProfile]) -> IsolationProfile:
    """Return the profile of this name, or for "auto" the strongest that is available. Raises `IsolationRefused`."""
    if name == "auto":
        available = [profile for profile in profiles if profile.available]
        if available:
            return available[0]
        reasons = "; ".join(f"{profile.name}: {profile.reason}" for profile in profiles)
        raise IsolationRefused(
            f"this machine can't isolate code ({reasons})",
            hint="a Linux kernel with user namespaces or Landlock (5.13 or newer) is needed; nothing runs without",
        )
    named = {profile.name: profile for profile in profiles}
    if name not in named:
        raise IsolationRefused(f"there is no isolation {name!r}", hint=f"auto, {', '.join(named)}")
    if not named[name].available:
        usable = [profile.name for profile in profiles if profile.available]
        raise IsolationRefused(
            f"the isolation {name!r} does not hold here: {named[name].reason}",
            hint=f"available here: {', '.join(usable)}" if usable else "none is available here",
        )
    return named[name]


def _probed(uid: int | None) -> dict[str, Any]:
    """Return what the kernel said to each layer: an empty text where it holds, otherwise the reason."""
    command = program("probe", str(uid or 0))
    try:
        done = subprocess.run(command, capture_output=True, timeout=PROBE_S, env={}, cwd="/", check=False)
        found = json.loads(done.stdout)
    except (OSError, subprocess.TimeoutExpired, ValueError) as error:
        raise IsolationRefused(f"what isolates code could not be found out: {error}") from error
    assert isinstance(found, dict)
    return found


def _profile(name: str, found: dict[str, Any]) -> IsolationProfile:
    namespaces, landlock = name != "landlock", name != "namespaces"
    layers, missing = dict(ALWAYS), {}
    if found["cgroup"]:
        missing["cgroup"] = found["cgroup"]
    else:
        layers["cgroup"] = "all memory that the kernel counts, and its tasks, are bounded"
    if user_id() == 0:
        layers["user"] = "a spare user id that owns nothing"
    if namespaces:
        layers |= WITH_NAMESPACES
    else:
        missing["namespaces"] = found["namespaces"] or "not used in this profile"
    if landlock:
        layers["landlock"] = f"version {found['landlock_version']}: reads its library, writes its own folder"
    else:
        missing["landlock"] = found["landlock"] or "not used in this profile"
    needed = ["seccomp", "rlimits", "user", *["namespaces"] * namespaces, *["landlock"] * landlock]
    reasons = [f"{layer}: {found[layer]}" for layer in needed if found[layer]]
    for layer in needed:
        if found[layer]:
            missing[layer] = found[layer]
            layers.pop(layer, None)
    if found["namespaces"]:
        layers = {layer: words for layer, words in layers.items() if layer not in WITH_NAMESPACES}
    return IsolationProfile(name, layers, missing, available=not reasons, reason="; ".join(reasons))
