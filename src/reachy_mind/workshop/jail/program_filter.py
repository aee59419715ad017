"""The system call filter of programs of developers: compilers, test runners and linters, and whatever they start.

Unlike a worker, a program may start others, make links and use sockets, all of which end in its own namespaces. What
reaches the kernel's less used parts stays closed: namespaces, mounts, tracing, keys, BPF, io_uring, other filters,
descriptors of files without a name. A call that is not listed does not exist, so that programs do without it.
"""

from __future__ import annotations

import errno

from . import libc, seccomp
from .seccomp import (
    ALLOW,
    AND,
    ANY_BIT,
    EQUAL,
    MODES_AND_TIMES,
    NAMESPACE_FLAGS,
    PLAIN,
    Body,
    argument,
    ends,
    fail,
    one_of,
)

FURTHER = """
openat open creat fcntl mmap mprotect truncate fallocate readlink readlinkat prlimit64 setrlimit sendto socketpair
close_range execve execveat fork vfork kill tkill tgkill connect bind listen accept accept4 sendmsg sendmmsg recvmsg
recvmmsg setsockopt symlink symlinkat link linkat setpgid setsid sched_setaffinity sched_getattr setpriority
inotify_init inotify_init1 inotify_add_watch inotify_rm_watch timerfd_create timerfd_settime timerfd_gettime signalfd
signalfd4 chown fchown lchown fchownat setresuid setresgid setreuid setregid setuid setgid mlock munlock pidfd_open
pidfd_send_signal mincore timer_create timer_settime timer_delete timer_gettime timer_getoverrun futex_waitv
get_robust_list capget arch_prctl landlock_create_ruleset landlock_add_rule landlock_restrict_self
""".split()
FAMILIES = (1, 2, 10)
"""Unix, IPv4, IPv6: no packets, no netlink, no protocols that are seldom used."""
PRCTL_OPTIONS = (1, 2, 3, 4, 15, 16, 21, 23, 36, 37, 38, 39, 40, 0x53564D41)
"""Signals of a parent, being dumped, names, reaping, NO_NEW_PRIVS, names of memory; reading filters, capabilities."""
IOCTL_COMMANDS = (0x5401, 0x5402, 0x5403, 0x5404, 0x540F, 0x5410, 0x5413, 0x5421, 0x5451, 0x5450, 0x541B)
"""What programs ask of terminals, which are none here, and of descriptors. No input for a terminal, no devices."""
TYPE_OF_FILE, FIFO = 0o170000, 0o010000


def rules() -> dict[str, Body]:
    """What happens to each call that is named; the others fail with ENOSYS."""
    table: dict[str, Body] = {name: [ends(ALLOW)] for name in (*PLAIN, *MODES_AND_TIMES, *FURTHER)}
    return table | {
        "clone": [argument(0), (ANY_BIT, 0, 1, NAMESPACE_FLAGS), fail(errno.EPERM), ends(ALLOW)],
        "clone3": [fail(errno.ENOSYS)],  # its flags can't be read by a filter; glibc uses clone then
        "socket": one_of(0, FAMILIES, errno.EAFNOSUPPORT),
        "ioctl": one_of(1, IOCTL_COMMANDS, errno.ENOTTY),
        "prctl": one_of(0, PRCTL_OPTIONS, errno.EINVAL),
        "mknod": _fifo(1),
        "mknodat": _fifo(2),
        **{name: [fail(errno.EOPNOTSUPP)] for name in seccomp.EXTENDED_ATTRIBUTES},
    }


def restrict() -> None:
    """Put this process, and all that it starts, under the filter for good. Needs NO_NEW_PRIVS."""
    seccomp.install(program(libc.MACHINE))


def program(machine: str) -> bytes:
    """The filter for an architecture. Raises `KeyError` for one without a table."""
    return seccomp.assembled(machine, rules(), otherwise=errno.ENOSYS)


def _fifo(index: int) -> Body:
    """Allow a named pipe, no device."""
    return [argument(index), (AND, 0, 0, TYPE_OF_FILE), (EQUAL, 0, 1, FIFO), ends(ALLOW), fail(errno.EPERM)]
