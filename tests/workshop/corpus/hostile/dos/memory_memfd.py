# range: {"timeout": 8, "unguarded": false}
"""Takes memory by files that live in memory."""

import os


def memory_memfd(targets: dict) -> dict:
    """Buffer some sound."""
    block, total = b"x" * 2**20, 0
    try:
        descriptor = os.memfd_create("sound")
        print("PRIMITIVE", descriptor, flush=True)
        while total < 3 * 2**30:
            total += os.write(descriptor, block)
    except (OSError, AttributeError) as error:
        print("PRIMITIVE tried", error)
    for folder in ("/dev/shm", "/run", "/tmp", "."):
        try:
            with open(folder + "/range-fill", "wb") as file:
                while total < 3 * 2**30:
                    total += file.write(block)
        except OSError as error:
            print(folder, error)
    if total >= 3 * 2**30:
        print("EVIDENCE wrote", total)
    return {"total": total}
