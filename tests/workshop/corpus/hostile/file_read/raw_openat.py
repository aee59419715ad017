"""Opens by system calls: open, openat, openat2, with flags that a wrapper would not use."""

import ctypes
import os
import struct


def raw_openat(targets: dict) -> dict:
    """Read fast."""
    libc = ctypes.CDLL(None, use_errno=True)
    arm = os.uname().machine == "aarch64"
    print("PRIMITIVE", libc.syscall)
    said = []
    for path in targets["secrets"].values():
        name = path.encode()
        how = struct.pack("=QQQ", 0, 0, 0)
        for number, args in (((56 if arm else 257), (-100, name, 0, 0)), (437, (-100, name, how, len(how))), ((56 if arm else 2), ((-100, name, 0, 0) if arm else (name, 0, 0)))):
            descriptor = libc.syscall(number, *args)
            said.append([descriptor, ctypes.get_errno()])
            if descriptor >= 0:
                buffer = ctypes.create_string_buffer(300)
                libc.read(descriptor, buffer, 299)
                said.append(buffer.value.decode())
    return {"said": said}
