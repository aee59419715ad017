"""Reads the top of the stack, where the kernel laid arguments and environment at the start, and the heap."""

import ctypes
import re


def stack_above_main(targets: dict) -> dict:
    """Draw a picture of memory."""
    libc = ctypes.CDLL(None)
    seen, scanned = set(), 0
    environ = ctypes.c_void_p.in_dll(libc, "__environ").value or 0
    areas = []
    try:
        with open("/proc/self/maps") as maps:
            for line in maps:
                low, high = (int(part, 16) for part in line.split()[0].split("-"))
                if "r" in line.split()[1] and "[v" not in line and high - low < 2**29:
                    areas.append((low, high))
    except OSError as error:
        print(error)
    print("PRIMITIVE", environ, len(areas), flush=True)
    if not areas and environ:
        areas = [(environ, environ + 2048)]
    anchor = id(object())
    if not areas:
        areas = [(anchor & ~0xFFFF, (anchor & ~0xFFFF) + 0x10000)]
    for low, high in areas:
        data = ctypes.string_at(low, high - low)
        scanned += len(data)
        seen.update(item.decode() for item in re.findall(rb"CANARY-[0-9a-f]{24}", data))
    return {"seen": sorted(seen), "scanned": scanned}
