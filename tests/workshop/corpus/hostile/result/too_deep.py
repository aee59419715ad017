# range: {"unguarded": false, "timeout": 8}
"""Returns something deeper than any parser goes."""


async def too_deep(targets: dict) -> dict:
    """Return a tree."""
    print("PRIMITIVE return", flush=True)
    deep = {}
    for _ in range(200_000):
        deep = {"a": deep}
    return deep
