"""The file system that a program sees: the system's programs, read-only, and a working copy of one folder.

Nothing else of the machine is there: no home, no other folders, no data of the mind. Everything that can be written
lies in one memory file system of bounded size, which is gone with the program.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import socket
import stat
import struct
from pathlib import Path
from typing import Any

from . import libc, namespaces, privileges, working_copy
from .working_copy import FolderCopy, OverlayCopy, WorkingCopy

SCRATCH = namespaces.SCRATCH
HOME, TEMP, SHARED_MEMORY, SPACE = "/home/developer", "/tmp", "/dev/shm", "/space"  # noqa: S108
ROOT_BYTES = 16 * 1024 * 1024
SHARED_MB = 64
DEVICES = ("null", "zero", "full", "random", "urandom")
DEVICE_LINKS = {"fd": "/proc/self/fd", "stdin": "fd/0", "stdout": "fd/1", "stderr": "fd/2"}
READ_ONLY = libc.MOUNT_ATTR_RDONLY | libc.MOUNT_ATTR_NOSUID | libc.MOUNT_ATTR_NODEV
PRIVATE = libc.MS_NOSUID | libc.MS_NODEV
SET_FLAGS, UP = 0x8914, 0x41


def enter(plan: dict[str, Any], owners: int | None) -> WorkingCopy:
    """Replace the file system. `owners`: the user namespace that shows the folder's files as the spare user's.

    Raises `OSError` and `working_copy.TooLarge`.
    """
    libc.mount("none", "/", "", libc.MS_REC | libc.MS_PRIVATE)
    libc.mount("tmpfs", SCRATCH, "tmpfs", PRIVATE, f"size={ROOT_BYTES},mode=755")
    _devices()
    _processes()
    space = SCRATCH + SPACE
    os.mkdir(space)
    options = f"size={plan['files_mb']}m,nr_inodes={plan['files']},mode=755"
    libc.mount("tmpfs", space, "tmpfs", PRIVATE, options)
    for folder, place in (("tmp", TEMP), ("home", HOME)):
        os.mkdir(f"{space}/{folder}", 0o700)
        _bind(f"{space}/{folder}", SCRATCH + place, libc.MOUNT_ATTR_NOSUID | libc.MOUNT_ATTR_NODEV)
        _give(f"{space}/{folder}", plan["uid"])
    _system(plan)  # what it shows may lie below a folder of the same name
    copy = _working_copy(plan, owners, space, SCRATCH + plan["inside"])
    libc.unmount(space)
    os.rmdir(space)
    _become_root_folder()
    return copy


def _system(plan: dict[str, Any]) -> None:
    for source, target in plan["read_only"]:
        _bind(source, SCRATCH + target, READ_ONLY)
    for place, target in plan["links"]:
        Path(SCRATCH + place).parent.mkdir(parents=True, exist_ok=True)
        os.symlink(target, SCRATCH + place)
    for name, content in plan["etc"].items():
        _written(f"{SCRATCH}/etc/{name}", content)


def loopback() -> None:
    """Switch the network interface of the namespace on that leads to itself, where that is allowed."""
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, SET_FLAGS, struct.pack("16sh14x", b"lo", UP))


def _working_copy(plan: dict[str, Any], owners: int | None, space: str, inside: str) -> WorkingCopy:
    Path(inside).mkdir(parents=True)
    try:
        copy: WorkingCopy = _overlay(plan, owners, space, inside)
    except OSError:
        copy = _copied(plan, space, inside)
    hidden = f"{inside}/{plan['hidden']}"
    if plan["hidden"] and os.path.isdir(hidden):
        libc.mount("tmpfs", hidden, "tmpfs", PRIVATE | libc.MS_RDONLY, "size=4k,nr_inodes=2,mode=755")
    return copy


def _overlay(plan: dict[str, Any], owners: int | None, space: str, inside: str) -> OverlayCopy:
    """Raises `OSError` where there is no overlay with all that is needed."""
    if plan["uid"] is not None and owners is None:
        raise OSError("the owner of the files can't be mapped")
    lower, upper, work = (f"{space}/{name}" for name in ("lower", "upper", "work"))
    for folder in (lower, upper, work):
        os.mkdir(folder, 0o755)
    if owners is not None:
        libc.bind_as(plan["folder"], lower, owners)
    else:
        _bind(plan["folder"], lower, READ_ONLY)
    _give(upper, plan["uid"])
    if plan["uid"] is None:
        os.setxattr(upper, "user.overlay.probe", b"y")  # folders can't be replaced without
        os.removexattr(upper, "user.overlay.probe")
        options = "userxattr"
    else:
        options = "redirect_dir=off,metacopy=off,index=off,xino=off"
    options = f"lowerdir={lower},upperdir={upper},workdir={work},{options}"
    libc.mount("overlay", inside, "overlay", PRIVATE, options)
    opened = [os.open(path, working_copy.FOLDER) for path in (lower, upper, inside)]
    libc.unmount(lower)
    return OverlayCopy(opened[0], opened[1], opened[2], plan["hidden"])


def _copied(plan: dict[str, Any], space: str, inside: str) -> FolderCopy:
    folder = f"{space}/copy"
    os.mkdir(folder, 0o755)
    source, target = os.open(plan["folder"], working_copy.FOLDER), os.open(folder, working_copy.FOLDER)
    limits = {"most_bytes": plan["files_mb"] * 1024 * 1024 // 2, "most": plan["files"] // 2}
    copy = FolderCopy.of(source, target, hidden=plan["hidden"], owner=plan["uid"], **limits)
    os.close(source)
    if plan["hidden"] and os.path.isdir(f"{plan['folder']}/{plan['hidden']}"):
        os.mkdir(f"{folder}/{plan['hidden']}")
    _give(folder, plan["uid"])
    libc.mount(folder, inside, "", libc.MS_BIND)
    return copy


def _become_root_folder() -> None:
    os.mkdir(f"{SCRATCH}/old")
    os.chdir(SCRATCH)
    libc.pivot_root(".", "old")
    os.chdir("/")
    libc.unmount("/old")
    os.rmdir("/old")
    flags = libc.MS_REMOUNT | libc.MS_BIND | libc.MS_RDONLY | libc.MS_NOSUID | libc.MS_NODEV
    libc.mount("none", "/", "", flags)


def _devices() -> None:
    for device in DEVICES:
        _bind(f"/dev/{device}", f"{SCRATCH}/dev/{device}", libc.MOUNT_ATTR_NOSUID)
    for name, target in DEVICE_LINKS.items():
        os.symlink(target, f"{SCRATCH}/dev/{name}")
    os.mkdir(SCRATCH + SHARED_MEMORY)
    libc.mount("tmpfs", SCRATCH + SHARED_MEMORY, "tmpfs", PRIVATE, f"size={SHARED_MB}m,nr_inodes=1024,mode=1777")


def _processes() -> None:
    """The programs of the namespace in /proc, to read; many containers refuse it, and most programs do without."""
    os.mkdir(f"{SCRATCH}/proc")
    with contextlib.suppress(OSError):
        libc.mount("proc", f"{SCRATCH}/proc", "proc", PRIVATE | libc.MS_NOEXEC | libc.MS_RDONLY)


def _bind(source: str, target: str, attributes: int) -> None:
    Path(target).parent.mkdir(parents=True, exist_ok=True)
    if stat.S_ISDIR(os.stat(source).st_mode):
        os.makedirs(target, exist_ok=True)
    else:
        _written(target, "")
    libc.mount(source, target, "", libc.MS_BIND | libc.MS_REC)
    libc.protect(target, attributes)


def _written(path: str, content: str) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w") as file:
        file.write(content)
    os.chmod(path, 0o644)


def _give(path: str, uid: int | None) -> None:
    if uid is not None:
        os.chown(path, uid, uid)


def give_up_rights(uid: int | None, process: int) -> None:
    """Become the spare user where there is one, and keep no right that could be given back.

    Closes `process`, the descriptor of this process's folder in the machine's /proc.
    """
    if uid is not None:
        namespaces.become(uid, process)
    else:
        os.close(process)
    privileges.die_with_parent(0)  # a change of user took it away
    privileges.no_new_privileges()
    privileges.drop_capabilities()
