# range: {"timeout": 4, "unguarded": false, "output_mb": 4}
"""Prints without end."""

import sys


def output_flood(targets: dict) -> dict:
    """Tell a long story."""
    print("PRIMITIVE print", flush=True)
    line = "x" * 10_000
    while True:
        print(line)
        print(line, file=sys.stderr)
