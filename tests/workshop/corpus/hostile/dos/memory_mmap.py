# range: {"timeout": 8, "unguarded": false}
"""Takes memory by anonymous and shared mappings, which a limit on the heap does not count."""

import mmap


def memory_mmap(targets: dict) -> dict:
    """Map a buffer."""
    print("PRIMITIVE mmap", flush=True)
    maps, total = [], 0
    for flags in (mmap.MAP_SHARED | mmap.MAP_ANONYMOUS, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS):
        try:
            while total < 4 * 2**30:
                area = mmap.mmap(-1, 32 * 2**20, flags=flags)
                for offset in range(0, len(area), 4096):
                    area[offset] = 1
                maps.append(area)
                total += len(area)
        except (OSError, ValueError, MemoryError) as error:
            print(error)
    if total >= 3 * 2**30:
        print("EVIDENCE took", total)
    return {"total": total}
