# range: {"unguarded": false, "timeout": 8, "output_mb": 4}
"""Returns hundreds of megabytes."""


def too_large(targets: dict) -> dict:
    """Return everything."""
    print("PRIMITIVE return", flush=True)
    return {"all": ["x" * 1_000_000] * 300, "list": list(range(5_000_000))}
