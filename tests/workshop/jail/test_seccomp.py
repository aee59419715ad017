"""The system call filters of both architectures, run by a small interpreter of filters."""

from __future__ import annotations

import errno
import re
import struct
from pathlib import Path

import pytest

from reachy_mind.workshop.jail import seccomp
from reachy_mind.workshop.jail.syscall_tables import AUDIT_ARCHITECTURES, NUMBERS

PID = 4242
KILLED, ALLOWED = -1, None
HEADERS = {
    "x86_64": [Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"), Path("/usr/include/asm/unistd_64.h")],
    "aarch64": [Path("/usr/include/asm-generic/unistd.h")],
}
DANGEROUS_CALLS = """
fork vfork execve execveat kill tkill ptrace process_vm_readv process_vm_writev mount umount2 pivot_root setns unshare
chroot bpf perf_event_open io_uring_setup io_uring_enter keyctl add_key userfaultfd memfd_create connect bind listen
accept accept4 sendmsg sendmmsg recvmsg setsockopt symlink symlinkat link linkat mknod mknodat chown fchown lchown
fchownat setuid setgid setresuid setrlimit shmget msgget semget mq_open timer_create name_to_handle_at
open_by_handle_at init_module finit_module kexec_load reboot swapon sethostname personality pidfd_open
pidfd_send_signal pidfd_getfd landlock_create_ruleset seccomp capset inotify_init1 fanotify_init splice vmsplice
rt_sigqueueinfo setpgid setsid sched_setaffinity sched_setscheduler setpriority sync syncfs quotactl clock_settime
arch_prctl modify_ldt iopl ioperm remap_file_pages pkey_mprotect mlock mlockall
"""


def outcome(
    machine: str, number: int, *arguments: int, own_files: bool = True, architecture: int | None = None
) -> int | None:
    """What the filter does to a call: None for allowed, an errno, or -1 for killed."""
    architecture = AUDIT_ARCHITECTURES[machine] if architecture is None else architecture
    return interpreted(seccomp.program(machine, PID, own_files=own_files), architecture, number, *arguments)


def verdict(program: bytes, machine: str, number: int, *arguments: int) -> int | None:
    """What another filter does to a call of this architecture."""
    return interpreted(program, AUDIT_ARCHITECTURES[machine], number, *arguments)


def interpreted(program: bytes, architecture: int, number: int, *arguments: int) -> int | None:
    given = [*arguments, 0, 0, 0, 0, 0, 0][:6]
    data = struct.pack("<iIQ6Q", number, architecture, 0, *(value & (2**64 - 1) for value in given))
    place, register = 0, 0
    while True:
        code, yes, no, value = struct.unpack_from("=HBBI", program, 8 * place)
        place += 1
        match code:
            case seccomp.LOAD:
                (register,) = struct.unpack_from("<I", data, value)
            case seccomp.AND:
                register &= value
            case seccomp.EQUAL:
                place += yes if register == value else no
            case seccomp.AT_LEAST:
                place += yes if register >= value else no
            case seccomp.ANY_BIT:
                place += yes if register & value else no
            case seccomp.RETURN:
                return {seccomp.ALLOW: ALLOWED, seccomp.KILL: KILLED}.get(value, value & 0xFFFF)


def numbers_of(machine: str) -> dict[str, int]:
    """The numbers in the headers of this machine."""
    header = next((path for path in HEADERS[machine] if path.exists()), None)
    if header is None:
        pytest.skip(f"this machine has no header with the system calls of {machine}")
    text = header.read_text()
    found = {name: int(number) for name, number in re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", text)}
    aliases = {"fstatat": "newfstatat", "fadvise64": "fadvise64", "lseek": "lseek"}
    return found | {aliases[name]: number for name, number in found.items() if name in aliases}


@pytest.mark.parametrize("machine", NUMBERS)
def test_the_tables_agree_with_the_headers(machine: str) -> None:
    headers = numbers_of(machine)
    known = {name: number for name, number in NUMBERS[machine].items() if name in headers}
    assert len(known) > 120
    assert known == {name: headers[name] for name in known}


@pytest.mark.parametrize("machine", NUMBERS)
def test_dangerous_calls_are_refused(machine: str) -> None:
    headers = numbers_of(machine)
    tried = [name for name in DANGEROUS_CALLS.split() if name in headers]
    assert len(tried) > 60
    assert {name for name in tried if outcome(machine, headers[name]) != errno.EPERM} == set()


@pytest.mark.parametrize("machine", NUMBERS)
def test_calls_with_checked_arguments(machine: str) -> None:
    number = NUMBERS[machine]

    def call(name: str, *arguments: int, own_files: bool = True) -> int | None:
        return outcome(machine, number[name], *arguments, own_files=own_files)

    assert call("clone", 0x3D0F00) is ALLOWED  # what pthread_create asks for
    assert call("clone", 0x11) == errno.EPERM
    assert call("clone", 0x3D0F00 | 0x10000000) == errno.EPERM
    assert call("clone3") == errno.ENOSYS
    assert call("socket", 1, 1) == errno.EACCES
    assert call("socketpair", 1, 1 | 0o2000000) is ALLOWED
    assert call("socketpair", 1, 2) == call("socketpair", 2, 1) == errno.EACCES
    assert call("sendto", 3, 1, 1, 0, 0) is ALLOWED
    assert call("sendto", 3, 1, 1, 0, 8) == call("sendto", 3, 1, 1, 0, 1 << 32) == errno.EPERM
    assert call("mmap", 0, 4096, 3) is ALLOWED
    assert call("mmap", 0, 4096, 5) == call("mprotect", 0, 4096, 4) == errno.EPERM
    assert call("prlimit64", 0, 7, 0) is ALLOWED
    assert call("prlimit64", 0, 7, 1 << 32) == errno.EPERM
    assert call("tgkill", PID, 1, 6) is ALLOWED
    assert call("tgkill", 1, 1, 6) == errno.EPERM
    assert call("fcntl", 3, 4) is ALLOWED
    assert call("fcntl", 3, 8) == call("fcntl", 3, 10) == call("fcntl", 3, 1024) == errno.EPERM
    assert call("ioctl", 3, 0x541B) is ALLOWED
    assert call("ioctl", 3, 0x5412) == call("ioctl", 3, 0x8901) == errno.ENOTTY
    assert call("prctl", 15) is ALLOWED
    assert call("prctl", 1) == call("prctl", 22) == call("prctl", 4) == errno.EPERM
    assert call("openat", 0, 0, 0o1101) is ALLOWED
    assert call("openat", 0, 0, 0o1000) == errno.EACCES
    assert call("fchmod", 1) is ALLOWED
    assert call("fchmod", 1, own_files=False) == 0
    assert call("truncate") is ALLOWED
    assert call("truncate", own_files=False) == errno.EPERM


@pytest.mark.parametrize("machine", NUMBERS)
def test_calls_of_another_architecture_kill(machine: str) -> None:
    assert outcome(machine, 1, architecture=0x40000003) == KILLED
    if machine == "x86_64":
        assert outcome(machine, 0x40000000 + 1) == KILLED


@pytest.mark.parametrize("machine", NUMBERS)
def test_the_filter_is_short_enough(machine: str) -> None:
    assert len(seccomp.program(machine, PID, own_files=True)) // 8 < 4096
