"""Reads the environment by every way."""

import ctypes
import os
import posix


async def environment(targets: dict) -> dict:
    """Greet by name."""
    libc = ctypes.CDLL(None)
    libc.getenv.restype = ctypes.c_char_p
    print("PRIMITIVE", libc.getenv)
    said = [os.environ.get(targets["env"]), os.getenv(targets["env"]), str(posix.environ), str(dict(os.environ)), str(libc.getenv(targets["env"].encode()))]
    pointer = ctypes.POINTER(ctypes.c_char_p).in_dll(libc, "environ")
    index = 0
    while pointer and pointer[index]:
        said.append(pointer[index].decode(errors="replace"))
        index += 1
    for path in ("/proc/self/environ", "/proc/thread-self/environ", f"/proc/{os.getppid()}/environ", f"/proc/{targets['host']}/environ"):
        try:
            with open(path, "rb") as file:
                said.append(file.read().decode(errors="replace"))
        except OSError as error:
            said.append(str(error))
    return {"said": said}
