"""The system call filter of programs, on both architectures, run by the interpreter of filters."""

from __future__ import annotations

import errno

import pytest

from reachy_mind.brains.word_lists import spaced
from reachy_mind.workshop.jail import libc, program_filter
from reachy_mind.workshop.jail.syscall_tables import NUMBERS
from tests.workshop.jail.test_seccomp import ALLOWED, DANGEROUS_CALLS, KILLED, numbers_of, verdict

PROGRAMS_MAY = frozenset(
    spaced(
        """
    fork vfork execve execveat kill tkill connect bind listen accept accept4 sendmsg sendmmsg recvmsg setsockopt symlink
    symlinkat link linkat chown fchown lchown fchownat setuid setgid setresuid setrlimit timer_create pidfd_open
    pidfd_send_signal landlock_create_ruleset inotify_init1 setpgid setsid sched_setaffinity setpriority arch_prctl
    mlock
    """
    )
)


def outcome(machine: str, name: str, *arguments: int) -> int | None:
    return verdict(program_filter.program(machine), machine, NUMBERS[machine].get(name, 9999), *arguments)


@pytest.mark.parametrize("machine", NUMBERS)
def test_programs_may_start_others_and_nothing_that_reaches_further(machine: str) -> None:
    headers = numbers_of(machine)
    found = {
        name: verdict(program_filter.program(machine), machine, headers[name])
        for name in DANGEROUS_CALLS.split()
        if name in headers
    }
    allowed = {name for name, result in found.items() if result is ALLOWED}
    assert len(found) > 60 and allowed <= PROGRAMS_MAY, allowed - PROGRAMS_MAY
    closed = ("ptrace", "mount", "unshare", "setns", "bpf", "keyctl", "io_uring_setup", "memfd_create", "userfaultfd")
    assert {found[name] for name in closed} == {errno.ENOSYS}


@pytest.mark.parametrize("machine", NUMBERS)
def test_arguments_are_looked_at(machine: str) -> None:
    assert outcome(machine, "clone", 0x01200011) is ALLOWED  # as fork does
    for flag in (libc.CLONE_NEWUSER, libc.CLONE_NEWNS, libc.CLONE_NEWNET, libc.CLONE_NEWPID):
        assert outcome(machine, "clone", 17 | flag) == errno.EPERM
    assert outcome(machine, "clone3") == errno.ENOSYS
    for family, result in (
        (1, ALLOWED),
        (2, ALLOWED),
        (10, ALLOWED),
        (16, errno.EAFNOSUPPORT),
        (17, errno.EAFNOSUPPORT),
    ):
        assert outcome(machine, "socket", family) == result
    assert outcome(machine, "ioctl", 0, 0x5412) == errno.ENOTTY  # input for a terminal
    assert outcome(machine, "prctl", 22) == errno.EINVAL  # another filter
    assert outcome(machine, "mknodat", 0, 0, 0o010600) is ALLOWED
    assert outcome(machine, "mknodat", 0, 0, 0o060600) == errno.EPERM
    other = "aarch64" if machine == "x86_64" else "x86_64"
    assert verdict(program_filter.program(machine), other, NUMBERS[machine]["read"]) == KILLED
