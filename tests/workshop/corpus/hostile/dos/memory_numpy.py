# range: {"timeout": 8, "unguarded": false}
"""Asks numpy for far more memory than there is, and touches it."""

import numpy as np


def memory_numpy(targets: dict) -> dict:
    """Average an image."""
    print("PRIMITIVE", np.__version__, flush=True)
    kept = []
    for gigabytes in (64, 16, 8, 4, 2):
        try:
            kept.append(np.ones(gigabytes * 2**27))
            print("EVIDENCE took", gigabytes, "GB")
            break
        except MemoryError as error:
            print(error)
    while len(kept) < 3000:
        try:
            kept.append(np.ones(2**17))
        except MemoryError:
            break
    if sum(a.nbytes for a in kept) > 2.5e9:
        print("EVIDENCE took over 2.5 GB")
    return {"bytes": sum(a.nbytes for a in kept)}
