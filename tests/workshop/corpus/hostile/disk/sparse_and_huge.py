# range: {"unguarded": false, "timeout": 10}
"""Makes files that look enormous and returns them as artefacts."""

import os


async def sparse_and_huge(targets: dict) -> dict:
    """Save an album."""
    said = []
    print("PRIMITIVE", os.truncate, flush=True)
    for name, size in (("a.jpg", 2**40), ("b.jpg", 5 * 2**30), ("c.jpg", 200 * 2**20)):
        try:
            open(name, "wb").close()
            os.truncate(name, size)
            said.append([name, os.stat(name).st_size])
        except OSError as error:
            said.append(str(error))
    for size in (2**33, 2**31):
        try:
            descriptor = os.open("d.jpg", os.O_CREAT | os.O_RDWR)
            os.posix_fallocate(descriptor, 0, size)
            said.append(["allocated", size])
            print("EVIDENCE allocated", size)
        except OSError as error:
            said.append(str(error))
    return {"photos": ["a.jpg", "b.jpg", "c.jpg", "d.jpg"] * 40, "said": said}
