"""The system call filter of a worker: an allow-list, where everything else fails with EPERM.

What a file system of one's own (`own_files`) makes harmless, changes of modes and times, has no effect without one:
Landlock does not cover these, and the files of the user who runs the program would be in reach.
"""

from __future__ import annotations

import ctypes
import errno
import functools
import os
import struct
from collections.abc import Iterable

from . import libc
from .syscall_tables import AUDIT_ARCHITECTURES, NUMBERS

LOAD, EQUAL, AT_LEAST, ANY_BIT, AND, RETURN = 0x20, 0x15, 0x35, 0x45, 0x54, 0x06
KILL, ERRNO, ALLOW = 0x80000000, 0x00050000, 0x7FFF0000
X32 = 0x40000000
SET_MODE_FILTER, TSYNC = 1, 1
PID_MARK = 0x7ABCDEF7

Instruction = tuple[int, int, int, int]
Body = list[Instruction]

THREAD_FLAG, SHARED_DESCRIPTORS_FLAG = 0x10000, 0x400
NAMESPACE_FLAGS = (
    libc.CLONE_NEWTIME
    | libc.CLONE_NEWNS
    | libc.CLONE_NEWCGROUP
    | libc.CLONE_NEWUTS
    | libc.CLONE_NEWIPC
    | libc.CLONE_NEWUSER
    | libc.CLONE_NEWPID
    | libc.CLONE_NEWNET
)
PROT_EXEC = 4
MAP_ANONYMOUS = 0x20
CLOSE_RANGE_UNSHARE = 2
FCNTL_COMMANDS = (0, 1, 2, 3, 4, 5, 1030, 1032)
"""Copies and flags of descriptors, asking for locks, the size of a pipe. Not the owner and signal of a descriptor:
those reach other processes of the user."""
FCNTL_LOCKS = (6, 7)
"""Taking and releasing locks of a file. The kernel keeps each of them in memory that no limit counts. They never keep a
process from its own files, and nobody else has these files: they succeed and do nothing."""
IOCTL_COMMANDS = (0x5401, 0x5421, 0x5451, 0x5450, 0x541B)  # TCGETS FIONBIO FIOCLEX FIONCLEX FIONREAD
PRCTL_OPTIONS = (15, 16, 21, 39)  # the name of a thread; reading the filter mode and NO_NEW_PRIVS
UNIX_STREAM = (1, 1)
TYPE_MASK = 0xF
TRUNCATE_FLAG, ACCESS_MODE = 0o1000, 0o3

PLAIN = """
futex read write recvfrom poll epoll_wait epoll_pwait clock_gettime clock_nanosleep lseek close fstat newfstatat brk
munmap mremap madvise rt_sigprocmask rt_sigaction rt_sigreturn sched_yield readv writev pread64 pwrite64 preadv pwritev
preadv2 pwritev2 dup dup2 dup3 stat lstat statx access faccessat faccessat2 statfs fstatfs getdents
getdents64 getcwd chdir fchdir mkdir mkdirat rmdir unlink unlinkat rename renameat renameat2 ftruncate fsync
fdatasync fadvise64 sendfile copy_file_range flock umask msync membarrier set_robust_list rseq sched_getaffinity
sched_getparam sched_getscheduler sched_get_priority_max sched_get_priority_min getcpu exit exit_group restart_syscall
clock_getres nanosleep gettimeofday time times getrusage getitimer setitimer alarm pause ppoll select pselect6
epoll_create epoll_create1 epoll_ctl epoll_pwait2 eventfd eventfd2 pipe pipe2 shutdown getsockname getpeername
getsockopt rt_sigpending rt_sigsuspend rt_sigtimedwait sigaltstack getpid getppid gettid getuid geteuid getgid getegid
getresuid getresgid getgroups getpgid getpgrp getsid uname sysinfo getrandom getrlimit wait4 waitid getpriority
""".split()

MODES_AND_TIMES = "chmod fchmod fchmodat fchmodat2 utime utimes futimesat utimensat".split()

EXTENDED_ATTRIBUTES = (
    "listxattr llistxattr flistxattr getxattr lgetxattr fgetxattr setxattr lsetxattr fsetxattr".split()
)
"""Said to be unknown to the file system, so that copying a file goes on without them."""


def ends(value: int) -> Instruction:
    """End with this verdict."""
    return (RETURN, 0, 0, value)


def fail(number: int) -> Instruction:
    """End the call with an error number."""
    return ends(ERRNO | number)


def argument(index: int, *, high: bool = False) -> Instruction:
    """Load an argument of the call, or the high half of one."""
    return (LOAD, 0, 0, 16 + 8 * index + (4 if high else 0))


def one_of(index: int, values: Iterable[int], otherwise: int = errno.EPERM) -> Body:
    """Allow a call whose argument is one of these."""
    wanted = tuple(values)
    jumps: Body = [(EQUAL, len(wanted) - place, 0, value) for place, value in enumerate(wanted)]
    return [argument(index), *jumps, fail(otherwise), ends(ALLOW)]


def _pretended(index: int, values: Iterable[int], others: Body) -> Body:
    """Answer a call whose argument is one of these with success, and do nothing."""
    bodies = [[(EQUAL, 0, 1, value), fail(0)] for value in values]
    return [argument(index), *(instruction for body in bodies for instruction in body), *others]


def _no_bits(index: int, bits: int) -> Body:
    return [argument(index), (ANY_BIT, 0, 1, bits), fail(errno.EPERM), ends(ALLOW)]


