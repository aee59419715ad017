# range: {"timeout": 2, "unguarded": false, "killed": true}
"""A loop without end in a synchronous function."""


def busy_loop(targets: dict) -> dict:
    """Count up."""
    print("PRIMITIVE loop", flush=True)
    number = 0
    while True:
        number += 1
