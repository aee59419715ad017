"""The supervisor of one program: isolates itself, runs it, ends everything that it started, tells what it changed.

It is the first process of its own process table, so that nothing can outlive it.

    host -> supervisor   the plan; {"go"} once it has checked the layers
    supervisor -> host   {"ready"} with a pidfd, and a listening socket where a proxy is wanted, or {"fatal"};
                         {"ended"} or {"failed"}; {"difference"}, each followed by its content; {"done"}

One packet each, of JSON, or of content after the byte D.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import signal
import socket
import sys
import time
from typing import Any

from . import landlock, libc, namespaces, privileges, program_filter, program_root, rlimits, working_copy
from .working_copy import WorkingCopy

MAX_PACKET = 1 << 18
CONTENT = 1 << 16
WATCH_S = 0.2
MB = 1024 * 1024
WRITABLE = (program_root.HOME, program_root.TEMP, program_root.SHARED_MEMORY, "/dev/null", "/dev/zero", "/dev/full")


def main() -> None:
    """The program: its arguments are the descriptors of the control socket and of what programs write to."""
    control = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET, 0, fileno=int(sys.argv[1]))
    output = int(sys.argv[2])
    plan = json.loads(control.recv(MAX_PACKET) or b"null")
    if plan is None:
        os._exit(0)
    try:
        _serve(control, output, plan)
    except working_copy.TooLarge as error:
        _send(control, {"too_large": str(error)})
    except OSError as error:
        _send(control, {"fatal": str(error)[:1000]})
    os._exit(1)


def _serve(control: socket.socket, output: int, plan: dict[str, Any]) -> None:
    uid = plan["uid"]
    privileges.die_with_parent(plan["host_pid"])
    rlimits.yield_to_others()
    owners = _owners(plan) if uid is not None else None
    child = namespaces.leave_process_table(root=uid is not None)
    if child:
        control.close()
        os.close(output)
        os.waitpid(child, 0)
        os._exit(0)
    privileges.die_with_parent(0)
    program_root.loopback()
    proxy = _proxy() if plan["proxy"] else None
    process = os.open("/proc/self", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    copy = program_root.enter(plan, owners)
    program_root.give_up_rights(uid, process)
    rlimits.apply_to_programs(plan)
    os.environ.clear()
    program_filter.restrict()
    descriptors = [os.pidfd_open(os.getpid()), *([proxy.fileno()] if proxy else [])]
    port = proxy.getsockname()[1] if proxy else 0
    ready = {"layers": _layers(plan), "copy": copy.kind, "port": port}
    socket.send_fds(control, [json.dumps({"ready": ready}).encode()], descriptors)
    for descriptor in descriptors:
        os.close(descriptor)
    if proxy is not None:
        proxy.detach()
    go = json.loads(control.recv(MAX_PACKET) or b"null")
    if go is None:
        os._exit(0)
    libc.prctl(libc.PR_SET_DUMPABLE, 0)  # what it starts can't look into it
    _run(control, output, plan, go["environment"])
    _tell_differences(control, plan, copy)
    _send(control, {"done": True})
    os._exit(0)


def _owners(plan: dict[str, Any]) -> int | None:
    """The user namespace that shows files of the folder's owner as the spare user's; None where there is none."""
    found = os.stat(plan["folder"])
    with contextlib.suppress(OSError):
        return namespaces.owners_map((found.st_uid, found.st_gid), plan["uid"])
    return None


def _proxy() -> socket.socket:
    """A listening socket of this network namespace, for the host to accept from."""
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.bind(("127.0.0.1", 0))
    listening.listen(64)
    return listening


def _layers(plan: dict[str, Any]) -> dict[str, str]:
    layers = {
        "mount namespace": "sees the system's programs, read-only, and a working copy of one folder",
        "network namespace": "has no network but itself" + (" and a proxy to named hosts" if plan["proxy"] else ""),
        "process namespace": "sees no process of the machine",
        "user namespace": "has no rights outside",
        "rlimits": f"{plan['memory_mb']} MB of memory and {plan['cpu_s']:g} s of CPU for each process",
        "no new privileges": "no program gives it rights",
        "capabilities": "none",
        "environment": "only what it is given",
        "seccomp": "an allow-list of system calls",
    }
    if plan["uid"] is not None:
        layers["user"] = f"user {plan['uid']}, who owns nothing"
    with contextlib.suppress(OSError):
        if landlock.version() >= landlock.WITH_MOVES:
            layers["landlock"] = "writes its own folders"
    return layers


def _run(control: socket.socket, output: int, plan: dict[str, Any], environment: dict[str, str]) -> None:
    began = time.monotonic()
    program = _found(plan["argv"][0], environment["PATH"], plan["cwd"])
    if not program:
        _send(control, {"failed": "missing"})
        os._exit(0)
    failing, failed = os.pipe()
    child = os.fork()
    if child == 0:
        _become(program, plan, environment, output, failed)
    os.close(failed)
    os.close(output)
    with open(failing, "rb") as told:
        why = told.read(1000).decode("utf-8", "replace")
    status, out_of_memory = _waited(child, plan["memory_mb"] * MB)
    _end_all()
    if why:
        _send(control, {"failed": why})
        os._exit(0)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    ended = {
        "status": os.waitstatus_to_exitcode(status),
        "memory": out_of_memory,
        "seconds": time.monotonic() - began,
        "cpu_s": used.ru_utime + used.ru_stime,
        "rss_mb": used.ru_maxrss / 1024,
    }
    _send(control, {"ended": ended})


def _found(name: str, path: str, cwd: str) -> str:
    """Where a program is; empty for nowhere."""
    places = [f"{folder}/{name}" for folder in path.split(":")] if "/" not in name else [os.path.join(cwd, name)]
    return next((place for place in places if os.path.isfile(place) and os.access(place, os.X_OK)), "")


def _become(program: str, plan: dict[str, Any], environment: dict[str, str], output: int, failed: int) -> None:
    """Become the program, in the child. Never returns."""
    try:
        os.setsid()
        for number in (signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(number, signal.SIG_DFL)
        null = os.open("/dev/null", os.O_RDONLY)
        os.dup2(null, 0)
        os.dup2(output, 1)
        os.dup2(output, 2)
        kept = os.dup2(failed, 3, inheritable=False)
        os.closerange(kept + 1, rlimits.PROGRAM_DESCRIPTORS)
        failed = kept
        os.umask(0o022)
        _restrict_files(plan["inside"])
        os.chdir(plan["cwd"])
        os.execve(program, plan["argv"], environment)  # noqa: S606
    except OSError as error:
        os.write(failed, (error.strerror or str(error)).encode())
    finally:
        os._exit(127)


def _restrict_files(inside: str) -> None:
    """By Landlock, too, where the kernel's version lets files be moved between folders."""
    try:
        if landlock.version() < landlock.WITH_MOVES:
            return
    except OSError:
        return
    landlock.restrict_programs([inside, *WRITABLE])


