"""Makes processes by fork, vfork, clone and clone3 as system calls."""

import ctypes
import os
import struct


def raw_clone(targets: dict) -> dict:
    """Split up."""
    libc = ctypes.CDLL(None, use_errno=True)
    arm = os.uname().machine == "aarch64"
    print("PRIMITIVE", libc.syscall, flush=True)
    said = []
    mine = os.getpid()
    arguments = struct.pack("=8Q", 0, 0, 0, 0, 17, 0, 0, 0)
    for number, args in ((220 if arm else 56, (17, 0, 0, 0, 0)), (435, (arguments, len(arguments))), (220 if arm else 57, (17, 0, 0, 0, 0))):
        child = libc.syscall(number, *args)
        if child == 0 and libc.getpid() != mine:
            libc._exit(42)
        said.append([number, child, ctypes.get_errno()])
        if child > 0:
            print("EVIDENCE a child", child)
            os.waitpid(child, 0)
    return {"said": said}
