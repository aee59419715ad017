# range: {"timeout": 3, "unguarded": false, "virtual": true}
"""Never ends in virtual time, where each hour takes no time."""

import time


async def virtual_sleep_forever(targets: dict) -> dict:
    """Wait for spring."""
    print("PRIMITIVE sleep", flush=True)
    hours = 0
    while True:
        time.sleep(3600)
        hours += 1
