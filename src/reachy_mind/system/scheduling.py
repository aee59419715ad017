"""How a process is scheduled: real time for the control loop, below others for what may wait."""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass

import psutil

from reachy_mind.system.portability import portable
from reachy_mind.system.private_files import user_id
from reachy_mind.system.resource_limits import limit

REAL_TIME_PRIORITY = 20
_MCL_CURRENT_AND_FUTURE = 3
_QOS_CLASS_USER_INTERACTIVE = 0x21
_TIMER_PERIOD_MS = 1


@dataclass(frozen=True)
class Priority:
    """What the system granted. `real_time`: nothing but the kernel and other real-time programs comes first."""

    name: str
    real_time: bool = False


ORDINARY = Priority("ordinary scheduling")


def raise_priority() -> Priority:
    """The best that this process may have for a loop with deadlines, and what it is called. Never raises."""
    granted = ORDINARY
    if portable():
        return granted
    with contextlib.suppress(OSError, AttributeError, psutil.Error):
        if sys.platform == "linux":
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(REAL_TIME_PRIORITY))
            granted = Priority(f"real time (SCHED_FIFO {REAL_TIME_PRIORITY})", real_time=True)
        elif sys.platform == "darwin":
            # Time constraints of a thread are for one that computes within a known time, which Python can't promise.
            if ctypes.CDLL(None).pthread_set_qos_class_self_np(_QOS_CLASS_USER_INTERACTIVE, 0) == 0:
                granted = Priority("quality of service: user interactive")
        elif sys.platform == "win32":
            psutil.Process().nice(psutil.HIGH_PRIORITY_CLASS)  # real time would be above the system's own services
            granted = Priority("priority class: high")
    return granted


def may_be_real_time() -> bool | None:
    """Whether `raise_priority` gets real time; None where the system has no such thing for ordinary programs."""
    if portable() or not hasattr(os, "sched_setscheduler"):
        return None
    return user_id() == 0 or (limit("RLIMIT_RTPRIO") or 0) > 0


def lock_memory() -> None:
    """Keep the memory of this process from being swapped out, where the system can and allows it."""
    if sys.platform == "linux" and not portable():
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).mlockall(_MCL_CURRENT_AND_FUTURE)


def lower_priority(steps: int = 5) -> None:
    """Let others come first; `steps` of niceness, of which Windows knows one."""
    if hasattr(os, "nice") and not portable():
        os.nice(steps)
        return
    lower_process(os.getpid(), steps)


def lower_process(pid: int, steps: int) -> None:
    """`lower_priority` for a process that we started. Does nothing when it is gone or the system refuses."""
    with contextlib.suppress(psutil.Error, OSError):
        below = getattr(psutil, "BELOW_NORMAL_PRIORITY_CLASS", None)
        process = psutil.Process(pid)
        process.nice(below if below is not None else min(process.nice() + steps, 19))


@contextlib.contextmanager
def fine_timer() -> Iterator[None]:
    """Timers of a millisecond for the duration of a `with`: those of Windows have 15.6 ms otherwise."""
    multimedia = getattr(ctypes, "windll", None)
    if multimedia is None:
        yield
        return
    multimedia.winmm.timeBeginPeriod(_TIMER_PERIOD_MS)
    try:
        yield
    finally:
        multimedia.winmm.timeEndPeriod(_TIMER_PERIOD_MS)
