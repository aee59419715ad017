"""Lets the kernel send a signal to the victim: owner and signal of a descriptor, timers, parent-death signals."""

import ctypes
import fcntl
import os
import signal
import time


def signal_by_descriptor(targets: dict) -> dict:
    """Wait for data."""
    libc = ctypes.CDLL(None, use_errno=True)
    said = []
    read, write = os.pipe()
    print("PRIMITIVE", read, write)
    for descriptor in (read, 0, 3):
        for act in (lambda d: fcntl.fcntl(d, 10, signal.SIGUSR1), lambda d: fcntl.fcntl(d, fcntl.F_SETOWN, targets["victim"]), lambda d: fcntl.fcntl(d, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK), lambda d: fcntl.fcntl(d, 1024, 1)):
            try:
                said.append(act(descriptor))
            except OSError as error:
                said.append(str(error))
    os.write(write, b"x")
    said.append([libc.prctl(1, 9), libc.prctl(4, 1)])
    time.sleep(0.1)
    try:
        said.append(fcntl.fcntl(read, fcntl.F_GETOWN))
    except OSError as error:
        said.append(str(error))
    return {"said": said}
