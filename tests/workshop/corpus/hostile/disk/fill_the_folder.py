# range: {"unguarded": false, "timeout": 10}
"""Writes until the disk is full."""

import os


def fill_the_folder(targets: dict) -> dict:
    """Record a film."""
    block, total = os.urandom(2**20), 0
    print("PRIMITIVE", len(block), flush=True)
    for number in range(10_000):
        try:
            with open(f"film-{number}", "wb") as file:
                for _ in range(64):
                    total += file.write(block)
        except OSError as error:
            print(error)
            break
        if total > 3 * 2**30:
            print("EVIDENCE wrote", total)
            break
    return {"total": total}
