"""A file system, process table and network of one's own.

As root, the new root folder is made with the rights of root, because the interpreter may be where nobody else can
read; then the process becomes the spare user and gets a user namespace in which it may only mount. A normal user
starts with the user namespace.
"""

from __future__ import annotations

import os
import socket
import stat
from dataclasses import dataclass
from pathlib import Path

from . import libc, privileges

ROOT_BYTES = 4 * 1024 * 1024
INSIDE_ID = 1000
"""User and group inside, where nobody is root."""
TEMP = "/tmp"  # noqa: S108
SCRATCH = "/sys"
"""Where the new root is made, in a mount namespace of its own: a folder that has nothing that is needed inside."""
DEVICES = ("null", "zero", "urandom")
ISOLATED = libc.CLONE_NEWNS | libc.CLONE_NEWNET | libc.CLONE_NEWIPC | libc.CLONE_NEWUTS | libc.CLONE_NEWPID
HOST_NAME = "sandbox"


@dataclass(frozen=True)
class Tree:
    """A file or folder of the machine, and where it is inside."""

    source: str
    target: str


def leave_process_table(*, root: bool) -> int:
    """Take every namespace but the final user namespace, and fork into them. Return 0 in the child, as `os.fork`.

    A normal user gets the user namespace here. The child is the first process of its table: all others die with it.
    """
    uid, gid = os.getuid(), os.getgid()
    libc.unshare(ISOLATED if root else ISOLATED | libc.CLONE_NEWUSER)
    if not root:
        _map_ids(os.open("/proc/self", os.O_PATH | os.O_DIRECTORY), uid, gid)
    socket.sethostname(HOST_NAME)
    return os.fork()


def enter(trees: list[Tree], *, spare_uid: int | None, scratch: str = SCRATCH) -> None:
    """Replace the file system by these trees, read-only, and become the spare user where there is one."""
    process = os.open("/proc/self", os.O_PATH | os.O_DIRECTORY)
    libc.mount("none", "/", "", libc.MS_REC | libc.MS_PRIVATE)
    libc.mount("tmpfs", scratch, "tmpfs", libc.MS_NOSUID | libc.MS_NODEV, f"size={ROOT_BYTES},mode=755")
    for tree in trees:
        _bind(tree.source, scratch + tree.target)
    for device in DEVICES:
        _bind(f"/dev/{device}", f"{scratch}/dev/{device}", device=True)
    for folder in (TEMP, "/old", "/var"):
        os.mkdir(scratch + folder)
    os.symlink(TEMP, scratch + "/var/tmp")  # noqa: S108
    os.chdir(scratch)
    libc.pivot_root(".", "old")
    os.chdir("/")
    libc.unmount("/old")
    os.rmdir("/old")
    flags = libc.MS_REMOUNT | libc.MS_BIND | libc.MS_RDONLY | libc.MS_NOSUID | libc.MS_NODEV
    libc.mount("none", "/", "", flags)
    if spare_uid is not None:
        become(spare_uid, process)
    else:
        os.close(process)


def become(uid: int, process: int) -> None:
    """Become a spare user with a user namespace of its own. Closes `process`, the descriptor of its /proc folder."""
    privileges.become(uid)
    libc.unshare(libc.CLONE_NEWUSER | libc.CLONE_NEWNS)
    _map_ids(process, uid, uid)


def private_temp(files_mb: int, files: int) -> None:
    """Give this process, and no other, a bounded temp folder. Called in each worker."""
    libc.unshare(libc.CLONE_NEWNS | libc.CLONE_NEWIPC)
    flags = libc.MS_NOSUID | libc.MS_NODEV | libc.MS_NOEXEC
    libc.mount("tmpfs", TEMP, "tmpfs", flags, f"size={files_mb}m,nr_inodes={files},mode=700")


def _map_ids(process: int, uid: int, gid: int) -> None:
    """Map one user and group into the user namespace of this process. Closes the descriptor of its /proc folder."""
    try:
        for name, text in (
            ("setgroups", "deny"),
            ("uid_map", f"{INSIDE_ID} {uid} 1"),
            ("gid_map", f"{INSIDE_ID} {gid} 1"),
        ):
            descriptor = os.open(name, os.O_WRONLY, dir_fd=process)
            try:
                os.write(descriptor, text.encode())
            finally:
                os.close(descriptor)
    finally:
        os.close(process)


def _bind(source: str, target: str, *, device: bool = False) -> None:
    """Make a file or folder readable at another place."""
    Path(target).parent.mkdir(parents=True, exist_ok=True)
    if stat.S_ISDIR(os.stat(source).st_mode):
        os.mkdir(target)
    else:
        os.close(os.open(target, os.O_CREAT | os.O_WRONLY, 0o644))
    libc.mount(source, target, "", libc.MS_BIND | libc.MS_REC)
    flags = libc.MS_REMOUNT | libc.MS_BIND | libc.MS_NOSUID | libc.MS_NOEXEC | _kept_flags(source)
    libc.mount("none", target, "", flags | (0 if device else libc.MS_RDONLY | libc.MS_NODEV))


def _kept_flags(path: str) -> int:
    """Return the flags of a mount that a user namespace may not take away."""
    flags = os.statvfs(path).f_flag
    kept = flags & (libc.MS_RDONLY | libc.MS_NOSUID | libc.MS_NODEV | libc.MS_NOEXEC)
    for shown, wanted in ((1024, libc.MS_NOATIME), (2048, libc.MS_NODIRATIME), (4096, libc.MS_RELATIME)):
        kept |= wanted if flags & shown else 0
    return kept


def owners_map(owner: tuple[int, int], shown_as: int) -> int:
    """Return a user namespace in which this owner's user and group are another one; only root can make it."""
    parent, child = socket.socketpair()
    pid = os.fork()
    if pid == 0:
        try:
            parent.close()  # else it would not see its end
            libc.unshare(libc.CLONE_NEWUSER)
            child.send(b"x")
            child.recv(1)
        finally:
            os._exit(0)
    try:
        if not _unshared(parent, child):
            raise OSError("a user namespace could not be made")
        for name, own in (("uid_map", owner[0]), ("gid_map", owner[1])):
            Path(f"/proc/{pid}/{name}").write_text(f"{own} {shown_as} 1")
        return os.open(f"/proc/{pid}/ns/user", os.O_RDONLY | os.O_CLOEXEC)
    finally:
        parent.close()
        os.waitpid(pid, 0)


def _unshared(parent: socket.socket, child: socket.socket) -> bool:
    """Wait for the child, whose end is closed here so that its end is seen."""
    child.close()
    return parent.recv(1) == b"x"
