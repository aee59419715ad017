# range: {"unguarded": false}
"""Returns values that JSON has no word for, and cycles."""

import math


def not_json(targets: dict) -> dict:
    """Return numbers."""
    print("PRIMITIVE return")
    cycle = {"nan": math.nan, "inf": -math.inf, "bytes": b"\xff", "complex": 1j, "key": {(1, 2): 3, None: 4, 5: 6}, "surrogate": "\ud800", "big": 10**5000}
    cycle["self"] = cycle
    return cycle
