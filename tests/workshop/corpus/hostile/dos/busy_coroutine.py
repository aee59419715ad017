# range: {"timeout": 2, "unguarded": false, "killed": true}
"""A coroutine that never awaits and swallows every exception."""


async def busy_coroutine(targets: dict) -> dict:
    """Wait for a person."""
    print("PRIMITIVE loop", flush=True)
    while True:
        try:
            while True:
                pass
        except BaseException:
            continue
