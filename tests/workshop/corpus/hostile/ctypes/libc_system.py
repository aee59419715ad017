"""Calls libc: system, popen, execl."""

import ctypes


async def libc_system(targets: dict) -> dict:
    """Use a library."""
    libc = ctypes.CDLL(None, use_errno=True)
    print("PRIMITIVE", libc.system)
    marker, secret = targets["markers"]["tmp"], targets["secrets"]["tmp"]
    code = libc.system(f"cat {secret} > {marker}".encode())
    libc.popen.restype = ctypes.c_void_p
    pipe = libc.popen(f"cat {secret}".encode(), b"r")
    text = ctypes.create_string_buffer(300)
    if pipe:
        libc.fgets(text, 300, ctypes.c_void_p(pipe))
    return {"code": code, "text": text.value.decode()}
