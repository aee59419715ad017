"""Signals by tgkill, rt_sigqueueinfo and a process descriptor."""

import ctypes
import os


def raw_signals(targets: dict) -> dict:
    """Wake a program."""
    libc = ctypes.CDLL(None, use_errno=True)
    arm = os.uname().machine == "aarch64"
    victim, info = targets["victim"], ctypes.create_string_buffer(b"\x0a\0\0\0\0\0\0\0\xff\xff\xff\xff", 128)
    print("PRIMITIVE", libc.syscall)
    said = []
    for number, args in ((131 if arm else 234, (victim, victim, 10)), (130 if arm else 200, (victim, 10)), (138 if arm else 129, (victim, 10, info)), (129 if arm else 62, (victim, 10))):
        said.append([number, libc.syscall(number, *args), ctypes.get_errno()])
    descriptor = libc.syscall(434, victim, 0)
    said.append([descriptor, ctypes.get_errno()])
    if descriptor >= 0:
        print("EVIDENCE a descriptor of the victim")
        said.append([libc.syscall(424, descriptor, 10, None, 0), ctypes.get_errno()])
    return {"said": said}
