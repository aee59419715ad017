"""How a worker gives up everything, in an order that must not change: each step needs what a later one takes away.

1. private temp folder (needs the capabilities of the user namespace)
2. descriptors: the channel, and three on the null device
3. no new privileges    (Landlock and the filter need it)
4. Landlock
5. resource limits
6. capabilities
7. the system call filter
"""

from __future__ import annotations

import os
from typing import Any

from . import channel, landlock, namespaces, privileges, rlimits, seccomp

NULL = "/dev/null"
READABLE_INSIDE = ("/",)
WRITABLE_DEVICES = (NULL,)


def lock_down(socket: int, plan: dict[str, Any]) -> dict[str, str]:
    """Give up everything. Return the layers that hold now, in words. Raises `OSError` where one does not."""
    layers: dict[str, str] = {}
    isolated = bool(plan["namespaces"])
    if isolated:
        namespaces.private_temp(plan["files_mb"], plan["files"])
        layers |= {
            "mount namespace": "sees a read-only library and its own temp folder",
            "network namespace": "has no network interface",
            "process namespace": "sees no process of the machine",
            "user namespace": f"is user {os.getuid()} of a namespace of its own",
        }
    if plan["uid"] is not None:
        layers["user"] = f"user {plan['uid']}, who owns nothing"
    if os.environ:
        raise OSError("the environment is not empty")
    layers["environment"] = "empty"
    _descriptors(socket)
    layers["descriptors"] = "one channel to the host"
    privileges.no_new_privileges()
    layers["no new privileges"] = "no program gives it rights"
    if plan["landlock"]:
        layers["landlock"] = f"version {_restrict_files(plan, isolated=isolated)}: reads its library, writes its folder"
    rlimits.apply(plan)
    layers["rlimits"] = f"{plan['memory_mb']} MB of memory, {plan['cpu_s']:g} s of CPU"
    privileges.drop_capabilities()
    layers["capabilities"] = "none"
    os.chdir(plan["folder"])
    seccomp.restrict(own_files=isolated)
    layers["seccomp"] = "an allow-list of system calls: no sockets, no processes, no executable memory"
    return layers


def _descriptors(socket: int) -> None:
    if socket != channel.DESCRIPTOR:
        os.dup2(socket, channel.DESCRIPTOR)
    null = os.open(NULL, os.O_RDWR)
    for standard in range(3):
        os.dup2(null, standard)
    os.closerange(channel.DESCRIPTOR + 1, rlimits.ZYGOTE_DESCRIPTORS)
    os.set_inheritable(channel.DESCRIPTOR, False)  # noqa: FBT003


def _restrict_files(plan: dict[str, Any], *, isolated: bool) -> int:
    readable = _opened(READABLE_INSIDE if isolated else plan["readable"])
    writable = _opened([plan["folder"], *WRITABLE_DEVICES])
    try:
        return landlock.restrict(readable, writable)
    finally:
        for descriptor in readable + writable:
            os.close(descriptor)


def _opened(paths: Any) -> list[int]:
    """Return descriptors that name these paths, without those that this user can't reach."""
    found = []
    for path in paths:
        try:
            found.append(os.open(path, os.O_PATH | os.O_CLOEXEC))
        except (FileNotFoundError, PermissionError):
            continue
    return found