def _anonymous_memory() -> Body:
    """Allow memory that no file is behind and that is not executable."""
    return [
        argument(3),
        (ANY_BIT, 1, 0, MAP_ANONYMOUS),
        fail(errno.ENODEV),
        *_no_bits(2, PROT_EXEC),
    ]


def _null(index: int) -> Body:
    """Allow a call whose pointer is null."""
    return [
        argument(index),
        (EQUAL, 0, 2, 0),
        argument(index, high=True),
        (EQUAL, 1, 0, 0),
        fail(errno.EPERM),
        ends(ALLOW),
    ]


def _truncate_only_to_write(index: int) -> Body:
    """Refuse O_TRUNC in an open for reading: older versions of Landlock allow that where reading is allowed."""
    return [
        argument(index),
        (ANY_BIT, 0, 3, TRUNCATE_FLAG),
        (AND, 0, 0, ACCESS_MODE),
        (EQUAL, 0, 1, 0),
        fail(errno.EACCES),
        ends(ALLOW),
    ]


def _thread() -> Body:
    """Allow a thread that has the descriptors of the others: the limit on descriptors is one for each table of them."""
    return [
        argument(0),
        (ANY_BIT, 0, 3, THREAD_FLAG),
        (ANY_BIT, 0, 2, SHARED_DESCRIPTORS_FLAG),
        (ANY_BIT, 1, 0, NAMESPACE_FLAGS),
        ends(ALLOW),
        fail(errno.EPERM),
    ]


def _unix_stream_pair() -> Body:
    family, kind = UNIX_STREAM
    return [
        argument(0),
        (EQUAL, 0, 3, family),
        argument(1),
        (AND, 0, 0, TYPE_MASK),
        (EQUAL, 1, 0, kind),
        fail(errno.EACCES),
        ends(ALLOW),
    ]


def rules(pid: int, *, own_files: bool) -> dict[str, Body]:
    """Return what happens to each call that is named; the others fail with EPERM."""
    table: dict[str, Body] = {name: [ends(ALLOW)] for name in PLAIN}
    table |= {
        "openat": _truncate_only_to_write(2),
        "open": _truncate_only_to_write(1),
        "sendto": _null(4),
        # A file that was removed exists while it is mapped, where no count of files sees it.
        "mmap": _no_bits(2, PROT_EXEC) if own_files else _anonymous_memory(),
        "mprotect": _no_bits(2, PROT_EXEC),
        "clone": _thread(),
        "clone3": [fail(errno.ENOSYS)],  # its flags can't be read by a filter; glibc uses clone then
        "openat2": [fail(errno.ENOSYS)],
        "close_range": _no_bits(2, CLOSE_RANGE_UNSHARE),  # as for threads
        "fcntl": _pretended(1, FCNTL_LOCKS, one_of(1, FCNTL_COMMANDS)),
        "ioctl": one_of(1, IOCTL_COMMANDS, errno.ENOTTY),
        "prctl": one_of(0, PRCTL_OPTIONS),
        "prlimit64": _null(2),
        "tgkill": one_of(0, (pid,)),
        "socket": [fail(errno.EACCES)],
        "socketpair": _unix_stream_pair(),
        "readlink": [fail(errno.EINVAL)],  # there are no links inside; outside, they would tell about other processes
        "readlinkat": [fail(errno.EINVAL)],
    }
    table |= {name: [fail(errno.EOPNOTSUPP)] for name in EXTENDED_ATTRIBUTES}
    table |= {name: [ends(ALLOW) if own_files else fail(0)] for name in MODES_AND_TIMES}
    # Space that is taken at once outruns the watch on the files; without it, a library writes zeros.
    table["fallocate"] = [ends(ALLOW) if own_files else fail(errno.EOPNOTSUPP)]
    if own_files:
        table["truncate"] = [ends(ALLOW)]
    return table


def program(machine: str, pid: int, *, own_files: bool) -> bytes:
    """Return the filter of workers for an architecture. Raises `KeyError` for one without a table."""
    return assembled(machine, rules(pid, own_files=own_files), otherwise=errno.EPERM)


def assembled(machine: str, table: dict[str, Body], *, otherwise: int) -> bytes:
    """Return a filter of these rules; other calls fail with the number. Raises `KeyError` as `program`."""
    numbers = NUMBERS[machine]
    instructions: Body = [(LOAD, 0, 0, 4), (EQUAL, 1, 0, AUDIT_ARCHITECTURES[machine]), ends(KILL), (LOAD, 0, 0, 0)]
    if machine == "x86_64":
        instructions += [(AT_LEAST, 0, 1, X32), ends(KILL)]
    for name, body in table.items():
        if name in numbers:
            instructions += [(EQUAL, 0, len(body), numbers[name]), *body]
    instructions.append(fail(otherwise))
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in instructions)


def install(filter_program: bytes) -> None:
    """Put this process under a filter, for good. Needs NO_NEW_PRIVS."""
    buffer = ctypes.create_string_buffer(filter_program, len(filter_program))
    header = ctypes.create_string_buffer(struct.pack("@HxxxxxxP", len(filter_program) // 8, ctypes.addressof(buffer)))
    libc.syscall("seccomp", SET_MODE_FILTER, TSYNC, header)


@functools.cache
def template(*, own_files: bool) -> bytes:
    """Return the filter for this machine with a mark for the process id. A zygote makes it once for all workers."""
    return program(libc.MACHINE, PID_MARK, own_files=own_files)


def restrict(*, own_files: bool) -> None:
    """Put this process under the filter of workers."""
    mark, pid = struct.pack("=I", PID_MARK), struct.pack("=I", os.getpid())
    install(template(own_files=own_files).replace(mark, pid))
