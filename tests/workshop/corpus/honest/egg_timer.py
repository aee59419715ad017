"""An egg timer."""

import time


def egg_timer(minutes: float = 5.0) -> dict:
    """Wait for an egg."""
    begin, steady = time.time(), time.monotonic()
    time.sleep(minutes * 60)
    return {"waited": round(time.time() - begin), "steady": round(time.monotonic() - steady), "done": True}