def _waited(child: int, most_bytes: int) -> tuple[int, bool]:
    """Wait for a program, and for all that lose their parents. Returns its status, and whether memory ended it."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
    while True:
        with contextlib.suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                if ended[0] == child:
                    return ended[1], False
        signal.sigtimedwait({signal.SIGCHLD}, WATCH_S)
        if _memory() > most_bytes:
            os.kill(-1, signal.SIGKILL)
            return os.waitpid(child, 0)[1], True


def _memory() -> int:
    """The memory of all programs together, without files and what they share; 0 where /proc is not there."""
    total = 0
    with contextlib.suppress(OSError):
        for name in os.listdir("/proc"):
            if name.isdigit() and name != "1":
                with contextlib.suppress(OSError, IndexError), open(f"/proc/{name}/statm", "rb") as statm:
                    _, resident, shared = statm.read().split()[:3]
                    total += (int(resident) - int(shared)) * rlimits.PAGE
    return total


def _end_all() -> None:
    """Kill everything that is left in the process table, and wait for it."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(-1, signal.SIGKILL)
    with contextlib.suppress(ChildProcessError):
        while True:
            os.waitpid(-1, 0)


def _tell_differences(control: socket.socket, plan: dict[str, Any], copy: WorkingCopy) -> None:
    """Tell what changed, with the content of files where that is wanted and they are not too large."""
    left = plan["content_bytes"]
    for told, difference in enumerate(copy.differences()):
        if told >= plan["most_differences"]:
            _send(control, {"more": True})
            return
        send = difference.file >= 0 and difference.size <= min(left, plan["content_file_bytes"])
        about = {"path": difference.path, "kind": difference.kind, "size": difference.size, "content": send}
        _send(control, {"difference": about})
        if send:
            left -= difference.size
            _send_content(control, difference.file, difference.size)


def _send_content(control: socket.socket, file: int, size: int) -> None:
    """Exactly so many bytes; nothing writes to it any more."""
    place = 0
    while place < size:
        chunk = os.pread(file, min(CONTENT, size - place), place)
        if not chunk:
            raise OSError("a file became shorter")
        control.send(b"D" + chunk)
        place += len(chunk)


def _send(control: socket.socket, message: dict[str, Any]) -> None:
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # the host went away, and ends this
        control.send(json.dumps(message).encode())
