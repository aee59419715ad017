# range: {"timeout": 2, "unguarded": false, "killed": true}
"""One arithmetic operation that holds the interpreter for hours."""


def big_power(targets: dict) -> dict:
    """Calculate."""
    print("PRIMITIVE arithmetic", flush=True)
    return {"digits": (7**7**9 * 3**3**18) % 1000}
