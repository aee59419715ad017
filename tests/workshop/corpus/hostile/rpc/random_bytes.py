# range: {"unguarded": false, "timeout": 4}
"""Writes random bytes on every descriptor."""

import os
import random


def random_bytes(targets: dict) -> dict:
    """Make noise."""
    generator, wrote = random.Random(7), 0
    for descriptor in range(64):
        for _ in range(50):
            try:
                os.set_blocking(descriptor, False)
                wrote += os.write(descriptor, generator.randbytes(997))
            except OSError:
                break
    print("PRIMITIVE wrote", wrote)
    return {"wrote": wrote}
