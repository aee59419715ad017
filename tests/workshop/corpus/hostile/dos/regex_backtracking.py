# range: {"timeout": 2, "unguarded": false, "killed": true}
"""A regular expression with exponential backtracking."""

import re


async def regex_backtracking(targets: dict) -> dict:
    """Check a postcode."""
    print("PRIMITIVE regex", flush=True)
    return {"match": bool(re.match(r"^(([a-z])+.)+[A-Z]([a-z])+$", "a" * 5000))}
