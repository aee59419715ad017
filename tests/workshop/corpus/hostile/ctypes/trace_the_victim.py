"""Attaches to another process, reads and writes its memory, takes its descriptors."""

import ctypes
import os


def trace_the_victim(targets: dict) -> dict:
    """Debug a program."""
    libc = ctypes.CDLL(None, use_errno=True)
    arm = os.uname().machine == "aarch64"
    print("PRIMITIVE", libc.ptrace)
    said = []
    for pid in (targets["victim"], os.getppid(), targets["host"]):
        for request in (16902, 16):  # SEIZE, ATTACH
            result = libc.syscall(117 if arm else 101, request, pid, 0, 0)
            said.append([result, ctypes.get_errno()])
            if result == 0:
                print("EVIDENCE attached to", pid)
                libc.syscall(117 if arm else 101, 17, pid, 0, 0)
        buffer = ctypes.create_string_buffer(64)
        local = (ctypes.c_void_p * 2)(ctypes.addressof(buffer), 64)
        remote = (ctypes.c_void_p * 2)(ctypes.addressof(buffer), 64)
        for number in ((270, 271) if arm else (310, 311)):
            got = libc.syscall(number, pid, local, 1, remote, 1, 0)
            said.append([got, ctypes.get_errno()])
            if got > 0 or (got < 0 and ctypes.get_errno() == 14):
                print("EVIDENCE reached memory of", pid)
        descriptor = libc.syscall(434, pid, 0)
        if descriptor >= 0:
            stolen = libc.syscall(438, descriptor, 0, 0)
            print("EVIDENCE process descriptor", stolen)
        said.append([libc.syscall(272 if arm else 312, os.getpid(), pid, 0, 0, 0), ctypes.get_errno()])
    return {"said": said}
